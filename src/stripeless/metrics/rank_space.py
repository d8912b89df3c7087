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

    def keys(self, vectors: NDArray[Any], *, template: bool) -> tuple[Keys, FloatArray]:
        """Float32 rows whose products order the templates of a probe as the similarity does, and their squared norms.

        Euclidean: x.t - |t|^2/2 falls as |x - t| rises, so a probe's row ends in 1 and a template's in -|t|^2/2.
        """
        more = 0 if self.form == "product" else 1
        keys = np.empty((len(vectors), vectors.shape[1] + more), dtype=np.float32)
        norms = np.ones(len(vectors))
        for i in range(0, len(vectors), _CHUNK):
            rows = self.rows(vectors[i : i + _CHUNK])
            with np.errstate(over="ignore"):
                keys[i : i + _CHUNK, : rows.shape[1]] = rows
            if more:
                norms[i : i + _CHUNK] = (rows**2).sum(axis=1)
                keys[i : i + _CHUNK, -1] = -norms[i : i + _CHUNK] / 2 if template else 1.0
        return keys, norms

    def key_bounds(
        self, own: FloatArray, probe_norms: FloatArray, template_norms: FloatArray, dimension: int
    ) -> tuple[Keys, Keys]:
        """Below the first a float32 key is surely less than the own one, above the second surely more.

        However a product is summed, it misses by at most (d + 4) 2^-24 times the sum of the absolute products: two
        roundings of the inputs, d products, d - 1 sums. Cauchy-Schwarz bounds that sum by the norms.
        """
        if self.form == "product":
            middle, error = own, np.full(len(own), (dimension + 6) * SINGLE)
        else:
            middle, longest = (probe_norms + own) / 2, float(template_norms.max())
            error = (dimension + 8) * SINGLE * (np.sqrt(probe_norms * longest) + longest + probe_norms)
        with np.errstate(over="ignore"):  # too far for float32: infinite, and the caller takes float64
            low = np.nextafter((middle - error).astype(np.float32), np.float32(-np.inf))
            high = np.nextafter((middle + error).astype(np.float32), np.float32(np.inf))
        return low, high


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
    array = check_vectors(vectors, name)
    if metric in HISTOGRAM_METRICS and (array < 0).any():
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


def _unit(rows: FloatArray) -> FloatArray:
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    extreme = (norms[:, 0] < 1e-150) | (norms[:, 0] > 1e150)  # squares vanish or overflow: scale these rows first
    if extreme.any():
        rows = np.where(extreme[:, None], rows / np.abs(rows).max(axis=1, keepdims=True), rows)
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    unit: FloatArray = rows / norms
    return unit


def _share(rows: FloatArray) -> FloatArray:
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
    "hellinger": lambda rows: np.sqrt(_share(rows)),  # its product is the Bhattacharyya coefficient
    "cityblock": _share,  # twice the total variation between two histograms
    "wasserstein": lambda rows: np.cumsum(_share(rows), axis=1),  # earth mover's distance in bins
    "jensen-shannon": _share,
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
