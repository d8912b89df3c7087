"""The attack without pairs: it finds what can be found, knows when it has not, and never looks at the order of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stripeless.attackers.inversion.matching import match_unpaired
from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.attackers.inversion.refinement import believable, refine
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes
from stripeless.errors import InputError


def turned(rows: int, dimensions: int, noise: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shuffled, rotated and noisy rows, the originals, and the rotation back."""
    rng = np.random.default_rng(seed)
    original = rng.normal(size=(rows, dimensions))
    back = random_rotation(dimensions, rng)
    order = rng.permutation(rows)
    return (original @ back.T + noise * rng.normal(size=original.shape))[order], original, back


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10**6))
def test_a_shuffled_rotation_is_undone(dimensions: int, seed: int) -> None:
    anonymized, original, back = turned(50, dimensions, 0.0, seed)
    found = fit_wasserstein_procrustes(anonymized, original)
    np.testing.assert_allclose(found.matrix, back, atol=1e-10)
    assert found.converged
    assert found.cost < 1e-20


@pytest.mark.parametrize(("noise", "error"), [(0.05, 0.02), (0.1, 0.04), (0.2, 0.08), (0.3, 0.12)])
@pytest.mark.parametrize("seed", [1, 2])
def test_noise(noise: float, error: float, seed: int) -> None:
    anonymized, original, back = turned(100, 10, noise, seed)
    found = fit_wasserstein_procrustes(anonymized, original)
    assert found.converged
    assert np.linalg.norm(found.matrix - back) / np.sqrt(10) < error


def test_unequal_sets() -> None:
    anonymized, original, back = turned(100, 10, 0.1)
    for a, b in ((anonymized, original[:80]), (anonymized[:80], original), (anonymized[10:], original[10:])):
        found = fit_wasserstein_procrustes(a, b)
        assert found.converged
        assert np.linalg.norm(found.matrix - back) / np.sqrt(10) < 0.1


def test_sets_larger_than_a_run() -> None:
    anonymized, original, back = turned(400, 10, 0.2)
    found = fit_wasserstein_procrustes(anonymized, original)
    assert found.converged
    assert np.linalg.norm(found.matrix - back) / np.sqrt(10) < 0.05


def test_unrelated_clouds_are_not_believed() -> None:
    rng = np.random.default_rng(0)
    for rows, dimensions in ((60, 3), (80, 20), (40, 60)):
        found = fit_wasserstein_procrustes(rng.normal(size=(rows, dimensions)), rng.normal(size=(rows, dimensions)))
        assert not found.refined
        assert not found.converged
        assert "did not converge" in found.notes[0]


def test_the_order_of_the_rows_is_not_used() -> None:
    """Pairs in file order that no geometry shows: the published procedure finds them, this one must not."""
    rng = np.random.default_rng(0)
    original, anonymized = rng.normal(size=(60, 30)), rng.normal(size=(60, 30))
    own = [
        float(np.trace(match_unpaired(anonymized, original, seed=seed).votes)) / 60 for seed in range(4)
    ]  # how often a row is matched with its own number
    assert np.mean(own) < 0.06  # chance is 1/60


def test_same_seed_same_bytes() -> None:
    anonymized, original, _ = turned(60, 30, 3.0)
    first, again = (fit_wasserstein_procrustes(anonymized, original, seed=3).matrix for _ in range(2))
    assert first.tobytes() == again.tobytes()
    assert fit_wasserstein_procrustes(anonymized, original, seed=4).matrix.tobytes() != first.tobytes()


def test_a_match_found_in_one_space_serves_another() -> None:
    anonymized, original, back = turned(80, 6, 0.05)
    match = match_unpaired(anonymized @ np.diag([2.0, 2, 2, 2, 2, 2]), original)
    found = fit_wasserstein_procrustes(anonymized, original, match=match)
    assert np.linalg.norm(found.matrix - back) < 0.2
    with pytest.raises(InputError, match="match"):
        fit_wasserstein_procrustes(anonymized[:-1], original, match=match)


def test_refinement_settles_and_judges_against_chance() -> None:
    anonymized, original, back = turned(60, 5, 0.02)
    refined = refine(anonymized, original, back)
    assert refined.settled
    guess = np.zeros((60, 60))
    guess[np.arange(60), refined.pairs] = 1
    rng = np.random.default_rng(0)
    assert believable(anonymized, original, [guess], rng) is not None
    assert believable(anonymized, np.random.default_rng(9).normal(size=(60, 5)), [guess], rng) is None


@pytest.mark.parametrize(
    ("anonymized", "original", "words"),
    [(np.ones((2, 2)), np.ones((5, 2)), "at least three"), (np.ones((5, 2)), np.ones((5, 3)), "2 and 3")],
)
def test_bad_input(anonymized: np.ndarray, original: np.ndarray, words: str) -> None:
    with pytest.raises(InputError, match=words):
        fit_wasserstein_procrustes(anonymized, original)


def test_constant_rows_give_an_answer_that_is_not_believed() -> None:
    assert not fit_wasserstein_procrustes(np.ones((9, 3)), np.random.default_rng(0).normal(size=(9, 3))).converged
