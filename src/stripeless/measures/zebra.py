"""ZEBRA: zero evidence biometric recognition assessment (Nautsch et al. 2020).

Two questions about an attacker whose prior belief nobody knows. How much do they learn on average over all priors
(D_ECE, bits)? How strong is the single strongest piece of evidence (log10 of the worst likelihood ratio, and its
category)? Zero evidence, the private end, is 0 for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import ArrayLike

from stripeless.scores.calibration import laplace_hull
from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, staircase

CATEGORIES = ("0", "A", "B", "C", "D", "E", "F")
_LOWER_BOUNDS = np.array([1e1, 1e2, 1e4, 1e5, 1e6])  # of B .. F; Table 1 is closed on the left

D_ECE_MAX = 1 / (2 * log(2))


@dataclass(frozen=True)
class Zebra:
    """Average and worst-case disclosure.

    Attributes:
        d_ece: average disclosure in bits, 0 (private) to 0.7213 (never in doubt).
        log10_lr: base-10 log of the strongest likelihood ratio for or against a match; 2 is 100 to 1.
        category: the worst case as a letter: "0" for no evidence, then "A" to "F".
        category_counts: how many trials fall in each category.
        log10_lr_limit: the largest `log10_lr` that this many trials could have shown.
    """

    d_ece: float
    log10_lr: float
    category: str
    category_counts: dict[str, int]
    log10_lr_limit: float


def zebra(target: ArrayLike, nontarget: ArrayLike) -> Zebra:
    """Average and worst-case disclosure of these scores, whatever their scale.

    Average: Eq. 6 on likelihood ratios by pool adjacent violators. Worst case: Eq. 8 on the same with Laplace's rule of
    succession, so that it is finite and grows with the evidence collected.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        Both disclosures as a `Zebra`.

    >>> z = zebra([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0])
    >>> round(z.d_ece, 4), round(z.log10_lr, 4), z.category
    (0.7213, 0.6021, 'A')
    >>> z.log10_lr == z.log10_lr_limit
    True
    """
    return zebra_of(staircase(*check_scores(target, nontarget)).hull)


def zebra_of(hull: Staircase) -> Zebra:
    """ZEBRA from the convex hull."""
    n_target, n_nontarget = hull.n_target, hull.n_nontarget
    strength, trials = strengths(hull)
    worst = float(strength.max())
    counts = np.bincount(category_index(strength), weights=trials, minlength=len(CATEGORIES))
    return Zebra(
        d_ece=hull_d_ece(hull),
        log10_lr=float(np.log10(worst)),
        category=CATEGORIES[int(category_index(np.array([worst]))[0])],
        category_counts={tag: round(float(c)) for tag, c in zip(CATEGORIES, counts, strict=True)},
        log10_lr_limit=log10_lr_limit(n_target, n_nontarget),
    )


def log10_lr_limit(n_target: float, n_nontarget: float) -> float:
    """The largest log10 likelihood ratio that perfectly separated scores of this number reach."""
    most = max((n_target + 1) * n_nontarget / n_target, (n_nontarget + 1) * n_target / n_nontarget)
    return float(np.log10(most))


def category_index(strength: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Place in `CATEGORIES` of evidence of this strength (a likelihood ratio of 1 or more); exactly 1 is category 0."""
    return np.searchsorted(_LOWER_BOUNDS, strength, side="right") + (strength > 1.0)


def category_of(log10_lr: float) -> str:
    """The category of a worst case given as log10.

    >>> category_of(0.0), category_of(1.0), category_of(3.98)
    ('0', 'B', 'C')
    """
    if log10_lr <= 0:
        return "0"
    return "A" if log10_lr < 1 else "B" if log10_lr < 2 else "C" if log10_lr < 4 else "DEF"[min(int(log10_lr) - 4, 2)]


def strengths(hull: Staircase) -> tuple[FloatArray, FloatArray]:
    """Strength of the evidence (LR, or 1/LR where that is more) in each segment of the Laplace hull, and its real trials.

    The prior odds are those of the real trials. Segments that hold nothing but added trials are left out.
    """
    target, nontarget = laplace_hull(hull).steps
    trials = target + nontarget
    trials[0] -= 2
    trials[-1] -= 2
    real = trials > 0
    # Products of whole numbers, divided once: a ratio of exactly 1, 10, 100 ... comes out exact.
    for_match, against = target[real] * hull.n_nontarget, nontarget[real] * hull.n_target
    return np.maximum(for_match / against, against / for_match), trials[real]


def hull_log10_lr(hull: Staircase) -> float:
    """log10 of the strongest evidence, for or against a match."""
    return float(np.log10(strengths(hull)[0].max()))


def hull_d_ece(hull: Staircase) -> float:
    """Eq. 6 over the hull's segments; a segment without nontargets has an infinite LLR, where Z is 1/4."""
    x, y = hull.shares
    with np.errstate(divide="ignore"):
        llr = np.log(x) - np.log(y)
    gain = np.where(x > 0, x * z_of_llr(llr), 0.0) + np.where(y > 0, y * z_of_llr(-llr), 0.0)
    return max(0.0, float(gain.sum()) / log(2))


def z_of_llr(llr: FloatArray) -> FloatArray:
    """Z of Eq. 6 at x = exp(llr): 1/4 + (log x - (x - 1)) / (2 (x - 1)^2), stable for every llr.

    Near 0 the two terms cancel, so the power series in x - 1 takes over; above 700, exp overflows and Z is 1/4.
    A segment is never asked for Z at minus infinity: no target lies where the LR is 0.

    >>> z_of_llr(np.array([0.0, 1e-9, 800.0, np.inf])).tolist()
    [0.0, 1.66666666625e-10, 0.25, 0.25]
    """
    llr = np.asarray(llr, dtype=np.float64)
    safe = np.clip(llr, -1e6, 700.0)
    u = np.expm1(safe)
    small = np.abs(u) < 0.03
    divisor = np.where(small, 1.0, u)
    direct = 0.25 + (safe / divisor - 1.0) / (2.0 * divisor)
    series, step = np.zeros_like(u), np.where(small, u, 0.0)
    for k in range(14, 2, -1):  # sum over k >= 3 of (-1)^(k+1) u^(k-2) / (2k), by Horner's rule
        series = (series + (1.0 if k % 2 else -1.0) / (2 * k)) * step
    z = np.where(small, series, direct)
    return np.where(llr > 700.0, 0.25, z)
