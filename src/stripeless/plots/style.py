"""One look for every figure: colors that color-blind readers can tell apart, and never color alone.

Each line has its own dash and marker too, so a gray print still says who is who. The report swaps these exact colors
for its own variables, which is how figures follow a dark screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stripeless._extras import need
from stripeless.plots.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1a2530"
MUTED = "#5a6572"
GRID = "#d9dfe6"
PAPER = "#fefefe"
# After Okabe and Ito, darkened until each stands out from white by 4.5 to 1.
COLORS = ("#0069a8", "#b84a00", "#00755c", "#9b4484", "#7d6200", "#4a5bb5")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

SIZE = (4.8, 3.9)  # inches: narrow, so that letters stay legible on a phone and two stand side by side on a desk
FONT = 9.5
SMALL = 8.5


@dataclass(frozen=True)
class Look:
    """How one series is drawn."""

    color: str
    dash: Any
    marker: str


def looks(series: Sequence[Series]) -> list[Look]:
    """A look for each series: the ceiling gray and dotted, the others in a fixed order."""
    drawn = 0
    result = []
    for one in series:
        if one.ceiling:
            result.append(Look(MUTED, (0, (3, 1.2, 1, 1.2, 1, 1.2)), "d"))
            continue
        result.append(Look(COLORS[drawn % len(COLORS)], DASHES[drawn % len(DASHES)], MARKERS[drawn % len(MARKERS)]))
        drawn += 1
    return result


def new_figure(rows: int = 1, size: tuple[float, float] = SIZE) -> tuple[Figure, list[Axes]]:
    """A figure that belongs to nobody but the caller: no pyplot, no global state."""
    figure_module = need("matplotlib.figure", "plots", "drawing a figure")
    figure = figure_module.Figure(figsize=size, layout="constrained", facecolor=PAPER)
    axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
    return figure, list(axes)


def drawn(plot: Callable[..., Any], *given: Any, size: tuple[float, float] = SIZE) -> Figure:
    """A figure of its own for a `plot_x(result, .., ax)`."""
    figure, (ax,) = new_figure(size=size)
    plot(*given, ax)
    return figure


def axes_or_new(ax: Axes | None) -> Axes:
    """The caller's axes, or those of a new figure."""
    return new_figure()[1][0] if ax is None else ax


def finish(ax: Axes, x_label: str, y_label: str) -> Axes:
    """Labels, quiet frame and grid, whatever the caller's own settings."""
    ax.set_facecolor("none")
    ax.set_xlabel(x_label, fontsize=FONT, color=INK, parse_math=False)
    ax.set_ylabel(y_label, fontsize=FONT, color=INK, parse_math=False)
    ax.tick_params(which="major", labelsize=SMALL, colors=MUTED, labelcolor=INK, width=0.8, length=3)
    ax.tick_params(which="minor", bottom=False, left=False)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(MUTED)
        spine.set_linewidth(0.8)
    ax.grid(True, color=GRID, linewidth=0.7, linestyle="-")
    ax.set_axisbelow(True)
    return ax


def legend_below(ax: Axes, handles: Sequence[Any], labels: Sequence[str], title: str = "") -> None:
    """A legend under the axes, where it hides nothing. Names are shown as they are, never read as formulas."""
    shown = [f" {label}" if label.startswith("_") else label for label in labels]
    legend = ax.legend(
        handles,
        shown,
        loc="upper left",
        bbox_to_anchor=(-0.02, -0.19),
        fontsize=SMALL,
        frameon=False,
        labelcolor=INK,
        title=title or None,
        title_fontsize=SMALL,
        alignment="left",
        handlelength=3.2,
        borderaxespad=0.0,
        labelspacing=0.35,
    )
    legend.get_title().set_color(MUTED)
    for text in legend.get_texts():
        text.set_parse_math(False)
