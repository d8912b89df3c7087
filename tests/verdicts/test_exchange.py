"""The test for a leak: exact where few can be exchanged, at its level where there is nothing, sharp where there is."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from verdict_trials import cells_from, square_trials, trial_scores

from stripeless.verdicts.cells import STATISTICS, Cells, cells_of
from stripeless.verdicts.exchange import double_centered, exchange_test, exchanged_z, together, westfall_young

NOISE = np.random.default_rng(0)


def cells(table: np.ndarray, recordings: int, groups: list[str] | None = None) -> Cells:
    trials = square_trials(table, recordings)
    labels = None if groups is None else {"sex": [groups[int(trial[1][1:])] for trial in trials]}
    found = cells_of(trial_scores(trials, labels))
    assert found is not None
    return found


def p_of(several: list[Cells], seed: int = 0) -> float:
    tested = exchange_test(several, seed=seed)
    assert tested is not None
    return tested.p


def test_all_exchanges_of_five_people_give_the_exact_p_of_the_rank() -> None:
    square = np.random.default_rng(1).random((5, 5)) + 0.25 * np.eye(5)
    centered = double_centered(square)
    sums = [centered[list(order), range(5)].sum() for order in permutations(range(5))]
    exact = np.mean(np.array(sums) >= np.trace(centered) - 1e-12)
    z = exchanged_z([cells_from(square)], [np.arange(5)], np.zeros(5, dtype=np.int64), 20_000, np.random.default_rng(2))
    drawn = z[1:, 0, 0]
    assert np.mean(drawn >= z[0, 0, 0] - 1e-9) == pytest.approx(exact, abs=0.012)
    assert drawn.std() == pytest.approx(1.0, abs=0.02)  # Hoeffding's variance
    assert drawn.mean() == pytest.approx(0.0, abs=0.02)


def test_four_people_can_never_have_less_than_one_in_24() -> None:
    assert p_of([cells_from(0.2 + 0.7 * np.eye(4))]) == pytest.approx(1 / 24, abs=0.02)


def test_nobody_to_exchange_with_is_no_test() -> None:
    assert exchange_test([cells_from(np.full((2, 2), 0.5), [0, 1])]) is None


@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_where_there_is_nothing_it_is_right_in_19_of_20(rho: float) -> None:
    rng = np.random.default_rng([3, round(10 * rho)])
    hits = 0
    for seed in range(200):
        pair = rng.standard_t(3, size=(8, 8, 1)) + 2 * rng.normal(size=(8, 1, 1)) + 2 * rng.normal(size=(8, 1))
        table = np.sqrt(rho) * pair + np.sqrt(1 - rho) * rng.normal(size=(8, 8, 4))
        hits += p_of([cells(table, 4)], seed) <= 0.05
    assert 1 <= hits <= 21


def test_p_is_never_below_one_in_all_exchanges_and_the_seed_decides() -> None:
    sure = cells_from(np.random.default_rng(4).random((12, 12)) * 0.1 + 0.8 * np.eye(12))
    tested = exchange_test([sure], seed=5)
    assert tested is not None
    assert tested.p == 1 / 1000
    assert tested.permutations == 999
    doubtful = cells_from(np.random.default_rng(6).random((12, 12)) + 0.15 * np.eye(12))
    assert p_of([doubtful], 1) == p_of([doubtful], 1)


def test_scores_of_no_difference_are_no_sign() -> None:
    assert p_of([cells_from(np.full((9, 9), 0.5))]) == 1.0


def test_a_tenth_of_the_people_is_found_by_their_hits() -> None:
    rng = np.random.default_rng(7)
    table = rng.normal(size=(30, 30, 4))
    for k in range(3):
        table[k, k] += 6
    tested = exchange_test([cells(table, 4)])
    assert tested is not None
    assert tested.by == ("top",)
    assert tested.p < 0.01


@pytest.mark.parametrize("spread", [0.4, 2.5])
def test_targets_of_another_spread_are_found_by_it(spread: float) -> None:
    table = np.random.default_rng(8).normal(size=(20, 20, 6))
    for k in range(20):
        table[k, k] *= spread
    tested = exchange_test([cells(table, 6)])
    assert tested is not None
    assert tested.p < 0.01
    if spread < 1:
        assert tested.by == ("spread",)


def test_targets_that_score_lower_are_no_leak_by_rank() -> None:
    square = np.random.default_rng(9).random((15, 15)) * 0.2 + 0.5 - 0.3 * np.eye(15)
    assert p_of([cells_from(square)]) > 0.5


def test_the_best_of_many_pays_for_the_others() -> None:
    rng = np.random.default_rng(10)
    hits, alone = 0, 0
    for seed in range(60):
        several = [cells_from(rng.random((10, 10))) for _ in range(12)]
        tested = exchange_test(several, seed=seed)
        assert tested is not None
        hits += tested.p <= 0.05
        alone += min(p_of([one], seed) for one in several) <= 0.05
    assert hits <= 9
    assert alone >= 18


def test_the_same_attacker_twice_costs_nothing() -> None:
    one = cells_from(np.random.default_rng(11).random((12, 12)) + 0.1 * np.eye(12))
    assert p_of([one, one]) == pytest.approx(p_of([one]), abs=1e-12)


def test_luck_grows_with_the_number_of_attackers() -> None:
    several = [cells_from(NOISE.random((15, 15))) for _ in range(20)]
    tested = exchange_test(several)
    assert tested is not None
    assert 1.4 < tested.luck < 2.4  # the median of the largest of twenty normal numbers is 1.82
    pair = exchange_test(several[:1])
    assert pair is not None
    assert pair.luck == 0.0


def test_many_attackers_get_more_exchanges() -> None:
    several = [cells_from(NOISE.random((6, 6))) for _ in range(30)]
    tested = exchange_test(several)
    assert tested is not None
    assert tested.permutations == 1200


def test_people_are_exchanged_only_with_those_whom_all_attackers_group_alike() -> None:
    one, other = cells_from(np.ones((4, 4)), [0, 0, 1, 1]), cells_from(np.ones((4, 4)), [0, 0, 0, 0])
    places, group = together([one, other])
    assert group.tolist() == [0, 0, 1, 1]
    fewer = cells_from(np.ones((2, 2)))  # judges the first two alone
    places, group = together([other, fewer])
    assert places[1].tolist() == [0, 1, -1, -1]
    assert (group >= 0).all()
    assert group[0] == group[1] != group[2] == group[3]


def test_a_difference_between_groups_is_not_exchanged() -> None:
    rng = np.random.default_rng(12)
    groups = ["f"] * 4 + ["m"] * 12
    called = 0
    for seed in range(60):
        table = rng.normal(size=(16, 16, 3))
        table[:4, :4] += 3
        table[:4, 4:] -= 3
        table[4:, :4] -= 3
        called += p_of([cells(table, 3, groups)], seed) <= 0.05
    assert called <= 9


def test_adjusted_p_of_a_known_table() -> None:
    z = np.zeros((5, 2, len(STATISTICS)))
    z[0, 0, 0], z[1, 1, 0] = 3.0, 2.0  # what was seen, and one exchange
    adjusted, best = westfall_young(z)
    assert adjusted.tolist() == [0.4, 1.0]  # the other attacker's sign comes once by exchange
    assert best[0] == 0


def test_no_order_of_rows_changes_p() -> None:
    """The groups are numbered by their names: else the draws would meet them in the order of the file."""
    rng = np.random.default_rng(13)
    trials = square_trials(rng.normal(size=(12, 12, 3)), 3)
    sexes = ["m" if int(trial[1][1:]) % 3 else "f" for trial in trials]
    found = []
    for order in (np.arange(len(trials)), np.arange(len(trials))[::-1], rng.permutation(len(trials))):
        shuffled = trial_scores([trials[k] for k in order], {"sex": [sexes[k] for k in order]})
        one = cells_of(shuffled)
        assert one is not None
        assert one.labels == ("f", "m")
        found.append(p_of([one]))
    assert found[0] == found[1] == found[2]
