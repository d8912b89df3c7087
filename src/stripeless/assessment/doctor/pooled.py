"""What the labels of the trials say: groups whose scores differ and are pooled, and nontargets across the sexes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.measures.eer import crossing
from stripeless.measures.one_pass import ScorePass
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
STEPS = 2048  # scores of each class between which trials are counted
DIFFERENT = 0.02  # in the equal error rate, and in the area under the curve
Mask = NDArray[np.bool_]


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


def pooled_groups(error_rate: float, scores: ScorePass, trials: TrialScores) -> Iterator[Finding]:
    """For each column whose groups, each by itself, give another result than all trials together."""
    for name, factor in trials.columns.items():
        if not 2 <= len(factor.names) <= MOST_GROUPS:
            continue
        group = within(trials, factor)
        kept = [code for code in range(len(factor.names)) if _enough(factor.target == code, group == code)]
        if len(kept) < 2 or np.isin(factor.target, kept).sum() < COVERED * trials.target.size:
            continue
        told = compare_groups(scores, trials, factor.target, group, kept)
        if not told.differ:
            continue
        yield Finding(
            "pooled_groups",
            "caution",
            f"Pooled, the equal error rate is {percent(error_rate)}; within the groups of '{name}' it is "
            f"{percent(told.error_rate)} on average. Scores differ from group to group, so the pooled figure says something of "
            f"the groups, not of the people. Read each by itself: --by {name}.",
        )


def _enough(targets: Mask, nontargets: Mask) -> bool:
    return bool(min(np.count_nonzero(targets), np.count_nonzero(nontargets)) >= IN_A_GROUP)


def within(trials: TrialScores, factor: Factor) -> Codes:
    """The group of each nontarget, -1 where its two people are of two groups."""
    people = of_people(trials, factor)
    if people is None:
        return factor.nontarget
    return np.where(people[0] == people[1], people[0], np.int32(-1))


@dataclass(frozen=True)
class Within:
    """The equal error rate within groups, weighted by targets, and whether pooling changes the result for certain."""

    error_rate: float
    differ: bool


def compare_groups(scores: ScorePass, trials: TrialScores, own: Codes, group: Codes, kept: list[int]) -> Within:
    """The area under the curve, pooled and within groups, from counts between a few thousand scores: no further sort."""
    edges = np.unique(np.concatenate([v[:: max(1, v.size // STEPS)] for v in (scores.target, scores.nontarget)]))
    steps = edges.size + 1
    t, n = (np.searchsorted(edges, part, side="left") for part in (trials.target, trials.nontarget))
    in_kept = np.isin(own, kept)
    total = np.count_nonzero(in_kept)
    all_t, all_n = np.bincount(t[in_kept], minlength=steps), np.bincount(n, minlength=steps)
    place_t, place_n = _below(all_n)[t], 1 - _below(all_t)[n]  # of each trial among the other class
    area = float(place_t[in_kept].mean())
    off_t = np.where(in_kept, place_t, 0.0)
    off_n = (place_n - area) / n.size
    rate = 0.0
    for code in kept:
        mine, theirs = own == code, group == code
        counts = np.bincount(t[mine], minlength=steps), np.bincount(n[theirs], minlength=steps)
        share = np.count_nonzero(mine) / total
        rate += share * crossing(_stairs(*counts))
        off_t[mine] -= _below(counts[1])[t[mine]]
        place = 1 - _below(counts[0])[n[theirs]]
        off_n[theirs] -= share * (place - place.mean()) / place.size
    gap = float(off_t.sum()) / total
    off_t = np.where(in_kept, off_t - gap, 0.0) / total
    pooled = crossing(_stairs(all_t, all_n))
    differ = bool(abs(gap) >= DIFFERENT and abs(pooled - rate) >= DIFFERENT and _is_sure(gap, off_t, off_n, trials))
    return Within(rate, differ)


def _below(counts: IntArray) -> FloatArray:
    """For each step the share of these trials below it, half of those within it included."""
    return np.asarray((np.cumsum(counts) - counts / 2) / counts.sum())


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
