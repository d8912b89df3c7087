"""Procrustes attacks: closed forms, invariances, and the leak that the published program carries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stripeless.attackers.inversion.linear_map import Chain, LengthNormalization, LinearMap, fit_pca
from stripeless.attackers.inversion.procrustes import fit_procrustes, random_rotation
from stripeless.attackers.inversion.transport import best_assignment, sinkhorn
from stripeless.attackers.inversion.wasserstein_published import (
    convex_start,
    fast_nearest_rotation,
    fit_wasserstein_procrustes_published,
    moved_rotation,
    row_order_matches,
)
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import length_normalized, paired, speaker_means, take
from stripeless.errors import InputError, NotANumber, TrialMismatch


def cloud(rows: int, dimensions: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, dimensions))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.integers(0, 30), st.integers(0, 10**6))
def test_a_rotation_is_undone(dimensions: int, more: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    original = rng.normal(size=(dimensions + more, dimensions))
    turn = random_rotation(dimensions, rng)
    found = fit_procrustes(original @ turn.T, original)
    np.testing.assert_allclose(found.apply(original @ turn.T), original, atol=1e-10)
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(dimensions), atol=1e-12)


def test_no_other_rotation_is_closer() -> None:
    rng = np.random.default_rng(3)
    anonymized, original = cloud(40, 5, 1), cloud(40, 5, 2)
    best = np.linalg.norm(fit_procrustes(anonymized, original).apply(anonymized) - original)
    others = [np.linalg.norm(anonymized @ random_rotation(5, rng) - original) for _ in range(200)]
    assert best < min(others)


def test_order_of_the_pairs_does_not_matter() -> None:
    anonymized, original = cloud(40, 5, 1), cloud(40, 5, 2)
    order = np.random.default_rng(0).permutation(40)
    np.testing.assert_allclose(
        fit_procrustes(anonymized, original).matrix,
        fit_procrustes(anonymized[order], original[order]).matrix,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("anonymized", "original", "error", "words"),
    [
        (np.ones((3, 2)), np.ones((4, 2)), TrialMismatch, "3 and 4 rows"),
        (np.ones((3, 2)), np.ones((3, 5)), InputError, "got 2 and 5"),
        (np.ones(3), np.ones((3, 5)), InputError, "anonymized"),
        (np.full((3, 2), np.nan), np.ones((3, 2)), NotANumber, "3 of 3 rows"),
        ([["a"]], [[1.0]], NotANumber, "expected numbers"),
    ],
)
def test_bad_pairs(anonymized: object, original: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fit_procrustes(anonymized, original)  # type: ignore[arg-type]


def test_pca_equals_the_eigenvectors_of_the_covariance() -> None:
    vectors = cloud(50, 6) * np.arange(1, 7) + 10
    projected = fit_pca(vectors, 3).apply(vectors)
    np.testing.assert_allclose(np.cov(projected.T), np.diag(np.linalg.eigvalsh(np.cov(vectors.T))[::-1][:3]), atol=1e-9)
    np.testing.assert_allclose(projected.mean(axis=0), 0, atol=1e-12)
    with pytest.raises(InputError, match="allow 1 to 4"):
        fit_pca(vectors[:5], 5)


def test_maps_chain_and_refuse_other_dimensions() -> None:
    double = LinearMap(2 * np.eye(2), center=np.array([1.0, 1.0]), shift=np.array([0.0, 5.0]))
    np.testing.assert_array_equal(double.apply([[1.0, 2.0]]), [[0.0, 7.0]])
    np.testing.assert_array_equal(Chain((double, LengthNormalization())).apply([[1.0, 2.0]]), [[0.0, 1.0]])
    with pytest.raises(InputError, match="takes 2 dimensions, got 3"):
        double.apply([[1.0, 2.0, 3.0]])


def test_zero_vectors_have_no_direction() -> None:
    with pytest.raises(InputError, match="first is row 1"):
        length_normalized([[1.0, 0.0], [0.0, 0.0]])


def test_pairing_goes_by_name() -> None:
    original = Embeddings(cloud(3, 2), ("a", "b", "c"))
    anonymized = take(original, [2, 0, 1])
    np.testing.assert_array_equal(paired(anonymized, original)[0].vectors, original.vectors)
    with pytest.raises(TrialMismatch, match="1 are only original"):
        paired(take(original, [0, 1]), original)


def test_speaker_means() -> None:
    means = speaker_means(Embeddings([[1.0], [5.0], [3.0]], ("u", "v", "w"), ("b", "a", "b"), ("f", "m", "f")))
    assert means.utterances == ("b", "a")
    assert means.sex == ("f", "m")
    np.testing.assert_array_equal(means.vectors, [[2.0], [5.0]])
    with pytest.raises(InputError, match="speakers"):
        speaker_means(Embeddings([[1.0]], ("u",)))


def test_sinkhorn_approaches_the_assignment() -> None:
    similarity = cloud(12, 12)
    match, converged = sinkhorn(-similarity, 0.01, most_steps=20_000)
    assert converged
    np.testing.assert_allclose(match.sum(axis=0), 1, atol=1e-2)
    np.testing.assert_array_equal(match.argmax(axis=1), best_assignment(similarity))


def test_low_rank_steps_equal_the_full_ones() -> None:
    rng = np.random.default_rng(0)
    rotation, left, right = random_rotation(40, rng), rng.normal(size=(40, 5)), rng.normal(size=(5, 40))
    full = np.linalg.svd(rotation + left @ right)
    np.testing.assert_allclose(moved_rotation(rotation, left, right), full[0] @ full[2], atol=1e-10)
    wide_left, wide_right = rng.normal(size=(40, 30)), rng.normal(size=(30, 40))
    full = np.linalg.svd(rotation + wide_left @ wide_right)
    np.testing.assert_allclose(fast_nearest_rotation(rotation + wide_left @ wide_right), full[0] @ full[2], atol=1e-10)


def test_convex_start_equals_its_definition() -> None:
    """Against the plain formula with whole Gram matrices, two iterations of which are written out here."""
    from stripeless.attackers.inversion import wasserstein_published as published

    x, y = length_normalized(cloud(15, 6, 1)), length_normalized(cloud(15, 6, 2))

    def root(v: np.ndarray) -> np.ndarray:
        u, s, vt = np.linalg.svd(v, full_matrices=False)
        return u @ np.diag(np.sqrt(s)) @ vt

    a, b = root(x), root(y)
    k_a, k_b = a @ a.T, b @ b.T
    k_b *= np.linalg.norm(k_a) / np.linalg.norm(k_b)
    match = np.full((15, 15), 1 / 15)
    for step in range(1, published.START_STEPS + 1):
        gradient = match @ k_a @ k_a + k_b @ k_b @ match - 2 * k_b @ match @ k_a
        match += 2 / (2 + step) * (published.published_sinkhorn(gradient, 0.05) - match)
    expected = np.linalg.svd((match @ a).T @ b)
    np.testing.assert_allclose(convex_start(x, y), expected[0] @ expected[2], atol=1e-6)


def test_the_published_last_step_follows_the_order_of_the_rows() -> None:
    """On two clouds that have nothing to do with each other, a row's match is mostly its own number."""
    rng = np.random.default_rng(0)
    unrelated, source = length_normalized(rng.normal(size=(120, 8))), length_normalized(rng.normal(size=(120, 8)))
    own = (row_order_matches(unrelated, source) == np.arange(120)).mean()
    assert own > 0.3  # chance is 1/120


def test_the_published_attack_feeds_on_the_order() -> None:
    """A map that no rotation follows: pairs in file order are found, shuffled ones are not."""
    rng = np.random.default_rng(0)
    original = length_normalized(rng.normal(size=(80, 6)))
    anonymized = length_normalized(original @ random_rotation(6, rng) + 0.9 * rng.normal(size=(80, 6)))
    order = rng.permutation(80)

    def agreement(rows: np.ndarray, seed: int) -> float:
        found = fit_wasserstein_procrustes_published(anonymized, original[rows], seed=seed)
        return float((found.apply(anonymized) * original).sum(axis=1).mean())

    in_order, shuffled = agreement(np.arange(80), 0), agreement(order, 0)
    truth = float((fit_procrustes(anonymized, original).apply(anonymized) * original).sum(axis=1).mean())
    assert in_order > 0.8 * truth
    assert shuffled < 0.5 * truth


def test_published_attack_is_repeatable() -> None:
    x, y = cloud(10, 16, 1), cloud(10, 16, 2)  # fewer rows than dimensions
    first = fit_wasserstein_procrustes_published(x, y, seed=5).matrix
    np.testing.assert_array_equal(first, fit_wasserstein_procrustes_published(x, y, seed=5).matrix)
    np.testing.assert_allclose(first @ first.T, np.eye(16), atol=1e-10)
