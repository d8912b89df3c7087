"""Laws: the package against the slow, obvious implementation, and invariances that hold for any scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import slow_measures as slow
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import stripeless as s
from stripeless.scores.staircase import Staircase, join, merge_sorted

# few distinct values make ties the rule, not the exception
tied = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=14)
free = st.lists(st.floats(-30, 30, allow_nan=False), min_size=1, max_size=14)
classes = st.one_of(st.tuples(tied, tied), st.tuples(free, free))

PAIRS: dict[str, tuple[Callable[..., float], Callable[..., float]]] = {
    "eer": (s.eer, slow.eer),
    "eer_rocch": (s.eer_rocch, slow.eer_rocch),
    "eer_kaldi": (s.eer_kaldi, slow.eer_kaldi),
    "cllr": (s.cllr, slow.cllr),
    "cllr_min": (s.cllr_min, slow.cllr_min),
    "d_ece": (lambda t, n: s.zebra(t, n).d_ece, slow.d_ece),
    "log10_lr": (lambda t, n: s.zebra(t, n).log10_lr, slow.worst_case),
    "linkability": (s.linkability, slow.linkability),
}
RANK_MEASURES = [name for name in PAIRS if name != "cllr"]


@pytest.mark.parametrize("name", PAIRS)
@given(scores=classes)
@settings(max_examples=150, deadline=None)
def test_equal_to_the_slow_implementation(name: str, scores: tuple[list[float], list[float]]) -> None:
    ours, obvious = PAIRS[name]
    assert ours(*scores) == pytest.approx(obvious(*scores), abs=1e-12)


@pytest.mark.parametrize("name", RANK_MEASURES)
@given(scores=st.tuples(tied, tied))
@settings(max_examples=60, deadline=None)
def test_an_increasing_change_of_scale_changes_nothing(name: str, scores: tuple[list[float], list[float]]) -> None:
    measure = PAIRS[name][0]
    target, nontarget = np.array(scores[0]), np.array(scores[1])
    assert measure(np.exp(target) * 7 - 3, np.exp(nontarget) * 7 - 3) == measure(target, nontarget)


@pytest.mark.parametrize("name", PAIRS)
@given(scores=classes, seed=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_rows_changes_no_bit(name: str, scores: tuple[list[float], list[float]], seed: int) -> None:
    measure = PAIRS[name][0]
    rng = np.random.default_rng(seed)
    assert measure(rng.permutation(scores[0]), rng.permutation(scores[1])) == measure(*scores)


@given(scores=classes)
@settings(max_examples=100, deadline=None)
def test_swapping_classes_and_signs_mirrors_the_roc(scores: tuple[list[float], list[float]]) -> None:
    target, nontarget = np.array(scores[0]), np.array(scores[1])
    for measure in (s.eer, s.eer_rocch, s.cllr, s.cllr_min, lambda t, n: s.zebra(t, n).d_ece):
        assert measure(-nontarget, -target) == pytest.approx(measure(target, nontarget), abs=1e-12)


@given(scores=classes)
@settings(max_examples=100, deadline=None)
def test_reversing_the_scores_mirrors_the_eer(scores: tuple[list[float], list[float]]) -> None:
    target, nontarget = np.array(scores[0]), np.array(scores[1])
    assert s.eer(-target, -nontarget) == pytest.approx(1 - s.eer(target, nontarget), abs=1e-12)


@given(scores=classes)
@settings(max_examples=100, deadline=None)
def test_bounds(scores: tuple[list[float], list[float]]) -> None:
    z = s.zebra(*scores)
    assert 0 <= s.eer_rocch(*scores) <= min(0.5, s.eer(*scores)) + 1e-12
    assert 0 <= s.cllr_min(*scores) <= min(1.0, s.cllr(*scores)) + 1e-12
    assert 0 <= z.d_ece <= 0.7213475204444817 + 1e-12
    assert 0 <= z.log10_lr <= z.log10_lr_limit + 1e-12
    assert sum(z.category_counts.values()) == len(scores[0]) + len(scores[1])
    assert 0 <= s.linkability(*scores) <= 1


@given(scores=classes, cut=st.floats(-5, 5))
@settings(max_examples=150, deadline=None)
def test_staircases_of_ranges_join_into_the_whole(scores: tuple[list[float], list[float]], cut: float) -> None:
    """The hull of the whole is the hull of the parts' hulls."""
    target, nontarget = np.sort(scores[0]), np.sort(scores[1])
    parts = [(c[c <= cut], d[d <= cut]) for c, d in [(target, nontarget)]] + [
        (target[target > cut], nontarget[nontarget > cut])
    ]
    assume(all(t.size + n.size for t, n in parts))
    whole = merge_sorted(target, nontarget)
    hulls = join([merge_sorted(t, n).hull for t, n in parts]).hull
    assert hulls.target.tolist() == whole.hull.target.tolist()
    assert hulls.nontarget.tolist() == whole.hull.nontarget.tolist()


@given(scores=classes)
@settings(max_examples=150, deadline=None)
def test_a_staircase_holds_every_corner_once(scores: tuple[list[float], list[float]]) -> None:
    stairs = merge_sorted(np.sort(scores[0]), np.sort(scores[1]))
    t, n = np.diff(stairs.target, prepend=0), np.diff(stairs.nontarget, prepend=0)
    assert (t + n > 0).all()
    assert (t >= 0).all()
    assert (n >= 0).all()
    corners = {
        (sum(x <= v for x in scores[0]), sum(x <= v for x in scores[1])) for v in set(scores[0]) | set(scores[1])
    }
    held = set(zip(stairs.target.tolist(), stairs.nontarget.tolist(), strict=True))
    assert held <= corners
    assert (len(scores[0]), len(scores[1])) in held


def test_a_hull_of_a_hull_is_itself() -> None:
    rng = np.random.default_rng(0)
    hull = merge_sorted(np.sort(rng.normal(1, 1, 999)), np.sort(rng.normal(0, 1, 5000))).hull
    assert isinstance(hull, Staircase)
    assert hull.hull.target.tolist() == hull.target.tolist()
    ratio = hull.steps[0] / hull.steps[1].clip(1e-300)
    assert (np.diff(ratio) > 0).all()


def test_sorting_in_threads_is_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.scores import sorting

    monkeypatch.setattr(sorting, "LARGE", 10)
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=1001).round(2), [np.inf, -np.inf, 0.0, -0.0]])
    for threads in (1, 2, 3, 8):
        monkeypatch.setattr(sorting, "usable_cores", lambda n=threads: n)
        for first, second in ((values, values[:7]), (values[:300], values)):
            both = sorting.sorted_copies(first, second)
            assert (both[0] == np.sort(first)).all()
            assert (both[1] == np.sort(second)).all()
        ascending = np.sort(values)
        assert (sorting.search_sorted(ascending, ascending) == np.searchsorted(ascending, ascending)).all()
