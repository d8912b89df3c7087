"""`stripeless protect`: hide an attribute of speakers in vectors, and let attackers who know of it look for it.

Who fits a protection never judges it: with nothing else given, half of the speakers of each class fit, the others judge.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._log import clock
from stripeless.attackers.joint import Say
from stripeless.attributes.calibration import LlrCalibration, llr_calibration
from stripeless.attributes.classifiers import check_classifiers
from stripeless.attributes.cost import expected_seconds, rough
from stripeless.attributes.exchange import REFITS
from stripeless.attributes.maps import map_method, neighbor_map
from stripeless.attributes.proof import findings_of, judge_protection
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, read_beside
from stripeless.errors import InputError
from stripeless.parallel.executors import Who
from stripeless.parallel.workers import worker_count
from stripeless.protections.fitter import Fit, protection_fitter
from stripeless.protections.flow import FlowProtection
from stripeless.protections.labels import LabeledVectors, ProtectionWarning, bin_attribute, label_names
from stripeless.protections.load import Protection
from stripeless.protections.settings import OnProgress
from stripeless.results.attribute import AttributeProof, Calibrated
from stripeless.results.codec import record_of
from stripeless.verdicts.finding import Finding

LOG = logging.getLogger(__name__)

Labels: TypeAlias = Sequence[object] | NDArray[Any] | Mapping[str, object] | None
MOST_POINTS = 1000  # of a map: more are slow to draw and hide each other
UNKNOWN_SPEAKERS = Finding(
    "fitting_speakers_unknown",
    "caution",
    "Nothing here tells on which speakers the protection was fitted. If some of them are judged here, it looks better than "
    "it is.",
)


def silent(message: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, eq=False)
class HiddenAttribute:
    """Vectors before and after protection, and what judging them needs.

    Attributes:
        before: the vectors as they were given.
        after: the same utterances protected, those that fitted the protection too.
        labels: the class of each row.
        judged: which rows are of speakers who did not fit the protection.
        protection: what was applied; None where somebody else protected the vectors.
        background: unprotected vectors of further speakers, and who they are, to teach the verifier.
        findings: what was warned of while fitting.
        notes: which labels come from files that nobody named.
    """

    before: Embeddings
    after: Embeddings
    labels: NDArray[Any]
    judged: NDArray[np.bool_]
    protection: Protection | None = None
    background: tuple[NDArray[Any], tuple[str, ...]] | None = None
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ProtectionStudy:
    """A protection, the vectors that came out of it, and the proof.

    Attributes:
        proof: what attackers still learn, on speakers who did not fit the protection.
        protected: all vectors after protection.
        protection: what was applied; None where somebody else protected the vectors.
    """

    proof: AttributeProof
    protected: Embeddings
    protection: Protection | None

    def to_dict(self) -> dict[str, Any]:
        """The proof as plain values, as `stripeless protect --json` prints it."""
        return self.proof.to_dict()


def protect_study(
    vectors: Embeddings,
    labels: Labels = None,
    *,
    method: str | Fit = "flow",
    fit_on: Embeddings | None = None,
    fit_labels: Labels = None,
    protected: Embeddings | None = None,
    protection: Protection | None = None,
    bins: int | None = None,
    classifiers: Sequence[str] | None = None,
    folds: int = 5,
    resamples: int = 200,
    margin: float | None = None,
    workers: Who = None,
    maps: bool = False,
    progress: OnProgress | None = None,
    say: Say = silent,
    seed: int = 0,
    name: str = "",
) -> ProtectionStudy:
    """Hide an attribute in vectors of known speakers and attack the result: all that `stripeless protect` does.

    Parameters:
        vectors: the vectors to protect, with speakers.
        labels: the attribute: one per row, or a mapping from utterance or speaker; None for the sex that the vectors name.
        method: "flow", "lda", "oblique", "moments", "adversarial", or a function that fits, such as
            `functools.partial(fit_flow_protection, settings=...)`.
        fit_on: vectors of other speakers to fit on; all of `vectors` are then judged. Without them, half of the speakers
            of each class fit and the other half judge.
        fit_labels: the attribute of `fit_on`, where `labels` is not a mapping that holds it too.
        protected: `vectors`, utterance by utterance, as somebody else protected them: they are judged, nothing is fitted.
        protection: a fitted protection, to be applied and judged.
        bins: the labels are numbers, such as ages: cut them into so many classes.
        classifiers: names among perceptron, logistic, neighbors, angles, boosting and svm; None plays all.
        folds: into how many parts the judged speakers are cut, 2 or more.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for none.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with
            fewer than 20 people.
        workers: who trains classifiers anew where that is needed: a number of processes, 0 for one per core, or anything with
            `.submit`; None is this process.
        maps: add the points of the figures.
        progress: called after each epoch of the fit and after each classifier with a `TrainingProgress`.
        say: called with a sentence when a stage begins.
        seed: start of the random draws; the same seed gives the same result.
        name: title of the result.
    Returns:
        A `ProtectionStudy`: the proof, all vectors protected, and the protection.

    >>> rng = np.random.default_rng(0)
    >>> people = np.repeat(np.arange(80), 3)
    >>> sex = np.where(people % 2, "m", "f")
    >>> rows = rng.normal(size=(240, 3)) + 4.0 * (sex == "f")[:, None] * [1, 0, 0]
    >>> vectors = Embeddings(rows, tuple(map(str, range(240))), tuple(map(str, people)), tuple(sex))
    >>> study = protect_study(vectors, method="oblique", classifiers=["logistic"], resamples=0)
    >>> study.proof.speakers, bool(study.proof.protected["d_ece"] < 0.2 < study.proof.original["d_ece"])
    ({'f': 20, 'm': 20}, True)
    """
    hidden = hide_attribute(
        vectors, labels, method=method, fit_on=fit_on, fit_labels=fit_labels, protected=protected, protection=protection,
        bins=bins, progress=progress, say=say, seed=seed,
    )  # fmt: skip
    proof = judge_hidden(
        hidden, classifiers=classifiers, folds=folds, resamples=resamples, margin=margin, workers=workers, maps=maps,
        progress=progress, say=say, seed=seed, name=name,
    )  # fmt: skip
    return ProtectionStudy(proof, hidden.after, hidden.protection)


def hide_attribute(
    vectors: Embeddings,
    labels: Labels = None,
    *,
    method: str | Fit = "flow",
    fit_on: Embeddings | None = None,
    fit_labels: Labels = None,
    protected: Embeddings | None = None,
    protection: Protection | None = None,
    bins: int | None = None,
    progress: OnProgress | None = None,
    say: Say = silent,
    seed: int = 0,
) -> HiddenAttribute:
    """The first half of `protect_study`: split, fit or take what is given, and apply."""
    if sum(given is not None for given in (fit_on, protected, protection)) > 1:
        raise InputError("fit_on, protected and protection: give one of them; each says by itself who fitted")
    people = np.array(need_speakers(vectors, "vectors"))
    values = label_rows(vectors, labels)
    cut = label_names(values.tolist(), len(vectors), "labels") if bins is None else bin_attribute(values, bins)
    everybody = np.ones(len(vectors), dtype=bool)
    notes = read_beside(vectors, fit_on, labels=("speakers", "sex") if labels is None else ("speakers",))
    if protected is not None:
        after = replace(vectors, vectors=in_order_of(protected, vectors))
        return HiddenAttribute(vectors, after, cut, everybody, notes=notes)
    fit = protection_fitter(method, progress=progress, seed=seed) if isinstance(method, str) else method
    background, judged = None, everybody
    seconds = clock()
    with warned() as doubts:
        if fit_on is not None:
            taught = label_rows(fit_on, fit_labels_of(labels, fit_labels))
            taught = taught if bins is None else bin_attribute(taught, bins, like=values)
            background = (fit_on.vectors, need_speakers(fit_on, "fit_on"))
            check_disjoint(background[1], people)
            say(f"Fitting on {len(fit_on)} vectors ...")
            protection = fit(fit_on.vectors, taught, speakers=background[1])
        elif protection is None:
            rows = first_half(people, cut, seed)
            judged = ~rows
            background = (vectors.vectors[rows], tuple(people[rows].tolist()))
            say(f"Fitting on {int(rows.sum())} vectors ...")
            protection = fit(vectors.vectors[rows], cut[rows], speakers=background[1])
        after = replace(vectors, vectors=np.asarray(protection.apply(vectors.vectors)))
    LOG.info("fitted and applied a protection in %.1f s", seconds())
    return HiddenAttribute(vectors, after, cut, judged, protection, background, findings_of(doubts), notes)


def judge_hidden(
    hidden: HiddenAttribute,
    *,
    classifiers: Sequence[str] | None = None,
    folds: int = 5,
    resamples: int = 200,
    margin: float | None = None,
    workers: Who = None,
    maps: bool = False,
    progress: OnProgress | None = None,
    say: Say = silent,
    seed: int = 0,
    name: str = "",
) -> AttributeProof:
    """The second half of `protect_study`: the proof, on speakers who did not fit the protection."""
    rows, seconds = hidden.judged, clock()
    before, after, labels = hidden.before.vectors[rows], hidden.after.vectors[rows], hidden.labels[rows]
    people = np.array(need_speakers(hidden.before, "vectors"))[rows].tolist()
    say(f"Judging {int(rows.sum())} vectors, {expected_time(after, labels, people, folds, classifiers, workers)} ...")
    proof = judge_protection(
        after,
        labels.tolist(),
        people,
        original=before,
        background=hidden.background,
        classifiers=classifiers,
        folds=folds,
        resamples=resamples,
        margin=margin,
        workers=workers,
        progress=progress,
        watch=lambda done, most: say_anew(say, done, most),
        seed=seed,
        name=name,
    )
    LOG.info("judged %d vectors in %.1f s", int(rows.sum()), seconds())
    found = (*proof.warnings, *doubts_about(hidden, proof.classes), *hidden.findings)
    way, points = drawn_points(before, after, labels, hidden.protection, seed) if maps else ("", {})
    return replace(
        proof,
        method=method_of(hidden.protection),
        llr=record_of(Calibrated, calibration_of(hidden.protection, proof.classes, before, labels)),
        warnings=tuple(dict.fromkeys(found)),
        map_method=way,
        figures=points,
        notes=hidden.notes,
    )


def expected_time(
    vectors: NDArray[Any],
    labels: NDArray[Any],
    people: Sequence[str],
    folds: int,
    classifiers: Sequence[str] | None,
    workers: Who,
) -> str:
    """What judging takes on an ordinary machine, before it starts: "about 20 s; up to 2 min more where ..."."""
    codes = np.unique(people, return_inverse=True)[1]
    data = LabeledVectors(vectors, (), np.zeros(len(vectors), dtype=np.int64), codes)
    first, again = expected_seconds(data, folds, check_classifiers(classifiers), sets=2)
    several = worker_count(workers) if workers is None or isinstance(workers, int) else 1
    return f"about {rough(first)}; up to {rough(REFITS * again / several)} more where the first test is not clear"


def say_anew(say: Say, done: int, most: int) -> None:
    """Every tenth time that classifiers were trained anew."""
    if done == 1:
        say(f"The first test is not clear: training anew with exchanged labels, at most {most} times ...")
    if done % 10 == 0:
        say(f"  {done} of at most {most}")


def first_half(speakers: NDArray[Any], labels: NDArray[Any], seed: int) -> NDArray[np.bool_]:
    """The rows of half of the speakers of each class; of an odd number, one speaker more is left to judge.

    >>> people = np.array(["a", "a", "b", "c", "d", "e", "f"])
    >>> rows = first_half(people, np.array(["x", "x", "x", "x", "y", "y", "y"]), 0)
    >>> len(set(people[rows])), len(set(people[~rows]))
    (2, 4)
    """
    rng = np.random.default_rng(seed)
    rows = np.zeros(len(speakers), dtype=bool)
    for label in np.unique(labels):
        people = rng.permutation(np.unique(speakers[labels == label]))
        rows |= np.isin(speakers, people[: len(people) // 2])
    return rows


def label_rows(embeddings: Embeddings, labels: Labels) -> NDArray[Any]:
    """The attribute of each row: as given, from a mapping by utterance or by speaker, or the sex."""
    if labels is None:
        if embeddings.sex is None:
            raise InputError("labels: the vectors come without sex; give --labels, or --utt2spk with a data directory")
        return np.array(embeddings.sex)
    if not isinstance(labels, Mapping):
        rows = np.asarray(labels)
        if rows.shape != (len(embeddings),):
            raise InputError(f"labels: expected one per vector ({len(embeddings)}), got an array of shape {rows.shape}")
        return rows
    people = embeddings.speakers or embeddings.utterances
    keys = [u if u in labels else s for u, s in zip(embeddings.utterances, people, strict=True)]
    missing = [key for key in keys if key not in labels]
    if missing:
        raise InputError(f"labels: no label for {missing[0]} and {len(missing) - 1} others; add them or leave them out")
    return np.array([labels[key] for key in keys])


def fit_labels_of(labels: Labels, fit_labels: Labels) -> Labels:
    """The labels of the vectors to fit on: their own, or those of a mapping or of the sex for both."""
    if fit_labels is None and labels is not None and not isinstance(labels, Mapping):
        raise InputError("fit_labels: missing; `labels` are those of `vectors`, give those of `fit_on` too")
    return labels if fit_labels is None else fit_labels


def in_order_of(protected: Embeddings, given: Embeddings) -> NDArray[Any]:
    """The protected vectors in the order of the given ones."""
    place = {utterance: row for row, utterance in enumerate(protected.utterances)}
    missing = [utterance for utterance in given.utterances if utterance not in place]
    if missing:
        raise InputError(
            f"protected: lacks {missing[0]} and {len(missing) - 1} other utterances of the unprotected vectors"
        )
    return np.asarray(protected.vectors[[place[utterance] for utterance in given.utterances]])


def check_disjoint(fitted: Sequence[str], judged: NDArray[Any]) -> None:
    """A protection must not be judged on speakers that it was fitted on."""
    both = sorted(set(fitted) & set(judged.tolist()))
    if both:
        raise InputError(
            f"fit_on: speaker {both[0]} and {len(both) - 1} others are among the vectors to judge too; a protection judged on "
            "those it was fitted on looks better than it is, so leave them out of one of the two"
        )


@contextmanager
def warned() -> Iterator[list[ProtectionWarning]]:
    """Collects what fitting warns of; every warning is passed on as well."""
    doubts: list[ProtectionWarning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield doubts
    for warning in caught:
        if isinstance(warning.message, ProtectionWarning):
            doubts.append(warning.message)
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def doubts_about(hidden: HiddenAttribute, classes: tuple[str, ...]) -> list[Finding]:
    """Who fitted the protection is not known, or it hides something else."""
    found = [UNKNOWN_SPEAKERS] if hidden.background is None else []
    if hidden.protection is not None and set(hidden.protection.classes) != set(classes):
        message = f"The protection hides {', '.join(hidden.protection.classes)}; judged here is {', '.join(classes)}."
        found.append(Finding("other_attribute", "caution", message))
    return found


def method_of(protection: Protection | None) -> str:
    """How the vectors were protected, where that is known."""
    return "" if protection is None else " ".join([protection.kind, getattr(protection, "projection", "")]).strip()


def calibration_of(
    protection: Protection | None, classes: tuple[str, ...], before: NDArray[Any], labels: NDArray[Any]
) -> LlrCalibration | None:
    """Whether the evidence that a protection reads is calibrated; for two classes, and protections that know evidence."""
    if protection is None or not hasattr(protection, "evidence") or len(classes) != 2:
        return None
    return llr_calibration(protection, before, labels.tolist()) if set(protection.classes) == set(classes) else None


def drawn_points(
    before: NDArray[Any], after: NDArray[Any], labels: NDArray[Any], protection: Protection | None, seed: int
) -> tuple[str, dict[str, Any]]:
    """How maps are drawn here, and the points of every figure, of at most 1000 vectors."""
    rows = np.sort(np.random.default_rng(seed).permutation(len(before))[:MOST_POINTS])
    points: dict[str, Any] = {
        "labels": labels[rows].tolist(),
        "map_original": np.round(neighbor_map(before[rows], seed=seed), 2).tolist(),
        "map_protected": np.round(neighbor_map(after[rows], seed=seed), 2).tolist(),
    }
    if isinstance(protection, FlowProtection):
        points["latent"] = np.round(protection.latent(before[rows])[:, :2].astype(float), 3).tolist()
    return map_method(), points
