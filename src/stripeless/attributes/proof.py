"""The proof that an attribute is gone: attackers who know of the protection, on speakers they have never met.

A classifier trained on unprotected vectors shows only that this classifier can be fooled. Here every classifier is
trained on protected vectors, and the strongest one counts (Noe et al. 2022, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless.assessment.assess import assess_scores
from stripeless.attackers.embedded_data import Rows, among_themselves
from stripeless.attributes.chance import SHUFFLES, chance_of, information_by_chance
from stripeless.attributes.classifiers import (
    AttributeScores,
    attribute_scores,
    check_classifiers,
    class_llr,
    row_folds,
)
from stripeless.attributes.mutual_information import mutual_information
from stripeless.attributes.planted import planted_leaks
from stripeless.attributes.scale import APART, exponent_of, near_one, shared_exponent
from stripeless.attributes.tested import Tested, Watch, everything_of, evidence_of_test, reached_by, tested_on
from stripeless.attributes.verification import Background, can_verify, check_background, verification, verifiers
from stripeless.embeddings.embeddings import Vectors
from stripeless.errors import InputError
from stripeless.measures.cllr import cllr_min
from stripeless.measures.zebra import zebra
from stripeless.parallel.executors import Who, checked_workers
from stripeless.protections.labels import LabeledVectors, ProtectionWarning, check_labeled
from stripeless.protections.settings import Clock, OnProgress
from stripeless.results.assessment import Assessment
from stripeless.results.attribute import (
    AttributeProof,
    AttributeResult,
    Chance,
    ClassifierResult,
    Everything,
    Information,
    TrainedOn,
    TrainScores,
    VerificationResult,
)
from stripeless.results.attribute_rules import may_be_quiet
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.evidence import Evidence, best_of
from stripeless.verdicts.finding import Finding, Severity
from stripeless.verdicts.margins import check_margin
from stripeless.verdicts.strongest import strongest_of

FEWEST_DIMENSIONS = 8  # in fewer, many directions coincide that are no copies
SHOWN = ("cllr_min", "d_ece", "log10_lr", "category")
FLATTERS = Finding(
    "trained_on_original",
    "serious",
    "The classifiers were trained on unprotected vectors. That shows that they can be fooled, not that the attribute is gone: "
    "an attacker who trains on protected vectors learns more, often much more.",
)


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
    margin: float | None = None,
    workers: Who = None,
    progress: OnProgress | None = None,
    watch: Watch | None = None,
    seed: int = 0,
    name: str = "",
) -> AttributeProof:
    """Judge protected vectors, ours or anybody's: does the attribute still show, and do the speakers?

    The rows must be of speakers on whom the protection was **not** fitted. Every classifier is trained on the vectors
    of some of these speakers and tried on the others, each speaker being tried once; the scores of all folds are judged
    together. The verdict (`verdict(proof)`) rests on everything of a speaker, and on labels exchanged among speakers: where the
    sign is neither clear nor absent, classifiers are trained anew on exchanged labels, up to 99 times. Where nothing else
    stands between the result and "No leak seen", leaks of known size are planted, five in turn, and must be found.

    Parameters:
        protected: vectors after protection, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        speakers: who speaks in each row; a speaker has one class.
        original: the same rows unprotected, which give the ceiling.
        background: unprotected vectors of further speakers and who they are, to teach the verifier (mean and PLDA).
        classifiers: names among perceptron, logistic, neighbors, angles, boosting and svm; None plays all.
        trained_on: "protected": an attacker who retrains; "original": one who does not, which flatters the protection.
        folds: into how many parts the speakers are cut, 2 or more.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for none.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with
            fewer than 20 people.
        workers: who trains classifiers anew: a number of processes, 0 for one per core, or anything with `.submit`; None is
            this process.
        progress: called after each classifier with a `TrainingProgress` (done, total, seconds left).
        watch: called after each time that classifiers were trained anew with (done, most).
        seed: start of the random draws; the same seed gives the same result.
        name: what the protection is called in reports.
    Returns:
        An `AttributeProof`; `proof.protected["d_ece"]` is a measure of the strongest classifier.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(200, 3)); labels = ["f"] * 100 + ["m"] * 100
    >>> proof = judge_protection(vectors, labels, [i // 5 for i in range(200)], classifiers=["logistic"])
    >>> bool(proof.protected["d_ece"] < 0.05)
    True
    """
    check_margin(margin)
    who = checked_workers(1 if workers is None else workers)
    data = check_labeled(protected, labels, speakers)
    names = check_classifiers(classifiers)
    before = None if original is None else same_rows(original, data, labels, speakers)
    if trained_on == "original" and before is None:
        raise InputError("original: needed to train classifiers on unprotected vectors")
    teacher = None if background is None else check_background(*background, data.vectors.shape[1])
    change = None if before is None else relative_change(data, before)
    data, before, teacher = of_one_size(data, before, teacher, together=trained_on == "original")
    fold_of = row_folds(data, folds, seed)
    seen = data if trained_on == "protected" or before is None else before
    flattered = (FLATTERS,) if trained_on == "original" else ()
    doubts = data.doubts if before is None else (*data.doubts, *before.doubts)
    clock = Clock(len(names) * (1 if before is None else 2), progress)
    judge = Judge(names, fold_of, teacher, resamples, seed, clock)
    result, test = judge.judge("protected", data, seen)
    ceiling, control = (None, None) if before is None else judge.judge("original", before, before)
    evidence = replace(
        evidence_of_test(test, workers=who, watch=watch),
        margin=margin,
        original=None if control is None else best_of(evidence_of_control(control)),
    )
    proof = AttributeProof(
        protected=result,
        original=ceiling,
        classes=data.classes,
        speakers=dict(zip(data.classes, np.bincount(data.speaker_classes).tolist(), strict=True)),
        folds=int(fold_of.max()) + 1,
        trained_on=trained_on,
        change=change,
        warnings=tuple(dict.fromkeys((*flattered, *copies_in(before, speakers), *findings_of(doubts)))),
        seed=seed,
        name=name,
        evidence=evidence,
    )
    if not may_be_quiet(proof):
        return proof
    return replace(proof, evidence=replace(evidence, planted=planted_leaks(test, seed)))


def evidence_of_control(test: Tested) -> Evidence:
    """What the same attackers reach on unprotected vectors: limits, without training anew."""
    return Evidence("exchange", test.quick.p, reached_by(test), test.people.count)


def copies_in(before: LabeledVectors | None, speakers: Sequence[object]) -> tuple[Finding, ...]:
    """People who stand among the unprotected vectors twice, under two names: one of them teaches who the other is."""
    if before is None:
        return ()
    vectors, names = before.vectors.astype(np.float64), tuple(map(str, speakers))
    length = np.linalg.norm(vectors, axis=1)
    kept = np.flatnonzero(length > 0)
    if kept.size < 2 or vectors.shape[1] < FEWEST_DIMENSIONS:
        return ()
    whose = tuple(names[row] for row in kept)
    rows = Rows(vectors[kept] / length[kept, None], whose, whose, np.zeros(kept.size, dtype=bool))
    return tuple(found for found in among_themselves(rows) if found.code == "shared_content")


def findings_of(doubts: Iterable[ProtectionWarning]) -> tuple[Finding, ...]:
    """What was warned of while checking and fitting, as findings; each once."""
    severity: dict[str, Severity] = {"constant_dimensions": "remark"}
    found = (Finding(doubt.code, severity.get(doubt.code, "caution"), str(doubt)) for doubt in doubts)
    return tuple(dict.fromkeys(found))


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


def of_one_size(
    data: LabeledVectors, before: LabeledVectors | None, teacher: Background | None, *, together: bool
) -> tuple[LabeledVectors, LabeledVectors | None, Background | None]:
    """All vectors near 1 in size: each kind by itself, or `together` where one kind teaches about another."""
    parts: dict[str, Vectors] = {"protected": data.vectors}
    if before is not None:
        parts["original"] = before.vectors
    if teacher is not None:
        parts["background"] = teacher.vectors
    if together or teacher is not None:
        sizes = dict.fromkeys(parts, shared_exponent(**parts))
    else:
        sizes = {name: exponent_of(vectors) for name, vectors in parts.items()}
    near = {name: near_one(vectors, sizes[name]) for name, vectors in parts.items()}
    return (
        replace(data, vectors=near["protected"]),
        None if before is None else replace(before, vectors=near["original"]),
        None if teacher is None else replace(teacher, vectors=near["background"].astype(np.float64)),
    )


def relative_change(after: LabeledVectors, before: LabeledVectors) -> float | None:
    """Root mean square of what changed, relative to the spread of the unprotected vectors; None where no number holds it."""
    sizes = [exponent_of(one.vectors) for one in (after, before)]
    if max(sizes) - min(sizes) > APART:
        return None
    new, old = (near_one(one.vectors, max(sizes)) for one in (after, before))
    moved = np.square(new - old).sum()
    spread = np.square(old - old.mean(axis=0)).sum()
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

    def judge(self, name: str, data: LabeledVectors, seen: LabeledVectors) -> tuple[AttributeResult, Tested]:
        """What attackers learn from these vectors, and the test for a leak."""
        scores = []
        for each in attribute_scores(data, seen.vectors, self.folds, self.classifiers, self.seed):
            scores.append(each)
            if self.clock is not None:
                self.clock.step()
        test = tested_on(data, seen.vectors, self.folds, self.classifiers, self.seed, scores)
        return self.summed(name, data, scores, test), test

    def summed(
        self, name: str, data: LabeledVectors, scores: Sequence[AttributeScores], test: Tested
    ) -> AttributeResult:
        """The same in one result."""
        return attribute_result(
            name,
            [self.classifier_result(data, each) for each in scores],
            chance=chance_of(data, [each.tested for each in scores], self.seed),
            information=mutual_information(data.vectors, data.codes.tolist()),
            verification={
                how: verification(data, compare, resamples=self.resamples, seed=self.seed)
                for how, compare in verifiers(self.background).items()
                if can_verify(data)
            },
            information_by_chance=information_by_chance(data, self.seed),
            everything=everything_of(test, SHUFFLES // 2),
        )

    def classifier_result(self, data: LabeledVectors, scores: AttributeScores) -> ClassifierResult:
        """With two classes one question, with more the class that shows most."""
        asked = range(1 if len(data.classes) == 2 else len(data.classes))
        best = max(asked, key=lambda code: d_ece_of(data, class_llr(scores.tested, code), code))
        tested = class_llr(scores.tested, best)
        trained = class_llr(scores.trained, best)
        member = data.codes == best
        result = assess_scores(
            trials_about(data, tested, best), resamples=self.resamples, seed=self.seed, name=scores.classifier
        )
        return ClassifierResult(
            classifier=scores.classifier,
            about=data.classes[best],
            train=TrainScores(
                cllr_min(trained[member], trained[~member]), zebra(trained[member], trained[~member]).d_ece
            ),
            measures={name: result.measures[name] for name in SHOWN},
            category_counts=result.category_counts,
            tested=result,
        )


def attribute_result(
    name: str,
    classifiers: Sequence[ClassifierResult],
    *,
    chance: Chance,
    information: FloatArray,
    verification: Mapping[str, Assessment],
    information_by_chance: float,
    everything: Everything | None = None,
) -> AttributeResult:
    """One set of vectors judged: the classifier that learned most about speakers it never met comes first."""
    best = classifiers[strongest_of([one.tested for one in classifiers if one.tested is not None])]
    result = best.tested
    assert result is not None
    return AttributeResult(
        name,
        result.measures,
        tuple(classifiers),
        chance,
        Information(float(information.mean()), float(information.max()), information_by_chance, values=information),
        {
            how: VerificationResult(one.measures["eer"], one.measures["cllr_min"], one.n_target, one.n_nontarget)
            for how, one in verification.items()
        },
        strongest_name=best.classifier,
        about=best.about,
        category_counts=result.category_counts,
        n_target=result.n_target,
        n_nontarget=result.n_nontarget,
        everything=everything,
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
