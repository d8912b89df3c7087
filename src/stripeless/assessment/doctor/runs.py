"""How often exact values occur in ascending scores, found by bisection: no pass over all scores, no further sort."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.measures.one_pass import ScorePass
from stripeless.scores.check import FloatArray

FEW_VALUES = 10  # as many different values as a scale of ratings has
ENOUGH = 20  # trials of a class below which no repetition is spoken of
NEAR = 3  # neighbors on each side that a spike is held against
TOWERS = 5  # a spike occurs this many times as often as any of them: rounding makes all of them alike


@dataclass(frozen=True)
class Spike:
    """One exact value and how many trials of each class have it."""

    value: float
    targets: int
    nontargets: int

    @property
    def trials(self) -> int:
        return self.targets + self.nontargets


@dataclass(frozen=True, eq=False)
class Finite:
    """The finite scores of both classes in ascending order, and how many infinite ones lie outside."""

    target: FloatArray
    nontarget: FloatArray
    lowest: tuple[int, int]  # targets and nontargets at minus infinity
    highest: tuple[int, int]

    @property
    def enough(self) -> bool:
        return min(self.target.size, self.nontarget.size) >= ENOUGH


def finite_part(scores: ScorePass) -> Finite:
    """The scores between the infinities."""
    parts, lowest, highest = [], [], []
    for values in (scores.target, scores.nontarget):
        first = int(np.searchsorted(values, -np.inf, side="right"))
        last = int(np.searchsorted(values, np.inf, side="left"))
        parts.append(values[first:last])
        lowest.append(first)
        highest.append(int(values.size) - last)
    return Finite(parts[0], parts[1], (lowest[0], lowest[1]), (highest[0], highest[1]))


def count(values: FloatArray, value: float, reach: float = 0.0) -> int:
    """How many ascending values equal this one, or lie no further from it than `reach`."""
    below = np.searchsorted(values, value - reach, side="left")
    return int(np.searchsorted(values, value + reach, side="right") - below)


def spike_at(scores: Finite, value: float, reach: float = 0.0) -> Spike:
    """How often this value occurs in each class."""
    return Spike(value, count(scores.target, value, reach), count(scores.nontarget, value, reach))


def next_value(scores: Finite, value: float, up: bool) -> float | None:
    """The nearest other value above or below, in either class; None beyond the last."""
    found = []
    for values in (scores.target, scores.nontarget):
        if up:
            at = int(np.searchsorted(values, value, side="right"))
            found += [float(values[at])] if at < values.size else []
        else:
            at = int(np.searchsorted(values, value, side="left"))
            found += [float(values[at - 1])] if at else []
    return (min if up else max)(found, default=None)


def few_values(scores: Finite) -> int | None:
    """How many different values there are, or None where there are more than a handful."""
    value = next_value(scores, -np.inf, True)
    for several in range(FEW_VALUES + 1):
        if value is None:
            return several
        value = next_value(scores, value, True)
    return None


def towering(scores: Finite, spike: Spike, reach: float = 0.0) -> bool:
    """Whether a value occurs far more often than those beside it, as no rounding of continuous scores explains."""
    highest = 0
    for up in (False, True):
        value: float | None = spike.value + (reach if up else -reach)
        for _ in range(NEAR):
            value = None if value is None else next_value(scores, value, up)
            if value is not None:
                highest = max(highest, spike_at(scores, value).trials)
    return spike.trials >= TOWERS * max(1, highest)


def spikes(scores: Finite, share: float) -> list[Spike]:
    """Values that hold at least this share of a class and tower above their neighbors, the most frequent first."""
    candidates: set[float] = set()
    for values in (scores.target, scores.nontarget):
        step = max(1, int(values.size * share / 2))  # whatever holds the share covers one of these places
        candidates |= set(values[::step].tolist())
    found = [spike_at(scores, value) for value in candidates]
    held = [
        one
        for one in found
        if one.targets >= share * scores.target.size or one.nontargets >= share * scores.nontarget.size
    ]
    return sorted((one for one in held if towering(scores, one)), key=lambda one: (-one.trials, one.value))
