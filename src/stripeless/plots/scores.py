"""Where matches and strangers score, and how surely each score gives a match away (paper 2, Fig. 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stripeless.errors import InputError
from stripeless.plots.ece import curve
from stripeless.plots.series import shown_results
from stripeless.plots.style import COLORS, INK, MUTED, axes_or_new, finish, legend_below
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def one_assessment(result: Any) -> Assessment:
    """The assessment to draw: the result itself, or the strongest attacker of an evaluation."""
    known = shown_results(result)
    if isinstance(known, Evaluation):
        return known.strongest()
    if not isinstance(known, Assessment):
        got = "a list" if isinstance(known, list) else repr(known.KIND)
        raise InputError(f"result: expected one assessment or evaluation, got {got}; draw them one by one")
    return known


def steps(
    segments: Mapping[str, Any], values: Sequence[float | None], low: float, high: float
) -> tuple[list[float], list[float]]:
    """Corners of a step function between two edges; segments without a value are left out.

    An infinite score has no number in the result: below the first segment it lies left of the edge, after that right.
    """
    x: list[float] = []
    y: list[float] = []
    for k, (start, end, value) in enumerate(zip(segments["low"], segments["high"], values, strict=True)):
        if value is None:
            continue
        start = min(max((high if k else low) if start is None else start, low), high)
        end = (low if k == 0 and len(values) > 1 else high) if end is None else end
        if x:  # a value holds until the next segment begins
            x.append(start)
            y.append(y[-1])
        x += [start, min(max(end, low), high)]
        y += [value, value]
    return x, y


def plot_scores(result: Any, ax: Axes | None = None) -> Axes:
    """Both classes as histograms, and over them the local linkability D(s), read on the right.

    Parameters:
        result: an assessment, or an evaluation, whose strongest attacker is drawn; or its dict.
        ax: the matplotlib axes to draw on; None makes a figure.
    Returns:
        The axes that were drawn on.

    >>> from stripeless.assessment.assess import assess
    >>> ax = plot_scores(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]))
    >>> ax.figure.axes[1].lines[0].get_ydata().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    """
    one = one_assessment(result)
    bars = curve(one, "histogram")
    ax = axes_or_new(ax)
    edges = bars["edges"]
    nontarget = ax.stairs(bars["nontarget"], edges, fill=True, facecolor=MUTED, alpha=0.35, edgecolor=MUTED)
    ax.stairs(bars["nontarget"], edges, color=MUTED, linewidth=1.0)
    target = ax.stairs(bars["target"], edges, fill=True, facecolor=COLORS[0], alpha=0.35, edgecolor=COLORS[0])
    ax.stairs(bars["target"], edges, color=COLORS[0], linewidth=1.3)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    right = ax.twinx()
    segments = curve(one, "segments")
    x, y = steps(segments, segments["local_linkability"], edges[0], edges[-1])
    line = right.plot(x, y, color=COLORS[1], linewidth=1.8, linestyle=(0, (5, 1.5)))[0]
    right.set_ylim(0, 1.04)
    finish(ax, "score the attacker gives to a pair", "how often (each class by itself)")
    finish(right, "", "local linkability D(s)")
    right.grid(False)
    right.spines["left"].set_visible(False)
    right.spines["right"].set(visible=True, color=MUTED, linewidth=0.8)
    right.yaxis.set_label_position("right")
    right.yaxis.label.set_color(INK)
    labels = [
        "same person (target)",
        "different people (nontarget)",
        "how surely this score gives a match away (right)",
    ]
    legend_below(ax, [target, nontarget, line], labels)
    return ax
