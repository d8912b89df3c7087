"""Who attacks with what: one utterance, or everything of a speaker, put together in three ways.

An attacker who holds several utterances of a speaker can average what a classifier says of each of them, average the
vectors first and train on averages, or train on how much the utterances of a speaker differ among themselves. None does for
all: averages of vectors show what each single utterance drowns in noise, averages of evidence need no classifier that learns
from one row per speaker, and a spread shows in neither where the voices themselves lie far apart. So all are tried, and
the test pays for the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from stripeless.attributes.classifiers import AttributeScores, attribute_scores, class_llr
from stripeless.embeddings.embeddings import Vectors
from stripeless.protections.labels import LabeledVectors
from stripeless.results.attribute import Level
from stripeless.scores.check import FloatArray

EVERYTHING: tuple[Level, ...] = ("evidence", "vectors", "spread")
FEWEST_UTTERANCES = 3  # of every speaker, for a spread to mean anything


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


def levels_of(data: LabeledVectors) -> tuple[Level, ...]:
    """What can be attacked: a spread takes several utterances of every speaker."""
    spread = int(np.bincount(data.speakers).min()) >= FEWEST_UTTERANCES
    return ("utterance", *EVERYTHING) if spread else ("utterance", "evidence", "vectors")


def averaged(data: LabeledVectors, level: Level = "vectors") -> LabeledVectors:
    """One row per speaker: the average of the speaker's vectors, or their spread."""
    return replace(
        data,
        vectors=ROWS[level](data.vectors, data.speakers),
        codes=data.speaker_classes,
        speakers=np.arange(int(data.speakers.max()) + 1),
    )


def means_of(rows: Vectors, speakers: NDArray[np.int64]) -> FloatArray:
    """The mean row of each speaker."""
    sums = np.zeros((int(speakers.max()) + 1, rows.shape[1]))
    np.add.at(sums, speakers, rows.astype(np.float64))
    return np.asarray(sums / np.bincount(speakers)[:, None])


def spreads_of(rows: Vectors, speakers: NDArray[np.int64]) -> FloatArray:
    """By how much the rows of each speaker vary: the logarithm of the deviation in every dimension."""
    centered = rows.astype(np.float64) - means_of(rows, speakers)[speakers]
    variance = means_of(np.square(centered), speakers)
    return np.asarray(0.5 * np.log(variance + 1e-9 * (variance.mean(axis=0) + 1e-30)))


ROWS: dict[Level, Callable[[Vectors, NDArray[np.int64]], FloatArray]] = {"vectors": means_of, "spread": spreads_of}


@dataclass(frozen=True, eq=False)
class Attackers:
    """Who learns what: classifiers on utterances, and classifiers on one row per speaker."""

    of_rows: tuple[str, ...]
    of_averages: tuple[str, ...]
    seed: int

    def attacks(
        self,
        data: LabeledVectors,
        seen: Vectors,
        folds: NDArray[np.int64],
        one_by_one: Sequence[AttributeScores] | None = None,
    ) -> list[Attack]:
        """Every classifier at every level about every class asked for; `one_by_one` where utterances are scored already."""
        if one_by_one is None:
            one_by_one = list(attribute_scores(data, seen, folds, self.of_rows, self.seed, trained_too=False))
        everybody = np.arange(int(data.speakers.max()) + 1)
        found: list[Attack] = []
        for single in one_by_one:
            pooled = means_of(single.tested, data.speakers)
            for code in asked_of(data):
                found += [
                    Attack("utterance", single.classifier, code, class_llr(single.tested, code), data.speakers),
                    Attack("evidence", single.classifier, code, class_llr(pooled, code), everybody),
                ]
        whose = people_of(data, folds).folds
        for level in levels_of(data):
            if level not in ROWS:
                continue
            whole, taught = averaged(data, level), ROWS[level](seen, data.speakers)
            for one in attribute_scores(whole, taught, whose, self.of_averages, self.seed, trained_too=False):
                found += [
                    Attack(level, one.classifier, code, class_llr(one.tested, code), everybody)
                    for code in asked_of(data)
                ]
        return found


def asked_of(data: LabeledVectors) -> range:
    """The classes asked about: with two of them one question says it all."""
    return range(1 if len(data.classes) == 2 else len(data.classes))


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
