"""Limits of what an attacker reaches: the AUC within groups, and how far it can be trusted."""

from __future__ import annotations

import numpy as np
import pytest
from verdict_trials import cells_from, square_trials, trial_scores

from stripeless.verdicts.bounds import bounds_of
from stripeless.verdicts.cells import cells_of


def auc(target: np.ndarray, nontarget: np.ndarray) -> float:
    """Pairs in order, ties half."""
    return float(((target[:, None] > nontarget) + 0.5 * (target[:, None] == nontarget)).mean())


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_area_under_the_curve_where_cells_are_equal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = np.round(rng.normal(size=(7, 7, 3)), 1 if seed % 2 else 9) + 0.6 * np.eye(7)[:, :, None]
    scores = trial_scores(square_trials(table, 3))
    cells = cells_of(scores)
    assert cells is not None
    bounds = bounds_of(cells)
    assert bounds is not None
    assert bounds.auc == pytest.approx(auc(scores.target, scores.nontarget), abs=1e-9)
    assert bounds.people == 7


def test_what_belongs_to_a_person_alone_does_not_act() -> None:
    rng = np.random.default_rng(3)
    square = rng.normal(size=(9, 9)) * 0.02 + 0.1 * np.eye(9)
    moved = square + 0.3 * rng.random(9) + 0.3 * rng.random((9, 1))
    one, other = bounds_of(cells_from(square)), bounds_of(cells_from(moved))
    assert one is not None
    assert other is not None
    assert (one.auc, one.low, one.high) == pytest.approx((other.auc, other.low, other.high), abs=1e-9)


def test_known_limits_of_three_people() -> None:
    square = np.array([[0.9, 0.5, 0.5], [0.5, 0.8, 0.5], [0.5, 0.5, 0.7]])
    bounds = bounds_of(cells_from(square))
    assert bounds is not None
    assert bounds.auc == pytest.approx(0.5 + 0.3)
    # u = .4, .3, .2; sd .1 over sqrt(2); t(.95, 2) = 2.920; under exchange sqrt(2.25 * sum d^2 / 2) / 3
    own = np.array([0.4, 0.3, 0.2])
    d = square - square.mean(axis=0) - square.mean(axis=1, keepdims=True) + square.mean()
    error = max(own.std(ddof=1) / np.sqrt(2), np.sqrt(2.25 * (d**2).sum() / 2) / 3)
    assert bounds.low == pytest.approx(0.8 - 2.91999 * error, abs=1e-5)
    assert bounds.high == 1.0


def test_groups_are_put_together_person_by_person() -> None:
    square = np.full((6, 6), 0.5)
    np.fill_diagonal(square, [0.9, 0.9, 0.5, 0.5, 0.5, 0.5])
    bounds = bounds_of(cells_from(square, [0, 0, 1, 1, 1, 1]))
    assert bounds is not None
    assert bounds.auc == pytest.approx(0.5 + 0.4 * 2 / 6)
    assert bounds.people == 6


def test_somebody_alone_in_a_group_is_not_judged_and_two_pairs_have_limits() -> None:
    bounds = bounds_of(cells_from(np.full((3, 3), 0.5), [0, 0, 1]))
    assert bounds is not None
    assert bounds.people == 2
    assert bounds_of(cells_from(np.full((2, 2), 0.5), [0, 1])) is None


@pytest.mark.parametrize(("people", "leak"), [(8, 0.0), (20, 0.05), (20, 0.15), (40, 0.1)])
def test_each_limit_covers_the_truth_in_19_of_20_draws(people: int, leak: float) -> None:
    rng = np.random.default_rng([people, round(100 * leak)])
    below = above = 0
    for _ in range(400):
        square = 0.5 + 0.1 * rng.normal(size=(people, people)) + 0.2 * rng.normal(size=people)
        bounds = bounds_of(cells_from(square + leak * (1 + rng.normal(size=people)) * np.eye(people)))
        assert bounds is not None
        assert bounds.low is not None
        assert bounds.high is not None
        below += bounds.high < 0.5 + leak
        above += bounds.low > 0.5 + leak
    assert max(below, above) <= 35  # 20 expected; 35 has a chance below one in a thousand
