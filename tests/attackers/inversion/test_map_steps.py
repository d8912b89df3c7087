"""Steps of attacks with pairs, and of the published procedure, against formulas and literal programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stripeless.attackers.inversion import linear
from stripeless.attackers.inversion import wasserstein_published as published
from stripeless.attackers.inversion.linear import fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.linear_map import Chain, LengthNormalization, LinearMap, fit_pca
from stripeless.attackers.inversion.procrustes import nearest_rotation, random_rotation
from stripeless.errors import InputError

RNG = np.random.default_rng(6)

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
