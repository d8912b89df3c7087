"""Hiding an attribute by linear discriminant analysis (Eq. 8 of Noe et al. 2022): fast, linear, and the baseline to
beat.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import check_vectors
from stripeless.errors import InputError, check_choice
from stripeless.protections.evidence import contrast
from stripeless.protections.gaussian import ClassGaussians, Shrinkage, class_gaussians
from stripeless.protections.labels import LabeledVectors, check_labeled
from stripeless.protections.tensors import write_tensors

Projection = Literal["orthogonal", "oblique"]


@dataclass(frozen=True, eq=False)
class LdaProtection:
    """Sets the linear log-likelihood ratio of each vector to zero.

    `evidence(x)` is `x @ weights - offset`; `apply` takes `evidence @ directions` away from x. K is the number of
    classes.

    Attributes:
        classes: names of the classes, in alphabetical order.
        weights: dimensions x (K - 1).
        offset: K - 1 numbers.
        directions: (K - 1) x dimensions.
        projection: "orthogonal" or "oblique".
        shrinkage: how far the covariance was pulled to a multiple of the identity, 0 to 1.
    """

    kind: ClassVar[str] = "lda"
    classes: tuple[str, ...]
    weights: NDArray[np.float64]
    offset: NDArray[np.float64]
    directions: NDArray[np.float64]
    projection: str = "orthogonal"
    shrinkage: float = 0.0

    def apply(self, vectors: ArrayLike) -> NDArray[Any]:
        """The `vectors` with zero linear evidence, in the precision they came in."""
        rows = check_dimension(vectors, len(self.weights))
        return np.asarray(rows - (self.evidence(rows) @ self.directions).astype(rows.dtype), dtype=rows.dtype)

    def evidence(self, vectors: ArrayLike) -> NDArray[np.float64]:
        """K - 1 coordinates per row of `vectors`; with two classes the LLR in favor of `classes[0]`."""
        rows = check_dimension(vectors, len(self.weights))
        coordinates: NDArray[np.float64] = rows @ self.weights - self.offset
        return coordinates

    def log_likelihoods(self, vectors: ArrayLike) -> NDArray[np.float64]:
        """Natural-log likelihood of each class for each row of `vectors`, centered over the classes."""
        likelihoods: NDArray[np.float64] = self.evidence(vectors) @ contrast(len(self.classes)).T
        return likelihoods

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file at `path`; `load_protection` reads it."""
        tensors = {"weights": self.weights, "offset": self.offset, "directions": self.directions}
        about = {"classes": self.classes, "projection": self.projection, "shrinkage": self.shrinkage}
        write_tensors(path, tensors, {"kind": self.kind, "version": 1, **about})

    @classmethod
    def restore(cls, tensors: dict[str, NDArray[Any]], about: dict[str, Any]) -> LdaProtection:
        """The protection from the content of its file: its `tensors`, and what is said `about` them."""
        arrays = {name: tensors[name] for name in ("weights", "offset", "directions")}
        return cls(tuple(about["classes"]), projection=about["projection"], shrinkage=about["shrinkage"], **arrays)


def fit_lda_protection(
    vectors: ArrayLike,
    labels: Sequence[object],
    *,
    speakers: Sequence[object] | None = None,
    projection: Projection = "orthogonal",
    shrinkage: Shrinkage = 0.0,
    seed: int = 0,
) -> LdaProtection:
    """Learn the direction that tells the classes apart, and a map that sets every vector to zero on it.

    "orthogonal" is Eq. 8 to the letter. It silences the classifier it was made of, but it moves along w, not along the
    difference of the means: these stay apart, and a classifier trained on protected vectors finds them. "oblique" moves
    along the difference of the means, so that no linear classifier is left with anything on the training data. Any
    number of classes.

    Parameters:
        vectors: embeddings to learn from, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        speakers: who speaks in each row, so that people and not rows are counted; None takes every row as a person.
        projection: "orthogonal" or "oblique".
        shrinkage: steadies the covariance where vectors are few: 0 (not at all) to 1, or "auto" for Ledoit and Wolf's.
        seed: has no effect, since nothing here is random; every protection takes one.
    Returns:
        An `LdaProtection`.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(60, 3)); vectors[:30, 0] += 2
    >>> protection = fit_lda_protection(vectors, ["f"] * 30 + ["m"] * 30)
    >>> bool(abs(protection.evidence(protection.apply(vectors))).max() < 1e-9)
    True
    """
    check_choice("projection", projection, ("orthogonal", "oblique"))
    data = check_labeled(vectors, labels, speakers)
    live = np.ptp(data.vectors, axis=0) > 0
    alive = LabeledVectors(data.vectors[:, live], data.classes, data.codes, data.speakers)
    gaussians = class_gaussians(alive, shrinkage)
    _check_rank(gaussians, len(data.vectors))
    weights, offset = gaussians.evidence_map()
    moved = weights if projection == "orthogonal" else gaussians.covariance @ weights
    directions = np.asarray(np.linalg.lstsq(moved.T @ weights, moved.T, rcond=None)[0], dtype=np.float64)
    return LdaProtection(
        classes=data.classes,
        weights=_widen(weights, live),
        offset=offset,
        directions=_widen(directions.T, live).T,
        projection=projection,
        shrinkage=gaussians.shrinkage,
    )


def _check_rank(gaussians: ClassGaussians, rows: int) -> None:
    values = np.linalg.eigvalsh(gaussians.covariance)
    if values[0] <= values[-1] * 1e-12:
        raise InputError(
            f"vectors: {rows} rows do not fix a covariance of {len(values)} dimensions; give more rows, "
            "shrinkage='auto', or fewer dimensions"
        )


def _widen(live_rows: NDArray[np.float64], live: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Zeros for the constant dimensions, which pass unchanged."""
    wide = np.zeros((live.size, live_rows.shape[1]))
    wide[live] = live_rows
    return wide


def check_dimension(vectors: ArrayLike, dimension: int) -> NDArray[Any]:
    """Checked rows of the dimension that the protection was fitted on."""
    rows = check_vectors(vectors)
    if rows.shape[1] != dimension:
        raise InputError(f"vectors: {rows.shape[1]} dimensions, but this protection was fitted on {dimension}")
    return rows
