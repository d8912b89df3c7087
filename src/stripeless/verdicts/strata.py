"""Who may be exchanged with whom: the strata of a test, from the labels of the trials.

A label that each person carries unchanged (sex, data set) makes groups of people, and only people of one group are
compared. A label that changes within a person (session, device) makes groups of trials, and only trials of one group are
ranked together. A label whose values belong to single people (chapter, room) cannot be told apart from the person: it
makes no groups, and the reader is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.ranked import numbered
from stripeless.verdicts.score_columns import score_columns

IntArray = NDArray[np.int64]
LEAST = 4  # people that a value of a label must hold to make a group
FOLD = "fold"  # people who were judged by an attacker who learned from all others
LEAST_NONTARGETS = 8  # in a group of trials, so that ranks mean something
ALWAYS = ("sex", FOLD)  # make groups of any size: voices of the sexes differ whoever speaks, and so do attackers


@dataclass(frozen=True, eq=False)
class Strata:
    """Groups of people and of trials.

    Attributes:
        names: the people, in alphabetical order: the order of rows in a file cannot act.
        group: for each of them the number of their group; -1 where it is not known.
        labels: the names of the groups, such as "f"; one empty name where there is only one.
        place: for each number of the trials' own numbering, the place of that person in `names`.
        trial_group: for each trial (targets first) the group within which it is ranked; -1 where it is left out.
        said: sentences on labels that make no groups.
    """

    names: tuple[str, ...]
    group: IntArray
    labels: tuple[str, ...]
    place: IntArray
    trial_group: IntArray
    said: tuple[str, ...]


def strata_of(scores: TrialScores) -> Strata:
    """The groups of people and of trials of one set of scores; both speakers of every trial must be named."""
    enrolled, judged = scores.enrollment_speakers, scores.trial_speakers
    assert enrolled is not None
    assert judged is not None
    used = np.zeros(len(judged.names) + 1, dtype=bool)  # the last is nobody, -1
    for people in (enrolled.target, enrolled.nontarget, judged.target, judged.nontarget):
        used[people] = True
    names, place = _alphabetical(judged.names, np.flatnonzero(used[:-1]))
    speakers = place[judged.target]
    group = np.zeros(len(names), dtype=np.int64)
    labels: tuple[str, ...] = ("",)
    size = scores.target.size + scores.nontarget.size
    trial_group = np.zeros(size, dtype=np.int64)
    said: list[str] = []
    for label in sorted(scores.columns, key=lambda one: (one not in ALWAYS, one)):
        factor = scores.columns[label]
        values, steady = _of_people(factor, speakers, len(names))
        if label in ALWAYS or steady.all():
            values = _of_others(factor, np.where(steady, values, -1), scores, place)
            alone = _rare(values, 1 if label in ALWAYS else LEAST)
            if alone[np.unique(speakers)].mean() <= 0.5:
                group, labels = _combined(group, labels, np.where(alone, len(factor.names), values), factor.names)
            elif len(set(values[values >= 0].tolist())) > 1:
                said.append(_no_groups(label))
            continue
        if score_columns(scores, (label,)):
            said.append(_no_label(label))
            continue
        codes = np.concatenate([factor.target, factor.nontarget]).astype(np.int64)
        kept = _values_of_many(factor, speakers)
        finer = _split(trial_group, codes, kept)
        if np.append(kept, False)[factor.target].mean() >= 0.5 and _both_classes(finer, scores.target.size):
            trial_group = finer
        else:
            said.append(_no_groups(label))
    return Strata(names, group, labels, place, trial_group, tuple(said))


def _no_label(label: str) -> str:
    return (
        f"The values of {label!r} follow the scores, as a level, a decision or a second score does: it is no label, and trials "
        "are compared across it."
    )


def _no_groups(label: str) -> str:
    return (
        f"The values of {label!r} belong to too few people each to compare within them, so what comes from {label!r} cannot be "
        "told from what comes from the person."
    )


def _alphabetical(names: tuple[str, ...], used: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """The people who occur, by name, and the place of each old number among them; one more place for -1, nobody."""
    ordered = sorted(used.tolist(), key=lambda code: names[code])
    place = np.full(len(names) + 1, -1, dtype=np.int64)
    place[ordered] = np.arange(len(ordered))
    return tuple(names[code] for code in ordered), place


def _of_people(factor: Factor, speakers: IntArray, people: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """The value of each person by their target trials (-1 for none), and for each whether there is one value only."""
    most = np.full(people, -1, dtype=np.int64)
    least = np.full(people, np.iinfo(np.int64).max, dtype=np.int64)
    known = factor.target >= 0  # a trial without a value says nothing of the person's
    np.maximum.at(most, speakers[known], factor.target[known])
    np.minimum.at(least, speakers[known], factor.target[known])
    return most, (most < 0) | (most == least)


def _of_others(factor: Factor, values: IntArray, scores: TrialScores, place: IntArray) -> IntArray:
    """The value of people without target trials, where all their trials that have a known value agree."""
    if not (values < 0).any():
        return values
    values, known = values.copy(), set(values[values >= 0].tolist())
    told = np.isin(factor.nontarget, list(known))
    for side in (scores.trial_speakers, scores.enrollment_speakers):
        assert side is not None
        whose = place[side.nontarget]
        wanted = told & (whose >= 0) & (values[whose] < 0)
        most = np.full(len(values), -1, dtype=np.int64)
        least = np.full(len(values), np.iinfo(np.int64).max, dtype=np.int64)
        np.maximum.at(most, whose[wanted], factor.nontarget[wanted])
        np.minimum.at(least, whose[wanted], factor.nontarget[wanted])
        agreed = (values < 0) & (most == least)
        values[agreed] = most[agreed]
    return values


def _combined(
    group: IntArray, labels: tuple[str, ...], values: IntArray, names: tuple[str, ...]
) -> tuple[IntArray, tuple[str, ...]]:
    """Each group cut by the value of a further label, in the order of their names: the order of rows cannot act.

    Rare values, and people of whom none is known, are one value more, so that nobody is left out.
    """
    texts = (*names, "other")
    keys = np.where(group < 0, -1, group * len(texts) + values)
    told = {key: (labels[key // len(texts)], texts[key % len(texts)]) for key in np.unique(keys).tolist() if key >= 0}
    present = sorted(told, key=lambda key: told[key])
    number = {key: k for k, key in enumerate(present)}
    finer = np.array([number.get(key, -1) for key in keys.tolist()], dtype=np.int64)
    return finer, tuple(" ".join(filter(None, told[key])) for key in present) or ("",)


def _rare(values: IntArray, least: int) -> NDArray[np.bool_]:
    """Whose value is not known, or is that of fewer people than this."""
    sizes = np.bincount(values[values >= 0], minlength=1)
    return (values < 0) | (sizes[np.maximum(values, 0)] < least)


def _both_classes(trial_group: IntArray, targets: int) -> bool:
    """Whether nine of ten targets are ranked among some nontargets: alone in a group they would all lie in the middle."""
    count = int(trial_group.max()) + 1
    own, others = (
        np.bincount(trial_group[:targets], minlength=count),
        np.bincount(trial_group[targets:], minlength=count),
    )
    return bool(own[others >= LEAST_NONTARGETS].sum() >= 0.9 * targets)


def _values_of_many(factor: Factor, speakers: IntArray) -> NDArray[np.bool_]:
    """Which values of a label occur in the target trials of enough people."""
    known = factor.target >= 0
    met = np.zeros((len(factor.names), int(speakers.max(initial=0)) + 1), dtype=bool)
    met[factor.target[known], speakers[known]] = True
    return np.asarray(met.sum(axis=1) >= LEAST)


def _split(trial_group: IntArray, codes: IntArray, kept: NDArray[np.bool_]) -> IntArray:
    """Groups of trials cut by the values that are kept; trials of other values, or of none, are a group of their own."""
    value = np.where(np.append(kept, False)[codes], codes + 1, 0)
    # numbered anew, so that labels that repeat each other make no more groups than there are
    return numbered(trial_group * (len(kept) + 1) + value)[1]


def crossed(groups: Sequence[IntArray]) -> IntArray:
    """Groups within which all of these agree; -1 where one of them is not known."""
    stacked = np.stack(list(groups))
    _, numbers = np.unique(stacked, axis=1, return_inverse=True)
    return np.where((stacked < 0).any(axis=0), -1, numbers.reshape(-1))
