"""Cllr: the cost, in bits per trial, of trusting log-likelihood ratios, and its least value after recalibration.

0 is a perfect attacker, 1 one who learns nothing; above 1 the scores mislead. The private end is 1 or more.
Brummer & du Preez 2006; Eq. 1 of the VoicePrivacy 2020 supplement.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import ArrayLike

from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, staircase


def cllr(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Cost, in bits per trial, of trusting these natural-log likelihood ratios as they stand.

    Only meaningful for scores that claim to be LLRs. An infinite LLR in favor of the wrong class costs infinity.

    Parameters:
        target: natural-log likelihood ratios of trials of one person, 1-D; above 0 speaks for a match.
        nontarget: the same of trials of two different people.
    Returns:
        Bits per trial: 0 for a perfect attacker, 1 for one who learns nothing, more where the ratios mislead.

    >>> cllr([0.0, 0.0], [0.0])
    1.0
    """
    target, nontarget = check_scores(target, nontarget)
    return cllr_sorted(np.sort(target), np.sort(nontarget))


def cllr_min(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Cllr after the best monotone recalibration (pool adjacent violators): what discrimination alone costs.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        Bits per trial, 0 (separated) to 1 (nothing to learn).

    >>> cllr_min([3.0, 3.0], [3.0, 3.0, 3.0])
    1.0
    >>> cllr_min([1.0, 2.0], [-1.0, -2.0])
    0.0
    """
    return hull_cllr(staircase(*check_scores(target, nontarget)).hull)


def softplus(x: FloatArray) -> FloatArray:
    """log(1 + exp(x)) without overflow; three times as fast as `np.logaddexp(0, x)` on large arrays."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


BLOCK = 1 << 15  # long sums go block by block, so that temporaries stay in the cache


def mean_softplus(x: FloatArray, sign: float) -> float:
    """Mean of log(1 + exp(sign x)), in bounded memory."""
    with np.errstate(over="ignore"):
        total = sum(float(softplus(sign * x[i : i + BLOCK]).sum()) for i in range(0, x.size, BLOCK))
    if np.isinf(total) and np.isfinite(x).all():  # only their sum is beyond any number
        return sum(float((softplus(sign * x[i : i + BLOCK]) / x.size).sum()) for i in range(0, x.size, BLOCK))
    return total / x.size


def cllr_sorted(target: FloatArray, nontarget: FloatArray) -> float:
    """`cllr` of ascending arrays: sorted first, so that the order of the rows cannot show in the last digit."""
    return (mean_softplus(target, -1.0) + mean_softplus(nontarget, 1.0)) / (2 * log(2))


def hull_cllr(hull: Staircase) -> float:
    """Cllr_min from the shares x, y of the classes in each hull segment, whose LR is x / y."""
    x, y = hull.shares
    both = x + y
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = np.where(x > 0, x * np.log2(both / x), 0.0) + np.where(y > 0, y * np.log2(both / y), 0.0)
    return float(cost.sum()) / 2
