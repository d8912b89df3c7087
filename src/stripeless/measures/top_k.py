"""Top-k accuracy: is someone of the right speaker among the k nearest?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from stripeless.embeddings.vectors import check_same_dimension, length_normalized
from stripeless.errors import InputError, check_one_each

BLOCK_ROWS = 1024


def top_k_accuracy(
    queries: ArrayLike,
    gallery: ArrayLike,
    query_labels: Sequence[str],
    gallery_labels: Sequence[str],
    *,
    k: int = 1,
) -> float:
    """Share of the queries that have a row of their own label among the k nearest rows of the gallery, by cosine.

    0 to 1; the private end is chance, which depends on how often each label occurs (`chance_top_k`). The direction
    matters: nearest *anonymized* row of each original is not the same as nearest *original* row of each anonymized one.

    Parameters:
        queries: one row per query, queries x dimensions.
        gallery: rows to search in, of the same dimensions.
        query_labels: the label (speaker) of each query.
        gallery_labels: the label of each gallery row.
        k: how many nearest rows count, 1 to the size of the gallery.
    Returns:
        A share of the queries, 0 to 1.

    >>> top_k_accuracy([[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.1], [1.0, 0.2]], ["a", "b"], ["a", "b"])
    1.0
    """
    rows, columns = length_normalized(queries, "queries"), length_normalized(gallery, "gallery")
    check_same_dimension(rows, columns, ("queries", "gallery"))
    for labels, vectors, name in ((query_labels, rows, "query_labels"), (gallery_labels, columns, "gallery_labels")):
        check_one_each(name, len(labels), len(vectors))
    if not 1 <= k <= len(columns):
        raise InputError(f"k: expected 1 to {len(columns)}, the rows of the gallery, got {k}")
    wanted, offered = np.array(query_labels), np.array(gallery_labels)
    hits = 0
    for start in range(0, len(rows), BLOCK_ROWS):
        closeness = rows[start : start + BLOCK_ROWS] @ columns.T
        if k == 1:
            nearest = closeness.argmax(axis=1)[:, None]
        else:
            nearest = np.argpartition(-closeness, k - 1, axis=1)[:, :k]
        hits += int((offered[nearest] == wanted[start : start + BLOCK_ROWS, None]).any(axis=1).sum())
    return hits / len(rows)


def chance_top_k(query_labels: Sequence[str], gallery_labels: Sequence[str], *, k: int = 1) -> float:
    """Expected top-k accuracy of k gallery rows drawn blindly for each query.

    >>> chance_top_k(["a", "b"], ["a", "a", "b", "b"])
    0.5
    """
    from math import comb

    size = len(gallery_labels)
    labels, counts = np.unique(np.array(gallery_labels), return_counts=True)
    often = dict(zip(labels.tolist(), counts.tolist(), strict=True))
    missed = [comb(size - often.get(label, 0), k) / comb(size, k) for label in query_labels]
    return float(1 - np.mean(missed))
