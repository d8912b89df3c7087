"""The test for a leak: without identity it does not matter who is enrolled as whom.

Enrollments are exchanged among the people of a group, at random and many times; the same exchanges serve all attackers
and all statistics, so that trying several is paid for in the test (Westfall and Young 1993). Whatever belongs to a person
or to a pair of people stays what it is, so such effects cannot pass for a leak (Mantel 1967; Hoeffding 1951 for the
variance). For attackers who were not trained on these people the test is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.verdicts.cells import STATISTICS, Cells, FloatArray, Statistic
from stripeless.verdicts.strata import IntArray, crossed

PERMUTATIONS = 999
PER_ATTACKER = 40  # exchanges for each attacker: among many, the smallest p must still fit below 5 %
WEIGHTS: dict[Statistic, float] = {"rank": 0.6, "top": 0.2, "spread": 0.2}
GATHERED = 1 << 22  # cells looked up at a time
_EDGE = 1e-9


@dataclass(frozen=True, eq=False)
class Exchanged:
    """What the exchanges say.

    Attributes:
        p: chance of so clear a sign in any attacker and statistic, without a leak.
        per_attacker: the same for the best sign of each attacker; all that were tried are paid for.
        by: the statistic that shows it best, for each attacker.
        luck: how far the best of these attackers lies above its mean by luck alone, in deviations.
        deviation: for each attacker the deviation of its mean rank difference under exchange.
        permutations: how many exchanges.
    """

    p: float
    per_attacker: tuple[float, ...]
    by: tuple[Statistic, ...]
    luck: float
    deviation: tuple[float, ...]
    permutations: int


def together(cells: Sequence[Cells]) -> tuple[list[IntArray], IntArray]:
    """For each attacker the place of everybody in its cells (-1 where it does not judge a person), and who may be exchanged.

    Two people may where every attacker who judges one of them judges the other in the same group.
    """
    names = sorted(set().union(*(one.names for one in cells)))
    places = []
    for one in cells:
        place = {name: k for k, name in enumerate(one.names)}
        places.append(np.array([place.get(name, -1) for name in names], dtype=np.int64))
    if not names:
        return places, np.zeros(0, dtype=np.int64)
    groups = [np.append(one.group, -1)[place] + 1 for one, place in zip(cells, places, strict=True)]
    return places, crossed(groups)


def exchange_test(cells: Sequence[Cells], *, permutations: int = PERMUTATIONS, seed: int = 0) -> Exchanged | None:
    """Exchange enrollments within groups; None where nobody can be exchanged. Every square must be complete."""
    places, group = together(cells)
    sizes = np.bincount(group, minlength=1)
    if sizes.max() < 2:
        return None
    count = max(permutations, PER_ATTACKER * len(cells))
    z = exchanged_z(cells, places, group, count, np.random.default_rng([seed, 13]))
    adjusted, best = westfall_young(z)
    ranks = z[:, :, 0]
    return Exchanged(
        p=float(adjusted.min()),
        per_attacker=tuple(float(value) for value in adjusted),
        by=tuple(STATISTICS[k] for k in best.tolist()),
        luck=float(np.median(ranks[1:].max(axis=1))) if len(cells) > 1 else 0.0,
        deviation=tuple(_deviation(one, place, group) for one, place in zip(cells, places, strict=True)),
        permutations=count,
    )


def exchanged_z(
    cells: Sequence[Cells], places: Sequence[IntArray], group: IntArray, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Standardized sums over the diagonal: exchanges (the first is none) x attackers x statistics."""
    total = np.zeros((count + 1, len(cells), len(STATISTICS)))
    variance = np.zeros((len(cells), len(STATISTICS)))
    for number in range(int(group.max()) + 1):
        people = np.flatnonzero(group == number)
        if people.size < 2:
            continue
        orders = np.empty((count + 1, people.size), dtype=np.int64)
        orders[0] = np.arange(people.size)
        for start in range(0, count, step := max(1, GATHERED // people.size)):
            part = orders[start + 1 : start + 1 + step]
            part[:] = np.argsort(rng.random(part.shape), axis=1)
        for k, one in enumerate(cells):
            if places[k][people[0]] < 0:
                continue  # this attacker does not judge them
            for s, statistic in enumerate(STATISTICS):
                centered = double_centered(one.block(statistic, places[k][people]))
                total[:, k, s] += _sums(centered, orders)
                variance[k, s] += np.square(centered).sum() / (people.size - 1)
    deviation = np.sqrt(variance)
    return np.divide(total, deviation, out=np.zeros_like(total), where=deviation > _EDGE)


def _sums(block: FloatArray, orders: IntArray) -> FloatArray:
    """Sum over i of block[order[i], i], for each order."""
    columns = np.arange(block.shape[1])
    step = max(1, GATHERED // block.shape[1])
    parts = [block[orders[start : start + step], columns].sum(axis=1) for start in range(0, len(orders), step)]
    return np.concatenate(parts)


def double_centered(block: FloatArray) -> FloatArray:
    """Rows and columns taken out: what belongs to the enrolled or to the judged person alone."""
    return np.asarray(block - block.mean(axis=0) - block.mean(axis=1, keepdims=True) + block.mean())


def westfall_young(z: NDArray[np.float64]) -> tuple[FloatArray, NDArray[np.int64]]:
    """Adjusted p for each attacker, and the statistic that shows it best; the first row is what was seen."""
    sided = z.copy()
    spread = STATISTICS.index("spread")
    sided[:, :, spread] = np.abs(sided[:, :, spread])  # targets of small or of large spread
    weights = np.array([WEIGHTS[statistic] for statistic in STATISTICS])
    ordered = np.sort(sided, axis=0)
    weighted = np.empty_like(sided)
    for k in range(sided.shape[1]):
        for s in range(sided.shape[2]):
            below = np.searchsorted(ordered[:, k, s], sided[:, k, s] - _EDGE, side="left")
            weighted[:, k, s] = (len(z) - below) / (len(z) * weights[s])
    smallest = weighted.min(axis=(1, 2))
    seen = weighted[0].min(axis=1)
    adjusted = np.array([np.count_nonzero(smallest <= value * (1 + _EDGE)) / len(z) for value in seen])
    alone = (
        weighted[0] * weights
    )  # what shows it best is told by its own p, and where these are as small as can be, by its size
    clearest = alone <= alone.min(axis=1, keepdims=True) * (1 + _EDGE)
    return adjusted, np.where(clearest, sided[0], -np.inf).argmax(axis=1)


def _deviation(cells: Cells, place: IntArray, group: IntArray) -> float:
    """Deviation under exchange of the mean rank difference, targets less nontargets."""
    total, people = 0.0, 0
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        if members.size < 2 or place[members[0]] < 0:
            continue
        centered = double_centered(cells.block("rank", place[members]))
        n = members.size
        total += (n / (n - 1)) ** 2 * np.square(centered).sum() / (n - 1)
        people += n
    return float(np.sqrt(total) / people) if people else 0.0
