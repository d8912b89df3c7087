"""Do two groups of ratings differ? Mann-Whitney as in Tables 16 and 17, corrected, beside a test over listeners."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from stripeless.listening.ratings import Texts
from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.rank_tests import mann_whitney, signed_rank
from stripeless.results.listening import PairTest
from stripeless.scores.check import FloatArray, IntArray

FEWEST_LISTENERS = 6  # below, no pattern of signs reaches p < 0.05


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
