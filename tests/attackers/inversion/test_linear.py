"""Attacks beyond rotations, and how they choose their regularization."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.attackers.inversion.linear import fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.errors import InputError, TrialMismatch


def affine_pairs(rows: int, noise: float = 0.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    original = rng.normal(size=(rows, 5))
    bend = np.eye(5) + 0.4 * rng.normal(size=(5, 5))
    return original @ bend + 3 + noise * rng.normal(size=original.shape), original


@pytest.mark.parametrize("fit", [fit_affine, fit_ridge, fit_cca])
def test_an_affine_change_is_undone(fit: object) -> None:
    anonymized, original = affine_pairs(4000)
    found = fit(anonymized, original).apply(anonymized)  # type: ignore[operator]
    assert np.abs(found - original).mean() < 0.03
    rotated = fit_procrustes(anonymized, original).apply(anonymized)
    assert np.abs(found - original).mean() < 0.2 * np.abs(rotated - original).mean()


def test_ridge_equals_its_normal_equations() -> None:
    anonymized, original = affine_pairs(60, noise=1.0)
    found = fit_ridge(anonymized, original)
    a, b = anonymized - anonymized.mean(axis=0), original - original.mean(axis=0)
    strength = found.chosen["ridge"] * np.trace(a.T @ a) / 5
    np.testing.assert_allclose(found.matrix, np.linalg.solve(a.T @ a + strength * np.eye(5), a.T @ b), atol=1e-10)


def test_more_noise_asks_for_more_ridge() -> None:
    chosen = [fit_ridge(*affine_pairs(40, noise)).chosen["ridge"] for noise in (0.01, 6.0)]
    assert chosen[0] < chosen[1]


def test_left_out_speakers_protect_from_their_own_traits() -> None:
    """Pairs alike within a speaker and unrelated between speakers: leaving out rows is fooled, leaving out people is not."""
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(12), 20)
    a = rng.normal(size=(12, 30))[people] + 0.05 * rng.normal(size=(240, 30))
    b = rng.normal(size=(12, 30))[people] + 0.05 * rng.normal(size=(240, 30))
    by_rows, by_people = fit_ridge(a, b), fit_ridge(a, b, [str(p) for p in people])
    assert by_people.chosen["ridge"] > 10 * by_rows.chosen["ridge"]


def test_fewer_pairs_than_dimensions() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(10, 40)), rng.normal(size=(10, 40))
    for fit in (fit_affine, fit_ridge, fit_cca):
        assert np.isfinite(fit(a, b).apply(a)).all()


def test_bad_input() -> None:
    with pytest.raises(TrialMismatch):
        fit_affine(np.ones((3, 2)), np.ones((4, 2)))
    with pytest.raises(InputError, match="2 labels for 3"):
        fit_ridge(np.ones((3, 2)), np.ones((3, 2)), ["a", "b"])
    with pytest.raises(InputError, match="several speakers"):
        fit_cca(np.ones((3, 2)), np.ones((3, 2)), ["a", "a", "a"])
