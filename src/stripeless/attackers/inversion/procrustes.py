"""Procrustes: the rotation that brings anonymized vectors closest to the originals they came from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.embeddings.embeddings import check_vectors
from stripeless.embeddings.vectors import FloatArray, check_same_dimension
from stripeless.errors import TrialMismatch


def fit_procrustes(anonymized: ArrayLike, original: ArrayLike) -> LinearMap:
    """The rotation R, reflections allowed, that makes anonymized @ R closest to original, row by row.

    Row i of both is the same utterance: this attacker knows the pairs. Eq. 1 and 3 of Champion et al. 2021; no scale
    and no shift. `apply` undoes the anonymization as far as a rotation can. With fewer pairs than dimensions the
    directions that no pair shows are turned arbitrarily.

    Parameters:
        anonymized: vectors after anonymization, rows x dimensions.
        original: the vectors before, row i of the same utterance as row i of `anonymized`.
    Returns:
        A `LinearMap` without center or shift; its `matrix` is the rotation R, dimensions x dimensions.

    >>> turn = fit_procrustes([[1.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [-2.0, 0.0]])
    >>> turn.apply([[1.0, 1.0]]).round(12).tolist()
    [[-1.0, 1.0]]
    """
    source, target = check_pairs(anonymized, original)
    return LinearMap(nearest_rotation(source.T @ target))


def check_pairs(anonymized: ArrayLike, original: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Two float64 arrays with as many rows and as many dimensions, or a sentence that says what differs."""
    source = check_vectors(anonymized, "anonymized").astype(np.float64)
    target = check_vectors(original, "original").astype(np.float64)
    check_same_dimension(source, target, ("anonymized", "original"))
    if len(source) != len(target):
        raise TrialMismatch(
            f"anonymized and original must pair up row by row, got {len(source)} and {len(target)} rows; "
            "an attack without pairs is fit_wasserstein_procrustes"
        )
    return source, target


def nearest_rotation(matrix: FloatArray) -> FloatArray:
    """The orthogonal matrix closest to this one (its polar factor)."""
    left, _, right = np.linalg.svd(matrix)
    rotation: FloatArray = left @ right
    return rotation


def random_rotation(dimensions: int, rng: np.random.Generator) -> FloatArray:
    """A rotation drawn evenly from all rotations and reflections: what an attacker without any clue would use."""
    q, r = np.linalg.qr(rng.normal(size=(dimensions, dimensions)))
    rotation: FloatArray = q * np.sign(np.diag(r))
    return rotation
