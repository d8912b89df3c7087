"""Intervals by bootstrap: draw people, not trials, and weigh the sorted scores again instead of sorting again.

The people in the trials are drawn with replacement. A target trial counts as often as its speaker was drawn; a trial
between two people as often as the product of the two. Where speakers are unknown, trials are drawn, target and nontarget
each for themselves, and the result says so: such intervals are too short when a few speakers make up many trials.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal, TypeAlias

import numpy as np

from stripeless.errors import InputError
from stripeless.measures.catalog import MEASURES
from stripeless.measures.cllr import softplus
from stripeless.measures.one_pass import ScorePass, Weights
from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.staircase import Staircase, merge_sorted
from stripeless.scores.trials import Factor, TrialScores

Unit = Literal["speakers", "trials"]
Order: TypeAlias = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class People:
    """Who takes part in each trial: two codes per trial, the same one twice in a target trial."""

    count: int
    target: tuple[IntArray, IntArray]
    nontarget: tuple[IntArray, IntArray]


def people_in(scores: TrialScores) -> People | None:
    """The people of every trial, or None where some trial names nobody."""
    known = [factor for factor in (scores.enrollment_speakers, scores.trial_speakers) if factor is not None]
    if not known:
        return None
    first, second = known[0], known[-1]
    target = _pair(first, second, "target")
    nontarget = _pair(first, second, "nontarget")
    codes = np.concatenate([*target, *nontarget])
    if codes.min() < 0:
        return None
    # Only people who occur are drawn: a name without trials would dilute the resamples.
    present = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    present[codes] = 1
    number = _in_alphabetical_order(first.names, np.flatnonzero(present))
    return People(
        int(present.sum()), (number[target[0]], number[target[1]]), (number[nontarget[0]], number[nontarget[1]])
    )


def _in_alphabetical_order(names: tuple[str, ...], present: IntArray) -> IntArray:
    """A number for each code, by its name: in which order the rows came must not decide who is drawn."""
    number = np.zeros(len(names), dtype=np.int64)
    number[sorted(present.tolist(), key=names.__getitem__)] = np.arange(present.size)
    return number


def _pair(first: Factor, second: Factor, side: Literal["target", "nontarget"]) -> tuple[IntArray, IntArray]:
    """Both codes of each trial; where one is unknown, the other stands for both."""
    a = np.asarray(getattr(first, side), dtype=np.int64)
    b = np.asarray(getattr(second, side), dtype=np.int64)
    return np.where(a < 0, b, a), np.where(b < 0, a, b)


@dataclass(frozen=True, eq=False)
class Draw:
    """One resample: how often each person was drawn, or each trial of either class from the lowest score to the highest.

    Where several systems are compared, the scores of the first decide the order of the trials for all of them, among
    equal ones those of the second, and so on: `shared_order`.
    """

    people: FloatArray | None
    target: FloatArray | None = None
    nontarget: FloatArray | None = None


def shared_order(systems: Sequence[TrialScores]) -> Order:
    """An order of the trials of either class that does not depend on the order of the rows."""
    target, nontarget = (
        np.lexsort([getattr(scores, side) for scores in reversed(systems)]) for side in ("target", "nontarget")
    )
    return target, nontarget


class Resampler:
    """Turns draws into re-weighted passes over scores that were sorted once."""

    def __init__(
        self, target: FloatArray, nontarget: FloatArray, people: People | None, order: Order | None = None
    ) -> None:
        self.order = np.argsort(target, kind="stable"), np.argsort(nontarget, kind="stable")
        self.place = tuple(
            np.arange(own.size) if order is None else np.argsort(order[k])[own] for k, own in enumerate(self.order)
        )
        self.target, self.nontarget = target[self.order[0]], nontarget[self.order[1]]
        self.stairs = merge_sorted(self.target, self.nontarget)
        self.cost_t, self.cost_n = softplus(-self.target), softplus(self.nontarget)
        self.people = people
        if people is not None:
            self.pair_t = people.target[0][self.order[0]], people.target[1][self.order[0]]
            self.pair_n = people.nontarget[0][self.order[1]], people.nontarget[1][self.order[1]]
            self.meetings_t = _meetings(*self.pair_t, people.count)
            self.meetings_n = _meetings(*self.pair_n, people.count)

    @property
    def unit(self) -> Unit:
        return "trials" if self.people is None else "speakers"

    def draw(self, rng: np.random.Generator) -> Draw:
        """Draw people, or trials where they are unknown, until both classes occur."""
        if self.people is None:
            return Draw(None, _counts(rng, self.target.size), _counts(rng, self.nontarget.size))
        while True:
            times = _counts(rng, self.people.count)
            if _pair_weights(times, *self.meetings_t).any() and _pair_weights(times, *self.meetings_n).any():
                return Draw(times)

    def resample(self, draw: Draw) -> ScorePass:
        """The pass over scores that count as often as drawn."""
        if draw.people is not None:
            weight_t, weight_n = _pair_weights(draw.people, *self.pair_t), _pair_weights(draw.people, *self.pair_n)
        else:
            assert draw.target is not None
            assert draw.nontarget is not None
            weight_t, weight_n = draw.target[self.place[0]], draw.nontarget[self.place[1]]
        sum_t, sum_n = np.cumsum(weight_t), np.cumsum(weight_n)
        target = np.where(self.stairs.target > 0, sum_t[self.stairs.target - 1], 0.0)
        nontarget = np.where(self.stairs.nontarget > 0, sum_n[self.stairs.nontarget - 1], 0.0)
        kept = np.diff(target + nontarget, prepend=0.0) > 0
        cost = _weighted_mean(self.cost_t, weight_t, sum_t) + _weighted_mean(self.cost_n, weight_n, sum_n)
        weights = Weights(sum_t, sum_n, cost / (2 * log(2)))
        return ScorePass(self.target, self.nontarget, Staircase(target[kept], nontarget[kept]), weights)


def _counts(rng: np.random.Generator, size: int) -> FloatArray:
    """How often each of so many is drawn when so many are drawn with replacement."""
    return np.bincount(rng.integers(0, size, size), minlength=size).astype(np.float64)


def _meetings(first: IntArray, second: IntArray, people: int) -> tuple[IntArray, IntArray]:
    """Who meets whom at all, each pair once."""
    pairs = np.unique(first * people + second)
    return pairs // people, pairs % people


def _pair_weights(times: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    weight = times[first]
    return np.asarray(np.where(first == second, weight, weight * times[second]))


def _weighted_mean(cost: FloatArray, weight: FloatArray, running: FloatArray) -> float:
    """An infinite cost that nobody drew counts nothing."""
    with np.errstate(invalid="ignore"):
        product = cost * weight  # and a plain sum: BLAS would wake its threads a thousand times over
    with np.errstate(over="ignore"):  # of scores near the largest number there is
        total = np.nansum(product) if np.isinf(cost[[0, -1]]).any() else product.sum()
    return float(total) / float(running[-1])


def resampled_values(
    resampler: Resampler,
    names: tuple[str, ...],
    resamples: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> dict[str, FloatArray]:
    """Each measure in each resample; NaN where a resample does not allow it. `progress` hears the share that is done."""
    values = {name: np.full(resamples, np.nan) for name in names}
    rng = np.random.default_rng(seed)
    for k in range(resamples):
        if progress is not None:
            progress(k / resamples)
        scores = resampler.resample(resampler.draw(rng))
        for name in names:
            try:
                values[name][k] = MEASURES[name].of(scores)
            except InputError:
                continue
    return values
