"""The Gaussian view of an attribute: one mean per class, one covariance for all, and the evidence that follows from
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from stripeless.embeddings.vectors import FloatArray
from stripeless.errors import InputError
from stripeless.protections.evidence import contrast
from stripeless.protections.labels import LabeledVectors

Shrinkage: TypeAlias = float | Literal["auto"]


@dataclass(frozen=True, eq=False)
class ClassGaussians:
    """`means` K x d, `covariance` d x d within the classes, and how far it was shrunk towards a multiple of
    identity.
    """

    means: FloatArray
    covariance: FloatArray
    shrinkage: float

    def evidence_map(self) -> tuple[FloatArray, FloatArray]:
        """`weights` and `offset` such that `x @ weights - offset` are the evidence coordinates of x under these
        Gaussians.

        With two classes that is w = S^-1 (m_0 - m_1) and half the difference of m' S^-1 m: the LLR of Eq. 8.
        """
        solved = np.linalg.solve(self.covariance, self.means.T)
        coordinates = np.linalg.pinv(contrast(len(self.means)))
        weights = solved @ coordinates.T
        offset = coordinates @ (0.5 * np.einsum("kd,dk->k", self.means, solved))
        return weights, offset


def class_gaussians(data: LabeledVectors, shrinkage: Shrinkage) -> ClassGaussians:
    """Mean of each class and covariance within the classes, each vector counting once."""
    vectors = data.vectors.astype(np.float64)
    counts = np.bincount(data.codes)
    means = np.stack([vectors[data.codes == k].mean(axis=0) for k in range(len(counts))])
    residual = vectors - means[data.codes]
    amount = ledoit_wolf(residual) if shrinkage == "auto" else float(shrinkage)
    if not 0.0 <= amount <= 1.0:
        raise InputError(f"shrinkage: expected 'auto' or a number from 0 to 1, got {shrinkage!r}")
    covariance = residual.T @ residual / len(residual)
    return ClassGaussians(means, shrink(covariance, amount), amount)


def shrink(covariance: FloatArray, amount: float) -> FloatArray:
    """A step of this size towards the identity of the same trace."""
    dimension = len(covariance)
    target: FloatArray = np.trace(covariance) / dimension * np.eye(dimension)
    return (1.0 - amount) * covariance + amount * target


def ledoit_wolf(centered: FloatArray) -> float:
    """How far to shrink the covariance of these rows: the least expected squared error (Ledoit & Wolf 2004).

    Goes to 0 as rows grow in number and to 1 as they say nothing about which directions differ.

    >>> rows = np.random.default_rng(0).normal(size=(20, 50)); bool(ledoit_wolf(rows) > 0.9)
    True
    """
    rows, dimension = centered.shape
    covariance = centered.T @ centered / rows
    spread = float(np.square(covariance).sum()) - float(np.trace(covariance)) ** 2 / dimension
    squared = np.square(centered)
    # sum over i, j of the variance of x_i x_j, without holding a rows x d x d array
    noise = float((squared.T @ squared).sum()) / rows - float(np.square(covariance).sum())
    return float(np.clip(noise / rows / spread, 0.0, 1.0)) if spread > 0 else 1.0
