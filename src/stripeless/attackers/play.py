"""The three attackers of VoicePrivacy 2020 played on embeddings, and whether each can be trusted.

    result = play_attackers(Embedded(enrollment, trials), Embedded(anonymized_enrollment, anonymized_trials),
                            training=Training(original=..., anonymized=...))

*Ignorant* compares original enrollment with anonymized trials. *Lazy-informed* anonymizes the enrollment too, but keeps the
recognizer trained on original speech. *Semi-informed* retrains it on anonymized speech. Beside them stands what the
same trials give away before anonymization.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from stripeless.assessment.assess import assess_scores
from stripeless.attackers.checks import check_attackers
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import Plda, fit_plda
from stripeless.embeddings.vectors import need_speakers, speaker_codes, speaker_means
from stripeless.errors import InputError
from stripeless.measures.lid import Lid, fit_lid_slope, lid
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation
from stripeless.scores.check import FloatArray
from stripeless.scores.comparison import compare_embeddings, cosine_scores
from stripeless.scores.pairs import TrialList, generate_trials
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class Attacker:
    """What an attacker knows: whether the enrollment is anonymized, and what the recognizer was trained on."""

    name: str
    anonymizes_enrollment: bool
    trained_on: str
    knows: str


IGNORANT = Attacker("ignorant", False, "original", "nothing, not even that anything was anonymized")
LAZY_INFORMED = Attacker("lazy-informed", True, "original", "the anonymizer, used on the enrollment data")
SEMI_INFORMED = Attacker(
    "semi-informed", True, "anonymized", "the anonymizer, and retrains the recognizer on speech it has anonymized"
)


@dataclass(frozen=True, eq=False)
class Embedded:
    """Enrollment and trials as one extractor sees them.

    Attributes:
        enrollment: embeddings with speakers, of which models are made.
        trials: embeddings with speakers, of the same dimension.
    """

    enrollment: Embeddings
    trials: Embeddings


@dataclass(frozen=True, eq=False)
class Training:
    """Embeddings that the attacker trains on; nobody in them may be enrolled or speak in the trials.

    Attributes:
        original: unprotected speech, to train the back-end (PLDA) of the ignorant and the lazy-informed attacker; None
            compares by cosine.
        anonymized: anonymized speech, to train that of the semi-informed attacker; None leaves it untrained.
        manifests: how training and evaluation data were anonymized, compared with each other; None where nobody knows.
    """

    original: Embeddings | None = None
    anonymized: Embeddings | None = None
    manifests: tuple[Mapping[str, object], Mapping[str, object]] | None = None


def play_attackers(
    original: Embedded,
    anonymized: Embedded,
    *,
    training: Training | None = None,
    retrained: Embedded | None = None,
    trial_list: TrialList | None = None,
    name: str = "",
    resamples: int = 300,
    seed: int = 0,
) -> Evaluation:
    """Every attacker the data allow, each with all measures, beside the original ceiling; told where not to trust them.

    The semi-informed attacker is played where `training.anonymized` retrains the back-end, or where `retrained` is
    given.

    Parameters:
        original: enrollment and trials before anonymization, as one extractor sees them (`Embedded`).
        anonymized: the same utterances after it.
        training: embeddings of other people to train back-ends on, and how they were anonymized; None compares by
            cosine.
        retrained: the anonymized embeddings of an extractor that was itself retrained on anonymized speech.
        trial_list: which model meets which utterance; None takes all pairs within one sex.
        name: what the system is called in reports.
        resamples: how often people (or, where nobody is named, trials) are drawn for 95 % intervals: 100 or more, or 0
            for no intervals.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        An `Evaluation`: one assessment per attacker, the ceiling as `original`, and the findings.
    """
    training = training or Training()
    trial_list = trial_list or generate_trials(original.enrollment, original.trials)
    on_original = _backend(training.original)
    on_anonymized = _backend(training.anonymized)
    plays: list[tuple[Attacker, Embeddings, Embeddings, Plda | None]] = [
        (IGNORANT, original.enrollment, anonymized.trials, on_original),
        (LAZY_INFORMED, anonymized.enrollment, anonymized.trials, on_original),
    ]
    if retrained is not None or on_anonymized is not None:
        seen = retrained or anonymized
        plays.append((SEMI_INFORMED, seen.enrollment, seen.trials, on_anonymized))
    ceiling = _assess(compare_embeddings(original.enrollment, original.trials, trial_list, plda=on_original),
                      "original", resamples, seed, on_original)  # fmt: skip
    results = tuple(
        _assess(compare_embeddings(enrollment, trials, trial_list, plda=plda), who.name, resamples, seed, plda)
        for who, enrollment, trials, plda in plays
    )
    findings = check_attackers(original, anonymized, results, training, on_anonymized, seed)
    if len(plays) == 2:
        findings = (*findings, _no_semi_informed())
    return Evaluation(
        name=name, attackers=results, original=ceiling, warnings=findings, notes=trial_list.notes, seed=seed
    )


def _no_semi_informed() -> Finding:
    return Finding(
        "no-semi-informed",
        "caution",
        "The semi-informed attacker was not played: give training speakers that were anonymized, or embeddings of an "
        "extractor retrained on anonymized speech. Without the strongest attacker privacy is overestimated.",
    )


def _backend(training: Embeddings | None) -> Plda | None:
    return None if training is None else fit_plda(training.vectors, need_speakers(training, "training"))


def _assess(scores: TrialScores, attacker: str, resamples: int, seed: int, plda: Plda | None) -> Assessment:
    result = assess_scores(
        scores, resamples=resamples, seed=seed, name=attacker, attacker=attacker, llr=plda is not None
    )
    return replace(result, backend="cosine" if plda is None else "PLDA")


def bits_per_trial(sets: Embedded, development: Embedded, *, plda: Plda | None = None) -> Lid:
    """ALID and its company for one attacker; the slope is learned on `development`, whose speakers must be others."""
    shared = set(need_speakers(sets.enrollment, "enrollment")) & set(
        need_speakers(development.enrollment, "development")
    )
    if shared:
        raise InputError(f"development: {len(shared)} of its speakers are judged too, such as {sorted(shared)[0]!r}")
    slope = fit_lid_slope(*_score_table(development, plda))
    return lid(*_score_table(sets, plda), slope)


def _score_table(sets: Embedded, plda: Plda | None) -> tuple[FloatArray, FloatArray]:
    """Trials against all enrolled speakers, and the column of the true one; speakers not enrolled are left out."""
    models = speaker_means(sets.enrollment)
    column = {name: i for i, name in enumerate(models.utterances)}
    speakers = need_speakers(sets.trials, "trials")
    rows = [i for i, speaker in enumerate(speakers) if speaker in column]
    if not rows:
        raise InputError("no trial speaker is enrolled; enrollment and trials must share speakers")
    tests = sets.trials.vectors[rows]
    if plda is None:
        scores = cosine_scores(tests, models.vectors)
    else:
        counts = np.bincount(speaker_codes(need_speakers(sets.enrollment, "enrollment"))[1])
        scores = plda.scores(models.vectors, tests, counts).T
    return scores, np.array([column[speakers[i]] for i in rows])
