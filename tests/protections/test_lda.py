import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.protections.gaussian import ledoit_wolf
from stripeless.protections.labels import ProtectionWarning
from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.load import load_protection


def test_equation_8_to_the_letter(two_gaussians):
    vectors, labels, _ = two_gaussians
    f, m = vectors[labels == "f"], vectors[labels == "m"]
    mean_f, mean_m = f.mean(0), m.mean(0)
    within = ((f - mean_f).T @ (f - mean_f) + (m - mean_m).T @ (m - mean_m)) / len(vectors)
    inverse = np.linalg.inv(within)
    w = inverse @ (mean_f - mean_m)
    shift = (mean_f @ inverse @ mean_f - mean_m @ inverse @ mean_m) / (2 * w @ w) * w
    expected = vectors - np.outer(vectors @ w, w) / (w @ w) + shift
    np.testing.assert_allclose(fit_lda_protection(vectors, labels).apply(vectors), expected, atol=1e-10)


def test_the_llr_is_the_true_one_for_gaussian_classes(two_gaussians):
    vectors, labels, llr = two_gaussians
    estimated = fit_lda_protection(vectors, labels).evidence(vectors)[:, 0]
    assert np.corrcoef(estimated, llr)[0, 1] > 0.99
    assert 0.8 < np.polyfit(llr, estimated, 1)[0] < 1.25


def test_only_the_oblique_projection_makes_the_class_means_meet(two_gaussians):
    vectors, labels, _ = two_gaussians
    gap = {}
    for projection in ("orthogonal", "oblique"):
        protected = fit_lda_protection(vectors, labels, projection=projection).apply(vectors)
        gap[projection] = np.linalg.norm(protected[labels == "f"].mean(0) - protected[labels == "m"].mean(0))
    assert gap["oblique"] < 1e-10
    assert gap["orthogonal"] > 0.1


@pytest.mark.parametrize("classes", [3, 5])
def test_with_more_classes_all_likelihoods_are_equal_afterwards(classes):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, classes, 900)
    vectors = rng.normal(size=(900, 8)) + 2 * rng.normal(size=(classes, 8))[labels]
    protection = fit_lda_protection(vectors, labels)
    assert np.abs(protection.log_likelihoods(vectors)).max() > 1
    assert np.abs(protection.log_likelihoods(protection.apply(vectors))).max() < 1e-9


def test_constant_dimensions_pass_unchanged(two_gaussians):
    vectors, labels, _ = two_gaussians
    padded = np.insert(vectors, 2, 4.5, axis=1)
    with pytest.warns(ProtectionWarning, match="1 of 7 dimensions are constant"):
        protection = fit_lda_protection(padded, labels)
    protected = protection.apply(padded)
    assert (protected[:, 2] == 4.5).all()
    np.testing.assert_allclose(
        np.delete(protected, 2, axis=1), fit_lda_protection(vectors, labels).apply(vectors), atol=1e-9
    )


def test_too_few_rows_need_shrinkage(two_gaussians):
    vectors, labels, _ = two_gaussians
    wide = np.concatenate([vectors[:50], np.random.default_rng(0).normal(size=(50, 60))], axis=1)
    with pytest.raises(InputError, match="shrinkage='auto'"):
        fit_lda_protection(wide, labels[:50])
    assert 0 < fit_lda_protection(wide, labels[:50], shrinkage="auto").shrinkage < 1


def test_shrinkage_is_scikit_learns():
    covariance = pytest.importorskip("sklearn.covariance")
    rows = np.random.default_rng(3).normal(size=(40, 12)) * np.arange(1, 13)
    assert ledoit_wolf(rows) == pytest.approx(covariance.ledoit_wolf_shrinkage(rows, assume_centered=True), rel=1e-12)


def test_precision_and_rows_stay(two_gaussians):
    vectors, labels, _ = two_gaussians
    protection = fit_lda_protection(vectors, labels)
    single = protection.apply(vectors.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single[5], protection.apply(vectors[5:6])[0], rtol=1e-4, atol=1e-5)


def test_saved_and_loaded_it_is_the_same(two_gaussians, tmp_path):
    vectors, labels, _ = two_gaussians
    protection = fit_lda_protection(vectors, labels, shrinkage=0.1)
    protection.save(tmp_path / "sex.safetensors")
    loaded = load_protection(tmp_path / "sex.safetensors")
    assert loaded.classes == ("f", "m")
    assert loaded.shrinkage == 0.1
    np.testing.assert_array_equal(loaded.apply(vectors), protection.apply(vectors))


def test_other_dimensions_are_refused(two_gaussians):
    vectors, labels, _ = two_gaussians
    with pytest.raises(InputError, match="5 dimensions, but this protection was fitted on 6"):
        fit_lda_protection(vectors, labels).apply(vectors[:, :5])
