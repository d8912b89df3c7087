"""One model per speaker: who is easy to recognize, and how unequal the risk is (section VII, Figures 6 and 7).

The average over all speakers hides those whom any feature gives away. With a few dozen probes per speaker a
histogram says nothing, so each speaker gets a beta-binomial model by log-likelihood, all fitted at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, check_one_each
from stripeless.ranks.beta_binomial import LOG_BOUND, BetaBinomial, log_pmf, sparse_log_pmf
from stripeless.ranks.counts import RankCounts
from stripeless.ranks.disclosure import rank_spans
from stripeless.scores.check import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SpeakerDisclosure:
    """The fitted model of each speaker and the bits that it discloses on average; one number per speaker in each array.

    Attributes:
        speakers: names of the speakers, in the order of the arrays.
        alpha, beta: parameters of the beta-binomial model of each speaker, above 0.
        mean_disclosure: bits that one observation of the speaker gives away on average, 0 to log2 n.
        probes: how many observations of the speaker there are.
        n: how many templates they were ranked among.
    """

    speakers: tuple[str, ...]
    alpha: FloatArray
    beta: FloatArray
    mean_disclosure: FloatArray
    probes: IntArray
    n: int

    def model(self, speaker: str) -> BetaBinomial:
        """The beta-binomial model of one `speaker`, by name."""
        if speaker not in self.speakers:
            raise InputError(f"speaker: {speaker!r} is not among the {len(self.speakers)} speakers")
        at = self.speakers.index(speaker)
        return BetaBinomial(float(self.alpha[at]), float(self.beta[at]), self.n, "ll")

    def most_exposed(self, count: int = 10) -> list[tuple[str, float]]:
        """The speakers, at most `count`, whom an observation gives away most, with the bits."""
        order = np.argsort(-self.mean_disclosure, kind="stable")[:count]
        return [(self.speakers[i], float(self.mean_disclosure[i])) for i in order]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: mean, deviation and maximum over people, and the most exposed ones."""
        return {
            "speakers": len(self.speakers),
            "mean": float(self.mean_disclosure.mean()),
            "std": float(self.mean_disclosure.std()),
            "max": float(self.mean_disclosure.max()),
            "most_exposed": [{"speaker": s, "bits": bits} for s, bits in self.most_exposed()],
        }


def speaker_disclosure(
    ranks: ArrayLike | RankCounts, n: int | None = None, *, speakers: Sequence[Any]
) -> SpeakerDisclosure:
    """Fit one beta-binomial model per speaker (log-likelihood) and take its mean disclosure, in bits.

    A tie counts at its middle rank. Speakers with one probe get the model that one rank supports, which is
    sharp: read the distribution over speakers with the number of probes in mind.

    Parameters:
        ranks: ranks 1 .. n of the probes, or `RankCounts`.
        n: how many templates there are; taken from `RankCounts` where those are given.
        speakers: who speaks in each probe.
    Returns:
        A `SpeakerDisclosure`: for each speaker the model and `mean_disclosure` in bits; `most_exposed()` lists the
        first.

    >>> result = speaker_disclosure([1, 1, 2, 1, 50, 80, 20, 99], n=100, speakers=["ann"] * 4 + ["bo"] * 4)
    >>> [name for name, bits in result.most_exposed()]
    ['ann', 'bo']
    """
    low, width, n = rank_spans(ranks, n)
    if n < 2:
        raise InputError("n: one template only; a model needs at least two")
    check_one_each("speakers", len(speakers), low.size, of="ranks", each="probe")
    names, group = np.unique(np.asarray(speakers).astype(str), return_inverse=True)
    j = low + width // 2
    alpha, beta = fit_groups(j, group, names.size, n)
    mean = model_means(alpha, beta, n)
    probes = np.bincount(group, minlength=names.size)
    return SpeakerDisclosure(tuple(names.tolist()), alpha, beta, mean, probes, n)


def fit_groups(j: IntArray, group: IntArray, groups: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Maximum likelihood of (alpha, beta) for all groups at once: damped Newton steps in their logarithms."""
    count = np.bincount(group, minlength=groups).astype(np.float64)
    mean = (np.bincount(group, weights=j, minlength=groups) / count + 0.5) / n
    # start with the right mean and little certainty
    best = np.stack([np.log(0.5 * mean), np.log(0.5 * (1 - mean))])
    value = _group_loss(best, j, group, count, n)
    damping = np.full(groups, 1e-2)
    active = np.ones(groups, dtype=bool)
    for _ in range(300):
        step = _group_step(best, j, group, count, n, damping)
        trial = np.clip(best + step, -LOG_BOUND, LOG_BOUND)
        reached = _group_loss(trial, j, group, count, n)
        better = active & (reached < value)
        moved = np.abs(trial - best).max(axis=0)
        best[:, better], value[better] = trial[:, better], reached[better]
        damping = np.where(better, np.maximum(damping / 8, 1e-12), np.minimum(damping * 8, 1e12))
        active &= (damping < 1e10) & ~(better & (moved < 1e-9))
        if not active.any():
            break
    alpha, beta = np.exp(best)
    return alpha, beta


def _group_loss(logs: FloatArray, j: IntArray, group: IntArray, count: FloatArray, n: int) -> FloatArray:
    """Minus the mean log-likelihood of each group."""
    alpha, beta = np.exp(logs)
    log = sparse_log_pmf(j, alpha[group], beta[group], n)
    total: FloatArray = -np.bincount(group, weights=log, minlength=count.size) / count
    return total


def _group_step(
    logs: FloatArray, j: IntArray, group: IntArray, count: FloatArray, n: int, damping: FloatArray
) -> FloatArray:
    """One damped Newton step per group, at most 2 in each logarithm."""
    from scipy.special import polygamma, psi

    alpha, beta = np.exp(logs)
    m = n - 1

    def mean(values: FloatArray) -> FloatArray:
        averaged: FloatArray = np.bincount(group, weights=values, minlength=count.size) / count
        return averaged

    both, both_curve = (
        psi(alpha + beta + m) - psi(alpha + beta),
        polygamma(1, alpha + beta + m) - polygamma(1, alpha + beta),
    )
    g_a = both - mean(psi(alpha[group] + j)) + psi(alpha)
    g_b = both - mean(psi(beta[group] + m - j)) + psi(beta)
    h_aa = both_curve - mean(polygamma(1, alpha[group] + j)) + polygamma(1, alpha)
    h_bb = both_curve - mean(polygamma(1, beta[group] + m - j)) + polygamma(1, beta)
    g = np.stack([g_a * alpha, g_b * beta])
    a, b, c = h_aa * alpha**2 + g[0], both_curve * alpha * beta, h_bb * beta**2 + g[1]
    size = np.maximum(np.abs(a) + np.abs(c), 1e-300)  # of the curvature; only ratios matter for the step
    a, b, c, g = a / size, b / size, c / size, g / size
    # shift the smaller eigenvalue above zero, so that the step goes downhill
    smallest = (a + c) / 2 - np.sqrt(((a - c) / 2) ** 2 + b**2)
    shift = np.maximum(0.0, -2 * smallest) + damping
    a, c = a + shift, c + shift
    determinant = np.maximum(a * c - b**2, 1e-300)
    step = -np.stack([c * g[0] - b * g[1], a * g[1] - b * g[0]]) / determinant
    step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=0), 1e-300))
    return np.asarray(step)


def model_means(alpha: FloatArray, beta: FloatArray, n: int) -> FloatArray:
    """Mean disclosure, in bits, of many models of ranks 1 .. n; about 30 ns per speaker and rank."""
    rows = max(1, (1 << 21) // n)
    means = np.empty(alpha.size)
    for i in range(0, alpha.size, rows):
        log = log_pmf(alpha[i : i + rows], beta[i : i + rows], n)
        means[i : i + rows] = (np.exp(log) * log).sum(axis=1)
    bits: FloatArray = np.clip(means / np.log(2) + np.log2(n), 0.0, np.log2(n))
    return bits
