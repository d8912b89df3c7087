"""Mutual information between each dimension of vectors and a class: what a single number of an embedding gives away.

Ross 2014 (PLoS ONE 9: e87357), the estimator behind Table 3 of Noe et al. 2022: for each value the distance to its k-th
neighbor of the same class, and how many values of any class lie within it. 0 is the private end. Values that repeat, such
as the exact zeros of a rectifier, are a neighborhood of their own (Gao et al. 2017): what counts is how often each class
has them. Without that a dimension that *is* the label would seem to tell nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import check_vectors
from stripeless.errors import InputError
from stripeless.scores.check import FloatArray


def mutual_information(vectors: ArrayLike, labels: Sequence[object], *, neighbors: int = 3) -> FloatArray:
    """Bits that each dimension, by itself, tells about the label; never below 0, at most the entropy of the labels.

    Says nothing of what dimensions tell together: a classifier may see much where every single dimension tells nothing.
    Classes with a single row are left out.

    Parameters:
        vectors: embeddings, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        neighbors: the k of the k-th nearest neighbor, 1 or more; more neighbors, less noise and more bias.
    Returns:
        Bits per dimension, one number for each; at most the entropy of the labels (1 for two equal classes).

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(1000, 2)); vectors[:500, 0] += 20
    >>> mutual_information(vectors, ["f"] * 500 + ["m"] * 500).round(2).tolist()
    [1.0, 0.0]
    """
    rows = check_vectors(vectors).astype(np.float64)
    names = np.asarray(labels)
    if names.shape != (len(rows),):
        raise InputError(f"labels: expected one per row ({len(rows)}), got an array of shape {names.shape}")
    if neighbors < 1:
        raise InputError(f"neighbors: expected 1 or more, got {neighbors}")
    codes = np.unique(names, return_inverse=True)[1]
    counts = np.bincount(codes)
    kept = counts[codes] > 1
    rows, codes = rows[kept], np.unique(codes[kept], return_inverse=True)[1]
    if not len(rows):
        raise InputError("labels: every row has a label of its own; mutual information needs classes")
    return np.array([_one_dimension(rows[:, place], codes, neighbors) for place in range(rows.shape[1])])


def _one_dimension(values: FloatArray, codes: NDArray[np.int64], neighbors: int) -> float:
    """Eq. 2 of Ross 2014 in bits; where k neighbors or more share a value, k is how many of the class do."""
    from scipy.special import digamma

    pooled = np.sort(values)
    inside: list[FloatArray] = []
    of_class, of_neighbors = 0.0, 0.0
    for code in range(int(codes.max()) + 1):
        group = np.sort(values[codes == code])
        k = min(neighbors, group.size - 1)
        # up to, and without, the neighbor itself, which rounding must not bring back
        distance = kth_distance(group, k)
        reach = np.maximum(distance * (1 - 1e-10) - 1e-15 * np.abs(group), 0.0)
        through = np.searchsorted(pooled, group + reach, side="right")
        inside.append((through - np.searchsorted(pooled, group - reach, side="left")).astype(np.float64))
        alike = np.searchsorted(group, group, side="right") - np.searchsorted(group, group, side="left")
        of_class += group.size * float(digamma(group.size))
        of_neighbors += float(digamma(np.where(distance > 0, k, alike)).sum())
    size = values.size
    # rounding of `group - reach` may push a value out of its own neighborhood
    around = float(digamma(np.maximum(np.concatenate(inside), 1.0)).mean())
    nats = float(digamma(size)) + of_neighbors / size - of_class / size - around
    return max(0.0, nats / float(np.log(2)))


def kth_distance(ascending: FloatArray, k: int) -> FloatArray:
    """Distance of each of these sorted values to its k-th neighbor.

    The neighbors of a value are a window of k + 1 values around it; the distance is that of the best window.

    >>> kth_distance(np.array([0.0, 1.0, 3.0, 7.0]), 2).tolist()
    [3.0, 2.0, 3.0, 6.0]
    """
    size = ascending.size
    best = np.full(size, np.inf)
    for below in range(k + 1):
        first, last = below, size - (k - below)  # rows that have so many values below and k - below above
        here = ascending[first:last]
        down = here - ascending[first - below : last - below]
        up = ascending[first + k - below : last + k - below] - here
        best[first:last] = np.minimum(best[first:last], np.maximum(down, up))
    return best
