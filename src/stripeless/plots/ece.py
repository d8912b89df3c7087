"""The ECE profile: what is left to learn, for every belief the attacker may start from (paper 1, Fig. 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stripeless.errors import InputError
from stripeless.measures.shown import shown
from stripeless.plots.series import Series, series_of
from stripeless.plots.style import INK, axes_or_new, finish, legend_below, looks
from stripeless.results.assessment import Assessment

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def curve(of: Assessment, name: str) -> Any:
    """One of the curves of an assessment, or a sentence that says how to get it."""
    try:
        return of.curves[name]
    except KeyError:
        raise InputError(f"result: it holds no {name} curve; assess the scores with curves=True") from None


def evidence(of: Assessment) -> str:
    """(D_ECE, log10 l, category), as in the legend of paper 1, Fig. 3.

    >>> from stripeless.assessment.assess import assess
    >>> evidence(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]))
    '(0.48, 0.48, A)'
    """
    d_ece, worst, tag = (of.value_of(name) for name in ("d_ece", "log10_lr", "category"))
    average = shown("d_ece", None) if d_ece is None else f"{d_ece:.2f}"
    return f"({average}, {shown('log10_lr', worst)}, {shown('category', tag)})"


def plot_ece(results: Any, ax: Axes | None = None) -> Axes:
    """Bits an attacker still lacks to know the truth, over the odds they started from.

    The black line is zero evidence: perfect privacy. The gap between it and a system's
    line, averaged over all prior probabilities, is that system's D_ECE.

    Parameters:
        results: an assessment, an evaluation, a comparison, a list of them, or their dicts.
        ax: the matplotlib axes to draw on; None makes a figure.
    Returns:
        The axes that were drawn on.

    >>> from stripeless.assessment.assess import assess
    >>> ax = plot_ece(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['zero evidence (0, 0, 0)', 'these scores (0.48, 0.48, A)']
    """
    series = series_of(results)
    ax = axes_or_new(ax)
    first = curve(series[0].assessment, "ece")
    handles = [ax.plot(first["log10_odds"], first["zero_evidence"], color=INK, linewidth=2.0)[0]]
    handles += [_profile(ax, one, look, k) for k, (one, look) in enumerate(zip(series, looks(series), strict=True))]
    if len(series) == 1:
        ax.fill_between(
            first["log10_odds"],
            first["calibrated"],
            first["zero_evidence"],
            color=handles[1].get_color(),
            alpha=0.13,
            linewidth=0,
        )
    ax.set_xlim(-4, 4)
    ax.set_ylim(0, 1.04)
    finish(ax, "log₁₀ of the odds the attacker starts from", "uncertainty left (bit)")
    labels = ["zero evidence (0, 0, 0)", *(f"{one.label} {evidence(one.assessment)}" for one in series)]
    legend_below(ax, handles, labels, "system (D_ECE in bit, log₁₀ of the worst LR, category)")
    return ax


def _profile(ax: Axes, one: Series, look: Any, place: int) -> Any:
    points = curve(one.assessment, "ece")
    return ax.plot(
        points["log10_odds"],
        points["calibrated"],
        color=look.color,
        linestyle=look.dash,
        linewidth=1.7,
        marker=look.marker,
        markersize=4,
        markevery=(4 * place % 20, 20),
    )[0]
