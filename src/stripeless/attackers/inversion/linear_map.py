"""What most attacks learn: a finished linear map, and maps that follow one another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stripeless.embeddings.embeddings import EmbeddingMap, check_vectors
from stripeless.embeddings.vectors import FloatArray, length_normalized
from stripeless.errors import InputError


@dataclass(frozen=True, eq=False)
class LinearMap:
    """A map of vectors: (vectors - center) @ matrix + shift.

    Attributes:
        matrix: dimensions in x dimensions out.
        center: what is taken from each vector first; None for nothing.
        shift: what is added to each vector last; None for nothing.
    """

    matrix: FloatArray
    center: FloatArray | None = None
    shift: FloatArray | None = None

    def apply(self, vectors: ArrayLike) -> FloatArray:
        """These `vectors`, rows x dimensions, mapped row by row."""
        array = check_vectors(vectors)
        if array.shape[1] != len(self.matrix):
            raise InputError(f"vectors: this map takes {len(self.matrix)} dimensions, got {array.shape[1]}")
        centered = array if self.center is None else array - self.center
        mapped: FloatArray = centered.astype(np.float64) @ self.matrix
        return mapped if self.shift is None else mapped + self.shift


@dataclass(frozen=True)
class LengthNormalization:
    """`apply` divides each row by its length."""

    def apply(self, vectors: ArrayLike) -> FloatArray:
        return length_normalized(vectors)


@dataclass(frozen=True, eq=False)
class Chain:
    """Maps that follow one another."""

    maps: tuple[EmbeddingMap, ...]

    def apply(self, vectors: ArrayLike) -> FloatArray:
        result: FloatArray = check_vectors(vectors).astype(np.float64)
        for step in self.maps:
            result = step.apply(result)
        return result


def fit_pca(vectors: ArrayLike, dimensions: int) -> LinearMap:
    """Principal components by a full singular value decomposition: the same bytes for the same input.

    The mean is subtracted. Each component points to where its largest weight is positive; a sign has no meaning.

    >>> fit_pca([[1.0, 1.0], [2.0, 2.0], [6.0, 6.0]], 1).apply([[3.0, 3.0]]).round(6).tolist()
    [[0.0]]
    """
    array = check_vectors(vectors).astype(np.float64)
    most = min(array.shape[0] - 1, array.shape[1])
    if not 1 <= dimensions <= most:
        raise InputError(
            f"dimensions: {array.shape[0]} vectors of {array.shape[1]} dimensions allow 1 to {most} components, "
            f"got {dimensions}"
        )
    mean = array.mean(axis=0)
    components = np.linalg.svd(array - mean, full_matrices=False)[2][:dimensions]
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(dimensions), largest])
    return LinearMap((components * signs[:, None]).T, center=mean)
