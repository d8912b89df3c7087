"""Do two groups of ratings differ? Mann-Whitney as in Tables 16 and 17, corrected, beside a test over listeners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from stripeless.listening.ratings import Texts
from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.rank_tests import mann_whitney, signed_rank
from stripeless.scores.check import FloatArray, IntArray

FEWEST_LISTENERS = 6  # below, no pattern of signs reaches p < 0.05


@dataclass(frozen=True)
class PairTest:
    """Two groups compared. `superiority` is the chance that a rating of the first exceeds one of the second, ties half.

    `p` (Mann-Whitney, two-sided) takes ratings for independent, as the paper does; `p_listeners` (Wilcoxon's signed
    ranks over the listeners' mean differences) does not, and is NaN with fewer than six listeners who heard both.
    """

    first: str
    second: str
    superiority: float
    p: float
    p_holm: float
    p_listeners: float
    p_listeners_holm: float

    def to_dict(self) -> dict[str, Any]:
        return {key: None if isinstance(v, float) and np.isnan(v) else v for key, v in vars(self).items()}


def listener_test(first: FloatArray, second: FloatArray) -> float:
    """p of the listeners' mean differences being as often for one group as for the other.

    Both hold one mean per listener, NaN where a listener did not hear the group.
    """
    differences = (first - second)[~np.isnan(first - second)]
    return signed_rank(differences) if differences.size >= FEWEST_LISTENERS else float("nan")


def listener_means(values: FloatArray, rows: IntArray, code: IntArray, people: int) -> FloatArray:
    """Mean of these rows for each listener, NaN where there is none."""
    count = np.bincount(code[rows], minlength=people)
    total = np.bincount(code[rows], values[rows], people)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def pair_tests(values: FloatArray, groups: Mapping[str, IntArray], listeners: Texts) -> tuple[PairTest, ...]:
    """Every pair of groups, with both p-values corrected for the number of pairs."""
    names, code = np.unique(listeners, return_inverse=True)
    means = {name: listener_means(values, rows, code, names.size) for name, rows in groups.items()}
    pairs = list(combinations(groups, 2))
    plain = [mann_whitney(values[groups[a]], values[groups[b]]) for a, b in pairs]
    over = [listener_test(means[a], means[b]) for a, b in pairs]
    corrected, over_corrected = holm([p for _, p in plain]), holm(over)
    return tuple(
        PairTest(a, b, superiority, p, float(corrected[k]), float(over[k]), float(over_corrected[k]))
        for k, ((a, b), (superiority, p)) in enumerate(zip(pairs, plain, strict=True))
    )
