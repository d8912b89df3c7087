"""What one attacker thinks of each pair of people: mean ranks of the scores by who is enrolled and who speaks.

Scores are replaced by their ranks within a group, so that neither their scale nor one wild score can act, and averaged
over the recordings of a pair of people, so that people count and not trials.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.trials import TrialScores
from stripeless.verdicts.ranked import numbered, ranks_within
from stripeless.verdicts.strata import LEAST, IntArray, Strata, strata_of

FloatArray = NDArray[np.float64]
Statistic = Literal["rank", "top", "spread"]
STATISTICS: tuple[Statistic, ...] = ("rank", "top", "spread")
MOST_PEOPLE = 4000  # among whom it is looked for who meets whom
TOP = 0.99  # a rank above this counts as a hit
UNEVEN = 1.25  # times as many trials as of the person's own, beyond which a mean over them is too quiet to compare with
LESS_OWN = (
    "People have fewer trials with their own model than with models of others, so as many of the others were drawn for the "
    "test."
)


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
    strata = apart(strata, scores)
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    sides = [
        strata.place[np.concatenate([side.target, side.nontarget])]
        for side in (scores.enrollment_speakers, scores.trial_speakers)
    ]
    return _cells(np.concatenate([scores.target, scores.nontarget]), sides[0], sides[1], strata)


def apart(strata: Strata, scores: TrialScores) -> Strata:
    """Groups of people who are never compared with each other are cut apart: a list within the sexes, which nobody named."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    people = len(strata.names)
    if people > MOST_PEOPLE:
        return strata
    met = np.zeros(people * people, dtype=bool)
    for enrolled, judged in zip(*_sides(scores), strict=True):
        met[strata.place[enrolled] * people + strata.place[judged]] = True
    rows, columns = np.divmod(np.flatnonzero(met), people)
    inside = strata.group[rows] == strata.group[columns]
    links = coo_array((np.ones(int(inside.sum())), (rows[inside], columns[inside])), shape=(people, people))
    part = connected_components(links, directed=False)[1]
    if int((np.bincount(part) >= LEAST).sum()) < 2:
        return strata
    names: list[str] = []
    group = np.full(people, -1, dtype=np.int64)
    for k in range(people):
        if strata.group[k] < 0:
            continue
        name = f"{strata.labels[strata.group[k]]} {part[k] + 1}".strip()
        group[k] = names.index(name) if name in names else len(names)
        names += [name] if name not in names else []
    if len(names) == len(strata.labels):
        return strata  # each label is one part already, and says more than a number
    return replace(strata, group=group, labels=tuple(names))


def _sides(scores: TrialScores) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    enrolled, judged = scores.enrollment_speakers, scores.trial_speakers
    return (enrolled.target, enrolled.nontarget), (judged.target, judged.nontarget)


def _cells(values: FloatArray, enrolled: IntArray, judged: IntArray, strata: Strata) -> Cells:
    group = strata.group
    together, inside = strata.trial_group, strata.trial_group >= 0
    if group.min() < 0 or group.max() > 0:
        theirs = group[enrolled]
        inside &= (theirs == group[judged]) & (theirs >= 0)
        together = theirs * (int(strata.trial_group.max()) + 1) + strata.trial_group
        together[inside] = numbered(together[inside])[1]
    if not inside.all():
        values, enrolled = values[inside], enrolled[inside]
        judged, together = judged[inside], together[inside]
    ranks = ranks_within(values, together)
    present = [np.bincount(side, minlength=len(strata.names)) > 0 for side in (enrolled, judged)]
    both = np.flatnonzero(present[0] & present[1])
    sizes = np.bincount(group[both], minlength=len(strata.labels)) if both.size else np.zeros(1, dtype=np.int64)
    alone = [strata.names[k] for k in both.tolist() if sizes[group[k]] < 2]
    both = both[sizes[group[both]] >= 2] if both.size else both
    place = np.full(len(strata.names), -1, dtype=np.int64)
    place[both] = np.arange(both.size)
    rows, columns = place[enrolled], place[judged]
    if not (present[0] == present[1]).all() or alone:
        square = (rows >= 0) & (columns >= 0)
        rows, columns, ranks = rows[square], columns[square], ranks[square]
    keys, cell = numbered(rows * both.size + columns)
    count = np.bincount(cell, minlength=keys.size)
    quiet = _surplus(keys, cell, count, ranks, both.size)
    if quiet.size:
        cell, ranks = np.delete(cell, quiet), np.delete(ranks, quiet)
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
        (*strata.said, *((LESS_OWN,) if quiet.size else ()), *_left_out(strata, both, alone)),
    )


def _surplus(keys: IntArray, cell: IntArray, count: IntArray, ranks: FloatArray, people: int) -> IntArray:
    """Trials that are left out so that nobody is compared with others in many more trials than with themselves.

    A mean over eight trials varies less than a mean over two. Where the two are of the person, they lie on the outside of all
    the others by that alone, and the exchange of who is enrolled would call it a leak. So each person keeps with each model
    about as many trials as with their own, drawn at random; by their values and not by their rows, whose order must not act.
    """
    if not people:
        return np.zeros(0, dtype=np.int64)
    own = np.full(people, np.iinfo(np.int64).max, dtype=np.int64)
    mine = keys // people == keys % people
    own[keys[mine] % people] = count[mine] // (2 if _mirrored(keys, count, cell, ranks, people) else 1)
    kept = np.maximum(own[keys % people], 1)
    some = np.flatnonzero((~mine & (count > UNEVEN * kept))[cell])
    if not some.size:
        return some
    some = some[np.lexsort((ranks[some], cell[some]))]
    drawn = np.random.default_rng(people).random(some.size)
    some = some[np.lexsort((drawn, cell[some]))]
    sizes = np.bincount(cell[some], minlength=keys.size)
    place = np.arange(some.size) - (np.cumsum(sizes) - sizes)[cell[some]]
    return some[place >= kept[cell[some]]]


def _mirrored(keys: IntArray, count: IntArray, cell: IntArray, ranks: FloatArray, people: int) -> bool:
    """Whether a against b scores what b against a does: then half of the trials of a person with themselves say nothing new."""
    if people < 3:
        return False
    mean = np.full(people * people, np.nan)
    mean[keys] = np.bincount(cell, ranks, keys.size) / count
    above = np.triu_indices(people, 1)
    square = mean.reshape(people, people)
    one, other = square[above], square.T[above]
    both = ~np.isnan(one + other)
    if np.unique(one[both]).size < 0.5 * np.count_nonzero(both):
        return False  # decisions in place of scores are equal anyway
    if not both.any() or np.ptp(one[both]) == 0:
        return False
    return bool((np.abs(one - other)[both] < 1e-12).mean() > 0.9)


def _left_out(strata: Strata, both: IntArray, alone: list[str]) -> list[str]:
    """Who takes no part in the test, counted and named."""
    said: list[str] = []
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
