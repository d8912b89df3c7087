"""Evidence about an attribute as coordinates: what a vector says about its class, and nothing else.

With two classes the one coordinate is the log-likelihood ratio (Noe et al. 2022, section 3.1). With K classes there are
K - 1 coordinates z, from which the K log-likelihoods follow as `contrast(K) @ z`, up to a constant that says nothing;
zero stays what it was, no evidence for or against any class. If one class is Gaussian there, all are, and they share
one covariance S that also fixes the means: the mean of class k is S c_k, c_k the k-th row of the contrast, plus a
common shift that makes the K likelihoods meet at zero. With two classes S is the paper's 2 mu.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.embeddings.vectors import FloatArray
from stripeless.errors import InputError


def contrast(classes: int) -> FloatArray:
    """K x (K-1): log-likelihoods, centered over the classes, from evidence coordinates.

    Two classes: half the LLR for the first and half against the second. More: an orthonormal basis of all vectors that
    sum to zero, the isometric log-ratio of compositional data.

    >>> contrast(2).ravel().tolist()
    [0.5, -0.5]
    """
    if classes == 2:
        return np.array([[0.5], [-0.5]])
    basis = np.zeros((classes, classes - 1))
    for j in range(1, classes):
        basis[:j, j - 1] = 1.0 / j
        basis[j, j - 1] = -1.0
        basis[:, j - 1] *= np.sqrt(j / (j + 1.0))
    return basis


@dataclass(frozen=True, eq=False)
class EvidenceBase:
    """Class-conditional Gaussians of the evidence coordinates, all that one covariance fixes (Eq. 2, 3 for two classes).

    Attributes:
        covariance: K - 1 x K - 1, that of every class; with two classes the one number is 2 mu.
    """

    covariance: FloatArray

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.covariance) + 1

    @property
    def means(self) -> FloatArray:
        """Mean of each class, K x (K-1); +mu and -mu with two classes."""
        rows = contrast(self.classes)
        shared = -0.5 * np.linalg.pinv(rows) @ np.diag(rows @ self.covariance @ rows.T)
        means: FloatArray = rows @ self.covariance + shared
        return means

    @property
    def factor(self) -> FloatArray:
        """Scales coordinates of unit variance to evidence: `evidence = unit @ factor.T`. Two classes: sqrt(2 mu)."""
        return np.asarray(np.linalg.cholesky(self.covariance), dtype=np.float64)

    def log_likelihoods(self, evidence: FloatArray) -> FloatArray:
        """Natural-log likelihood of each class for each row of `evidence`, centered over the classes."""
        likelihoods: FloatArray = evidence @ contrast(self.classes).T
        return likelihoods


def separation(evidence: FloatArray) -> float:
    """Maximum-likelihood mu of two classes from their LLRs (Eq. 6).

    >>> separation(np.array([3.0, -3.0, 1.0, -1.0]))
    1.4494897427831779
    """
    return float(np.sqrt(1.0 + np.mean(np.square(evidence))) - 1.0)


def check_covariance(covariance: FloatArray) -> FloatArray:
    """A finite covariance, or the reason why training gave none."""
    if not np.isfinite(covariance).all():
        raise InputError("vectors: training diverged; give a lower learning rate, or more data per class")
    return covariance
