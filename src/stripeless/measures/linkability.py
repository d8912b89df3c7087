"""Linkability: how surely a target score gives a match away (Gomez-Barrero et al. 2018).

Eq. 2 and 3 of the VoicePrivacy 2020 supplement with equal priors: D(s) = max(0, P(same speaker | s) - P(other | s)),
averaged over target scores. 0 is the private end, 1 means that every target is linked with certainty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, TooFewTrials
from stripeless.scores.calibration import segment_scores
from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, merge_sorted, staircase

_TINY, _STRETCH = 1e-250, 2.0**900  # of the range of scores


def linkability(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Eq. 2-3 with the likelihood ratio by pool adjacent violators.

    No bins: 1 for separated scores of any number, 0 for constant ones, unmoved by an outlier or by any increasing
    change of the scale.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        A share, 0 (a matching pair never shows) to 1 (it always does).

    >>> linkability([3.0, 4.0], [1.0, 2.0])
    1.0
    >>> linkability([5.0, 5.0], [5.0])
    0.0
    """
    return hull_linkability(staircase(*check_scores(target, nontarget)).hull)


def linkability_binned(target: ArrayLike, nontarget: ArrayLike) -> float:
    """The histogram estimator behind the VoicePrivacy tables, for comparison with them.

    Its faults are its own: it wants 20 targets, gives 0.5 for separated scores of 100 targets, about 0.1 for two
    classes of 1,000 that do not differ, and collapses under one outlier. Prefer `linkability`.

    Parameters:
        target: scores of at least 20 trials of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        A share, 0 to 1, as the tables print it.

    >>> round(linkability_binned(np.arange(100) + 1e6, np.arange(100.0)), 9)
    0.5
    """
    target, nontarget = check_scores(target, nontarget)
    return binned_sorted(np.sort(target), np.sort(nontarget))


def hull_linkability(hull: Staircase) -> float:
    """Eq. 3 over the hull's segments; within a segment both classes are spread alike."""
    x, y = hull.shares
    return float((x * np.maximum(0.0, (x - y) / (x + y))).sum())


def binned_sorted(
    target: FloatArray,
    nontarget: FloatArray,
    target_weight: FloatArray | None = None,
    nontarget_weight: FloatArray | None = None,
) -> float:
    """The histogram estimator on ascending scores; weights, given as running sums, stand for repeated scores."""
    n_target = target.size if target_weight is None else float(target_weight[-1])
    bins = int(min(n_target // 10, 100))
    if bins < 2:
        raise TooFewTrials(
            f"linkability_binned: {n_target:.0f} target scores give fewer than two bins; "
            "it needs 20 (linkability has no such limit)"
        )
    low, high = _range(target, target_weight), _range(nontarget, nontarget_weight)
    first, last = min(low[0], high[0]), max(low[1], high[1])
    if not np.isfinite([first, last]).all():
        raise InputError("linkability_binned: infinite scores have no place in equal-width bins; use linkability")
    if 0 < last - first < _TINY:  # densities would be beyond any number; a power of two changes no digit
        target, nontarget, first, last = target * _STRETCH, nontarget * _STRETCH, first * _STRETCH, last * _STRETCH
    if first == last:  # NumPy's own rule for a histogram of equal values
        first, last = first - 0.5, last + 0.5
    edges = 2 * np.linspace(first / 2, last / 2, bins + 1)  # halved, or the width of the widest range overflows
    if not (np.diff(edges) > 0).all():
        raise InputError(
            f"linkability_binned: scores from {first:g} to {last:g} are too close together to be cut into {bins} bins; "
            "use linkability"
        )
    x = _density(target, edges, target_weight)
    y = _density(nontarget, edges, nontarget_weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = x / y
        local = np.where(y > 0, np.maximum(0.0, 2 * ratio / (1 + ratio) - 1), np.where(x > 0, 1.0, 0.0))
    centres = edges[:-1] / 2 + edges[1:] / 2
    return float(np.trapezoid(local * x, centres))


def _range(scores: FloatArray, weight: FloatArray | None) -> tuple[float, float]:
    """Least and greatest score that carries weight."""
    if weight is None:
        return float(scores[0]), float(scores[-1])
    first = int(np.searchsorted(weight, 0.0, side="right"))
    last = int(np.searchsorted(weight, weight[-1], side="left"))
    return float(scores[first]), float(scores[last])


def _density(scores: FloatArray, edges: FloatArray, weight: FloatArray | None) -> FloatArray:
    """`np.histogram(..., density=True)` of ascending scores: half-open bins, the last one closed."""
    at = np.searchsorted(scores, edges, side="left")
    at[-1] = np.searchsorted(scores, edges[-1], side="right")
    below = at.astype(np.float64) if weight is None else np.concatenate([[0.0], weight])[at]
    counts = np.diff(below)
    density: FloatArray = counts / np.diff(edges) / counts.sum()
    return density


@dataclass(frozen=True, eq=False)
class LocalLinkability:
    """How surely a score gives a match away, D(s) of Eq. 2, as steps: `value[k]` holds from `low[k]` to `high[k]`.

    Attributes:
        low: the lowest score of each step, in rising order.
        high: the highest score of each step.
        value: D(s) on each step, 0 (gives nothing away) to 1 (certainly a match).
    """

    low: FloatArray
    high: FloatArray
    value: FloatArray


def local_linkability(target: ArrayLike, nontarget: ArrayLike) -> LocalLinkability:
    """How surely each score gives a match away: the curve under which Eq. 3 averages.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        A `LocalLinkability`: steps with their lowest and highest score (`low`, `high`) and D(s), 0 to 1 (`value`).

    >>> local_linkability([2.0, 3.0], [0.0, 1.0]).value.tolist()
    [0.0, 1.0]
    """
    target, nontarget = check_scores(target, nontarget)
    return local_linkability_sorted(np.sort(target), np.sort(nontarget))


def local_linkability_sorted(
    target: FloatArray, nontarget: FloatArray, hull: Staircase | None = None
) -> LocalLinkability:
    """`local_linkability` of ascending arrays, with their hull where it is at hand."""
    hull = merge_sorted(target, nontarget).hull if hull is None else hull
    x, y = hull.shares
    low, high = segment_scores(hull, target, nontarget)
    return LocalLinkability(low, high, np.maximum(0.0, (x - y) / (x + y)))
