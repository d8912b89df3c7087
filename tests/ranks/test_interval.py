"""The interval of the identification rate: Wilson's, with as many probes as independent ones would say as much."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from stripeless.ranks.interval import id_rate_interval


def first_ranks(hits: list[int], probes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every person has so many probes, of which these find their own template first; the rest find it fifth."""
    low = np.concatenate([np.where(np.arange(probes) < hit, 0, 4) for hit in hits])
    return low, np.ones_like(low), np.repeat(np.arange(len(hits)), probes)


def test_three_people_by_hand() -> None:
    """3, 1 and 2 of 4: residuals 1, -1, 0; variance 2/144 times 3/2 = 1/48; 1/4 of 48 makes 12 independent probes."""
    wanted = binomtest(6, 12).proportion_ci(method="wilson")
    assert id_rate_interval(*first_ranks([3, 1, 2], 4)) == pytest.approx((wanted.low, wanted.high))


def test_two_people_by_hand() -> None:
    """3 and 1 of 4: variance 2/64 times 2/1 = 1/16, as 4 independent probes; without 2/1 it would be 8."""
    wanted = binomtest(2, 4).proportion_ci(method="wilson")
    assert id_rate_interval(*first_ranks([3, 1], 4)) == pytest.approx((wanted.low, wanted.high))


def test_where_nobody_differs_people_count_and_probes_do_not() -> None:
    """All found, or nobody: no variance to go by, so as many probes as people."""
    for hit, found in ((0, 0), (4, 8)):
        wanted = binomtest(found, 8).proportion_ci(method="wilson")
        interval = id_rate_interval(*first_ranks([hit] * 8, 4))
        assert interval == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_a_tie_at_the_first_rank_counts_as_its_share() -> None:
    """Two probes of each of three people share the first rank with one other: a rate of one half, alike for all."""
    low, width = np.zeros(6, dtype=np.int64), np.full(6, 2)
    interval = id_rate_interval(low, width, np.repeat(np.arange(3), 2))
    assert np.mean(interval) == pytest.approx(0.5)
