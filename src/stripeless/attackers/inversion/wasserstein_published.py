"""Wasserstein-Procrustes as it was run for Table 2 of Champion et al. 2021, kept for comparison with that table.

**It is not an unsupervised attack.** Its last step numbers the soft matches of the rows like the rows themselves, so
when both files list the same utterances in the same order, it pairs most rows with their own copy. Shuffle the rows of
one file and the effect is gone. `fit_wasserstein_procrustes` is the attack that does not depend on the order.

The steps and constants are the published ones; the linear algebra is not. A step on a batch of b rows changes the
rotation only within 2b directions, and n rows span at most n directions, so both are worked out in those few alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.procrustes import check_pairs, nearest_rotation
from stripeless.embeddings.vectors import FloatArray, length_normalized

FIRST_BATCH, FIRST_STEPS, EPOCHS = 8, 512, 15
STEP_SIZE = 10.0
REGULARIZATION, LAST_REGULARIZATION = 0.05, 0.025
START_STEPS, START_POINTS = 100, 1000


def fit_wasserstein_procrustes_published(anonymized: ArrayLike, original: ArrayLike, *, seed: int = 1111) -> LinearMap:
    """The published procedure, its dependence on the order of the rows included.

    Both sets must have as many rows; lengths are normalized. Compare with the lines 13-20 and 22 of Table 2; do not
    conclude from it that an attacker needs no pairs.
    """
    source, target = (length_normalized(vectors) for vectors in check_pairs(anonymized, original))
    rng = np.random.RandomState(seed)  # the published program's generator, so that equal seeds mean equal batches
    rotation = published_rotation(source, target, rng)
    pairs = row_order_matches(target @ rotation, source)
    return LinearMap(nearest_rotation(source[pairs].T @ target))


def published_rotation(source: FloatArray, target: FloatArray, rng: np.random.RandomState) -> FloatArray:
    """The rotation from original (target) to anonymized (source) before the last step; it knows no row order."""
    target_basis, source_basis = row_basis(target), row_basis(source)
    x, y = target @ target_basis, source @ source_basis
    points = min(len(x), START_POINTS)
    rotation = convex_start(x[rng.permutation(len(x))[:points]], y[rng.permutation(len(y))[:points]])
    rotation = stochastic_alignment(x, y, rotation, rng)
    return complete_rotation(target_basis, rotation, source_basis)


def row_basis(vectors: FloatArray) -> FloatArray:
    """An orthonormal basis, in columns, of the directions that the rows span."""
    if len(vectors) >= vectors.shape[1]:
        return np.eye(vectors.shape[1])
    basis: FloatArray = np.linalg.qr(vectors.T)[0]
    return basis


def complete_rotation(left: FloatArray, rotation: FloatArray, right: FloatArray) -> FloatArray:
    """A rotation of the whole space that does on the spanned directions what `rotation` does there."""
    if left.shape[0] == left.shape[1]:
        return rotation
    return nearest_rotation(left @ rotation @ right.T)


def convex_start(x: FloatArray, y: FloatArray) -> FloatArray:
    """A start from the convex relaxation of matching the two Gram matrices (Grave et al. 2018), by Frank-Wolfe."""
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    w, z, wt = np.linalg.svd(y, full_matrices=False)
    scale = float(np.linalg.norm(s) / np.linalg.norm(z))  # makes the Gram matrices of the square roots equally large
    z_scaled = z * scale
    match = np.full((len(x), len(x)), 1.0 / len(x))
    for step in range(1, START_STEPS + 1):
        inner = match @ u
        gradient = w @ ((z_scaled**2)[:, None] * (w.T @ match))
        gradient += (inner * s**2 - 2.0 * w @ ((z_scaled[:, None] * (w.T @ inner)) * s)) @ u.T
        weight = 2.0 / (2.0 + step)
        match = weight * published_sinkhorn(gradient, REGULARIZATION) + (1.0 - weight) * match
    root_x, root_y = (u * np.sqrt(s)) @ vt, (w * np.sqrt(z)) @ wt
    return nearest_rotation((match @ root_x).T @ root_y)


def stochastic_alignment(x: FloatArray, y: FloatArray, rotation: FloatArray, rng: np.random.RandomState) -> FloatArray:
    """Steps along the gradient of the transport cost between batches that double while the number of steps halves."""
    n, batch, steps = len(x), min(FIRST_BATCH, len(x)), FIRST_STEPS
    for _ in range(EPOCHS):
        for _ in range(steps):
            a, b = x[rng.permutation(n)[:batch]], y[rng.permutation(n)[:batch]]
            match = published_sinkhorn(-(a @ rotation) @ b.T, REGULARIZATION)
            rotation = moved_rotation(rotation, a.T, (STEP_SIZE / batch) * (match @ b))
        rotation = nearest_rotation(rotation)
        batch, steps = min(2 * batch, n), steps // 2
        if not steps:
            break
    return rotation


def moved_rotation(rotation: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """The rotation nearest to rotation + left @ right, where the product has low rank."""
    rank, dimensions = left.shape[1], len(rotation)
    if 4 * rank > dimensions:
        return fast_nearest_rotation(rotation + left @ right)
    turned = rotation.T @ left
    basis = np.linalg.qr(np.hstack([turned, right.T]))[0]
    inner = nearest_rotation(np.eye(basis.shape[1]) + (basis.T @ turned) @ (right @ basis))
    change: FloatArray = (rotation @ basis) @ ((inner - np.eye(len(inner))) @ basis.T)
    return rotation + change


def fast_nearest_rotation(matrix: FloatArray) -> FloatArray:
    """`nearest_rotation` by the eigenvectors of the Gram matrix, a third of the time, where that is accurate."""
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    if values[0] < 1e-6 * values[-1]:
        return nearest_rotation(matrix)
    rough = matrix @ ((vectors / np.sqrt(values)) @ vectors.T)
    rotation: FloatArray = 1.5 * rough - 0.5 * rough @ (rough.T @ rough)  # one Newton step takes the rounding away
    return rotation


def row_order_matches(rotated: FloatArray, source: FloatArray) -> NDArray[np.int64]:
    """For each rotated row the number of the nearest barycenter, read as the number of a source row.

    Barycenter k is the soft match of rotated row k, not of source row k: this is where the order of the rows comes in.
    """
    match = published_sinkhorn(-rotated @ source.T, LAST_REGULARIZATION)
    barycenters = match @ source
    closeness = rotated @ barycenters.T - (barycenters**2).sum(axis=1) / 2
    matches: NDArray[np.int64] = np.argmax(closeness, axis=1)
    return matches


def published_sinkhorn(cost: FloatArray, regularization: float) -> FloatArray:
    """Sinkhorn's scaling with the published program's stopping rules: at most 1000 steps, or 0.001, or underflow."""
    kernel = np.exp(-cost / regularization)
    row = np.full(len(cost), 1.0 / len(cost))
    column = np.full(cost.shape[1], 1.0 / cost.shape[1])
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for step in range(1000):
            reached = kernel.T @ row
            next_column = 1.0 / reached
            next_row = 1.0 / (kernel @ next_column)
            if not (reached.all() and np.isfinite(next_row).all() and np.isfinite(next_column).all()):
                break
            row, column = next_row, next_column
            if step % 10 == 0 and np.linalg.norm(column * (kernel.T @ row) - 1.0) < 1e-3:
                break
    result: FloatArray = row[:, None] * kernel * column
    return result
