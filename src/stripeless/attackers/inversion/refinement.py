"""Exact assignment and rotation in turn, from many starts, and whether the best of them can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.inversion.procrustes import nearest_rotation, random_rotation
from stripeless.attackers.inversion.transport import best_assignment
from stripeless.embeddings.vectors import FloatArray

STEPS = 40
SCREENED_ROWS = 160  # rows of the first set on which starts are compared
DIMENSIONS = 40  # in which they are compared
RANDOM_STARTS = 8
BELIEVED = 0.5  # share of the cost at chance below which pairs are believed


@dataclass(frozen=True, eq=False)
class Refined:
    """Row i of the first set belongs to row `pairs[i]` of the second, -1 where it has none left."""

    pairs: NDArray[np.int64]
    rotation: FloatArray
    cost: float
    steps: int
    settled: bool


def refine(source: FloatArray, target: FloatArray, rotation: FloatArray, *, steps: int = STEPS) -> Refined:
    """Assign rows to rotated rows exactly, rotate by those pairs, and so on until the pairs stay."""
    previous: NDArray[np.int64] | None = None
    squares = (target**2).sum(axis=1)
    if len(source) > len(target):  # whom to leave out depends on their lengths too
        squares = squares + (source**2).sum(axis=1)[:, None]
    done = 0
    while True:
        pairs = best_assignment(2 * (source @ rotation) @ target.T - squares)
        rows = np.flatnonzero(pairs >= 0)
        settled = previous is not None and np.array_equal(previous, pairs)
        if settled or done == steps:
            break
        rotation = nearest_rotation(source[rows].T @ target[pairs[rows]])
        previous, done = pairs, done + 1
    left = source[rows] @ rotation - target[pairs[rows]]
    return Refined(pairs, rotation, float((left**2).sum(axis=1).mean()), done, settled)


def principal(vectors: FloatArray, dimensions: int) -> FloatArray:
    """Centered rows in their leading principal directions."""
    centered = vectors - vectors.mean(axis=0)
    directions = np.linalg.svd(centered, full_matrices=False)[2][:dimensions]
    reduced: FloatArray = centered @ directions.T
    return reduced


def believable(
    source: FloatArray, target: FloatArray, guesses: Sequence[FloatArray], rng: np.random.Generator
) -> Refined | None:
    """The best refinement of these soft matches, if its cost lies far below what unrelated rows can be refined to.

    Enough freedom makes any two clouds fit, so a cost means something only against that of fitting clouds that have the
    same spread and nothing to do with each other: the columns of `target`, each shuffled by itself.
    """
    dimensions = min(DIMENSIONS, *source.shape, *target.shape)
    x, y = principal(source, dimensions), principal(target, dimensions)
    some = rng.permutation(len(x))[: min(SCREENED_ROWS, len(y))]  # each of them keeps its partner among all of y
    turns = [random_rotation(dimensions, rng) for _ in range(RANDOM_STARTS)]
    starts = [*(nearest_rotation(x.T @ guess @ y) for guess in guesses), *turns]
    best = min((refine(x[some], y, start, steps=12) for start in starts), key=lambda one: one.cost)
    chance = [refine(x[some], rng.permuted(y, axis=0), turn, steps=12).cost for turn in turns]
    if best.cost > BELIEVED * min(chance):
        return None
    return refine(x, y, best.rotation)
