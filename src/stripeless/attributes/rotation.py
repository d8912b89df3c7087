"""Few speakers, all of them judged: each part of them in turn is protected by a map that was fitted on the others.

A rotation has three kinds of people, never mixed: those who fit the protection, those whose protected vectors teach the
attackers, and those the attackers are tried on. Pooling the parts first and training attackers across them would
flatter: every part is protected by maps fitted on the others, so what is left in one part points away from what is left
in the rest, and attackers who learn from the rest guess wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.assessment.assess import assess_scores
from stripeless.attributes.chance import chance_of, information_by_chance, strongest_d_ece
from stripeless.attributes.classifiers import (
    AttributeScores,
    attribute_scores,
    check_classifiers,
    row_folds,
)
from stripeless.attributes.mutual_information import mutual_information
from stripeless.attributes.proof import Judge, attribute_result
from stripeless.attributes.verification import Background, joined_trials, verification_trials, verifiers
from stripeless.embeddings.embeddings import check_vectors
from stripeless.protections.labels import LabeledVectors, check_labeled
from stripeless.results.attribute import AttributeResult, Chance


class Protects(Protocol):
    """Any fitted protection: an object that maps vectors to protected ones, row by row."""

    def apply(self, vectors: ArrayLike) -> NDArray[Any]:
        """The `vectors`, rows x dimensions, protected; as many rows, in the same order."""


FitProtection: TypeAlias = Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], Protects]


@dataclass(frozen=True, eq=False)
class Part:
    """One part of the speakers after protection: their rows, and the unprotected others, who teach the verifier."""

    rows: NDArray[np.int64]
    data: LabeledVectors
    others: Background


def judge_in_rotation(
    fit: FitProtection | None,
    vectors: ArrayLike,
    labels: Sequence[object],
    speakers: Sequence[object],
    *,
    rotations: int = 2,
    classifiers: Sequence[str] | None = None,
    folds: int = 5,
    resamples: int = 0,
    retrained: int = 0,
    seed: int = 0,
    name: str = "",
) -> AttributeResult:
    """Judge a way of protecting, not one fitted map: every speaker counts once, protected by a map that never saw him.

    The speakers are cut into parts; each is protected by a map fitted on the others, and within it attackers are
    retrained.

    Parameters:
        fit: called as `fit(vectors, labels, speakers)`, gives a protection; None judges the vectors as they are.
        vectors: embeddings, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        speakers: who speaks in each row; a speaker has one class.
        rotations: into how many parts speakers are cut; more mean better maps and attackers with fewer people to learn
            from, so read results side by side only at the same number.
        classifiers: names among perceptron, logistic, neighbors, angles and boosting; None plays all.
        folds: into how many parts the speakers of a rotation are cut to train and try attackers.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for none.
        retrained: chance from so many exchanges of labels among speakers, attackers trained anew each time; 0 exchanges
            labels under the scores at hand, which is fast.
        seed: start of the random draws; the same seed gives the same result.
        name: what the way of protecting is called in reports.
    Returns:
        An `AttributeResult`; `result["d_ece"]` is a measure of the strongest classifier.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(200, 3)); labels = np.repeat(["f", "m"], 100)
    >>> result = judge_in_rotation(None, vectors, labels, np.arange(200) // 2, classifiers=["logistic"])
    >>> bool(result["d_ece"] < 0.05)
    True
    """
    data = check_labeled(vectors, labels, speakers)
    names = check_classifiers(classifiers)
    parts = list(protected_parts(fit, data, np.asarray(speakers), row_folds(data, rotations, seed)))
    scores = pooled_scores(parts, data, names, folds, seed)
    judge = Judge(names, None, None, resamples, seed)
    tested = [each.tested for each in scores]
    return attribute_result(
        name,
        [judge.classifier_result(data, each) for each in scores],
        chance=retrained_chance(parts, data, names, folds, seed, tested, retrained)
        if retrained
        else chance_of(data, tested, seed),
        information=np.mean(
            [mutual_information(part.data.vectors, part.data.codes.tolist()) for part in parts], axis=0
        ),
        verification={
            how: assess_scores(
                joined_trials([verification_trials(part.data, verifiers(part.others)[how], seed) for part in parts]),
                resamples=resamples,
                seed=seed,
                curves=False,
            )
            for how in ("cosine", "plda")
        },
        information_by_chance=float(np.mean([information_by_chance(numbered(part.data), seed) for part in parts])),
    )


def protected_parts(
    fit: FitProtection | None, data: LabeledVectors, speakers: NDArray[Any], part_of: NDArray[np.int64]
) -> Iterator[Part]:
    """Each part of the speakers, protected by a map fitted on all others."""
    names = np.array(data.classes)
    for part in range(int(part_of.max()) + 1):
        judged, others = np.flatnonzero(part_of == part), np.flatnonzero(part_of != part)
        shown = data.vectors[judged]
        if fit is not None:
            protection = fit(data.vectors[others], names[data.codes[others]], speakers[others])
            shown = check_vectors(protection.apply(shown), "protected")
        rows = LabeledVectors(shown, data.classes, data.codes[judged], data.speakers[judged])
        known = tuple(str(person) for person in data.speakers[others])
        yield Part(judged, rows, Background(data.vectors[others].astype(np.float64), known))


def pooled_scores(
    parts: Sequence[Part], data: LabeledVectors, names: Sequence[str], folds: int, seed: int
) -> list[AttributeScores]:
    """The scores of every row from attackers of its own part, one entry per classifier."""
    size = (len(data.codes), len(data.classes))
    pooled = [AttributeScores(name, np.zeros(size), np.zeros(size)) for name in names]
    for part in parts:
        inside = numbered(replace(part.data, codes=data.codes[part.rows]))
        found = attribute_scores(inside, inside.vectors, row_folds(inside, folds, seed), names, seed)
        for whole, own in zip(pooled, found, strict=True):
            whole.tested[part.rows], whole.trained[part.rows] = own.tested, own.trained
    return pooled


def numbered(data: LabeledVectors) -> LabeledVectors:
    """The same rows with their speakers counted from zero, as folds need them."""
    return replace(data, speakers=np.unique(data.speakers, return_inverse=True)[1].astype(np.int64))


def retrained_chance(
    parts: Sequence[Part],
    data: LabeledVectors,
    names: Sequence[str],
    folds: int,
    seed: int,
    tested: Sequence[NDArray[np.float64]],
    shuffles: int,
) -> Chance:
    """Exchange labels among the speakers of each part and train every attacker anew: what luck alone shows."""
    rng = np.random.default_rng(seed)
    real = strongest_d_ece(tested, data)
    values = []
    for _ in range(shuffles):
        classes = data.speaker_classes
        for part in parts:
            people = np.unique(data.speakers[part.rows])
            classes[people] = rng.permutation(classes[people])
        exchanged = replace(data, codes=classes[data.speakers])
        scores = pooled_scores(parts, exchanged, names, folds, seed)
        values.append(strongest_d_ece([each.tested for each in scores], exchanged))
    at_least = sum(value >= real for value in values)
    return Chance(
        float(np.mean(values)), float(np.quantile(values, 0.95)), (at_least + 1) / (shuffles + 1), shuffles, True
    )
