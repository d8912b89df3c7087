"""Unnamed people: what so many of them could show by luck alone."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.verdicts.clusters import FEWEST, area, bounds_of_unnamed, people_for, reach


def test_two_people_can_show_an_area_of_975_thousandths_by_luck() -> None:
    assert 0.5 + reach(FEWEST) == pytest.approx(0.975, abs=5e-4)


@pytest.mark.parametrize("people", [2, 3, 10, 40, 1000])
def test_from_so_many_people_on_it_would_be_a_leak(people: int) -> None:
    assert people_for(0.5 + reach(people)) == people
    assert people_for(0.5 + reach(people) - 1e-6) == people + 1


def test_no_number_of_people_makes_a_leak_of_guessing() -> None:
    assert people_for(0.5) is None
    assert people_for(0.3) is None


def test_a_perfect_attacker_on_the_fewest_people_is_a_leak() -> None:
    assert people_for(1.0) == FEWEST


def test_area_counts_pairs_in_order_and_half_of_the_ties() -> None:
    rng = np.random.default_rng(1)
    for few, many in ((7, 30), (30, 7), (9, 9)):
        target, nontarget = np.sort(rng.integers(0, 9, few)), np.sort(rng.integers(-2, 7, many))
        pairs = (target[:, None] > nontarget) + 0.5 * (target[:, None] == nontarget)
        assert area(target, nontarget) == pytest.approx(pairs.mean(), abs=1e-12)


def test_limits_end_at_none_and_all() -> None:
    bounds = bounds_of_unnamed(0.9, 3)
    assert (bounds.low, bounds.high) == (pytest.approx(0.9 - reach(3)), 1.0)
    assert bounds_of_unnamed(0.1, 3).low == 0.0
    assert bounds.people == 3


@pytest.mark.parametrize("people", [3, 8, 20])
def test_complete_clustering_exceeds_it_in_about_one_of_twenty_draws(people: int) -> None:
    """The worst case that the bound is made for: all recordings of a person alike."""
    rng = np.random.default_rng(2)
    alike = rng.random((4000, people)).mean(axis=1) - rng.random((4000, 1)).mean() * 0
    exceeded = (alike >= 0.5 + reach(people)).mean()
    assert exceeded <= 0.06
