"""Ranks of millions of scores share steps: near to exact ranks, whatever the scores look like and however rows lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from stripeless.verdicts import ranked
from stripeless.verdicts.ranked import ranks_within

COUNT = ranked.MANY + 5000
Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
SHAPES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "far from zero": lambda rng, n: 1e6 + 1e-3 * rng.standard_normal(n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "log-likelihood ratios": lambda rng, n: np.where(rng.random(n) < 0.05, 3.0, -90.0) + rng.standard_normal(n) ** 3,
    "cosines": lambda rng, n: np.tanh(rng.standard_normal(n)),
    "rounded": lambda rng, n: rng.standard_normal(n).round(1),
    "decisions": lambda rng, n: (rng.random(n) < 0.3).astype(np.float64),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.02, -np.inf, rng.standard_normal(n)),
    "mostly one value": lambda rng, n: np.where(rng.random(n) < 0.6, 0.25, rng.standard_normal(n)),
    "mostly infinite": lambda rng, n: np.where(rng.random(n) < 0.6, np.inf, rng.standard_normal(n)),
    "two narrow peaks": lambda rng, n: rng.integers(0, 2, n) + 1e-7 * rng.standard_normal(n),
    "uniform": lambda rng, n: rng.random(n),
}


def exact(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    ranks = np.empty(values.size)
    for group in np.unique(groups).tolist():
        inside = groups == group
        ranks[inside] = (rankdata(values[inside]) - 0.5) / inside.sum()
    return ranks


@pytest.mark.parametrize("shape", SHAPES)
def test_shared_ranks_are_near_to_exact_ones(shape: str) -> None:
    rng = np.random.default_rng(len(shape))
    values = SHAPES[shape](rng, COUNT)
    groups = rng.integers(0, 2, COUNT) * 2  # numbers may have holes
    found, wanted = ranks_within(values, groups), exact(values, groups)
    assert np.abs(found - wanted).max() <= ranked.FULL
    assert np.abs(found - wanted).mean() < 1e-4
    order = rng.permutation(COUNT)
    np.testing.assert_array_equal(ranks_within(values[order], groups[order]), found[order])


def test_equal_values_share_a_rank_and_order_is_kept() -> None:
    rng = np.random.default_rng(5)
    values = rng.standard_normal(COUNT).round(2)
    found = ranks_within(values, np.zeros(COUNT, dtype=np.int64))
    order = np.argsort(values, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    assert np.unique(found).size == np.unique(values).size


def test_steps_are_used_where_there_are_many_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sort with an index: that is what many scores cost most."""
    rng = np.random.default_rng(6)
    values = rng.standard_normal(COUNT)

    def no_sort(_: object) -> object:
        raise AssertionError("sorted")

    monkeypatch.setattr(ranked, "_ranks", no_sort)
    assert ranks_within(values, rng.integers(0, 2, COUNT)).size == COUNT
