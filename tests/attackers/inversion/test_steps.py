"""The steps of the attacks that rotate, each against a literal and slow version of the same formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stripeless.attackers.inversion import matching, refinement
from stripeless.attackers.inversion.matching import RowMatching, match_unpaired
from stripeless.attackers.inversion.procrustes import nearest_rotation, random_rotation
from stripeless.attackers.inversion.refinement import Refined, believable, principal, refine
from stripeless.attackers.inversion.transport import best_assignment, sinkhorn
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes

RNG = np.random.default_rng(6)


def kernel(n: int) -> np.ndarray:
    """A symmetric matrix with a zero diagonal."""
    values = RNG.uniform(size=(n, n))
    return (values + values.T) * (1 - np.eye(n))


# Transport


def test_an_assignment_is_the_best_of_all() -> None:
    from itertools import permutations

    wanted = RNG.normal(size=(5, 5))
    best = max(permutations(range(5)), key=lambda order: sum(wanted[i, j] for i, j in enumerate(order)))
    assert best_assignment(wanted).tolist() == list(best)
    tall = np.array([[1.0], [3.0], [2.0]])
    assert best_assignment(tall).tolist() == [-1, 0, -1]


def test_a_soft_assignment_sums_to_one_both_ways_and_nears_the_exact_one() -> None:
    cost = RNG.uniform(size=(6, 6))
    soft, converged = sinkhorn(cost, 0.05, tolerance=1e-9, most_steps=5000)
    assert converged
    np.testing.assert_allclose(soft.sum(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(soft.sum(axis=1), 1, atol=1e-6)
    ratio = np.log(soft) + cost / 0.05  # log of row scale plus column scale: no other freedom
    np.testing.assert_allclose(ratio - ratio[:1] - ratio[:, :1] + ratio[0, 0], 0, atol=1e-6)
    assert best_assignment(soft).tolist() == best_assignment(-cost).tolist()
    assert not sinkhorn(cost, 0.01, most_steps=1)[1]
    shifted, _ = sinkhorn(cost + np.arange(6)[:, None], 0.05, tolerance=1e-9, most_steps=5000)
    np.testing.assert_allclose(shifted, soft, atol=1e-6)


# Matching


def agreement(first: np.ndarray, second: np.ndarray, match: np.ndarray) -> float:
    return float(np.sum((first @ match @ second) * match))


def slow_frank_wolfe(first: np.ndarray, second: np.ndarray, match: np.ndarray, steps: int) -> np.ndarray:
    """Each step goes where the agreement, a parabola along the way, is largest."""
    for _ in range(steps):
        assigned = best_assignment(first @ match @ second)
        goal = np.eye(len(match))[assigned]
        ends = [agreement(first, second, (1 - t) * match + t * goal) for t in (0.0, 0.5, 1.0)]
        bend, slope = 2 * (ends[2] - 2 * ends[1] + ends[0]), -3 * ends[0] + 4 * ends[1] - ends[2]
        step = 1.0 if bend >= 0 else min(1.0, -slope / (2 * bend))
        if slope <= 1e-12 * abs(ends[0]):
            break
        match = (1 - step) * match + step * goal
    return match


def test_steps_go_where_the_agreement_is_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = 0
    for size in (4, 6, 9, 12):
        for _ in range(12):
            first, second = kernel(size), -kernel(size)
            start = RNG.dirichlet(np.ones(size), size)
            for steps in (1, 3, 25):
                monkeypatch.setattr(matching, "STEPS", steps)
                slow = slow_frank_wolfe(first, second, start, steps)
                inner += int(steps == 1 and not np.isin(slow.round(9), (0.0, 1.0)).all())
                assert matching._frank_wolfe(first, second, start).tolist() == best_assignment(slow).tolist()
    assert inner > 10, "some steps stop half way"


def test_votes_count_the_runs_that_met_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run pairs what has the same place after shuffling; what is believed sees votes and single runs."""
    given: list[Any] = []

    def never(source: Any, target: Any, guesses: Any, rng: Any) -> None:
        given.append((source, target, guesses))

    monkeypatch.setattr(matching, "_one_run", lambda kernels, profiles, rng: np.arange(len(kernels[0])))
    monkeypatch.setattr(matching, "believable", never)
    source, target = RNG.normal(size=(7, 3)), RNG.normal(size=(5, 4))
    found = match_unpaired(source, target, seed=2, rounds=2)
    assert (found.runs, found.sure) == (16, False)
    ((first, second, (votes, *single)),) = given
    assert first is source
    assert second is target
    assert votes is found.votes
    assert len(single) == 16
    counts = np.sum(single, axis=0)
    assert all((one.sum(axis=0) == 1).all() and one.sum() == 5 for one in single), "five pairs in each run"
    met = np.sum([one.sum(axis=1) for one in single], axis=0)  # runs in which a row was drawn
    np.testing.assert_allclose(found.votes, counts / met[:, None])
    assert found.agreement == pytest.approx(np.mean(found.votes.max(axis=1)))
    assert found.rows.tolist() == list(range(7))


def test_sure_matches_are_the_refined_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = np.array([2, -1, 0, 1])
    monkeypatch.setattr(matching, "believable", lambda *given: Refined(pairs, np.eye(3), 0.0, 1, True))
    found = match_unpaired(RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3)))
    assert found.sure
    assert found.votes.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert found.rows.tolist() == [0, 2, 3]
    assert 0 < found.agreement <= 1


def test_large_sets_are_sampled_and_profiles_are_read_at_as_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def paired(kernels: Any, profiles: Any, rng: Any) -> Any:
        sizes.append(len(kernels[0]))
        assert [len(one) for one in kernels] == [6, 6]
        assert profiles[0].shape == profiles[1].shape
        return np.arange(6)

    monkeypatch.setattr(matching, "MOST_ROWS", 6)
    monkeypatch.setattr(matching, "_one_run", paired)
    monkeypatch.setattr(matching, "believable", lambda *given: None)
    match_unpaired(RNG.normal(size=(9, 3)), RNG.normal(size=(30, 3)))
    assert sizes == [6] * 8
    first, second = np.arange(20.0)[None].repeat(2, 0), np.arange(9.0)[None]
    a, b = matching._profiles(first, second, 0.25)
    assert (a[0].tolist(), b[0].tolist()) == ([0.0, 4.0], [0.0, 1.0])
    a, b = matching._profiles(first, second, 1.0)
    assert b[0].tolist() == list(range(9))
    assert (a[0][0], a[0][-1], len(a[0])) == (0.0, 19.0, 9)


def test_similarities_become_normal_scores_of_their_ranks() -> None:
    from scipy.special import ndtri

    directions = matching._directions(np.array([[1.0, 0], [0, 2], [-1, -1], [4, 4]]))
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1)
    cosines = directions @ directions.T
    scores = matching._rank_similarity(directions)
    np.testing.assert_allclose(scores, scores.T)
    assert not scores.diagonal().any()
    upper = np.triu_indices(4, 1)
    order = np.argsort(cosines[upper], kind="stable")
    np.testing.assert_allclose(scores[upper][order], ndtri((np.arange(6) + 0.5) / 6))
    assert not matching._directions(np.ones((3, 2))).any(), "a row that is the center stays there"
    near = matching._by_nearness(np.array([[0.0, 3, -1], [3, 0, 2], [-1, 2, 0]]))
    assert near.tolist() == [[3, -1], [3, 2], [2, -1]]
    sharp = matching._kernel(np.log(np.array([[1.0, 2], [3, 1]])), 2.0)
    np.testing.assert_allclose(sharp, np.array([[0, 4], [9, 0]]) / np.sqrt(97))


def test_a_run_starts_from_profiles_with_some_random_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[np.ndarray] = []
    monkeypatch.setattr(matching, "_frank_wolfe", lambda first, second, match: starts.append(match))
    a, b = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3))
    matching._one_run([np.eye(5), np.eye(5)], (a, b), np.random.default_rng(4))
    apart = ((a[:, None] - b) ** 2).sum(axis=2)
    noise = sinkhorn(np.random.default_rng(4).random((5, 5)), 0.5, most_steps=30)[0]
    np.testing.assert_allclose(starts[0], 0.7 * sinkhorn(apart / apart.mean(), 0.3, most_steps=100)[0] + 0.3 * noise)


# Refinement


def test_refinement_stops_when_pairs_stay_or_steps_are_used_up() -> None:
    original = RNG.normal(size=(30, 3))
    back = random_rotation(3, RNG)
    anonymized = original @ back.T
    settled = refine(anonymized, original, back)
    assert (settled.settled, settled.steps) == (True, 1)
    assert settled.pairs.tolist() == list(range(30))
    assert settled.cost < 1e-20
    none = refine(anonymized, original, np.eye(3), steps=0)
    assert (none.settled, none.steps) == (False, 0)
    np.testing.assert_array_equal(none.rotation, np.eye(3))
    apart = ((anonymized[:, None] - original) ** 2).sum(axis=2)
    assert none.pairs.tolist() == best_assignment(-apart).tolist()
    assert none.cost == pytest.approx(apart[np.arange(30), none.pairs].mean())
    one = refine(anonymized, original, np.eye(3), steps=1)
    np.testing.assert_allclose(one.rotation, nearest_rotation(anonymized.T @ original[none.pairs]))
    fewer = refine(anonymized, original[:20], back)
    assert (fewer.pairs >= 0).sum() == 20
    assert fewer.pairs[fewer.pairs >= 0].tolist() == list(range(20))


def test_principal_directions_come_in_the_order_of_their_variance() -> None:
    rows = RNG.normal(size=(200, 4)) * [1, 9, 3, 0.1] + 7
    found = principal(rows, 2)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-9)
    values = np.linalg.eigvalsh(np.cov(rows.T))[::-1]
    np.testing.assert_allclose(found.var(axis=0, ddof=1), values[:2])


def test_a_refinement_is_believed_below_half_of_what_chance_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 3))
    costs: list[float] = []

    def told(x: Any, y: Any, rotation: Any, *, steps: int = 40) -> Refined:
        return Refined(np.arange(len(x)), rotation, costs.pop(0) if costs else 9.0, steps, True)

    monkeypatch.setattr(refinement, "refine", told)
    for best, believed in ((0.49, True), (0.51, False)):
        costs[:] = [7.0, best, *[5.0] * 8, *[2.0, 1.0, *[3.0] * 6]]  # two guesses, eight random starts, chance
        found = believable(source, target, [np.eye(20), np.ones((20, 20))], np.random.default_rng(0))
        assert (found is not None) == believed
    assert found is None


# Without pairs


def test_votes_that_are_not_sure_turn_by_all_of_them() -> None:
    source, target = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3))
    votes = RNG.uniform(size=(4, 5))
    votes[2] = 0
    found = fit_wasserstein_procrustes(source, target, match=RowMatching(votes, 0.25, 8))
    np.testing.assert_allclose(found.matrix, nearest_rotation(source.T @ votes @ target))
    rows = [0, 1, 3]
    left = source[rows] @ found.matrix - target[votes[rows].argmax(axis=1)]
    assert found.cost == pytest.approx((left**2).sum(axis=1).mean())
    assert (found.agreement, found.refined, found.converged) == (0.25, False, False)
    assert found.notes[0].startswith("8 runs agree on 25 % of the matches, and no pairing fits")
    sure = fit_wasserstein_procrustes(source, target, match=RowMatching(np.eye(4, 5), 0.75, 8, sure=True))
    refined = refine(source, target, nearest_rotation(source.T @ np.eye(4, 5) @ target))
    np.testing.assert_allclose(sure.matrix, refined.rotation)
    assert (sure.refined, sure.converged, sure.cost, sure.agreement) == (True, refined.settled, refined.cost, 0.75)
    assert f"after {refined.steps} steps" in sure.notes[0]
