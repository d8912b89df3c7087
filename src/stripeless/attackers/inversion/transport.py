"""Optimal transport between two sets of points: exact assignment, and Sinkhorn's soft one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.vectors import FloatArray


def best_assignment(similarity: FloatArray) -> NDArray[np.int64]:
    """For each row the column assigned to it so that the total similarity is largest, -1 where none is left over."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(similarity, maximize=True)
    assigned = np.full(len(similarity), -1, dtype=np.int64)
    assigned[rows] = columns
    return assigned


def sinkhorn(
    cost: FloatArray, regularization: float, *, most_steps: int = 1000, tolerance: float = 1e-3
) -> tuple[FloatArray, bool]:
    """A soft assignment whose rows and columns each sum to 1, and whether it converged; for square costs.

    The usual scaling iteration (Cuturi 2013), checked every ten steps. The cost is shifted by its row minima first,
    which changes nothing in the result but keeps every row of the kernel away from zero.
    """
    kernel = np.exp((cost.min(axis=1, keepdims=True) - cost) / regularization)
    column = np.ones(cost.shape[1])
    for step in range(most_steps):
        row = 1.0 / (kernel @ column)
        reached = kernel.T @ row
        if step % 10 == 0 and np.linalg.norm(column * reached - 1.0) < tolerance:
            return row[:, None] * kernel * column, True
        column = 1.0 / np.maximum(reached, 1e-300)
    return row[:, None] * kernel * column, False
