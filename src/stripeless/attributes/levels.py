"""Who attacks with what: one utterance, or everything of a speaker, put together in two ways.

An attacker who holds several utterances of a speaker can average what a classifier says of each of them, or average the
vectors first and train on averages. Neither does for both: averages of vectors show what each single utterance drowns
in noise, averages of evidence show what lies in how utterances scatter and needs no classifier that learns from one row
per speaker. So both are tried, and the test pays for the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from stripeless.attributes.classifiers import AttributeScores, attribute_scores, class_llr
from stripeless.embeddings.embeddings import Vectors
from stripeless.protections.labels import LabeledVectors
from stripeless.results.attribute import Level
from stripeless.scores.check import FloatArray

EVERYTHING: tuple[Level, ...] = ("evidence", "vectors")


@dataclass(frozen=True, eq=False)
class Attack:
    """What one classifier says of one class: a number per row of `whose`, which are utterances or speakers."""

    level: Level
    classifier: str
    code: int
    llr: FloatArray
    whose: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class People:
    """The class and the fold of every speaker."""

    classes: NDArray[np.int64]
    folds: NDArray[np.int64]

    @property
    def count(self) -> int:
        """How many speakers there are."""
        return int(self.classes.size)


def people_of(data: LabeledVectors, folds: NDArray[np.int64]) -> People:
    """Whom these rows are of."""
    fold = np.zeros(int(data.speakers.max()) + 1, dtype=np.int64)
    fold[data.speakers] = folds
    return People(data.speaker_classes, fold)


def averaged(data: LabeledVectors) -> LabeledVectors:
    """One row per speaker: the average of the speaker's vectors."""
    return replace(
        data,
        vectors=means_of(data.vectors, data.speakers),
        codes=data.speaker_classes,
        speakers=np.arange(int(data.speakers.max()) + 1),
    )


def means_of(rows: Vectors, speakers: NDArray[np.int64]) -> FloatArray:
    """The mean row of each speaker."""
    sums = np.zeros((int(speakers.max()) + 1, rows.shape[1]))
    np.add.at(sums, speakers, rows.astype(np.float64))
    return np.asarray(sums / np.bincount(speakers)[:, None])


def attacks_on(
    data: LabeledVectors,
    seen: Vectors,
    folds: NDArray[np.int64],
    names: Sequence[str],
    seed: int,
    one_by_one: Sequence[AttributeScores] | None = None,
) -> list[Attack]:
    """Every classifier at every level about every class asked for; `one_by_one` where utterances are scored already."""
    if one_by_one is None:
        one_by_one = list(attribute_scores(data, seen, folds, names, seed, trained_too=False))
    whole = averaged(data)
    taught = means_of(seen, data.speakers)
    of_averages = attribute_scores(whole, taught, people_of(data, folds).folds, names, seed, trained_too=False)
    asked = range(1 if len(data.classes) == 2 else len(data.classes))
    found = []
    for single, average in zip(one_by_one, of_averages, strict=True):
        pooled = means_of(single.tested, data.speakers)
        for code in asked:
            found += [
                Attack("utterance", single.classifier, code, class_llr(single.tested, code), data.speakers),
                Attack("evidence", single.classifier, code, class_llr(pooled, code), whole.speakers),
                Attack("vectors", single.classifier, code, class_llr(average.tested, code), whole.speakers),
            ]
    return found


def ranks_of(attack: Attack, people: People) -> FloatArray:
    """Mean mid-rank of each speaker among all of the same fold, from 0 to 1, less its mean over the fold.

    Within a fold one classifier judges, who learned from none of the speakers; across folds scales may differ.
    """
    fold, ranks = people.folds[attack.whose], np.zeros(attack.llr.size)
    for each in range(int(people.folds.max()) + 1):
        here = np.flatnonzero(fold == each)
        ranks[here] = (rankdata(attack.llr[here]) - 0.5) / here.size
    mean = np.bincount(attack.whose, ranks) / np.bincount(attack.whose)
    return np.asarray(mean - (np.bincount(people.folds, mean) / np.bincount(people.folds))[people.folds])
