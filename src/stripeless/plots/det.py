"""The DET curve: misses against false alarms on normal-deviate axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless.measures.shown import shown
from stripeless.plots.ece import curve
from stripeless.plots.series import series_of
from stripeless.plots.style import INK, MUTED, PAPER, axes_or_new, finish, legend_below, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST = 0.0005  # rate at the edge of the axes
TICKS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def plot_det(results: Any, ax: Axes | None = None, *, hull: bool = False) -> Axes:
    """Every trade between missing a match and accusing a stranger that these scores offer.

    The nearer to the lower left corner, the better the attacker; the rising line marks equal error rates, the falling
    one is guessing.

    Parameters:
        results: an assessment, an evaluation, a comparison, a list of them, or their dicts.
        ax: the matplotlib axes to draw on; None makes a figure.
        hull: draw thin, beside each curve, the best that thresholds and coin tosses can reach.
    Returns:
        The axes that were drawn on.

    >>> from stripeless.assessment.assess import assess
    >>> ax = plot_det(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]))
    >>> ax.get_legend().get_texts()[-1].get_text()
    'these scores, EER 33.3 %'
    """
    series = series_of(results)
    ax = axes_or_new(ax)
    normal_deviate(ax)
    across = np.array([LEAST, 1 - LEAST])
    ax.plot(across, across, color=MUTED, linewidth=0.8)
    guessing = ax.plot(across, 1 - across, color=INK, linewidth=1.6)[0]
    handles, labels = [guessing], ["guessing, EER 50.0 %"]
    for one, look in zip(series, looks(series), strict=True):
        points = curve(one.assessment, "roc")
        style = {"color": look.color, "linestyle": look.dash}
        line = ax.plot(points["false_alarm"], points["miss"], linewidth=1.6, **style)[0]
        if hull:
            best = curve(one.assessment, "roc_hull")
            ax.plot(best["false_alarm"], best["miss"], linewidth=0.7, alpha=0.8, **style)
        eer = one.assessment["eer"]
        if isinstance(eer, (int, float)):
            at = min(max(eer, LEAST), 1 - LEAST)
            ax.plot(
                [at], [at], look.marker, color=look.color, markersize=6, markeredgecolor=PAPER, zorder=4, clip_on=False
            )
        line.set(marker=look.marker, markersize=4, markevery=[])
        handles.append(line)
        labels.append(f"{one.label}, EER {shown('eer', eer)}")
    finish(ax, "strangers wrongly taken for a match (%)", "matches missed (%)")
    legend_below(ax, handles, labels)
    return ax


def normal_deviate(ax: Axes) -> None:
    """Axes on which two normal classes make a straight line; rates of 0 and 1 sit at the edge instead of infinity."""
    from scipy.special import ndtr, ndtri

    def forward(rate: Any) -> Any:
        return ndtri(np.clip(rate, 1e-9, 1 - 1e-9))

    for axis, set_scale, set_limits in ((ax.xaxis, ax.set_xscale, ax.set_xlim), (ax.yaxis, ax.set_yscale, ax.set_ylim)):
        set_scale("function", functions=(forward, ndtr))
        set_limits(LEAST, 1 - LEAST)
        axis.set_ticks(TICKS, labels=[f"{100 * tick:g}" for tick in TICKS])
        axis.set_ticks([], minor=True)
