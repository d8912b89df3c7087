"""The steps of the attacks that rotate, each against a literal and slow version of the same formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stripeless.attackers.inversion import linear, matching, refinement
from stripeless.attackers.inversion import wasserstein_published as published
from stripeless.attackers.inversion.linear import fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.linear_map import Chain, LengthNormalization, LinearMap, fit_pca
from stripeless.attackers.inversion.matching import RowMatching, match_unpaired
from stripeless.attackers.inversion.procrustes import nearest_rotation, random_rotation
from stripeless.attackers.inversion.refinement import Refined, believable, principal, refine
from stripeless.attackers.inversion.transport import best_assignment, sinkhorn
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes
from stripeless.errors import InputError

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


# Linear maps


def test_maps_subtract_turn_and_add_in_this_order() -> None:
    given = np.array([[1.0, 2.0]])
    turn = np.array([[0.0, 1.0], [2.0, 0.0]])
    assert LinearMap(turn, np.array([1.0, 1.0]), np.array([10.0, 20.0])).apply(given).tolist() == [[12.0, 20.0]]
    assert Chain((LinearMap(2 * np.eye(2)), LengthNormalization())).apply([[3.0, 4.0]]).tolist() == [[0.6, 0.8]]
    with pytest.raises(InputError, match="takes 2 dimensions, got 3"):
        LinearMap(turn).apply(np.ones((1, 3)))


@pytest.mark.parametrize("dimensions", [0, 4])
def test_components_are_at_most_the_dimensions_and_rows_less_one(dimensions: int) -> None:
    with pytest.raises(InputError, match=f"allow 1 to 3 components, got {dimensions}"):
        fit_pca(RNG.normal(size=(9, 3)), dimensions)
    with pytest.raises(InputError, match="allow 1 to 2 components"):
        fit_pca(RNG.normal(size=(3, 5)), 3)
    found = fit_pca(-np.outer(np.arange(4.0), [1.0, -3.0]), 1).matrix
    np.testing.assert_allclose(found[:, 0], np.array([-1.0, 3.0]) / np.sqrt(10))


def test_ridge_is_the_textbook_formula_and_tries_seven_strengths() -> None:
    source, target = RNG.normal(size=(60, 4)) + 3, RNG.normal(size=(60, 4))
    assert linear.STRENGTHS.tolist() == pytest.approx([1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100])
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    scale = (a**2).sum() / 4
    for strength, found in zip(linear.STRENGTHS, linear._ridge_maps(source, target), strict=True):
        np.testing.assert_allclose(
            found.matrix, np.linalg.solve(a.T @ a + strength * scale * np.eye(4), a.T @ b), atol=1e-9
        )
        np.testing.assert_allclose(found.apply(source).mean(axis=0), target.mean(axis=0))


def left_out_errors(fit: Any, source: np.ndarray, target: np.ndarray, groups: np.ndarray) -> list[float]:
    total = np.zeros(len(fit(source, target)))
    for fold in range(groups.max() + 1):
        maps = fit(source[groups != fold], target[groups != fold])
        total += [((one.apply(source[groups == fold]) - target[groups == fold]) ** 2).sum() for one in maps]
    return [float(error) for error in total]


@pytest.mark.parametrize("kind", ["ridge", "cca"])
def test_strength_is_chosen_on_speakers_that_were_left_out(kind: str) -> None:
    """Six speakers in five folds; noise beside the signal makes a middle strength best."""
    people = np.repeat(np.arange(6), 5)
    source = np.hstack([RNG.normal(size=(6, 3))[people], RNG.normal(size=(30, 9))])
    target = source @ RNG.normal(size=(12, 12)) + 2 * RNG.normal(size=(30, 12))
    names = [f"s{k}" for k in people]
    if kind == "ridge":
        errors = left_out_errors(linear._ridge_maps, source, target, people % 5)
        assert fit_ridge(source, target, names).chosen == {"ridge": float(linear.STRENGTHS[int(np.argmin(errors))])}
    else:
        ranks = [2, 5, 10]
        errors = left_out_errors(lambda a, b: linear._cca_maps(a, b, ranks), source, target, people % 5)
        assert fit_cca(source, target, names).chosen == {"directions": float(ranks[int(np.argmin(errors))])}


def test_folds_need_two_speakers_and_a_label_each() -> None:
    rows = RNG.normal(size=(6, 3))
    assert fit_ridge(rows, rows, ["a", "b"] * 3).chosen
    assert fit_ridge(rows[:2], rows[:2]).chosen
    for fit in (fit_ridge, fit_cca):
        with pytest.raises(InputError, match="too few pairs"):
            fit(rows, rows, ["a"] * 6)
        with pytest.raises(InputError, match="5 labels for 6 rows"):
            fit(rows, rows, ["a"] * 5)
    narrow = fit_cca(rows[:, :1], rows[:, :1])
    assert narrow.chosen == {"directions": 1.0}


def test_affine_gives_the_covariance_of_the_originals() -> None:
    source = RNG.normal(size=(4000, 3)) * [1, 5, 0.3] + 4
    target = source @ RNG.normal(size=(3, 3)) - 2
    found = fit_affine(source, target)
    assert set(found.chosen) == {"shrinkage_anonymized", "shrinkage_original"}
    assert max(found.chosen.values()) < 0.01
    inverted = found.apply(source)
    np.testing.assert_allclose(inverted.mean(axis=0), target.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(np.cov(inverted.T), np.cov(target.T), rtol=0.05, atol=0.05)


def test_covariances_are_shrunk_by_the_rule_of_ledoit_and_wolf() -> None:
    covariance = pytest.importorskip("sklearn.covariance")
    rows = RNG.normal(size=(40, 6)) * [1, 2, 3, 1, 1, 0.5]
    centered = rows - rows.mean(axis=0)
    found = covariance.LedoitWolf(assume_centered=True).fit(centered)
    whiten, color, share = linear._covariance_roots(centered)
    assert share == pytest.approx(found.shrinkage_)
    np.testing.assert_allclose(color @ color, found.covariance_, atol=1e-9)
    np.testing.assert_allclose(whiten @ color, np.eye(6), atol=1e-9)
    assert linear._covariance_roots(np.zeros((4, 2)))[2] == 1.0


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


# The published procedure, literally


def literal_start(x: np.ndarray, y: np.ndarray, steps: int) -> np.ndarray:
    """Frank-Wolfe on |P Kx - Ky P|^2 with the Gram matrices of the matrix square roots, equally large."""

    def root(rows: np.ndarray) -> np.ndarray:
        u, s, vt = np.linalg.svd(rows, full_matrices=False)
        return (u * np.sqrt(s)) @ vt

    grams = [root(rows) @ root(rows).T for rows in (x, y)]
    k_x, k_y = grams[0], grams[1] * np.linalg.norm(grams[0]) / np.linalg.norm(grams[1])
    match = np.full((len(x), len(x)), 1 / len(x))
    for step in range(1, steps + 1):
        gradient = match @ k_x @ k_x + k_y @ k_y @ match - 2 * k_y @ match @ k_x
        weight = 2 / (2 + step)
        match = weight * published.published_sinkhorn(gradient, published.REGULARIZATION) + (1 - weight) * match
    return nearest_rotation((match @ root(x)).T @ root(y))


def literal_rotation(source: np.ndarray, target: np.ndarray, seed: int) -> np.ndarray:
    """All of it in the whole space, every step with a full decomposition."""
    rng = np.random.RandomState(seed)
    n = len(target)
    points = min(n, published.START_POINTS)
    rotation = literal_start(
        target[rng.permutation(n)[:points]], source[rng.permutation(n)[:points]], published.START_STEPS
    )
    batch, steps = min(published.FIRST_BATCH, n), published.FIRST_STEPS
    for _ in range(published.EPOCHS):
        for _ in range(steps):
            a, b = target[rng.permutation(n)[:batch]], source[rng.permutation(n)[:batch]]
            match = published.published_sinkhorn(-(a @ rotation) @ b.T, published.REGULARIZATION)
            rotation = nearest_rotation(rotation + published.STEP_SIZE / batch * a.T @ match @ b)
        batch, steps = min(2 * batch, n), steps // 2
        if not steps:
            break
    return rotation


def unit(rows: int, dimensions: int) -> np.ndarray:
    vectors = RNG.normal(size=(rows, dimensions))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@pytest.mark.parametrize(("rows", "epochs", "steps"), [(30, 4, 8), (20, 3, 2), (12, 2, 9)])
def test_the_fast_procedure_is_the_literal_one(
    monkeypatch: pytest.MonkeyPatch, rows: int, epochs: int, steps: int
) -> None:
    for name, value in (("EPOCHS", epochs), ("FIRST_STEPS", steps), ("START_STEPS", 12), ("START_POINTS", 25)):
        monkeypatch.setattr(published, name, value)
    target = unit(rows, 5)
    source = target @ random_rotation(5, RNG) + 0.1 * unit(rows, 5)
    found = published.published_rotation(source, target, np.random.RandomState(7))
    np.testing.assert_allclose(found, literal_rotation(source, target, 7), atol=1e-8)


def test_fewer_rows_than_dimensions_are_turned_within_their_span(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("EPOCHS", 2), ("FIRST_STEPS", 4), ("START_STEPS", 5)):
        monkeypatch.setattr(published, name, value)
    source, target = unit(6, 15), unit(6, 15)
    found = published.published_rotation(source, target, np.random.RandomState(1))
    np.testing.assert_allclose(found @ found.T, np.eye(15), atol=1e-9)
    inner, outer = published.row_basis(target), published.row_basis(source)
    assert inner.shape == outer.shape == (15, 6)
    np.testing.assert_allclose(inner.T @ inner, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(target @ inner @ inner.T, target, atol=1e-12)
    small = literal_rotation(source @ outer, target @ inner, 1)
    np.testing.assert_allclose(inner.T @ found @ outer, small, atol=1e-8)
    np.testing.assert_array_equal(published.row_basis(unit(5, 5)), np.eye(5))


@pytest.mark.parametrize(("dimensions", "rank"), [(20, 2), (20, 5), (20, 6), (6, 3)])
def test_a_step_of_low_rank_is_the_whole_step(dimensions: int, rank: int) -> None:
    rotation = random_rotation(dimensions, RNG)
    left, right = RNG.normal(size=(dimensions, rank)), RNG.normal(size=(rank, dimensions))
    wanted = nearest_rotation(rotation + left @ right)
    np.testing.assert_allclose(published.moved_rotation(rotation, left, right), wanted, atol=1e-9)


def test_the_quick_polar_factor_is_the_polar_factor() -> None:
    for matrix in (RNG.normal(size=(6, 6)), np.diag([1.0, 1.0, 1e-4]), np.diag([1e3, 1.0, 1.0])):
        np.testing.assert_allclose(published.fast_nearest_rotation(matrix), nearest_rotation(matrix), atol=1e-9)


def test_the_published_scaling_stops_where_the_program_did() -> None:
    cost = RNG.uniform(size=(5, 5))
    soft = published.published_sinkhorn(cost, 0.5)
    np.testing.assert_allclose(soft.sum(axis=1), 1, atol=1e-9)
    np.testing.assert_allclose(soft.sum(axis=0), 1, atol=2e-3)
    kernel_of, row, column = np.exp(-cost / 0.5), np.full(5, 0.2), np.full(5, 0.2)
    for step in range(1000):
        column = 1 / (kernel_of.T @ row)
        row = 1 / (kernel_of @ column)
        if step % 10 == 0 and np.linalg.norm(column * (kernel_of.T @ row) - 1) < 1e-3:
            break
    np.testing.assert_allclose(soft, row[:, None] * kernel_of * column, rtol=1e-12)
    underflow = published.published_sinkhorn(np.array([[0.0, 2000.0], [0.0, 2000.0]]), 0.5)
    assert np.isfinite(underflow).all()


def test_the_last_step_numbers_barycenters_like_rows() -> None:
    rotated, source = unit(6, 4), unit(6, 4)
    match = published.published_sinkhorn(-rotated @ source.T, 0.025)
    barycenters = match @ source
    nearest = [int(np.argmin(((row - barycenters) ** 2).sum(axis=1))) for row in rotated]
    assert published.row_order_matches(rotated, source).tolist() == nearest
