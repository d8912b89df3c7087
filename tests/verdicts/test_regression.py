"""Least squares where not everybody met everybody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from verdict_trials import cells_from

from stripeless.verdicts import regression
from stripeless.verdicts.cells import cells_of
from stripeless.verdicts.regression import Regressed, regressed
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores


def with_holes(people: int, others: int, leak: float, rng: np.random.Generator, spread: float = 0.05) -> np.ndarray:
    """Mean ranks of people who each met themselves and a few others."""
    square = 0.5 + spread * rng.normal(size=(people, people)) + 0.2 * rng.normal(size=people)
    square += 0.2 * rng.normal(size=(people, 1)) + leak * np.eye(people)
    met = np.eye(people, dtype=bool)
    for step in rng.permutation(np.arange(1, people))[:others]:
        met |= np.roll(np.eye(people, dtype=bool), step, axis=1)
    return np.where(met, square, np.nan)


def test_an_effect_without_noise_is_found_exactly() -> None:
    found = regressed(cells_from(with_holes(10, 4, 0.2, np.random.default_rng(0), spread=1e-9)))
    assert isinstance(found, Regressed)
    assert found.bounds.auc == pytest.approx(0.7, abs=1e-6)
    assert found.p < 1e-6


def test_it_is_the_textbook_t_test() -> None:
    square = with_holes(9, 3, 0.05, np.random.default_rng(1))
    found = regressed(cells_from(square))
    assert isinstance(found, Regressed)
    rows, columns = np.nonzero(~np.isnan(square))
    design = np.zeros((rows.size, 19))
    design[np.arange(rows.size), rows] = design[np.arange(rows.size), 9 + columns] = 1
    design[:, 18] = rows == columns
    solved = np.linalg.pinv(design) @ square[rows, columns]
    left = square[rows, columns] - design @ solved
    freedom = rows.size - np.linalg.matrix_rank(design)
    variance = left @ left / freedom * np.linalg.pinv(design.T @ design)[18, 18]
    from scipy.stats import t

    assert found.bounds.auc == pytest.approx(0.5 + solved[18], abs=1e-9)
    assert found.p == pytest.approx(t.sf(solved[18] / np.sqrt(variance), freedom) / 0.6, rel=1e-6), (
        "three statistics are paid for"
    )
    assert found.by == "rank"
    assert found.bounds.low == pytest.approx(0.5 + solved[18] - t.ppf(0.95, freedom) * np.sqrt(variance), abs=1e-9)


def test_many_people_are_solved_step_by_step_with_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = cells_from(with_holes(30, 4, 0.03, np.random.default_rng(2)))
    at_once = regressed(cells)
    monkeypatch.setattr(regression, "DENSE", 0)
    stepwise = regressed(cells)
    assert isinstance(at_once, Regressed)
    assert isinstance(stepwise, Regressed)
    assert stepwise.p == pytest.approx(at_once.p, rel=1e-5)


@pytest.mark.parametrize("others", [3, 5])
def test_luck_is_called_a_leak_in_one_of_twenty_draws(others: int) -> None:
    rng = np.random.default_rng(others)
    p = []
    for _ in range(300):
        found = regressed(cells_from(with_holes(13, others, 0.0, rng)))  # of 12, odd steps alone make two camps
        assert isinstance(found, Regressed)
        p.append(found.p)
    assert 1 <= np.count_nonzero(np.array(p) <= 0.05) <= 28
    assert 0.4 < np.mean(p) < 0.8, "paying for three statistics makes it a little too careful"


@pytest.mark.parametrize(("dispersion", "leaking"), [(0.5, 1.0), (1.0, 0.1)])
def test_one_pair_that_never_met_hides_no_leak_outside_the_mean(dispersion: float, leaking: float) -> None:
    """Targets of half the spread, or a tenth of the people recognized: found with all pairs, and without one of them."""
    found = []
    for seed in range(6):
        world = ScoreWorld(people=40, dispersion=dispersion, leaking=leaking, eer=0.5 if leaking == 1 else 0.02)
        scores = simulate_scores(world, seed=seed).scores
        enrolled, judged = scores.enrollment_speakers, scores.trial_speakers
        assert enrolled is not None
        assert judged is not None
        met = ~((enrolled.nontarget == 0) & (judged.nontarget == 1))
        holed = replace(
            scores,
            nontarget=scores.nontarget[met],
            enrollment_speakers=replace(enrolled, nontarget=enrolled.nontarget[met]),
            trial_speakers=replace(judged, nontarget=judged.nontarget[met]),
        )
        cells = cells_of(holed)
        assert cells is not None
        assert not cells.complete
        one = regressed(cells)
        assert isinstance(one, Regressed)
        found.append(one.p <= 0.05 and one.by != "rank")
    assert sum(found) >= 5


def test_one_trial_for_each_pair_is_too_little() -> None:
    cells = cells_from(with_holes(9, 3, 0.2, np.random.default_rng(3)))
    assert regressed(replace(cells, count=np.ones_like(cells.count))) == "each pair of people has one trial only"


def test_one_other_person_each_is_too_little() -> None:
    square = np.where(np.eye(8, dtype=bool) | np.roll(np.eye(8, dtype=bool), 1, axis=1), 0.5, np.nan)
    assert regressed(cells_from(square)) == "most people are compared with fewer than 2 others"


def test_nobody_against_themselves_is_nothing() -> None:
    square = np.where(np.eye(8, dtype=bool), np.nan, 0.5)
    assert regressed(cells_from(square)) == "nobody is compared with others of the group"


def test_scores_that_are_all_alike_say_so() -> None:
    square = np.where(np.isnan(with_holes(9, 4, 0.0, np.random.default_rng(4))), np.nan, 0.5)
    assert regressed(cells_from(square)) == "all scores are alike"


def test_strangers_of_the_other_camp_alone_show_no_person() -> None:
    """Women against men only: what shows the sex shows the person, and nobody can tell which it is."""
    rng = np.random.default_rng(4)
    camp = np.arange(12) % 2
    square = 0.5 + 0.02 * rng.normal(size=(12, 12)) + 0.2 * (camp[:, None] == camp)
    crossed = np.where((camp[:, None] != camp) | np.eye(12, dtype=bool), square, np.nan)
    found = regressed(cells_from(crossed))
    assert isinstance(found, str)
    assert "two camps" in found
    three = np.where((np.arange(12)[:, None] % 3 != np.arange(12) % 3) | np.eye(12, dtype=bool), square, np.nan)
    assert isinstance(regressed(cells_from(three)), Regressed), "among three camps, strangers differ"
