"""Pictures of vectors as data: two coordinates per vector that keep neighbors together (Figure 2 of Noe et al.
2022).
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from stripeless._extras import need
from stripeless.embeddings.embeddings import check_vectors
from stripeless.errors import InputError
from stripeless.scores.check import FloatArray

MapMethod: TypeAlias = Literal["UMAP", "t-SNE", "PCA"]
NEIGHBORS = 30  # the paper's
FEWEST = 10  # rows: with fewer there are no neighborhoods to keep, and PCA shows all there is


def map_method() -> MapMethod:
    """The best way to draw maps that is installed: the paper's UMAP, t-SNE, or the two principal components."""
    known: tuple[tuple[str, MapMethod], ...] = (("umap", "UMAP"), ("sklearn.manifold", "t-SNE"))
    return next((method for module, method in known if importable(module)), "PCA")


def importable(module: str) -> bool:
    """Whether it is there and works: a package whose own needs are not met must not cost anybody a report."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module(module)
    except ImportError:
        return False
    return True


def neighbor_map(vectors: ArrayLike, *, method: MapMethod | None = None, seed: int = 0) -> FloatArray:
    """Two coordinates per row; the labels are not looked at. `method` None takes the best one installed.

    UMAP (`pip install 'stripeless[maps]'`) with 30 neighbors and Euclidean distances is the paper's. t-SNE with a
    perplexity of 30 on 50 principal components shows the same: do classes lie apart without anybody telling which is
    which? PCA shows it only where the attribute is among what differs most.

    >>> vectors = np.random.default_rng(0).normal(size=(40, 5)) * [9, 3, 1, 1, 1]
    >>> neighbor_map(vectors, method="PCA").shape
    (40, 2)
    """
    rows = check_vectors(vectors).astype(np.float64)
    chosen = method or map_method()
    if chosen not in DRAWN:
        raise InputError(f"method: expected {', '.join(DRAWN)} or None, got {chosen!r}")
    if len(rows) < FEWEST:
        chosen = "PCA"
    return np.asarray(DRAWN[chosen](rows - rows.mean(axis=0), seed), dtype=np.float64)


def _umap(rows: FloatArray, seed: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that UMAP could use, and of the one thread that a seed needs
        umap = need("umap", "maps", "A map of vectors by UMAP")
        return umap.UMAP(n_neighbors=min(NEIGHBORS, len(rows) - 1), random_state=seed, n_jobs=1).fit_transform(rows)


def _tsne(rows: FloatArray, seed: int) -> Any:
    manifold = need("sklearn.manifold", "classifiers", "A map of vectors by t-SNE")
    perplexity = min(NEIGHBORS, (len(rows) - 1) // 3)
    drawn: Any = manifold.TSNE(perplexity=perplexity, init="pca", random_state=seed, n_jobs=1)
    return drawn.fit_transform(_components(rows, 50))


def _pca(rows: FloatArray, seed: int) -> Any:
    found = _components(rows, 2)
    return np.column_stack([found, np.zeros((len(rows), 2 - found.shape[1]))])


def _components(rows: FloatArray, count: int) -> FloatArray:
    """Leading principal components, signs such that the largest weight is positive: the same on every machine."""
    axes = np.linalg.svd(rows, full_matrices=False)[2][:count]
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    return np.asarray(rows @ axes.T, dtype=np.float64)


DRAWN = {"UMAP": _umap, "t-SNE": _tsne, "PCA": _pca}
