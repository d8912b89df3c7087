"""What the labels of the trials say: groups whose scores differ and are pooled, and nontargets across the sexes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stripeless.assessment.doctor.runs import Finite
from stripeless.measures.eer import crossing
from stripeless.measures.shown import percent
from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.staircase import Staircase
from stripeless.scores.trials import Codes, Factor, TrialScores
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import SURE

SEX = ("sex", "gender")
ACROSS = 0.7  # share of nontargets across the sexes; everybody against everybody gives about one half
IN_A_GROUP = 20  # targets, and nontargets within it, from which a group is counted
MOST_GROUPS = 50
COVERED = 0.8  # share of the targets that must lie in such groups
CELLS = 1 << 13  # ranges of scores in which trials are counted
DIFFERENT = 0.02  # in the equal error rate, and in the area under the curve


def cross_sex_nontargets(trials: TrialScores) -> Finding | None:
    """Most nontargets compare a woman with a man, which an attacker who hears nothing but the sex tells apart."""
    name = next((name for name in trials.columns if name.lower() in SEX), None)
    people = None if name is None else of_people(trials, trials.columns[name])
    if name is None or people is None or trials.nontarget.size < IN_A_GROUP:
        return None
    first, second = people
    known = (first >= 0) & (second >= 0)
    across = float(np.mean((first != second)[known])) if known.any() else 0.0
    if across <= ACROSS:
        return None
    return Finding(
        "cross_sex_nontargets",
        "caution",
        f"{percent(across)} of the nontargets compare a woman with a man. Whoever hears the sex tells these apart, so the "
        f"figures say more of the sex than of the person. List nontargets of the same sex, and read --by {name}.",
    )


def of_people(trials: TrialScores, factor: Factor) -> tuple[Codes, Codes] | None:
    """The label of both people of each nontarget; None where it is not one label per person, or nobody is named.

    A person has the label of their target trials, in which both sides are one person.
    """
    first, second = trials.enrollment_speakers, trials.trial_speakers
    if first is None or second is None:
        return None
    own = first.target
    told = (own >= 0) & (factor.target >= 0)
    label = np.full(len(first.names) + 1, -1, dtype=np.int32)  # the last one is for whoever is not named
    label[own[told]] = factor.target[told]
    if not told.any() or (label[own[told]] != factor.target[told]).any():
        return None
    return label[first.nontarget], label[second.nontarget]


def pooled_groups(error_rate: float, scores: Finite, trials: TrialScores) -> Iterator[Finding]:
    """For each column whose groups, each by itself, give another result than all trials together."""
    columns = {name: factor for name, factor in trials.columns.items() if 2 <= len(factor.names) <= MOST_GROUPS}
    cells = cells_of(scores, trials) if columns else None
    if cells is None:
        return
    for name, factor in columns.items():
        groups = Groups(cells, factor.target, within(trials, factor), len(factor.names))
        if not groups.differ(trials):
            continue
        yield Finding(
            "pooled_groups",
            "caution",
            f"Pooled, the equal error rate is {percent(error_rate)}; within the groups of '{name}' it is "
            f"{percent(groups.error_rate)} on average. Scores differ from group to group, so the pooled figure says something "
            f"of the groups, not of the people. Read each by itself: --by {name}.",
        )


def within(trials: TrialScores, factor: Factor) -> Codes:
    """The group of each nontarget, -1 where its two people are of two groups."""
    people = of_people(trials, factor)
    if people is None:
        return factor.nontarget
    return np.where(people[0] == people[1], people[0], np.int32(-1))


@dataclass(frozen=True, eq=False)
class Cells:
    """For each trial the small range of scores that it lies in: counting these takes the place of sorting each group."""

    target: IntArray
    nontarget: IntArray


def cells_of(scores: Finite, trials: TrialScores) -> Cells | None:
    """Equal ranges over all but the outermost scores, which share the first and the last; None where nothing varies."""
    if not scores.enough:
        return None
    ends = [(v[v.size // 1000], v[v.size - 1 - v.size // 1000]) for v in (scores.target, scores.nontarget)]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    if not 0 < high - low < np.inf:
        return None
    cells = []
    for part in (trials.target, trials.nontarget):
        place = (part - low) * ((CELLS - 1) / (high - low))
        cells.append(np.clip(place, 0, CELLS - 1, out=place).astype(np.int32))
    return Cells(cells[0], cells[1])


class Groups:
    """Both classes counted by group and cell: the area under the curve and the equal error rate, pooled and within groups."""

    def __init__(self, cells: Cells, own: Codes, group: Codes, groups: int) -> None:
        self.cells, self.own, self.group = cells, own, group
        counts_t, counts_n = _table(own, cells.target, groups), _table(group, cells.nontarget, groups)
        sizes = counts_t[:-1].sum(axis=1), counts_n[:-1].sum(axis=1)
        self.kept = np.flatnonzero(np.minimum(*sizes) >= IN_A_GROUP)
        self.covered = sizes[0][self.kept].sum() / own.size
        self.target, self.nontarget = counts_t[self.kept], counts_n[self.kept]
        self.all_nontarget = counts_n.sum(axis=0)

    @cached_property
    def share(self) -> FloatArray:
        """Of the targets, in each group that is kept."""
        return np.asarray(self.target.sum(axis=1) / self.target.sum())

    @cached_property
    def error_rate(self) -> float:
        """Within groups, weighted by targets."""
        each = [crossing(_stairs(t, n)) for t, n in zip(self.target, self.nontarget, strict=True)]
        return float(self.share @ np.array(each))

    def differ(self, trials: TrialScores) -> bool:
        """Whether pooling changes the result, by enough to matter and by more than chance."""
        if self.kept.size < 2 or self.covered < COVERED:
            return False
        pooled = self.target.sum(axis=0)
        below, own_below = _below(self.all_nontarget), _below(self.nontarget)
        off_t = below - own_below  # of a target of this group in this cell: its place among all, less that in its group
        gap = float((self.target * off_t).sum() / self.target.sum())
        rates = crossing(_stairs(pooled, self.all_nontarget)), self.error_rate
        if abs(gap) < DIFFERENT or abs(rates[0] - rates[1]) < DIFFERENT:
            return False
        above, own_above = 1 - _below(pooled), 1 - _below(self.target)
        level = (self.nontarget * own_above).sum(axis=1) / self.nontarget.sum(axis=1)
        area = float((pooled * below).sum() / pooled.sum())
        off_n = (above - area) / self.all_nontarget.sum()
        own_off = (self.share / self.nontarget.sum(axis=1))[:, None] * (own_above - level[:, None])
        each_t = self._of_each(self.own, self.cells.target, (off_t - gap) / self.target.sum())
        each_n = off_n[self.cells.nontarget] - self._of_each(self.group, self.cells.nontarget, own_off)
        return _is_sure(gap, each_t, each_n, trials)

    def _of_each(self, group: Codes, cells: IntArray, values: FloatArray) -> FloatArray:
        """The value of each trial's group and cell; 0 outside the groups that are kept."""
        row = np.full(max(int(group.max()), int(self.kept[-1])) + 2, self.kept.size)
        row[self.kept] = np.arange(self.kept.size)
        return np.asarray(np.vstack([values, np.zeros(CELLS)])[row[group], cells])


def _table(group: Codes, cells: IntArray, groups: int) -> IntArray:
    """Trials of each group in each cell; the last row is for those in none."""
    key = np.where(group < 0, groups, group).astype(np.int32) * np.int32(CELLS) + cells
    return np.bincount(key, minlength=(groups + 1) * CELLS).reshape(groups + 1, CELLS)


def _below(counts: IntArray) -> FloatArray:
    """For each cell the share of the trials below it, half of those within it included; row by row."""
    running = np.cumsum(counts, axis=-1)
    return np.asarray((running - counts / 2) / running[..., -1:])


def _stairs(target: IntArray, nontarget: IntArray) -> Staircase:
    used = target + nontarget > 0
    return Staircase(np.cumsum(target)[used], np.cumsum(nontarget)[used])


def _is_sure(gap: float, off_t: FloatArray, off_n: FloatArray, trials: TrialScores) -> bool:
    """Whether chance is no excuse: over people where all are named, over trials otherwise."""
    from scipy.special import stdtr

    sides = [side for side in (trials.enrollment_speakers, trials.trial_speakers) if side is not None]
    if not sides or any(min(side.target.min(), side.nontarget.min()) < 0 for side in sides):
        sums, several = [off_t, off_n], int(off_t.size)
    else:
        parts = [(sides[0].target, off_t), *((side.nontarget, off_n) for side in sides)]
        sums = [np.asarray(np.bincount(whose, off), dtype=np.float64) for whose, off in parts]
        several = int(np.count_nonzero(np.bincount(sides[0].target)))
    if several < 2:
        return False
    error = float(np.sqrt(sum(np.square(one).sum() for one in sums) * several / (several - 1)))
    return bool(2 * stdtr(several - 1, -abs(gap) / error) < SURE) if error else gap != 0
