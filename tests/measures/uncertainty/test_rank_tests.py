"""Rank tests against scipy and R, and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata, spearmanr, wilcoxon

from stripeless.errors import InputError
from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.rank_tests import mann_whitney, midranks, signed_rank, spearman

scores = st.lists(st.integers(1, 10), min_size=5, max_size=30)


@given(scores, scores)
def test_mann_whitney_equals_scipy(a: list[int], b: list[int]) -> None:
    superiority, p = mann_whitney(a, b)
    if len(set(a + b)) == 1:
        assert (superiority, p) == (0.5, 1.0)
        return
    wanted = mannwhitneyu(a, b, alternative="two-sided", method="asymptotic")
    assert superiority == pytest.approx(wanted.statistic / len(a) / len(b))
    assert p == pytest.approx(wanted.pvalue)


@given(scores)
def test_midranks_equal_scipy(values: list[int]) -> None:
    assert midranks(values).tolist() == rankdata(values).tolist()


@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=4, max_size=30))
def test_spearman_equals_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    rho, p = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(rho)
        return
    wanted = spearmanr(x, y, alternative="less")
    assert rho == pytest.approx(wanted.statistic)
    assert p == pytest.approx(wanted.pvalue, abs=1e-9)


def test_signed_rank_counts_every_pattern_of_signs() -> None:
    """With ties, against counting all 2^8 patterns one by one."""
    d = np.array([1.0, 1, 2, -2, 3, 4, -1, 5])
    ranks = midranks(np.abs(d))
    sums = [sum(r for k, r in enumerate(ranks) if pattern >> k & 1) for pattern in range(2**8)]
    above = ranks[d > 0].sum()
    extreme = min(above, ranks.sum() - above)
    assert signed_rank(d) == pytest.approx(min(1, 2 * np.mean(np.array(sums) <= extreme)))


def test_signed_rank_equals_scipy_without_ties_and_for_many() -> None:
    few = np.random.default_rng(0).normal(0.3, 1, 20)
    assert signed_rank(few) == pytest.approx(wilcoxon(few, method="exact").pvalue)
    many = np.random.default_rng(1).normal(0.1, 1, 200)
    assert signed_rank(many) == pytest.approx(wilcoxon(many, method="approx", correction=True).pvalue)
    assert signed_rank([0, 0, 0]) == 1


def test_mann_whitney_of_known_groups() -> None:
    low, high = np.arange(20.0), np.arange(20.0) + 100
    assert mann_whitney(low, high)[0] == 0
    assert mann_whitney(low, high)[1] == pytest.approx(mann_whitney(high, low)[1])
    with pytest.raises(InputError, match="both groups"):
        mann_whitney([], [1.0])


def test_holm_against_r() -> None:
    """p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") in R."""
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]).tolist() == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([0.5, np.nan, 0.001]).tolist() == pytest.approx([0.5, np.nan, 0.002], nan_ok=True)
    with pytest.raises(InputError, match="between 0 and 1"):
        holm([1.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_no_correction_and_bonferroni(p: list[float]) -> None:
    raised = holm(p)
    assert (raised >= np.array(p)).all()
    assert (raised <= np.minimum(1, np.array(p) * len(p)) + 1e-15).all()
