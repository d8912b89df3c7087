"""What "similar" means when templates are ranked: the ways to compare a probe with a template.

A space turns vectors into float64 rows and says how near two rows are (higher is more similar). Where nearness is an
inner product it also gives float32 keys, whose products a machine computes fastest, and a bound on what float32 can get
wrong: within the bound the float64 similarity decides, and two float64 similarities closer than float64 itself can tell
are a tie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import check_vectors
from stripeless.errors import InputError
from stripeless.scores.check import FloatArray

Keys: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = Callable[[FloatArray], FloatArray]
Compare: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_CHUNK = 1024  # rows prepared at a time, so that float64 copies stay small
SINGLE, DOUBLE = 2.0**-24, 2.0**-53  # half a unit in the last place: the relative error of one rounding


@dataclass(frozen=True)
class Space:
    """One way to compare. `form` is "product" (unit rows), "euclidean", or "direct" (no products to speed it up)."""

    name: str
    form: str
    center: FloatArray | None = None
    scale: float = 1.0
    function: Compare | None = None

    def rows(self, vectors: NDArray[Any]) -> FloatArray:
        """The vectors as float64 rows of this space. A row depends on its own vector alone."""
        if self.function is not None:
            return np.asarray(vectors, dtype=np.float64)
        rows = _ROWS[self.name](np.asarray(vectors, dtype=np.float64))
        return rows if self.center is None else (rows - self.center) * self.scale

    def similarity(self, probes: FloatArray, templates: FloatArray) -> FloatArray:
        """Row by row, in float64: of probe i with template i."""
        if self.function is not None:
            few = [slice(i, i + 32) for i in range(0, len(probes), 32)]
            return np.concatenate([np.diagonal(self.function(probes[s], templates[s])) for s in few])
        return _PAIRWISE[self.name](probes, templates)

    def matrix(self, probes: FloatArray, templates: FloatArray) -> FloatArray:
        """Of every template (rows) with every probe (columns), in float64."""
        if self.function is not None:
            return np.array(self.function(probes, templates), dtype=np.float64).T
        return _MATRIX[self.name](templates, probes)

    def tie_width(self, similarity: FloatArray, dimension: int) -> FloatArray:
        """How far two float64 similarities may lie apart and still be the same number, rounded."""
        scale = np.ones_like(similarity) if self.form == "product" else np.abs(similarity)
        return (2 * dimension + 8) * DOUBLE * scale

    def template_keys(self, vectors: NDArray[Any]) -> tuple[Keys, float]:
        """Float32 rows to multiply with `probe_keys`, and the largest squared norm among the templates."""
        more = 1 if self.form == "product" else 2
        keys = np.ones((len(vectors), vectors.shape[1] + more), dtype=np.float32)
        longest = 1.0 if self.form == "product" else 0.0
        for i in range(0, len(vectors), _CHUNK):
            rows = self.rows(vectors[i : i + _CHUNK])
            keys[i : i + _CHUNK, : rows.shape[1]] = rows
            if self.form == "euclidean":
                norms = (rows**2).sum(axis=1)
                keys[i : i + _CHUNK, -2] = -norms / 2
                longest = max(longest, float(norms.max()))
        return keys, longest

    def probe_keys(self, vectors: NDArray[Any], own: FloatArray, longest: float) -> Keys:
        """Float32 rows whose product with a template's key is how far it lies above the own one, in units of the error.

        Above 1 the template is surely more similar than the own one, below -1 surely less; between, float64 decides.
        Euclidean: |x - t| falls as x.t - |t|^2/2 rises, which the own one meets at (|x|^2 - |x - own|^2)/2. However a
        product is summed, it misses by at most (d + 4) 2^-24 times the sum of the absolute products: two roundings of
        the inputs, d products, d - 1 sums; Cauchy-Schwarz bounds that sum by the norms.
        """
        dimension = vectors.shape[1]
        more = 1 if self.form == "product" else 2
        keys = np.empty((len(vectors), dimension + more), dtype=np.float32)
        for i in range(0, len(vectors), _CHUNK):
            rows, mine = self.rows(vectors[i : i + _CHUNK]), own[i : i + _CHUNK]
            if self.form == "product":
                error = (dimension + 8) * SINGLE * (1 + np.abs(mine))
                middle = mine
            else:
                norms = (rows**2).sum(axis=1)
                middle = (norms + mine) / 2
                reach = np.sqrt(norms * longest) + longest + norms + np.abs(middle)
                error = np.maximum((dimension + 10) * SINGLE * reach, 1e-30)
                keys[i : i + _CHUNK, -2] = 1 / error
            keys[i : i + _CHUNK, :dimension] = rows / error[:, None]
            keys[i : i + _CHUNK, -1] = -middle / error
        return keys


def space_of(metric: str | Compare, templates: NDArray[Any]) -> Space:
    """The space of this name; "euclidean" is centered on the templates, which keeps float32 keys short."""
    if callable(metric):
        return Space(getattr(metric, "__name__", "function"), "direct", function=metric)
    if metric not in _ROWS:
        raise InputError(f"metric: expected one of {', '.join(_ROWS)} or a function, got {metric!r}")
    if metric == "euclidean":
        center = np.asarray(templates.mean(axis=0, dtype=np.float64))
        largest = max(float(np.abs(templates[i : i + _CHUNK] - center).max()) for i in range(0, len(templates), _CHUNK))
        # a power of two, so that scaling rounds nothing; keys then stay far from float32's limits
        return Space(metric, "euclidean", center, 2.0 ** -np.ceil(np.log2(largest)) if largest > 0 else 1.0)
    return Space(metric, "product" if metric in ("cosine", "hellinger") else "direct")


def check_rows(vectors: Any, metric: str | Compare, name: str) -> NDArray[Any]:
    """Finite vectors that the metric can compare: no zero vector by angle, no empty or negative histogram."""
    array = _check_in_chunks(vectors, name)
    if metric in HISTOGRAM_METRICS and array.min() < 0:
        row = int(np.argmax((array < 0).any(axis=1)))
        raise InputError(f"{name}: row {row} holds a negative count; {metric} compares histograms")
    if metric == "cosine" or metric in HISTOGRAM_METRICS:
        empty = ~array.any(axis=1)
        if empty.any():
            what = "is all zeros and has no direction" if metric == "cosine" else "is an empty histogram"
            raise InputError(
                f"{name}: row {int(np.argmax(empty))} {what} ({int(empty.sum())} such rows); leave those speakers out"
            )
    return array


def _check_in_chunks(vectors: Any, name: str) -> NDArray[Any]:
    """`check_vectors` without a temporary as large as the vectors, so that a memory-mapped file can be ranked."""
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype not in (np.float32, np.float64):
        return check_vectors(vectors, name)
    if not vectors.size:
        return check_vectors(vectors, name)
    for i in range(0, len(vectors), 1 << 16):
        if not np.isfinite(vectors[i : i + (1 << 16)]).all():
            return check_vectors(vectors, name)  # says which row
    return vectors


def _unit(rows: FloatArray) -> FloatArray:
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    extreme = (norms[:, 0] < 1e-150) | (norms[:, 0] > 1e150)  # squares vanish or overflow: scale these rows first
    if extreme.any():
        rows = np.where(extreme[:, None], rows / np.abs(rows).max(axis=1, keepdims=True), rows)
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    unit: FloatArray = rows / norms
    return unit


def _rows_that_sum_to_one(rows: FloatArray) -> FloatArray:
    share: FloatArray = rows / rows.sum(axis=1, keepdims=True)
    return share


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = np.einsum("ij,ij->i", a, b)
    return product


def _cdist(metric: str) -> Callable[[FloatArray, FloatArray], FloatArray]:
    def negative_distance(templates: FloatArray, probes: FloatArray) -> FloatArray:
        from scipy.spatial.distance import cdist

        distance: FloatArray = cdist(templates, probes, metric)
        return -distance

    return negative_distance


def _js_matrix(templates: FloatArray, probes: FloatArray) -> FloatArray:
    return np.stack([_js(np.broadcast_to(row, probes.shape), probes) for row in templates])


def _js(p: FloatArray, q: FloatArray) -> FloatArray:
    """Minus the Jensen-Shannon divergence, in nats, row by row."""
    from scipy.special import rel_entr

    middle = (p + q) / 2
    divergence: FloatArray = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=1) / 2
    return -divergence


def _city(a: FloatArray, b: FloatArray) -> FloatArray:
    distance: FloatArray = np.abs(a - b).sum(axis=1)
    return -distance


def _squared(a: FloatArray, b: FloatArray) -> FloatArray:
    distance: FloatArray = ((a - b) ** 2).sum(axis=1)
    return -distance


def _product(templates: FloatArray, probes: FloatArray) -> FloatArray:
    return templates @ probes.T


_ROWS: dict[str, Rows] = {
    "cosine": _unit,
    "euclidean": lambda rows: rows,
    "hellinger": lambda rows: np.sqrt(_rows_that_sum_to_one(rows)),  # its product is the Bhattacharyya coefficient
    "cityblock": _rows_that_sum_to_one,  # twice the total variation between two histograms
    "wasserstein": lambda rows: np.cumsum(_rows_that_sum_to_one(rows), axis=1),  # earth mover's distance in bins
    "jensen-shannon": _rows_that_sum_to_one,
}
_PAIRWISE: dict[str, Compare] = {
    "cosine": _dot,
    "euclidean": _squared,
    "hellinger": _dot,
    "cityblock": _city,
    "wasserstein": _city,
    "jensen-shannon": _js,
}
_MATRIX: dict[str, Compare] = {
    "cosine": _product,
    "euclidean": _cdist("sqeuclidean"),
    "hellinger": _product,
    "cityblock": _cdist("cityblock"),
    "wasserstein": _cdist("cityblock"),
    "jensen-shannon": _js_matrix,
}
METRICS = tuple(_ROWS)
HISTOGRAM_METRICS = ("hellinger", "cityblock", "wasserstein", "jensen-shannon")
