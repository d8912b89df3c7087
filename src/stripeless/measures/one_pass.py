"""One sorted pass over the scores, plain or re-weighted: what every measure of the catalog is computed from."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial

from stripeless.measures.cllr import cllr_sorted
from stripeless.scores.check import FloatArray
from stripeless.scores.sorting import LARGE, sorted_copies
from stripeless.scores.staircase import Staircase, merge_sorted


@dataclass(frozen=True, eq=False)
class Weights:
    """How often each sorted score counts, as running sums, and the weighted cost of trusting it as an LLR."""

    target: FloatArray
    nontarget: FloatArray
    cllr: float


@dataclass(frozen=True, eq=False)
class ScorePass:
    """Both classes in ascending order, their staircase, and in a bootstrap resample their weights."""

    target: FloatArray
    nontarget: FloatArray
    stairs: Staircase
    weights: Weights | None = None
    cllr: Callable[[], float] | None = None  # where it was begun beforehand, how to get it

    @cached_property
    def hull(self) -> Staircase:
        return self.stairs.hull


def score_pass(target: FloatArray, nontarget: FloatArray) -> ScorePass:
    """Sort each class, merge, pool ties: the only sort there is."""
    target, nontarget = sorted_copies(target, nontarget)
    if target.size + nontarget.size < LARGE:
        return ScorePass(target, nontarget, merge_sorted(target, nontarget))
    # The only measure that looks at every score, not at the staircase: another core can begin it at once.
    other = ThreadPoolExecutor(1)
    later = other.submit(cllr_sorted, target, nontarget)
    other.shutdown(wait=False)
    return ScorePass(target, nontarget, merge_sorted(target, nontarget), cllr=later.result)


def cllr_of(scores: ScorePass) -> float:
    """Cllr, which alone looks at every score: weighed in a resample, begun beforehand where there are many."""
    if scores.weights is not None:
        return scores.weights.cllr
    return cllr_sorted(scores.target, scores.nontarget) if scores.cllr is None else scores.cllr()


# How an entry of the catalog says what its function is computed from.
def of_stairs(function: Callable[[Staircase], float]) -> Callable[[ScorePass], float]:
    """A measure of the pass from one of its staircase."""
    return partial(_on_stairs, function)


def of_hull(function: Callable[[Staircase], float]) -> Callable[[ScorePass], float]:
    """A measure of the pass from one of its convex hull."""
    return partial(_on_hull, function)


def of_sorted(function: Callable[..., float]) -> Callable[[ScorePass], float]:
    """A measure of the pass from one of both sorted classes and, in a resample, of their weights as running sums."""
    return partial(_on_sorted, function)


def _on_stairs(function: Callable[[Staircase], float], scores: ScorePass) -> float:
    return function(scores.stairs)


def _on_hull(function: Callable[[Staircase], float], scores: ScorePass) -> float:
    return function(scores.hull)


def _on_sorted(function: Callable[..., float], scores: ScorePass) -> float:
    weights = () if scores.weights is None else (scores.weights.target, scores.weights.nontarget)
    return function(scores.target, scores.nontarget, *weights)
