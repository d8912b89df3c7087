"""Populations whose evidence is known."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="session")
def two_gaussians() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors, labels and the true LLR (in favor of 'f') of two Gaussian classes with one full covariance."""
    rng = np.random.default_rng(7)
    mix = rng.normal(size=(6, 6))
    covariance = mix @ mix.T + np.eye(6)
    difference = 3 * rng.normal(size=6)
    female = rng.random(1200) < 0.5
    vectors = (
        rng.multivariate_normal(np.zeros(6), covariance, size=1200) + np.where(female, 0.5, -0.5)[:, None] * difference
    )
    llr = vectors @ np.linalg.solve(covariance, difference)
    return vectors, np.where(female, "f", "m"), llr
