"""Equal means and equal spread: what is taken out, what is kept, and that it stays so."""

import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.protections.load import load_protection
from stripeless.protections.moments import fit_moment_protection


@pytest.fixture(scope="module")
def spread():
    """Eight dimensions: the mean tells the classes apart in the first, the spread in the second and third."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(4000) % 2, "f", "m")
    vectors = rng.normal(size=(4000, 8))
    vectors[labels == "f", 0] += 3.0
    vectors[labels == "f", 1] *= 3.0
    vectors[labels == "m", 2] *= 3.0
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    return vectors @ turn, labels, turn


def variances(vectors, turn):
    return (vectors @ turn.T).var(axis=0)


def test_the_directions_that_differ_are_the_ones_taken(spread):
    vectors, labels, turn = spread
    shown = fit_moment_protection(vectors, labels, pca=None, directions=2, shrinkage=0.0).apply(vectors)
    found = variances(shown, turn)
    assert found[:3].max() < 0.05
    assert found[3:].min() > 0.95


def test_means_meet_and_no_linear_evidence_is_left(spread):
    vectors, labels, _ = spread
    for directions in (0, 2):
        protection = fit_moment_protection(vectors, labels, pca=None, directions=directions, shrinkage=0.0)
        shown = protection.apply(vectors)
        np.testing.assert_allclose(shown[labels == "f"].mean(0), shown[labels == "m"].mean(0), atol=1e-9)
        assert np.abs(protection.evidence(shown)).max() < 1e-9
        np.testing.assert_allclose(protection.apply(shown), shown, atol=1e-9)


def test_without_directions_and_pca_it_is_oblique_lda(spread):
    from stripeless.protections.lda import fit_lda_protection

    vectors, labels, _ = spread
    ours = fit_moment_protection(vectors, labels, pca=None, directions=0, shrinkage=0.0)
    linear = fit_lda_protection(vectors, labels, projection="oblique")
    np.testing.assert_allclose(ours.apply(vectors), linear.apply(vectors), atol=1e-8)
    np.testing.assert_allclose(ours.evidence(vectors), linear.evidence(vectors), atol=1e-8)


def test_neighbors_see_the_spread_and_not_what_is_left(spread):
    pytest.importorskip("sklearn")
    from stripeless.attributes.proof import judge_protection

    vectors, labels, _ = spread
    fitting, judged = slice(0, 3000), slice(3000, 4000)
    means, both = (
        fit_moment_protection(vectors[fitting], labels[fitting], pca=None, directions=count).apply(vectors[judged])
        for count in (0, 2)
    )
    told = [
        judge_protection(shown, labels[judged], np.arange(1000), classifiers=["neighbors", "logistic"]).protected[
            "d_ece"
        ]
        for shown in (means, both)
    ]
    assert told[0] > 0.2
    assert told[1] < 0.02


def test_three_classes_lose_two_directions_of_means(spread):
    vectors, _, _ = spread
    labels = np.array(["a", "b", "c"])[np.arange(4000) % 3]
    moved = vectors + (labels == "a")[:, None] * 2.0 * np.eye(8)[0] + (labels == "b")[:, None] * 2.0 * np.eye(8)[1]
    protection = fit_moment_protection(moved, labels, pca=None, directions=1, shrinkage=0.0)
    assert protection.into.shape == (8, 5)
    shown = protection.apply(moved)
    means = np.stack([shown[labels == name].mean(0) for name in "abc"])
    np.testing.assert_allclose(means, np.broadcast_to(means[0], means.shape), atol=1e-9)
    assert np.abs(protection.log_likelihoods(shown)).max() < 1e-9


def test_pca_leaves_the_rest_out_and_constant_dimensions_pass(spread):
    vectors, labels, _ = spread
    wide = np.concatenate([vectors, np.full((4000, 1), 7.0)], axis=1)
    with pytest.warns(UserWarning, match="constant"):
        protection = fit_moment_protection(wide, labels, pca=5, directions=1)
    shown = protection.apply(wide)
    np.testing.assert_allclose(shown[:, 8], 7.0)
    assert np.linalg.matrix_rank(shown - shown.mean(axis=0), tol=1e-6) == 3


def test_order_of_rows_and_precision(spread):
    vectors, labels, _ = spread
    order = np.random.default_rng(1).permutation(4000)
    one = fit_moment_protection(vectors, labels, directions=2).apply(vectors[:9])
    two = fit_moment_protection(vectors[order], labels[order], directions=2).apply(vectors[:9])
    np.testing.assert_allclose(one, two, atol=1e-9)
    assert (
        fit_moment_protection(vectors, labels, directions=2).apply(vectors[:9].astype(np.float32)).dtype == np.float32
    )


def test_saved_and_loaded_it_is_the_same(spread, tmp_path):
    vectors, labels, _ = spread
    protection = fit_moment_protection(vectors, labels, directions=2)
    protection.save(tmp_path / "m.safetensors")
    loaded = load_protection(tmp_path / "m.safetensors")
    assert loaded.classes == ("f", "m")
    np.testing.assert_array_equal(loaded.apply(vectors), protection.apply(vectors))
    np.testing.assert_array_equal(loaded.evidence(vectors), protection.evidence(vectors))


@pytest.mark.parametrize("directions", [-1, 7, 40])
def test_something_must_be_left(spread, directions):
    with pytest.raises(InputError, match="directions: expected 0 to 6"):
        fit_moment_protection(spread[0], spread[1], directions=directions)
