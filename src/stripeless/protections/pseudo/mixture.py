"""How speakers of one sex are distributed: principal components, and a mixture of Gaussians on them.

Written out rather than taken from a library, because the generator that samples must be handed in: a mixture that keeps a
seed of its own hands every speaker the same voice, as happened to the authors of O1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.vectors import FloatArray
from stripeless.errors import InputError
from stripeless.protections.pseudo.clusters import k_means

TOLERANCE, STEPS, RETRIES = 1e-15, 1000, 30
SMALLEST = 1e-100  # variance: squares of what a file may hold, parted by it, are still numbers
FLOOR = 0.01  # of the variance along each axis: no component may shrink onto one person of the pool


@dataclass(frozen=True, eq=False)
class Mixture:
    """`axes` (columns) are principal components around `mean`; `centers` and `variances` live on them."""

    mean: FloatArray
    axes: FloatArray
    weights: FloatArray
    centers: FloatArray
    variances: FloatArray

    def __post_init__(self) -> None:
        shape = len(self.weights), self.axes.shape[-1]
        if self.axes.shape != (len(self.mean), shape[1]) or not self.centers.shape == self.variances.shape == shape:
            raise ValueError("a mixture whose parts are of different sizes")
        if (self.variances < 0).any() or ((self.variances > 0) & (self.variances < SMALLEST)).any():
            raise ValueError("a mixture with a variance that none can have")

    def sample(self, random: np.random.Generator, count: int) -> FloatArray:
        """So many new vectors; nothing of any speaker's own goes into them but the pool's distribution."""
        return self.vectors(self.points(random, count))

    def points(self, random: np.random.Generator, count: int) -> FloatArray:
        """The same along the axes only."""
        chosen = random.choice(len(self.weights), size=count, p=self.weights)
        noise = random.normal(size=(count, self.centers.shape[1]))
        drawn: FloatArray = self.centers[chosen] + noise * np.sqrt(self.variances[chosen])
        return drawn

    def vectors(self, points: FloatArray) -> FloatArray:
        """Points along the axes as vectors."""
        whole: FloatArray = self.mean + points @ self.axes.T
        return whole

    def cosines(self, points: FloatArray, vector: FloatArray) -> FloatArray:
        """Cosine of each point, as a vector, with a vector; the vectors themselves are not needed."""
        products = self.mean @ vector + points @ (self.axes.T @ vector)
        squares = self.mean @ self.mean + 2 * points @ (self.axes.T @ self.mean) + (points**2).sum(axis=1)
        found: FloatArray = products / (np.sqrt(squares) * np.linalg.norm(vector))
        return found

    def log_density(self, vectors: FloatArray) -> FloatArray:
        """Natural log of the density along the axes."""
        return _log_joint((vectors - self.mean) @ self.axes, self.weights, self.centers, self.variances)[1]


def fit_mixture(
    vectors: FloatArray, random: np.random.Generator, *, dimensions: int = 20, components: int = 3
) -> Mixture:
    """PCA without whitening, then EM for diagonal Gaussians from a k-means start.

    EM stops where the likelihood stands still to 1e-15; if that takes over 1000 steps it starts anew from random points,
    with twice the tolerance and a tenth more steps, as in the published program.
    """
    if len(vectors) <= dimensions:
        raise InputError(
            f"pool: {len(vectors)} speakers of one sex span fewer than {dimensions} principal components; give a larger pool "
            "or set dimensions smaller"
        )
    if len(vectors) < 5 * components:
        raise InputError(
            f"pool: {len(vectors)} speakers of one sex for {components} components; give a larger pool or set components "
            "smaller (five speakers each at least)"
        )
    mean = vectors.mean(axis=0)
    axes = np.linalg.svd(vectors - mean, full_matrices=False)[2][:dimensions].T
    signs = np.where(
        axes[np.abs(axes).argmax(axis=0), np.arange(dimensions)] < 0, -1.0, 1.0
    )  # an axis has none of its own
    axes = np.ascontiguousarray(axes * signs)  # as a file would hold it: the same layout gives the same last digits
    points = (vectors - mean) @ axes
    codes = k_means(points, components, random)[1]
    tolerance, steps = TOLERANCE, float(STEPS)
    for _ in range(RETRIES):
        found, settled = _em(points, np.eye(components)[codes], tolerance, int(steps))
        if settled:
            break
        tolerance, steps = 2 * tolerance, 1.1 * steps
        codes = random.integers(components, size=len(points))
    return Mixture(mean, axes, *found)


def _em(
    points: FloatArray, shares: FloatArray, tolerance: float, steps: int
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], bool]:
    """Weights, centers and variances, from shares of each point in each component; and whether they settled."""
    floor = FLOOR * points.var(axis=0)
    before = -np.inf
    for _ in range(steps):
        model = maximized(points, shares, floor)
        joint, density = _log_joint(points, *model)
        shares = np.exp(joint - density[:, None])
        now = float(density.mean())
        if abs(now - before) < tolerance * max(1.0, abs(now)):
            return model, True
        before = now
    return model, False


def maximized(points: FloatArray, shares: FloatArray, floor: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The M-step: weighted moments. Above the floor, the mixture has the mean and the variances of the points."""
    totals = shares.sum(axis=0) + 1e-12
    centers = shares.T @ points / totals[:, None]
    variances = shares.T @ points**2 / totals[:, None] - centers**2
    return totals / totals.sum(), centers, np.maximum(variances, floor)


def _log_joint(
    points: FloatArray, weights: FloatArray, centers: FloatArray, variances: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Log of weight times density of each component, and of their sum."""
    distance = ((points[:, None, :] - centers) ** 2 / variances).sum(axis=2)
    size = np.log(2 * np.pi * variances).sum(axis=1)
    joint = np.log(weights) - 0.5 * (distance + size)
    top = joint.max(axis=1, keepdims=True)
    return joint, (top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True)))[:, 0]


def by_cosine(vectors: FloatArray) -> NDArray[np.float64]:
    """Cosines of all pairs of rows, each pair once."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs: NDArray[np.float64] = (unit @ unit.T)[np.triu_indices(len(unit), k=1)]
    return pairs
