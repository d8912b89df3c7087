"""What one attacker thinks of each pair of people: mean ranks of the scores by who is enrolled and who speaks.

Scores are replaced by their ranks within a group, so that neither their scale nor one wild score can act, and averaged
over the recordings of a pair of people, so that people count and not trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.trials import TrialScores
from stripeless.verdicts.strata import IntArray, Strata, strata_of

FloatArray = NDArray[np.float64]
Statistic = Literal["rank", "top", "spread"]
STATISTICS: tuple[Statistic, ...] = ("rank", "top", "spread")
TOP = 0.99  # a rank above this counts as a hit


@dataclass(frozen=True, eq=False)
class Cells:
    """One row per pair of people of one group: the person enrolled, the person who speaks, and what their scores say.

    Only people who are both enrolled and judged take part; whoever is only one of the two takes part in the ranks.

    Attributes:
        names: these people, in alphabetical order.
        group: for each of them the number of the group.
        labels: names of the groups.
        enrolled, judged: for each cell the places of both people in `names`.
        count: for each cell its number of trials.
        rank: mean rank of its scores, 0 to 1.
        top: share of its scores with a rank above .99.
        spread: mean distance of its ranks from the middle.
        said: sentences on who and what was left out.
    """

    names: tuple[str, ...]
    group: IntArray
    labels: tuple[str, ...]
    enrolled: IntArray
    judged: IntArray
    count: IntArray
    rank: FloatArray
    top: FloatArray
    spread: FloatArray
    said: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every person is compared with every other of the group."""
        sizes = np.bincount(self.group, minlength=1)
        return int((sizes**2).sum()) == self.enrolled.size

    def block(self, statistic: Statistic, people: IntArray) -> FloatArray:
        """The square of these people, enrolled by judged; NaN where two of them are not compared."""
        place = np.full(len(self.names), -1, dtype=np.int64)
        place[people] = np.arange(people.size)
        rows, columns = place[self.enrolled], place[self.judged]
        inside = (rows >= 0) & (columns >= 0)
        square = np.full((people.size, people.size), np.nan)
        square[rows[inside], columns[inside]] = getattr(self, statistic)[inside]
        return square

    def kept(self, people: IntArray) -> Cells:
        """The same for some of the people only."""
        place = np.full(len(self.names), -1, dtype=np.int64)
        place[people] = np.arange(people.size)
        rows, columns = place[self.enrolled], place[self.judged]
        inside = (rows >= 0) & (columns >= 0)
        return Cells(
            tuple(self.names[k] for k in people.tolist()),
            self.group[people],
            self.labels,
            rows[inside],
            columns[inside],
            self.count[inside],
            self.rank[inside],
            self.top[inside],
            self.spread[inside],
            self.said,
        )


def cells_of(scores: TrialScores) -> Cells | None:
    """The cells of these trials; None where not every trial names both of its people."""
    for side in (scores.enrollment_speakers, scores.trial_speakers):
        if side is None or side.target.min() < 0 or side.nontarget.min() < 0:
            return None
    strata = strata_of(scores)
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    sides = [
        strata.place[np.concatenate([side.target, side.nontarget])]
        for side in (scores.enrollment_speakers, scores.trial_speakers)
    ]
    return _cells(np.concatenate([scores.target, scores.nontarget]), sides[0], sides[1], strata)


def _cells(values: FloatArray, enrolled: IntArray, judged: IntArray, strata: Strata) -> Cells:
    group = strata.group
    inside = (group[enrolled] == group[judged]) & (group[enrolled] >= 0) & (strata.trial_group >= 0)
    values, enrolled, judged = values[inside], enrolled[inside], judged[inside]
    together = group[enrolled] * (int(strata.trial_group.max()) + 1) + strata.trial_group[inside]
    ranks = ranks_within(values, together)
    both = np.intersect1d(enrolled, judged)
    sizes = np.bincount(group[both], minlength=len(strata.labels)) if both.size else np.zeros(1, dtype=np.int64)
    alone = [strata.names[k] for k in both.tolist() if sizes[group[k]] < 2]
    both = both[sizes[group[both]] >= 2] if both.size else both
    place = np.full(len(strata.names), -1, dtype=np.int64)
    place[both] = np.arange(both.size)
    rows, columns = place[enrolled], place[judged]
    square = (rows >= 0) & (columns >= 0)
    rows, columns, ranks = rows[square], columns[square], ranks[square]
    keys, cell = _numbered(rows * both.size + columns, both.size**2)
    count = np.bincount(cell, minlength=keys.size)
    rank, top, spread = (
        np.bincount(cell, what, keys.size) / count
        for what in (ranks, (ranks > TOP).astype(np.float64), np.abs(ranks - 0.5))
    )
    found = np.unique(group[both], return_inverse=True) if both.size else (np.zeros(0, int), np.zeros(0, int))
    return Cells(
        tuple(strata.names[k] for k in both.tolist()),
        found[1].astype(np.int64).reshape(-1),
        tuple(strata.labels[k] for k in found[0].tolist()),
        keys // max(both.size, 1),
        keys % max(both.size, 1),
        count,
        rank,
        top,
        spread,
        (*strata.said, *_left_out(strata, both, alone)),
    )


def _left_out(strata: Strata, both: IntArray, alone: list[str]) -> list[str]:
    """Who takes no part in the test, counted and named."""
    said = []
    others = sorted(set(range(len(strata.names))) - set(both.tolist()) - {strata.names.index(name) for name in alone})
    if others:
        listed = ", ".join(strata.names[k] for k in others[:5]) + (", ..." if len(others) > 5 else "")
        said.append(f"{_people(len(others))} not both enrolled and judged, and so not tested: {listed}.")
    if alone:
        listed = ", ".join(alone[:5]) + (", ..." if len(alone) > 5 else "")
        said.append(f"{_people(len(alone))} alone in a group, and so not tested: {listed}.")
    return said


def _people(count: int) -> str:
    return "1 person is" if count == 1 else f"{count} people are"


def _numbered(keys: IntArray, possible: int) -> tuple[IntArray, IntArray]:
    """The keys that occur, ascending, and for each row its place among them; without a sort where they are dense."""
    if possible <= max(4 * keys.size, 1 << 20):
        present = np.zeros(possible, dtype=bool)
        present[keys] = True
        places = np.cumsum(present) - 1
        return np.flatnonzero(present), places[keys]
    found, inverse = np.unique(keys, return_inverse=True)
    return found, inverse.reshape(-1)


def ranks_within(values: FloatArray, groups: IntArray) -> FloatArray:
    """Mid-ranks from 0 to 1 of the values of each group by itself; equal values share theirs.

    >>> ranks_within(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 0, 0, 1])).round(3).tolist()
    [0.833, 0.167, 0.5, 0.5]
    """
    ranks = np.empty(values.size)
    sizes = np.bincount(groups, minlength=1)
    members = np.arange(values.size) if np.count_nonzero(sizes) == 1 else np.argsort(groups, kind="stable")
    ends = np.cumsum(sizes[sizes > 0])
    for start, end in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
        some = members[start:end]
        ranks[some] = _ranks(values[some])
    return ranks


def _ranks(values: FloatArray) -> FloatArray:
    order = np.argsort(values)
    ordered = values[order]
    new = np.append(True, ordered[1:] != ordered[:-1])
    starts = np.append(np.flatnonzero(new), ordered.size)
    middle = (starts[:-1] + starts[1:]) / (2 * ordered.size)
    ranks = np.empty(values.size)
    ranks[order] = middle[np.cumsum(new) - 1]
    return ranks
