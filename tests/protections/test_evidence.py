import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm

from stripeless.protections.evidence import EvidenceBase, contrast, separation


@given(classes=st.integers(2, 7), seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_coordinates_are_the_log_likelihoods_of_the_gaussians_they_fix(classes, seed):
    """The idempotence of the likelihood ratio, for any number of classes: the evidence of the evidence is itself."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(classes - 1, classes - 1))
    base = EvidenceBase(mix @ mix.T + 0.5 * np.eye(classes - 1))
    z = 3 * rng.normal(size=(5, classes - 1))
    densities = np.stack([multivariate_normal(m, base.covariance).logpdf(z) for m in base.means], axis=1)
    np.testing.assert_allclose(base.log_likelihoods(z), densities - densities.mean(axis=1, keepdims=True), atol=1e-7)


def test_two_classes_are_the_papers():
    base = EvidenceBase(np.array([[18.0]]))
    assert base.means.ravel().tolist() == [9.0, -9.0]
    assert base.log_likelihoods(np.array([[3.0]])).tolist() == [[1.5, -1.5]]


@pytest.mark.parametrize("classes", [3, 4, 9])
def test_contrasts_are_orthonormal_and_sum_to_zero(classes):
    basis = contrast(classes)
    np.testing.assert_allclose(basis.T @ basis, np.eye(classes - 1), atol=1e-12)
    np.testing.assert_allclose(basis.sum(axis=0), 0, atol=1e-12)


def test_equation_6_is_the_maximum_of_the_likelihood():
    rng = np.random.default_rng(0)
    signs = np.where(rng.random(500) < 0.3, 1, -1)
    llr = 4.0 * signs + np.sqrt(8.0) * rng.normal(size=500) + 0.3

    def cost(mu: float) -> float:
        return -norm(mu * signs, np.sqrt(2 * mu)).logpdf(llr).sum()

    best = minimize_scalar(cost, bounds=(0.1, 50), method="bounded", options={"xatol": 1e-9}).x
    assert separation(llr) == pytest.approx(best, rel=1e-5)
