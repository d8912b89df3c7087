"""The proof that an attribute is gone: attackers who know of the protection, on speakers they have never met.

A classifier trained on unprotected vectors shows only that this classifier can be fooled. Here every classifier is
trained on protected vectors, and the strongest one counts (Noe et al. 2022, section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from stripeless.assessment.assess import assess_scores
from stripeless.attributes.chance import Chance, chance_of, information_by_chance
from stripeless.attributes.classifiers import (
    AttributeScores,
    attribute_scores,
    check_classifiers,
    class_llr,
    row_folds,
)
from stripeless.attributes.mutual_information import mutual_information
from stripeless.attributes.verification import Background, can_verify, check_background, verification, verifiers
from stripeless.errors import InputError
from stripeless.measures.cllr import cllr_min
from stripeless.measures.zebra import zebra
from stripeless.protections.labels import LabeledVectors, check_labeled
from stripeless.protections.settings import Clock, OnProgress
from stripeless.results.assessment import Assessment
from stripeless.results.versions import versions
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Factor, TrialScores

TrainedOn = Literal["protected", "original"]
FLATTERS = (
    "The classifiers were trained on unprotected vectors. That shows that they can be fooled, not that the attribute is gone: "
    "an attacker who trains on protected vectors learns more, often much more."
)


@dataclass(frozen=True, eq=False)
class ClassifierResult:
    """What one classifier learned: about speakers it never met (`tested`) and about those it was trained on."""

    classifier: str
    about: str
    tested: Assessment
    train_cllr_min: float
    train_d_ece: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "classifier": self.classifier,
            "about": self.about,
            "train": {"cllr_min": self.train_cllr_min, "d_ece": self.train_d_ece},
            "test": {
                name: self.tested.measures[name].to_dict() for name in ("cllr_min", "d_ece", "log10_lr", "category")
            },
            "category_counts": dict(self.tested.category_counts),
        }


@dataclass(frozen=True, eq=False)
class AttributeResult:
    """How much of the attribute shows in one set of vectors, and how well speakers can be told apart in it."""

    name: str
    classifiers: tuple[ClassifierResult, ...]
    chance: Chance
    mutual_information: FloatArray
    verification: Mapping[str, Assessment]
    information_by_chance: float

    @property
    def strongest(self) -> ClassifierResult:
        """The classifier that learned most about speakers it never met."""
        return max(self.classifiers, key=lambda result: float(result.tested["d_ece"] or 0.0))

    def __getitem__(self, name: str) -> float | str | None:
        """A measure of the strongest classifier by its name."""
        return self.strongest.tested[name]

    def to_dict(self) -> dict[str, Any]:
        strongest = self.strongest
        return {
            "name": self.name,
            "strongest": strongest.classifier,
            "about": strongest.about,
            "measures": {name: measure.to_dict() for name, measure in strongest.tested.measures.items()},
            "category_counts": dict(strongest.tested.category_counts),
            "counts": {"target": strongest.tested.n_target, "nontarget": strongest.tested.n_nontarget},
            "classifiers": [result.to_dict() for result in self.classifiers],
            "chance": self.chance.to_dict(),
            "mutual_information": {
                "mean": float(self.mutual_information.mean()),
                "max": float(self.mutual_information.max()),
                "chance": self.information_by_chance,
                "unit": "bit per dimension",
            },
            "verification": {
                how: {name: result.measures[name].to_dict() for name in ("eer", "cllr_min")}
                | {"counts": {"target": result.n_target, "nontarget": result.n_nontarget}}
                for how, result in self.verification.items()
            },
        }


@dataclass(frozen=True, eq=False)
class AttributeProof:
    """A protection judged: the vectors before and after, side by side."""

    protected: AttributeResult
    original: AttributeResult | None
    classes: tuple[str, ...]
    speakers: Mapping[str, int]
    folds: int
    trained_on: TrainedOn
    change: float | None
    warnings: tuple[str, ...]
    seed: int
    name: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only: the one truth that command line and report render."""
        return {
            "kind": "attribute",
            "schema": 1,
            "name": self.name,
            "classes": list(self.classes),
            "speakers": dict(self.speakers),
            "folds": self.folds,
            "trained_on": self.trained_on,
            "measures": self.protected.to_dict()["measures"],
            "protected": self.protected.to_dict(),
            "original": None if self.original is None else self.original.to_dict(),
            "change": self.change,
            "warnings": list(self.warnings),
            "seed": self.seed,
            "versions": versions(),
            **self.extra,
        }


def judge_protection(
    protected: ArrayLike,
    labels: Sequence[object],
    speakers: Sequence[object],
    *,
    original: ArrayLike | None = None,
    background: tuple[ArrayLike, Sequence[object]] | None = None,
    classifiers: Sequence[str] | None = None,
    trained_on: TrainedOn = "protected",
    folds: int = 5,
    resamples: int = 0,
    progress: OnProgress | None = None,
    seed: int = 0,
    name: str = "",
) -> AttributeProof:
    """Judge protected vectors, ours or anybody's: does the attribute still show, and do the speakers?

    The rows must be of speakers on whom the protection was **not** fitted. Every classifier is trained on the protected
    vectors of some of these speakers and tried on the others, each speaker being tried once; the scores of all folds
    are judged together. `original`, the same rows unprotected, gives the ceiling. `background`, unprotected vectors of
    further speakers and who they are, teaches the verifier (mean and PLDA). Intervals (`resamples`) are over speakers.
    `progress` is called after each classifier.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(200, 3)); labels = ["f"] * 100 + ["m"] * 100
    >>> proof = judge_protection(vectors, labels, [i // 5 for i in range(200)], classifiers=["logistic"])
    >>> bool(proof.protected["d_ece"] < 0.05)
    True
    """
    data = check_labeled(protected, labels, speakers)
    names = check_classifiers(classifiers)
    before = None if original is None else same_rows(original, data, labels, speakers)
    if trained_on == "original" and before is None:
        raise InputError("original: needed to train classifiers on unprotected vectors")
    teacher = None if background is None else check_background(*background, data.vectors.shape[1])
    fold_of = row_folds(data, folds, seed)
    seen = data if trained_on == "protected" or before is None else before
    flattered = (FLATTERS,) if trained_on == "original" else ()
    clock = Clock(len(names) * (1 if before is None else 2), progress)
    judge = Judge(names, fold_of, teacher, resamples, seed, clock)
    result = judge.judge("protected", data, seen)
    ceiling = None if before is None else judge.judge("original", before, before)
    return AttributeProof(
        protected=result,
        original=ceiling,
        classes=data.classes,
        speakers=dict(zip(data.classes, np.bincount(data.speaker_classes).tolist(), strict=True)),
        folds=int(fold_of.max()) + 1,
        trained_on=trained_on,
        change=None if before is None else relative_change(data, before),
        warnings=tuple(dict.fromkeys((*flattered, *data.doubts, *(() if before is None else before.doubts)))),
        seed=seed,
        name=name,
    )


def same_rows(
    original: ArrayLike, data: LabeledVectors, labels: Sequence[object], speakers: Sequence[object]
) -> LabeledVectors:
    """The unprotected vectors of the same rows."""
    before = check_labeled(original, labels, speakers)
    if before.vectors.shape != data.vectors.shape:
        raise InputError(
            f"original: shape {before.vectors.shape}, protected: {data.vectors.shape}; give the same rows in both"
        )
    return before


def relative_change(after: LabeledVectors, before: LabeledVectors) -> float:
    """Root mean square of what changed, relative to the spread of the unprotected vectors."""
    moved = np.square(after.vectors - before.vectors).sum()
    spread = np.square(before.vectors - before.vectors.mean(axis=0)).sum()
    return float(np.sqrt(moved / spread))


@dataclass(frozen=True, eq=False)
class Judge:
    """The same attackers, folds and verifiers for every set of vectors."""

    classifiers: tuple[str, ...]
    folds: Any
    background: Background | None
    resamples: int
    seed: int
    clock: Clock | None = None

    def judge(self, name: str, data: LabeledVectors, seen: LabeledVectors) -> AttributeResult:
        scores = []
        for each in attribute_scores(data, seen.vectors, self.folds, self.classifiers, self.seed):
            scores.append(each)
            if self.clock is not None:
                self.clock.step()
        return AttributeResult(
            name=name,
            classifiers=tuple(self.classifier_result(data, each) for each in scores),
            chance=chance_of(data, [each.tested for each in scores], self.seed),
            mutual_information=mutual_information(data.vectors, data.codes.tolist()),
            verification={
                how: verification(data, compare, resamples=self.resamples, seed=self.seed)
                for how, compare in verifiers(self.background).items()
                if can_verify(data)
            },
            information_by_chance=information_by_chance(data, self.seed),
        )

    def classifier_result(self, data: LabeledVectors, scores: AttributeScores) -> ClassifierResult:
        """With two classes one question, with more the class that shows most."""
        asked = range(1 if len(data.classes) == 2 else len(data.classes))
        best = max(asked, key=lambda code: d_ece_of(data, class_llr(scores.tested, code), code))
        tested = class_llr(scores.tested, best)
        trained = class_llr(scores.trained, best)
        member = data.codes == best
        return ClassifierResult(
            classifier=scores.classifier,
            about=data.classes[best],
            tested=assess_scores(
                trials_about(data, tested, best), resamples=self.resamples, seed=self.seed, name=scores.classifier
            ),
            train_cllr_min=cllr_min(trained[member], trained[~member]),
            train_d_ece=zebra(trained[member], trained[~member]).d_ece,
        )


def d_ece_of(data: LabeledVectors, llr: FloatArray, code: int) -> float:
    """D_ECE of these scores about one class."""
    member = data.codes == code
    return zebra(llr[member], llr[~member]).d_ece


def trials_about(data: LabeledVectors, llr: FloatArray, code: int) -> TrialScores:
    """Each vector a trial: is it of this class?"""
    member = data.codes == code
    people = data.speakers.astype(np.int32)
    names = tuple(str(person) for person in range(int(people.max()) + 1))
    return TrialScores(llr[member], llr[~member], trial_speakers=Factor(names, people[member], people[~member]))
