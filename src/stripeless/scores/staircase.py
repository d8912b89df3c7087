"""One pass over two sorted classes: the staircase that every rank measure stands on.

Sort each class by itself, merge the two, pool ties. What is left is a staircase: how many targets and how
many nontargets lie at or below each step's end, from the lowest score to the highest. Runs of one class are one
step, so the staircase is short, and it says everything that does not depend on the scale of the scores: ROC, EER,
the convex hull (pool adjacent violators), Cllr_min, ZEBRA, linkability.

Staircases of ranges of scores that follow one another join into one (`join`), and the hull of the joined staircase is
the hull of the parts' hulls: the same code serves an array, a file larger than memory, and a cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.sorting import search_sorted, sorted_copies

Counts: TypeAlias = NDArray[Any]  # int64, or float64 where trials carry weights


@dataclass(frozen=True, eq=False)
class Staircase:
    """Targets and nontargets at or below the end of each step, in ascending order of the scores.

    Counts are whole numbers, or weights in a bootstrap resample. No step is empty.
    """

    target: Counts
    nontarget: Counts

    @property
    def n_target(self) -> float:
        return float(self.target[-1])

    @property
    def n_nontarget(self) -> float:
        return float(self.nontarget[-1])

    @property
    def steps(self) -> tuple[FloatArray, FloatArray]:
        """Targets and nontargets within each step."""
        return (
            np.diff(self.target, prepend=0).astype(np.float64),
            np.diff(self.nontarget, prepend=0).astype(np.float64),
        )

    @cached_property
    def shares(self) -> tuple[FloatArray, FloatArray]:
        """Share of all targets and of all nontargets within each step; their ratio is the step's LR."""
        target, nontarget = self.steps
        return target / self.n_target, nontarget / self.n_nontarget

    @cached_property
    def hull(self) -> Staircase:
        """The convex hull of the ROC: adjacent steps pooled until the share of targets only rises."""
        return self.take(hull_ends(*self.steps))

    def take(self, ends: IntArray) -> Staircase:
        """The coarser staircase that keeps only these step ends."""
        return Staircase(self.target[ends], self.nontarget[ends])


def hull_ends(target: FloatArray, nontarget: FloatArray) -> IntArray:
    """Index of the last step of each hull segment, by pooling adjacent violators."""
    from scipy.optimize import isotonic_regression

    total = target + nontarget
    fit = isotonic_regression(target / total, weights=total)
    ends = np.asarray(fit.blocks[1:], dtype=np.int64) - 1
    # Segments of equal slope are one segment: whether rounding kept them apart must not show in any count.
    sums_t, sums_n = np.cumsum(target)[ends], np.cumsum(nontarget)[ends]
    a, b = np.diff(sums_t, prepend=0.0), np.diff(sums_n, prepend=0.0)
    same = a[1:] * b[:-1] <= a[:-1] * b[1:]
    return ends[np.append(~same, True)] if same.any() else ends


def merge_sorted(target: FloatArray, nontarget: FloatArray) -> Staircase:
    """The staircase of two ascending arrays, ties between the classes pooled into one step."""
    if target.size <= nontarget.size:
        few, many = _merge(target, nontarget)
        return Staircase(few, many)
    few, many = _merge(nontarget, target)
    return Staircase(many, few)


def _merge(few: FloatArray, many: FloatArray) -> tuple[IntArray, IntArray]:
    """Step ends as (count of few, count of many). Only the smaller class is searched for, never the larger."""
    m, n = few.size, many.size
    if not m:
        return np.array([0]), np.array([n])
    below = search_sorted(many, few)
    tied = np.zeros(m, dtype=bool)
    inside = below < n
    tied[inside] = many[below[inside]] == few[inside]
    through = below
    if tied.any():
        through = below.copy()
        through[tied] = np.searchsorted(many, few[tied], side="right")
    before = np.empty_like(through)  # of `many`, how many precede the i-th of `few` and were met with the one before
    before[0] = 0
    before[1:] = through[:-1]

    run_of_many = below > before
    closes = run_of_many.copy()
    if tied.any():
        new_value = np.ones(m, dtype=bool)
        new_value[1:] = few[1:] != few[:-1]
        was_tied = np.zeros(m, dtype=bool)
        was_tied[1:] = tied[:-1]
        closes |= new_value & (tied | was_tied)
    index = np.arange(m)
    vertices = closes.astype(np.int8) + run_of_many
    few_at: Counts = np.repeat(index, vertices)
    many_at = np.repeat(before, vertices)
    position = np.cumsum(vertices, dtype=np.int64) - 1
    many_at[position[run_of_many]] = below[run_of_many]
    few_at = np.concatenate([few_at, [m, m]])
    many_at = np.concatenate([many_at, [through[-1], n]])
    moved = np.diff(few_at, prepend=0) + np.diff(many_at, prepend=0) > 0
    return few_at[moved], many_at[moved]


def staircase(target: FloatArray, nontarget: FloatArray) -> Staircase:
    """The staircase of two unsorted, checked arrays."""
    return merge_sorted(*sorted_copies(target, nontarget))


def join(parts: Sequence[Staircase]) -> Staircase:
    """One staircase from those of ranges of scores that follow one another and share no score."""
    target: list[Counts] = []
    nontarget: list[Counts] = []
    targets, nontargets = 0, 0
    for part in parts:
        target.append(part.target + targets)
        nontarget.append(part.nontarget + nontargets)
        targets, nontargets = target[-1][-1], nontarget[-1][-1]
    return _one_step_per_run(Staircase(np.concatenate(target), np.concatenate(nontarget)))


def _one_step_per_run(stairs: Staircase) -> Staircase:
    """A run of one class that a border between parts has cut in two is one step again."""
    few, many = stairs.steps
    cut = ((few[:-1] == 0) & (few[1:] == 0)) | ((many[:-1] == 0) & (many[1:] == 0))
    return stairs.take(np.flatnonzero(np.append(~cut, True))) if cut.any() else stairs
