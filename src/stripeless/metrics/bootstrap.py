"""Intervals by bootstrap: draw people, not trials, and weigh the sorted scores again instead of sorting again.

The people in the trials are drawn with replacement. A target trial counts as often as its speaker was drawn; a trial
between two people as often as the product of the two. Where speakers are unknown, trials are drawn, target and nontarget
each for themselves, and the result says so: such intervals are too short when a few speakers make up many trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np

from stripeless.errors import InputError
from stripeless.metrics.cllr import softplus
from stripeless.metrics.one_pass import FUNCTIONS, ScorePass, Weights
from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.staircase import Staircase, merge_sorted
from stripeless.scores.trials import Factor, TrialScores

Unit = Literal["speakers", "trials"]


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
    number = np.cumsum(present) - 1
    return People(
        int(present.sum()), (number[target[0]], number[target[1]]), (number[nontarget[0]], number[nontarget[1]])
    )


def _pair(first: Factor, second: Factor, side: Literal["target", "nontarget"]) -> tuple[IntArray, IntArray]:
    """Both codes of each trial; where one is unknown, the other stands for both."""
    a = np.asarray(getattr(first, side), dtype=np.int64)
    b = np.asarray(getattr(second, side), dtype=np.int64)
    return np.where(a < 0, b, a), np.where(b < 0, a, b)


class Resampler:
    """Draws weights and turns them into re-weighted passes over scores that were sorted once."""

    def __init__(self, target: FloatArray, nontarget: FloatArray, people: People | None) -> None:
        order_t, order_n = np.argsort(target, kind="stable"), np.argsort(nontarget, kind="stable")
        self.target, self.nontarget = target[order_t], nontarget[order_n]
        self.stairs = merge_sorted(self.target, self.nontarget)
        self.cost_t, self.cost_n = softplus(-self.target), softplus(self.nontarget)
        self.people = people
        if people is not None:
            self.pair_t = (people.target[0][order_t], people.target[1][order_t])
            self.pair_n = (people.nontarget[0][order_n], people.nontarget[1][order_n])

    @property
    def unit(self) -> Unit:
        return "trials" if self.people is None else "speakers"

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """How often each sorted target and nontarget counts in one resample; both classes occur."""
        while True:
            if self.people is None:
                pair = _trial_counts(rng, self.target.size), _trial_counts(rng, self.nontarget.size)
            else:
                drawn = np.bincount(rng.integers(0, self.people.count, self.people.count), minlength=self.people.count)
                times = drawn.astype(np.float64)
                pair = _pair_weights(times, *self.pair_t), _pair_weights(times, *self.pair_n)
            if pair[0].any() and pair[1].any():
                return pair

    def resample(self, target_weight: FloatArray, nontarget_weight: FloatArray) -> ScorePass:
        """The pass over scores that count this often."""
        sum_t, sum_n = np.cumsum(target_weight), np.cumsum(nontarget_weight)
        target = np.where(self.stairs.target > 0, sum_t[self.stairs.target - 1], 0.0)
        nontarget = np.where(self.stairs.nontarget > 0, sum_n[self.stairs.nontarget - 1], 0.0)
        total = target + nontarget
        kept = np.diff(total, prepend=0.0) > 0
        cost = _weighted_mean(self.cost_t, target_weight, sum_t) + _weighted_mean(self.cost_n, nontarget_weight, sum_n)
        weights = Weights(sum_t, sum_n, cost / (2 * log(2)))
        return ScorePass(self.target, self.nontarget, Staircase(target[kept], nontarget[kept]), weights)


def _trial_counts(rng: np.random.Generator, size: int) -> FloatArray:
    return np.bincount(rng.integers(0, size, size), minlength=size).astype(np.float64)


def _pair_weights(times: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    weight = times[first]
    return np.asarray(np.where(first == second, weight, weight * times[second]))


def _weighted_mean(cost: FloatArray, weight: FloatArray, running: FloatArray) -> float:
    """An infinite cost that nobody drew counts nothing."""
    with np.errstate(invalid="ignore"):
        total = np.nansum(cost * weight) if np.isinf(cost[[0, -1]]).any() else cost @ weight
    return float(total) / float(running[-1])


def resampled_values(resampler: Resampler, names: tuple[str, ...], resamples: int, seed: int) -> dict[str, FloatArray]:
    """Each measure in each resample; NaN where a resample does not allow it."""
    values = {name: np.full(resamples, np.nan) for name in names}
    for k, drawn in enumerate(_draws(resampler, resamples, seed)):
        scores = resampler.resample(*drawn)
        for name in names:
            try:
                values[name][k] = FUNCTIONS[name](scores)
            except InputError:
                continue
    return values


def _draws(resampler: Resampler, resamples: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        yield resampler.draw(rng)
