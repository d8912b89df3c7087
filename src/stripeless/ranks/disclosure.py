"""Similarity rank disclosure: how many bits the rank of the true template gives away.

Before an observation each of N speakers is as likely as the other, 1/N. Afterwards the speaker at similarity rank k is
the true one with probability p_k. The disclosure at rank k is log2 of posterior over prior, log2(N p_k) bits; negative
where the observation speaks against the speaker at that rank. 0 bits on average is the private end, log2 N means that
everybody is identified. Baeckstroem et al., section IV-C; Eq. 5 there has the sign of log2 p_k wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, NotANumber, check_one_each
from stripeless.measures.catalog import RANK_MEASURES
from stripeless.measures.measure import Measure
from stripeless.ranks.counts import RankCounts
from stripeless.scores.check import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RankDisclosure:
    """What a histogram of true ranks, or a model of it, discloses.

    The mean disclosure of few probes over many ranks is far above 0 by chance alone, so read it with
    `chance_mean_disclosure`.

    Attributes:
        mean_disclosure: bits that one observation gives away on average, 0 to log2 n.
        id_rate: share of probes at rank 1; 1/n is guessing.
        max_disclosure: bits at the most telling rank.
        std_disclosure: standard deviation of the bits from probe to probe.
        spread: share of the ranks that disclose something (above 0 bit).
        histogram: how many probes have rank 1, 2 .. n; a tie counts as its parts.
        probes: how many observations there are.
        speakers: how many people are behind them.
        chance_mean_disclosure: what `mean_disclosure` would be on average if ranks said nothing, in bits.
        intervals: ends (low, high) of the 95 % interval by the name of the statistic; empty where none was asked for.
    """

    mean_disclosure: float
    id_rate: float
    max_disclosure: float
    std_disclosure: float
    spread: float
    histogram: FloatArray
    probes: int
    speakers: int
    chance_mean_disclosure: float
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Templates in the database."""
        return int(self.histogram.size)

    @property
    def probability(self) -> FloatArray:
        """The empirical probability of each rank."""
        probability: FloatArray = self.histogram / self.histogram.sum()
        return probability

    @property
    def disclosures(self) -> FloatArray:
        """Bits disclosed at each rank, Eq. 5 with its sign set right; minus infinity at ranks never seen."""
        return rank_bits(self.probability)

    @property
    def sparse(self) -> bool:
        """True where chance alone explains over a tenth of a bit: fit a model (`fit_beta_binomial`) and read that."""
        return self.chance_mean_disclosure > 0.1

    def measures(self) -> dict[str, Measure]:
        """The five statistics with unit, interval, chance and reach."""
        reach = reach_of(self.n)
        return {
            name: Measure(
                info,
                getattr(self, name),
                low=self.intervals.get(name, (None, None))[0],
                high=self.intervals.get(name, (None, None))[1],
                reach=reach.get(name),
            )
            for name, info in RANK_MEASURES.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: counts, the five statistics as measures, and chance."""
        return {
            "n": self.n,
            "probes": self.probes,
            "speakers": self.speakers,
            "measures": {name: measure.to_dict() for name, measure in self.measures().items()},
            "chance": {"mean_disclosure": self.chance_mean_disclosure, "id_rate": 1 / self.n},
            "sparse": self.sparse,
        }


def reach_of(n: int) -> dict[str, float]:
    """The most that ranks among so many templates can show; a deviation and a spread have no such end."""
    bits = float(np.log2(n))
    return {"mean_disclosure": bits, "max_disclosure": bits, "id_rate": 1.0}


def rank_disclosure(
    ranks: ArrayLike | RankCounts,
    n: int | None = None,
    *,
    speakers: Sequence[Any] | None = None,
    resamples: int = 0,
    seed: int = 0,
) -> RankDisclosure:
    """Disclosure of the true ranks of many probes among `n` templates.

    Parameters:
        ranks: ranks 1 .. n of the probes, or better the `RankCounts` of `count_ranks`, which know how wide a tie is.
        n: how many templates there are; taken from `RankCounts` where those are given.
        speakers: who speaks in each probe; None takes every probe as a person of its own.
        resamples: how often people are drawn for 95 % intervals; 0 for no intervals.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A `RankDisclosure`.

    >>> result = rank_disclosure([1, 1, 1, 2], n=4)
    >>> result.id_rate, round(result.mean_disclosure, 4), round(result.max_disclosure, 4), result.spread
    (0.75, 1.1887, 1.585, 0.25)
    """
    low, width, n = rank_spans(ranks, n)
    histogram = spans_histogram(low, width, n)
    groups = speaker_groups(speakers, low.size)
    intervals: dict[str, tuple[float, float]] = {}
    if resamples:
        from stripeless.ranks.interval import speaker_intervals

        intervals = speaker_intervals(low, width, n, groups, resamples, seed)
    return RankDisclosure(
        **statistics_of(histogram / low.size),
        histogram=histogram,
        probes=int(low.size),
        speakers=int(groups.max()) + 1,
        chance_mean_disclosure=chance_disclosure(low.size, n),
        intervals=intervals,
    )


def rank_histogram(ranks: ArrayLike | RankCounts, n: int | None = None) -> FloatArray:
    """How many probes have their own template at rank 1, 2, .. n.

    A tie over m ranks counts 1/m at each of them: the mean over all ways to break it. From mid-ranks alone the width
    of a tie is not known; rank 1.5 then counts half at 1 and half at 2. That matters: if all scores are equal, every
    mid-rank is (n + 1)/2, as if one rank were certain, while the counts spread evenly and disclose nothing.

    >>> rank_histogram([1, 1.5, 3], n=3).tolist()
    [1.5, 0.5, 1.0]
    """
    return spans_histogram(*rank_spans(ranks, n))


def rank_spans(ranks: ArrayLike | RankCounts, n: int | None) -> tuple[IntArray, IntArray, int]:
    """First rank (from 0) and number of ranks that each probe's tie covers, and n; checked."""
    if isinstance(ranks, RankCounts):
        if n is not None and n != ranks.n:
            raise InputError(f"n: {n}, but the ranks were counted among {ranks.n} templates; leave n out")
        return ranks.above, ranks.tied + 1, ranks.n
    array = np.asarray(ranks)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "fiu":
        raise InputError(f"ranks: expected a flat list of numbers, got {array.dtype} of shape {array.shape}")
    if n is None or n < 1:
        raise InputError("n: say how many templates the ranks were taken among")
    values = array.astype(np.float64)
    if not np.isfinite(values).all():
        raise NotANumber("ranks: NaN or infinity; ranks are numbers from 1 to n")
    if values.min() < 1:
        raise InputError(f"ranks: expected 1 for the most similar template, got {values.min():g}; do not count from 0")
    if values.max() > n:
        raise InputError(f"n: {n} templates, but a rank of {values.max():g}; n must be the size of the whole database")
    if not np.array_equal(values * 2, np.round(values * 2)):
        raise InputError("ranks: expected whole numbers, or halves at ties")
    low = np.floor(values).astype(np.int64) - 1
    return low, (values > low + 1).astype(np.int64) + 1, int(n)


def spans_histogram(low: IntArray, width: IntArray, n: int, weight: FloatArray | None = None) -> FloatArray:
    """The histogram of weighted spans: each adds weight/width to the ranks it covers."""
    single = width == 1
    if single.all():
        histogram: FloatArray = np.bincount(low, weights=weight, minlength=n).astype(np.float64)
        return histogram
    share = (1.0 if weight is None else weight) / width
    alone = np.bincount(low[single], weights=share[single], minlength=n)
    rise = np.bincount(low[~single], weights=share[~single], minlength=n + 1)
    fall = np.bincount((low + width)[~single], weights=share[~single], minlength=n + 1)
    touched = np.cumsum(
        np.bincount(low[~single], minlength=n + 1) - np.bincount((low + width)[~single], minlength=n + 1)
    )
    ties = np.where(touched[:n] > 0, np.cumsum(rise - fall)[:n], 0.0)  # no residue of rounding where no tie reaches
    both: FloatArray = np.asarray(alone + ties, dtype=np.float64)
    return both


def speaker_groups(speakers: Sequence[Any] | None, probes: int) -> IntArray:
    """A number per probe: whose it is."""
    if speakers is None:
        return np.arange(probes)
    check_one_each("speakers", len(speakers), probes, of="ranks", each="probe")
    return np.unique(np.asarray(speakers), return_inverse=True)[1].astype(np.int64)


def rank_bits(probability: FloatArray) -> FloatArray:
    """log2(N p_k) at each rank; minus infinity where p_k is 0."""
    with np.errstate(divide="ignore"):
        bits: FloatArray = np.log2(probability) + np.log2(probability.size)
    return bits


def statistics_of(probability: FloatArray) -> dict[str, float]:
    """The five statistics of section IV-C. A rank of probability 0 adds nothing and cannot be the maximum."""
    n = probability.size
    some = probability > 0
    p, bits = probability[some], rank_bits(probability)[some]
    mean = float(p @ bits)
    # above chance by more than rounding: a uniform histogram has no rank above 1/n
    above = int(np.count_nonzero(p > (1 + 1e-9) / n))
    return {
        "mean_disclosure": min(max(0.0, mean), float(np.log2(n))),
        "id_rate": float(probability[0]),
        "max_disclosure": float(bits.max()),
        "std_disclosure": float(np.sqrt(p @ (bits - mean) ** 2)),
        "spread": above / n,
    }


def chance_disclosure(probes: int, n: int) -> float:
    """The mean of the empirical MeanD if all ranks were equally likely: the bias of `probes` observations over n ranks.

    Exact: the count of one rank is binomial. About (n - 1) / (2 ln 2 probes) bits where probes are many.

    >>> round(chance_disclosure(1, 1024), 6), round(chance_disclosure(100_000, 100), 6)
    (10.0, 0.000714)
    """
    from scipy.stats import binom

    mean = probes / n
    most = int(min(probes, np.ceil(mean + 12 * np.sqrt(mean) + 30)))
    least = int(max(1, np.floor(mean - 12 * np.sqrt(mean) - 30)))
    count = np.arange(least, most + 1)
    share = count / probes
    return max(0.0, float(n * (binom.pmf(count, probes, 1 / n) * share * np.log2(n * share)).sum()))


def individual_disclosure(ranks: ArrayLike | RankCounts, probability: FloatArray) -> FloatArray:
    """Bits disclosed about each probe's speaker, negative where the rank misleads.

    Parameters:
        ranks: ranks 1 .. n of the probes, or `RankCounts`; a tie gets the mean over its ranks.
        probability: probability of each rank, n numbers: of a fitted model (`BetaBinomial.probability`), or empirical.
    Returns:
        One number of bits per probe, log2 n at most; minus infinity at a rank of probability 0.

    >>> individual_disclosure([1, 4], np.array([0.5, 0.25, 0.125, 0.125])).tolist()
    [1.0, -1.0]
    """
    low, width, _ = rank_spans(ranks, probability.size)
    bits = rank_bits(probability)
    if (width == 1).all():
        return bits[low]
    return np.array([bits[a : a + w].mean() for a, w in zip(low, width, strict=True)])


def cumulative_match(histogram: ArrayLike) -> FloatArray:
    """The CMC curve: at position k-1, how often the own template is among the k most similar.

    Parameters:
        histogram: how many probes have rank 1, 2 .. n; fractions are fine where ties were split.
    Returns:
        n shares, rising to 1.

    >>> cumulative_match([2.0, 1.0, 1.0]).tolist()
    [0.5, 0.75, 1.0]
    """
    counts = check_histogram(histogram)
    curve: FloatArray = np.minimum(np.cumsum(counts) / counts.sum(), 1.0)
    return curve


@dataclass(frozen=True)
class KAnonymity:
    """In how large a crowd a speaker hides, in people; N is complete anonymity, 1 none.

    Attributes:
        worst: the crowd at the most telling rank: 1 over the highest posterior.
        typical: the crowd of the average observation: 2 to the entropy of the rank.
        within: how many of the most similar templates hold the own one, by the share of observations (0.5, 0.9, 0.95,
            0.99) in which they do.
    """

    worst: float
    typical: float
    within: Mapping[float, int]


def k_anonymity(histogram: ArrayLike) -> KAnonymity:
    """k-anonymity read off the histogram of ranks (pane (e) of Figure 1 is the pure case).

    Parameters:
        histogram: how many probes have rank 1, 2 .. n; fractions are fine where ties were split.
    Returns:
        A `KAnonymity`: the crowd at the most telling rank (`worst`), that of the average observation (`typical`), and
        how many templates hold the own one in 50, 90, 95 and 99 % of cases (`within`).

    >>> k_anonymity([5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0, 0.0]).worst
    4.0
    """
    counts = check_histogram(histogram)
    probability = counts / counts.sum()
    mean = statistics_of(probability)["mean_disclosure"]
    curve = cumulative_match(counts)
    within = {q: int(np.searchsorted(curve, q - 1e-12)) + 1 for q in (0.5, 0.9, 0.95, 0.99)}
    return KAnonymity(float(1 / probability.max()), float(counts.size / 2**mean), within)


def check_histogram(histogram: ArrayLike) -> FloatArray:
    """Counts, or probabilities, of ranks 1 .. n: finite, none negative, not all zero."""
    counts = np.asarray(histogram)
    if counts.ndim != 1 or not counts.size or counts.dtype.kind not in "fiu":
        raise InputError(f"histogram: expected one count per rank, got {counts.dtype} of shape {counts.shape}")
    counts = counts.astype(np.float64, copy=False)
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise NotANumber("histogram: counts must be finite and not negative")
    if not counts.any():
        raise InputError("histogram: all counts are zero; there is nothing to measure")
    return counts
