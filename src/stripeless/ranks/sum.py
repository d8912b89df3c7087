"""Adding up what independent features disclose, and the test that says whether they may be added.

Bits of independent features add: pitch tells 1 bit, wording another, together 2. If both say the same thing about the
same people (a low pitch and a long vocal tract), adding counts it twice. So the ranks that two features give to the
same probes are tested for independence first; where they depend on each other the sum is only an upper figure, and a
warning says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, TooFewTrials, TrialMismatch
from stripeless.ranks.disclosure import speaker_groups
from stripeless.scores.check import FloatArray, IntArray

SIGNIFICANCE = 0.05
LEAST_PROBES = 20  # below, no test says anything about independence


class DependentFeatures(UserWarning):
    """Disclosures were added although the features depend on each other."""


@dataclass(frozen=True)
class Independence:
    """Do two features rank the same probes independently?

    Attributes:
        shared_bits: mutual information of the two (binned) ranks beyond what chance gives, in bits, 0 or more.
        p_value: how often speakers paired at random show as much, 0 to 1.
        rank_correlation: Spearman's rank correlation of the two ranks, -1 to 1.
        probes: how many probes both features ranked.
    """

    shared_bits: float
    p_value: float
    rank_correlation: float
    probes: int

    @property
    def independent(self) -> bool:
        """Whether nothing speaks against independence (p above 0.05): with few probes that is weak evidence."""
        return self.p_value > SIGNIFICANCE


def rank_independence(
    first: ArrayLike,
    second: ArrayLike,
    *,
    speakers: Sequence[Any] | None = None,
    permutations: int = 999,
    seed: int = 0,
) -> Independence:
    """Test whether two features rank the same probes independently: mutual information against shuffled pairs.

    Parameters:
        first, second: true ranks of the same probes under two features, 20 or more.
        speakers: who speaks in each probe: all probes of a speaker are shuffled together, because they are alike and
            would otherwise make chance look small; None shuffles single probes.
        permutations: how often pairs are shuffled; p-values are no finer than 1 over this.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        An `Independence`: `independent`, `p_value`, `shared_bits` beyond chance, and Spearman's `rank_correlation`.

    >>> ranks = np.arange(1, 201)
    >>> rank_independence(ranks, ranks).independent
    False
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise TrialMismatch(
            f"ranks: {a.shape} and {b.shape}; both features must rank the same probes in the same order"
        )
    if a.size < LEAST_PROBES:
        raise TooFewTrials(
            f"ranks: {a.size} probes cannot show whether two features are independent; it needs {LEAST_PROBES}"
        )
    groups = speaker_groups(speakers, a.size)
    bins = int(np.clip(np.sqrt(a.size / 20), 2, 8))
    x, y = _binned(a, bins), _binned(b, bins)
    observed = _mutual_information(x, y, bins)
    random = np.random.default_rng(seed)
    shuffled = np.array([_mutual_information(x[_pairing(groups, random)], y, bins) for _ in range(permutations)])
    p_value = (1 + int((shuffled >= observed - 1e-12).sum())) / (1 + permutations)
    return Independence(max(0.0, observed - float(shuffled.mean())), p_value, _correlation(a, b), int(a.size))


def _binned(ranks: FloatArray, bins: int) -> IntArray:
    """Ranks in bins of about equal number; equal ranks share a bin."""
    edges = np.quantile(ranks, np.linspace(0, 1, bins + 1)[1:-1])
    return np.searchsorted(edges, ranks, side="left")


def _mutual_information(x: IntArray, y: IntArray, bins: int) -> float:
    """Mutual information, in bits, of two sequences of bins."""
    joint = np.bincount(x * bins + y, minlength=bins * bins).reshape(bins, bins) / x.size
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    some = joint > 0
    return float((joint[some] * np.log2(joint[some] / apart[some])).sum())


def _pairing(groups: IntArray, random: np.random.Generator) -> IntArray:
    """Which probe of the first feature stands in for each probe of the second: another speaker's, drawn at random.

    Each speaker is paired with one other; within the pair probes follow their order, over again where the other has
    fewer.
    """
    order = np.argsort(groups, kind="stable")
    size = np.bincount(groups)
    start = np.cumsum(size) - size
    other = random.permutation(size.size)[groups]
    place = np.empty(groups.size, dtype=np.int64)
    place[order] = np.arange(groups.size) - np.repeat(start, size)
    return order[start[other] + place % size[other]]


def _correlation(a: FloatArray, b: FloatArray) -> float:
    """Spearman's rank correlation; 0 where one side is constant."""
    from scipy.stats import rankdata

    x, y = rankdata(a), rankdata(b)
    if x.std() == 0 or y.std() == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


@dataclass(frozen=True)
class DisclosureSum:
    """Disclosure of several features together, in bits.

    Attributes:
        total: the sum of the features' mean disclosures.
        at_least: the most telling feature alone: where features depend on each other, the truth lies between this and
            the sum.
        limited: the sum, cut at log2 N: more cannot be known in a closed database of N people.
        allowed: whether all pairs seem independent, so that the sum stands.
        pairs: the test of each pair of features, by both names.
    """

    total: float
    at_least: float
    limited: float
    allowed: bool
    pairs: Mapping[tuple[str, str], Independence]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, the tests of independence as a list."""
        pairs = [
            {
                "features": list(pair),
                "shared_bits": test.shared_bits,
                "p_value": test.p_value,
                "independent": test.independent,
            }
            for pair, test in self.pairs.items()
        ]
        return {**vars(self), "pairs": pairs}


def add_disclosures(
    bits: Mapping[str, float],
    ranks: Mapping[str, ArrayLike],
    n: int,
    *,
    speakers: Sequence[Any] | None = None,
    permutations: int = 999,
    seed: int = 0,
) -> DisclosureSum:
    """Add the mean disclosures of several features, after testing every pair for independence (Holm's correction).

    Warns (`DependentFeatures`) when the sum is not allowed.

    Parameters:
        bits: mean disclosure of each feature by its name, in bits.
        ranks: true ranks of the same probes under each feature, by the same names.
        n: how many templates there are.
        speakers: who speaks in each probe; None shuffles single probes.
        permutations: how often pairs are shuffled for the test.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A `DisclosureSum`: `total` in bits, whether it is `allowed`, and the largest single feature (`at_least`).

    >>> random = np.random.default_rng(0)
    >>> ranks = {"f0": random.integers(1, 101, 500), "style": random.integers(1, 101, 500)}
    >>> add_disclosures({"f0": 1.0, "style": 0.5}, ranks, n=100).total
    1.5
    """
    if set(bits) != set(ranks) or len(bits) < 2:
        raise InputError(
            f"bits and ranks: expected the same two or more features, got {sorted(bits)} and {sorted(ranks)}"
        )
    pairs = {
        (a, b): rank_independence(ranks[a], ranks[b], speakers=speakers, permutations=permutations, seed=seed)
        for a, b in combinations(bits, 2)
    }
    p_values = sorted(pair.p_value for pair in pairs.values())
    allowed = all(p * (len(p_values) - i) > SIGNIFICANCE for i, p in enumerate(p_values))
    total = float(sum(bits.values()))
    if not allowed:
        (a, b), worst = max(pairs.items(), key=lambda item: item[1].shared_bits)
        warnings.warn(
            f"{a} and {b} are not independent (they share {worst.shared_bits:.2f} bit, p = {worst.p_value:.3g}): "
            f"the sum of {total:.2f} bit counts some of it twice; read it as an upper figure",
            DependentFeatures,
            stacklevel=2,
        )
    return DisclosureSum(total, max(bits.values()), min(total, float(np.log2(n))), allowed, pairs)
