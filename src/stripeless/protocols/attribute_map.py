"""Pictures of vectors as data: two coordinates per vector that keep neighbors together (Figure 2 of Noe et al.
2022).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless._extras import need
from stripeless.embeddings.embeddings import check_vectors
from stripeless.scores.check import FloatArray

NEIGHBORS = 30  # the paper's


def neighbor_map(vectors: ArrayLike, *, seed: int = 0) -> FloatArray:
    """Two coordinates per row, by t-SNE on 50 principal components; the labels are not looked at.

    The paper draws UMAP with 30 neighbors. t-SNE with a perplexity of 30 shows the same, whether the classes lie apart
    without anybody telling which is which, and comes with scikit-learn.
    """
    rows = check_vectors(vectors).astype(np.float64)
    manifold = need("sklearn.manifold", "classifiers", "A map of vectors")
    centered = rows - rows.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2][:50]
    perplexity = min(NEIGHBORS, max(2, (len(rows) - 1) // 3))
    drawn: Any = manifold.TSNE(perplexity=perplexity, init="pca", random_state=seed, n_jobs=1)
    return np.asarray(drawn.fit_transform(centered @ axes.T), dtype=np.float64)
