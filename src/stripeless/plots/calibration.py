"""What each score is worth as evidence: the likelihood ratio by pool adjacent violators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stripeless.plots.ece import curve
from stripeless.plots.scores import one_assessment, steps
from stripeless.plots.style import COLORS, INK, MUTED, axes_or_new, finish, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_calibration(result: Any, ax: Axes | None = None) -> Axes:
    """log10 of the likelihood ratio that each score stands for, in steps; the line at 0 is zero evidence.

    Where a stretch of scores holds one class alone the ratio has no bound: a triangle at the edge says so, and the dotted
    lines show what ZEBRA's worst case makes of it with Laplace's rule of succession.

    Parameters:
        result: an assessment, or an evaluation, whose strongest attacker is drawn; or its dict.
        ax: the matplotlib axes to draw on; None makes a figure.
    Returns:
        The axes that were drawn on.

    >>> from stripeless.assessment.assess import assess
    >>> ax = plot_calibration(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]))
    >>> [round(float(y), 2) for y in ax.lines[1].get_ydata()]
    [0.0, 0.0]
    """
    one = one_assessment(result)
    segments, edges = curve(one, "segments"), curve(one, "histogram")["edges"]
    low, high = edges[0], edges[-1]
    ax = axes_or_new(ax)
    finite = [value for value in segments["log10_lr"] if value is not None]
    worst = float(one["log10_lr"] or 0.0)
    top = 1.15 * max([1.0, worst, *(abs(value) for value in finite)])
    handles = [ax.plot([low, high], [0, 0], color=INK, linewidth=1.6)[0]]
    x, y = steps(segments, segments["log10_lr"], low, high)
    handles.append(ax.plot(x, y, color=COLORS[0], linewidth=1.8)[0])
    labels = ["zero evidence", "evidence in each score (PAV)"]
    if worst > 0:
        for sign in (1, -1):
            line = ax.plot([low, high], [sign * worst] * 2, color=COLORS[1], linewidth=1.1, linestyle=(0, (1.5, 1.5)))[
                0
            ]
        handles.append(line)
        labels.append(f"strongest evidence counted, ±{worst:.2f}")
    unbounded = _unbounded(ax, segments, low, high, top)
    if unbounded is not None:
        handles.append(unbounded)
        labels.append("one class alone from here on: no bound seen")
    ax.set_xlim(low, high)
    ax.set_ylim(-top, top)
    finish(ax, "score the attacker gives to a pair", "log₁₀ likelihood ratio")
    legend_below(ax, handles, labels)
    return ax


def _unbounded(ax: Axes, segments: Any, low: float, high: float, top: float) -> Any:
    """Triangles at the edge over stretches that hold targets or nontargets alone."""
    value, local = segments["log10_lr"], segments["local_linkability"]
    handle = None
    for sign, marker in ((1, "^"), (-1, "v")):
        alone = [sign * top if v is None and bool(d) == (sign > 0) else None for v, d in zip(value, local, strict=True)]
        x, y = steps(segments, alone, low, high)
        if x:
            line = ax.plot(x, y, color=MUTED, linewidth=2.2, marker=marker, markersize=6, clip_on=False, zorder=4)[0]
            handle = handle or line
    return handle
