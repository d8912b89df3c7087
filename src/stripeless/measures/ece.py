"""Empirical cross entropy over the attacker's prior (Ramos & Gonzalez-Rodriguez 2008; Eq. 4 and 5 of ZEBRA)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stripeless.measures.cllr import mean_softplus, softplus
from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, merge_sorted

LOG10_ODDS = np.linspace(-4.0, 4.0, 161)


@dataclass(frozen=True, eq=False)
class EceProfile:
    """Bits still needed to know the truth, for each prior odds of a match; one number per prior in every field.

    The area between `zero_evidence` and `calibrated`, over the prior, is D_ECE.

    Attributes:
        log10_odds: prior odds of a match, as base-10 logs.
        zero_evidence: bits that an attacker needs who learns nothing: the entropy of the prior.
        calibrated: bits that are left after the best monotone recalibration of the scores.
        actual: bits that are left where the scores are taken for LLRs as they stand; None where they were not.
    """

    log10_odds: FloatArray
    zero_evidence: FloatArray
    calibrated: FloatArray
    actual: FloatArray | None


def ece_profile(target: ArrayLike, nontarget: ArrayLike, *, log10_odds: ArrayLike = LOG10_ODDS) -> EceProfile:
    """The three profiles at these prior log-odds (base 10); at even odds `actual` is Cllr and `calibrated` Cllr_min.

    Parameters:
        target: scores of trials of one person, 1-D; for `actual` they are read as natural-log likelihood ratios.
        nontarget: scores of trials of two different people, 1-D.
        log10_odds: prior odds of a match at which to compute, as base-10 logs; by default 161 values from -4 to 4.
    Returns:
        An `EceProfile`: `log10_odds`, and in bits at each of them `zero_evidence`, `calibrated` and `actual`.

    >>> profile = ece_profile([0.0, 0.0], [0.0], log10_odds=[0.0])
    >>> profile.zero_evidence.tolist(), profile.calibrated.tolist(), profile.actual.tolist()
    ([1.0], [1.0], [1.0])
    """
    target, nontarget = check_scores(target, nontarget)
    target, nontarget = np.sort(target), np.sort(nontarget)
    odds = np.asarray(log10_odds, dtype=np.float64)
    calibrated = hull_ece(merge_sorted(target, nontarget).hull, odds)
    return EceProfile(odds, prior_entropy(odds), calibrated, actual_ece(target, nontarget, odds))


def _prior(log10_odds: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(target), P(nontarget) and the natural log-odds."""
    logit = log10_odds * np.log(10)
    return 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(logit)), logit


def prior_entropy(log10_odds: FloatArray) -> FloatArray:
    """Eq. 1: bits of a binary question at these prior log-odds."""
    p, q, logit = _prior(log10_odds)
    return np.asarray((p * np.logaddexp(0.0, -logit) + q * np.logaddexp(0.0, logit)) / np.log(2))


def hull_ece(hull: Staircase, log10_odds: FloatArray) -> FloatArray:
    """Eq. 4 with the likelihood ratios of the hull's segments."""
    p, q, logit = _prior(log10_odds)
    x, y = hull.shares
    with np.errstate(divide="ignore"):
        llr = np.log(x) - np.log(y)
    # A class that is absent from a segment adds nothing, however infinite the evidence there.
    target, nontarget = x > 0, y > 0
    posterior = llr[None, :] + logit[:, None]
    cost_t = np.logaddexp(0.0, -posterior[:, target]) @ x[target]
    cost_n = np.logaddexp(0.0, posterior[:, nontarget]) @ y[nontarget]
    return np.asarray((p * cost_t + q * cost_n) / np.log(2))


def weighted_ece(
    target: tuple[FloatArray, FloatArray], nontarget: tuple[FloatArray, FloatArray], log10_odds: FloatArray
) -> FloatArray:
    """`actual_ece` of scores that stand for several each, given as (scores, weights)."""
    p, q, logit = _prior(log10_odds)
    (t, weight_t), (n, weight_n) = target, nontarget
    with np.errstate(invalid="ignore", over="ignore"):
        cost = [
            p[k] * np.average(softplus(-(t + logit[k])), weights=weight_t)
            + q[k] * np.average(softplus(n + logit[k]), weights=weight_n)
            for k in range(log10_odds.size)
        ]
    return np.asarray(np.array(cost) / np.log(2))


def actual_ece(target: FloatArray, nontarget: FloatArray, log10_odds: FloatArray) -> FloatArray:
    """Eq. 4 with the scores themselves as natural-log likelihood ratios."""
    p, q, logit = _prior(log10_odds)
    cost = [
        p[k] * mean_softplus(target + logit[k], -1.0) + q[k] * mean_softplus(nontarget + logit[k], 1.0)
        for k in range(log10_odds.size)
    ]
    return np.asarray(np.array(cost) / np.log(2))
