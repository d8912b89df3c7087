"""Tests on ranks: Spearman, Mann-Whitney, Wilcoxon's signed ranks; ties everywhere, because people rate in whole numbers.

Written out here rather than taken from scipy.stats, whose import alone takes longer than a whole study, and whose
signed-rank test with ties falls back on a slow permutation; the tests hold these to scipy's answers.
"""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError
from stripeless.scores.check import FloatArray

MOST_EXACT = 50  # differences up to which the signed-rank distribution is counted out


def midranks(values: ArrayLike) -> FloatArray:
    """Ranks from 1 upward, ties sharing their mean.

    >>> midranks([10, 20, 10, 5]).tolist()
    [2.5, 4.0, 2.5, 1.0]
    """
    _, place, count = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place])


def spearman(first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Rank correlation, and the one-sided p-value of its being this low by chance (Student's approximation).

    NaN, NaN where one of the two is constant.

    >>> rho, p = spearman([1, 2, 3, 4], [10, 20, 30, 25])
    >>> round(rho, 3)
    0.8
    """
    from scipy.special import stdtr

    x, y = midranks(first), midranks(second)
    if x.size != y.size or x.size < 3:
        raise InputError(f"a rank correlation needs two lists of one length, at least 3, got {x.size} and {y.size}")
    x, y = x - x.mean(), y - y.mean()
    norm = sqrt(float(x @ x) * float(y @ y))
    if norm == 0:
        return float("nan"), float("nan")
    rho = min(1.0, max(-1.0, float(x @ y) / norm))
    if abs(rho) == 1:
        return rho, 0.0 if rho < 0 else 1.0
    freedom = x.size - 2
    return rho, float(stdtr(freedom, rho * sqrt(freedom / (1 - rho * rho))))


def mann_whitney(first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Chance that a value of the first exceeds one of the second (ties count half), and the two-sided p-value.

    The normal approximation with tie and continuity correction, as usual for listening tests.

    >>> superiority, p = mann_whitney([5, 6, 7, 8, 9], [1, 2, 3, 4, 5])
    >>> round(superiority, 2), round(p, 3)
    (0.98, 0.016)
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not a.size or not b.size:
        raise InputError("a Mann-Whitney test needs values in both groups")
    pooled = np.concatenate([a, b])
    n = pooled.size
    u = float(midranks(pooled)[: a.size].sum()) - a.size * (a.size + 1) / 2
    ties = np.unique(pooled, return_counts=True)[1].astype(np.float64)
    variance = a.size * b.size / 12 * ((n + 1) - float((ties**3 - ties).sum()) / (n * (n - 1)) if n > 1 else 0.0)
    if variance <= 0:
        return 0.5, 1.0
    distance = max(0.0, abs(u - a.size * b.size / 2) - 0.5)
    return u / (a.size * b.size), erfc(distance / sqrt(2 * variance))


def signed_rank(differences: ArrayLike) -> float:
    """Wilcoxon's two-sided p-value of differences being as often above 0 as below; zeros are left out.

    Exact with ties for up to 50 differences, normal approximation beyond.

    >>> signed_rank([1, 2, 3, 4, 5, 6])
    0.03125
    """
    d, ranks = _ranked_differences(differences)
    if not d.size:
        return 1.0
    above = float(ranks[d > 0].sum())
    half = float(ranks.sum()) / 2
    if d.size > MOST_EXACT:
        return erfc(max(0.0, abs(above - half) - 0.5) / sqrt(2 * float(ranks @ ranks) / 4))
    ways = np.zeros(round(4 * half) + 1)
    ways[0] = 1.0
    for step in np.round(2 * ranks).astype(np.int64):  # doubled ranks are whole numbers
        ways[step:] = ways[step:] + ways[: ways.size - step]
    least = round(2 * min(above, 2 * half - above))
    return min(1.0, 2 * float(ways[: least + 1].sum()) / float(2**d.size))


def rank_sum(differences: ArrayLike) -> float:
    """Wilcoxon's sum of the signed ranks: above 0 where the ranks speak for the first being larger, below 0 for the second.

    >>> rank_sum([1, 2, -7]), rank_sum([1, 2, 3, -7])
    (0.0, 2.0)
    """
    d, ranks = _ranked_differences(differences)
    return float((np.sign(d) * ranks).sum())


def _ranked_differences(differences: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The differences that are not 0, and the ranks of their sizes."""
    # Differences equal up to rounding are ties: without this their order, and so p, would hang on the last bit.
    d = np.round(np.asarray(differences, dtype=np.float64), 12)
    d = d[d != 0]
    return d, midranks(np.abs(d))
