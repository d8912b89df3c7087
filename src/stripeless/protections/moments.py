"""Hiding an attribute by its moments: classes get one mean, and lose the directions in which their spread differs most.

Where speakers are few a flow cannot learn how classes bend, and equal means alone leave much to attackers who look at
neighbors: women resemble women in directions in which men do not vary. This takes those directions out as well. It is
linear, made in a second, and needs no torch.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.vectors import FloatArray
from stripeless.errors import InputError
from stripeless.protections.evidence import contrast
from stripeless.protections.labels import check_labeled
from stripeless.protections.lda import check_dimension
from stripeless.protections.settings import FlowSettings
from stripeless.protections.start import fit_start
from stripeless.protections.tensors import write_tensors


@dataclass(frozen=True, eq=False)
class MomentProtection:
    """Keeps some coordinates of a vector and nothing else: `(x - shift) @ into @ back + shift`.

    K is the number of classes.

    Attributes:
        classes: names of the classes, in alphabetical order.
        shift: a point without evidence, one number per dimension.
        into: dimensions x kept coordinates.
        back: kept coordinates x dimensions.
        weights: dimensions x (K - 1); give the evidence of a vector, which its kept coordinates lack.
    """

    kind: ClassVar[str] = "moments"
    classes: tuple[str, ...]
    shift: FloatArray
    into: FloatArray
    back: FloatArray
    weights: FloatArray

    def apply(self, vectors: ArrayLike) -> NDArray[Any]:
        """The `vectors` without what tells the classes apart, in the precision they came in."""
        rows = check_dimension(vectors, len(self.shift))
        return np.asarray((rows - self.shift) @ self.into @ self.back + self.shift, dtype=rows.dtype)

    def evidence(self, vectors: ArrayLike) -> FloatArray:
        """K - 1 coordinates per row of `vectors`; with two classes the linear LLR in favor of `classes[0]`."""
        rows = check_dimension(vectors, len(self.shift))
        found: FloatArray = (rows - self.shift) @ self.weights
        return found

    def log_likelihoods(self, vectors: ArrayLike) -> FloatArray:
        """Natural-log likelihood of each class for each row of `vectors`, centered over the classes."""
        likelihoods: FloatArray = self.evidence(vectors) @ contrast(len(self.classes)).T
        return likelihoods

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file at `path`; `load_protection` reads it."""
        tensors = {"shift": self.shift, "into": self.into, "back": self.back, "weights": self.weights}
        write_tensors(path, tensors, {"kind": self.kind, "version": 1, "classes": self.classes})

    @classmethod
    def restore(cls, tensors: dict[str, NDArray[Any]], about: dict[str, Any]) -> MomentProtection:
        """The protection from the content of its file: its `tensors`, and what is said `about` them."""
        return cls(tuple(about["classes"]), *(tensors[name] for name in ("shift", "into", "back", "weights")))


def fit_moment_protection(
    vectors: ArrayLike,
    labels: Sequence[object],
    *,
    speakers: Sequence[object] | None = None,
    pca: int | None = 32,
    directions: int = 8,
    shrinkage: float | str = "auto",
    seed: int = 0,
) -> MomentProtection:
    """Learn a linear map under which the classes have one mean and nearly one spread.

    The vectors are projected on principal components, whitened within the classes, and lose the evidence of linear
    discriminant analysis together with the directions in which the covariances of the classes differ most. Less PCA and
    fewer directions keep speakers apart better and hide less. Any number of classes.

    Parameters:
        vectors: embeddings to learn from, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        speakers: who speaks in each row, so that people and not rows are counted; None takes every row as a person.
        pca: principal components to keep; None for all.
        directions: how many directions of different spread to leave out besides the evidence, 0 or more.
        shrinkage: steadies the covariance where vectors are few: 0 (not at all) to 1, or "auto" for Ledoit and Wolf's.
        seed: has no effect, since nothing here is random; every protection takes one.
    Returns:
        A `MomentProtection`.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(60, 6)); vectors[:30, 0] += 2
    >>> protection = fit_moment_protection(vectors, ["f"] * 30 + ["m"] * 30, directions=2)
    >>> bool(abs(protection.evidence(protection.apply(vectors))).max() < 1e-9)
    True
    """
    data = check_labeled(vectors, labels, speakers)
    start = fit_start(data, FlowSettings(pca=pca, shrinkage=shrinkage))
    taken, count = len(data.classes) - 1, start.into.shape[1]
    if not 0 <= directions < count - taken:
        raise InputError(
            f"directions: expected 0 to {count - taken - 1}, as {count} components less {taken} of evidence must leave "
            f"some, got {directions}"
        )
    latent = (data.vectors - start.shift) @ start.into
    kept = alike(latent[:, taken:], data.codes)[:, : count - taken - directions]
    return MomentProtection(
        classes=data.classes,
        shift=start.shift,
        into=start.into[:, taken:] @ kept,
        back=kept.T @ start.back[taken:],
        weights=start.into[:, :taken] @ start.base.factor.T,
    )


def alike(residual: FloatArray, codes: NDArray[np.int64]) -> FloatArray:
    """An orthonormal basis, the directions first in which the classes vary alike."""
    spreads = [np.atleast_2d(np.cov(residual[codes == code].T)) for code in range(int(codes.max()) + 1)]
    common = np.mean(spreads, axis=0)
    difference = sum((spread - common) @ (spread - common) for spread in spreads)
    return np.asarray(np.linalg.eigh(difference)[1], dtype=np.float64)
