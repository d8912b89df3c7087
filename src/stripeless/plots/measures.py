"""One measure for several attackers or systems: a dot, its interval, chance and the unprotected ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stripeless.errors import InputError
from stripeless.measures.shown import is_rate, shown
from stripeless.plots.series import Series, series_of
from stripeless.plots.style import INK, MUTED, SMALL, axes_or_new, finish, looks
from stripeless.verdicts.judged import limits, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_measures(results: Any, measure: str = "eer", ax: Axes | None = None) -> Axes:
    """Dots with 95 % intervals, one line per attacker or system, the first on top.

    The solid line is chance, where an attacker learns nothing. Unprotected speech, where it is known, is the gray line at
    the bottom and the dotted line across.

    Parameters:
        results: an assessment, an evaluation, a comparison, a list of them, or their dicts.
        measure: name of the measure, as in the catalog.
        ax: the matplotlib axes to draw on; None makes a figure.
    Returns:
        The axes that were drawn on.

    >>> from stripeless.assessment.assess import assess
    >>> ax = plot_measures([assess([1.0, 2.0], [0.0, 1.5], name="B1"), assess([1.0, 2.0], [0.0, 0.5], name="B2")])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['B1', 'B2']
    """
    series = series_of(results)
    first = series[0].assessment.measures.get(measure)
    if first is None or any(isinstance(one.assessment.value_of(measure), str) for one in series):
        raise InputError(f"measure: {measure!r} is no number in these results; choose one such as eer or d_ece")
    order = [one for one in series if not one.ceiling] + [one for one in series if one.ceiling]
    ax = axes_or_new(ax)
    scale = 100 if is_rate(measure) else 1
    if first.info.chance is not None:
        ax.axvline(scale * first.info.chance, color=INK, linewidth=1.6)
    look_of = {id(one): look for one, look in zip(series, looks(series), strict=True)}
    for place, one in enumerate(order):
        _dot(ax, one, measure, place, scale, look_of[id(one)])
    ax.set_yticks(range(len(order)), labels=[one.label for one in order])
    ax.set_ylim(len(order) - 0.45, -0.85)
    unit = "%" if scale == 100 else first.unit
    finish(ax, first.info.label + (f" ({unit})" if unit else ""), "")
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)
    return ax


def _dot(ax: Axes, one: Series, measure: str, place: int, scale: int, look: Any) -> None:
    value = number(one.assessment, measure)
    if value is None:
        ax.text(0.01, place, "no value", color=MUTED, fontsize=SMALL, va="center", transform=ax.get_yaxis_transform())
        return
    low, high = limits(one.assessment, measure)
    if one.ceiling:
        ax.axvline(scale * value, color=MUTED, linewidth=1.2, linestyle=(0, (1, 1.5)))
    if low is not None and high is not None:
        ax.plot([scale * low, scale * high], [place, place], color=look.color, linewidth=2.2, marker="|", markersize=9)
    ax.plot([scale * value], [place], look.marker, color=look.color, markersize=7)
    ax.annotate(
        shown(measure, value),
        (scale * value, place),
        xytext=(0, 7),
        textcoords="offset points",
        ha="center",
        fontsize=SMALL,
        color=INK,
    )
