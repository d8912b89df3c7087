"""k-means with a generator that is handed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.vectors import FloatArray

STARTS, STEPS = 10, 100


def k_means(points: FloatArray, count: int, random: np.random.Generator) -> tuple[FloatArray, NDArray[np.int64]]:
    """Centers, and the center of each point: the best of ten starts, each spread by k-means++.

    >>> centers, codes = k_means(np.array([[0.0], [1.0], [9.0], [10.0]]), 2, np.random.default_rng(0))
    >>> sorted(centers[:, 0].tolist()), bool(codes[0] == codes[1] != codes[2])
    ([0.5, 9.5], True)
    """
    found = [_lloyd(points, _spread(points, count, random)) for _ in range(STARTS)]
    centers, codes, _ = min(found, key=lambda one: one[2])
    return centers, codes


def _spread(points: FloatArray, count: int, random: np.random.Generator) -> FloatArray:
    """Starting centers among the points, each far from those before."""
    chosen = [int(random.integers(len(points)))]
    nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        total = nearest.sum()
        chances = nearest / total if total > 0 else np.full(len(points), 1 / len(points))
        chosen.append(int(random.choice(len(points), p=chances)))
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()


def _lloyd(points: FloatArray, centers: FloatArray) -> tuple[FloatArray, NDArray[np.int64], float]:
    codes = np.full(len(points), -1)
    for _ in range(STEPS):
        distance = ((points[:, None, :] - centers) ** 2).sum(axis=2)
        new = distance.argmin(axis=1)
        for empty in np.setdiff1d(
            np.arange(len(centers)), new
        ):  # gets the point that fits worst, from a center with others
            shared = np.bincount(new, minlength=len(centers))[new] > 1
            new[np.where(shared, distance[np.arange(len(points)), new], -1.0).argmax()] = empty
        if (new == codes).all():
            break
        codes = new
        centers = np.array([points[codes == k].mean(axis=0) for k in range(len(centers))])
    return centers, codes, float(((points - centers[codes]) ** 2).sum())
