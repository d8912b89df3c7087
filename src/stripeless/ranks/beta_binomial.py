"""The beta-binomial model of similarity ranks, for when there are too few probes to trust their histogram.

If the chance that a wrong template beats the own one is beta distributed, the number of templates that do, rank - 1, is
beta-binomial on 0 .. N-1. (Eq. 3 of Baeckstroem et al. prints alpha for beta in one place, and lives on 0 .. N; there
are N ranks, so n = N - 1 and j = rank - 1.) alpha = beta = 1 is the uniform distribution, which discloses nothing;
alpha below 1 favors the first ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, check_choice
from stripeless.ranks.beta_binomial_newton import SQUARES, LikelihoodLoss, SquareLoss, newton, polish
from stripeless.ranks.disclosure import check_histogram, rank_bits, statistics_of
from stripeless.ranks.rising import log_rising_ratio
from stripeless.scores.check import FloatArray, IntArray

LOSSES = ("ll", "ms", "wms", "rwms", "cll")
LOG_BOUND = float(np.log(1e8))  # |log alpha|, |log beta|: beyond, the pmf is its limit to double precision
_CLL_WEIGHT = 1e5


@dataclass(frozen=True, eq=False)
class BetaBinomial:
    """A fitted model of ranks 1 .. n.

    Attributes:
        alpha, beta: its two parameters, above 0; both 1 is no disclosure, a small `alpha` much.
        n: how many ranks there are.
        loss: what the fit made small, as for `fit_beta_binomial`; empty for a model that was not fitted.
        value: the loss that was reached.
        at_bound: whether no finite optimum was found.
    """

    alpha: float
    beta: float
    n: int
    loss: str = ""
    value: float = float("nan")
    at_bound: bool = False

    @cached_property
    def log_probability(self) -> FloatArray:
        """Natural log of the probability of ranks 1 .. n, by the ratio of neighbors: no large terms cancel."""
        log: FloatArray = log_pmf(np.array([self.alpha]), np.array([self.beta]), self.n)[0]
        return log

    @cached_property
    def probability(self) -> FloatArray:
        """Probability of ranks 1 .. n."""
        return np.exp(self.log_probability)

    @property
    def disclosures(self) -> FloatArray:
        """Bits disclosed at each rank; finite everywhere, unlike those of a sparse histogram."""
        bits: FloatArray = self.log_probability / np.log(2) + np.log2(self.n)
        return bits

    @cached_property
    def statistics(self) -> dict[str, float]:
        """MeanD, IdR, MaxD, StDD and Spread of the model, under the names of `RankDisclosure`."""
        return statistics_of(self.probability)

    @property
    def mean_disclosure(self) -> float:
        """Bits that one observation gives away on average, by the model."""
        return self.statistics["mean_disclosure"]


def log_pmf(alpha: FloatArray, beta: FloatArray, n: int) -> FloatArray:
    """Log probability of ranks 1 .. n, one row per (alpha, beta)."""
    a, b = alpha[:, None], beta[:, None]
    j = np.arange(n - 1, dtype=np.float64)
    log = np.empty((alpha.size, n))
    log[:, 0] = first_log_pmf(alpha, beta, n)
    # p(j+1) / p(j) = (m - j)(j + a) / ((j + 1)(m - j - 1 + b)) with m = n - 1
    log[:, 1:] = np.log((n - 1 - j) / (j + 1) * ((j + a) / (n - 2 - j + b)))
    return np.cumsum(log, axis=1, out=log)


def first_log_pmf(alpha: FloatArray, beta: FloatArray, n: int) -> FloatArray:
    """Log probability of rank 1: B(alpha, n - 1 + beta) / B(alpha, beta)."""
    pairs = zip(np.ravel(beta), np.ravel(alpha), strict=True)
    return np.array([-log_rising_ratio(float(b), float(a), n - 1) for b, a in pairs])


def log_rising(x: FloatArray, steps: ArrayLike) -> FloatArray:
    """log of x (x+1) .. (x+steps-1) = log Gamma(x + steps) - log Gamma(x), also where both are huge."""
    from scipy.special import gammaln

    steps = np.asarray(steps, dtype=np.float64)
    end = x + steps
    direct = gammaln(end) - gammaln(x)
    large = x > 1e3
    if not np.any(large):
        return np.asarray(direct)
    safe = np.where(large, x, 1e3)
    # Stirling's series, the leading terms by log1p so that they do not cancel
    series = steps * np.log(safe + steps) + (safe - 0.5) * np.log1p(steps / safe) - steps
    series += (1 / (safe + steps) - 1 / safe) / 12
    return np.asarray(np.where(large, series, direct))


def sparse_log_pmf(j: IntArray, alpha: FloatArray, beta: FloatArray, n: int) -> FloatArray:
    """Log probability at chosen ranks only (j = rank - 1); alpha and beta broadcast against j."""
    from scipy.special import gammaln

    m = n - 1
    binomial = gammaln(m + 1.0) - gammaln(j + 1.0) - gammaln(m - j + 1.0)
    log: FloatArray = binomial + log_rising(alpha, j) + log_rising(beta, m - j) - log_rising(alpha + beta, m)
    return log


def fit_beta_binomial(histogram: ArrayLike, loss: str = "cll") -> BetaBinomial:
    """The beta-binomial distribution nearest to a histogram of ranks 1 .. n by one of five losses (section IV-B).

    The paper finds "cll" best for pooled histograms; with the few ranks of one speaker only "ll" is safe, because the
    others chase an empty first rank.

    Parameters:
        histogram: how many probes have rank 1, 2 .. n; fractions are fine where ties were split.
        loss: "ll" log-likelihood, "ms" mean square, "wms" weighted by the histogram, "rwms" weighted by exp(-rank),
            "cll" log-likelihood that also holds on to rank 1.
    Returns:
        The model with its parameters and the loss that it reached.

    >>> model = fit_beta_binomial([40.0, 30.0, 20.0, 10.0], loss="ll")  # alpha 1, beta 2: a straight line
    >>> round(model.alpha, 6), round(model.beta, 6), round(float(model.probability[0]), 6)
    (1.0, 2.0, 0.4)
    """
    check_choice("loss", loss, LOSSES)
    counts = check_histogram(histogram)
    if counts.size < 2:
        raise InputError("histogram: one rank only; a model needs at least two templates")
    best, value = _minimize(counts, loss)
    at_bound = bool((np.abs(best) > LOG_BOUND - 1.0).any())
    alpha, beta = np.exp(best)
    return BetaBinomial(float(alpha), float(beta), int(counts.size), loss, value, at_bound)


_GRID = [np.array([a, b]) for a in np.linspace(-6, 4, 6) for b in np.linspace(-3, 9, 7)]


def _minimize(counts: FloatArray, loss: str) -> tuple[FloatArray, float]:
    """The least value of a loss in the box of parameters: damped Newton from the best points of a grid."""
    function = SquareLoss(counts, loss) if loss in SQUARES else LikelihoodLoss(counts, _CLL_WEIGHT * (loss == "cll"))
    starts = sorted(_GRID, key=function.value)[:2]
    if loss != "ll":  # a narrow bent valley, or a flat plain: the likelihood's optimum lies near it
        starts.append(_minimize(counts, "ll")[0])
    best = min((newton(function, start, LOG_BOUND) for start in starts), key=lambda found: found[1])
    return polish(function, *best, LOG_BOUND)


@dataclass(frozen=True)
class GoodnessOfFit:
    """How well a model fits a histogram of ranks.

    Attributes:
        kl_divergence: Kullback-Leibler divergence of the model from the histogram, in bits; 0 is best.
        rank_1_match: |log2| of the ratio of both probabilities at rank 1, in bits; 0 is best, infinite where one of them
            is 0.
    """

    kl_divergence: float
    rank_1_match: float


def goodness_of_fit(histogram: ArrayLike, model: BetaBinomial) -> GoodnessOfFit:
    """Table III: KL divergence and rank-1 match. The match is infinite where no probe has rank 1.

    Parameters:
        histogram: how many probes have rank 1, 2 .. n; fractions are fine where ties were split.
        model: a model of as many ranks.
    Returns:
        A `GoodnessOfFit`: `kl_divergence` and `rank_1_match` in bits, 0 is best.

    >>> fit = goodness_of_fit([1.0, 1.0, 1.0], BetaBinomial(1.0, 1.0, 3))
    >>> abs(fit.kl_divergence) < 1e-12, fit.rank_1_match < 1e-12
    (True, True)
    """
    counts = check_histogram(histogram)
    if counts.size != model.n:
        raise InputError(f"histogram: {counts.size} ranks, but the model has {model.n}")
    p = counts / counts.sum()
    some = p > 0
    kl = float(p[some] @ (rank_bits(p)[some] - model.disclosures[some]))
    with np.errstate(divide="ignore"):
        match = abs(float(np.log2(p[0]) - model.log_probability[0] / np.log(2)))
    return GoodnessOfFit(max(0.0, kl), match)
