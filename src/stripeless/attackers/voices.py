"""Every attacker on voices, played against one anonymizer: enrollment and trials, before and after.

For each encoder: the original (ceiling), the ignorant attacker (original enrollment, anonymized trials), the lazy-informed
(both anonymized), the semi-informed (both anonymized, comparison or whole network relearned on anonymized speech). The
strongest encoder of each attacker goes into the evaluation; all of them stand in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.groups import assess_groups
from stripeless.attackers.backends import LEAST_SPEAKERS, cross_fitted_scores, fit_backend, speaker_folds
from stripeless.audio.corpus import Corpus
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, speaker_means, standardized, take
from stripeless.errors import InputError
from stripeless.results.assessment import Assessment
from stripeless.scores.comparison import cosine_scores, labeled_scores
from stripeless.scores.pairs import TrialList, rows_of
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.strongest import strongest_of

Matrix = NDArray[np.float64]
FOLDS = 4
CONDITIONS = ("original", "ignorant", "lazy-informed", "semi-informed")


@dataclass(frozen=True, eq=False)
class Encoded:
    """What one encoder made of the corpus before and after, and of training speech where there is some."""

    encoder: str
    original: Embeddings
    anonymized: Embeddings
    training: Embeddings | None = None
    standardize: bool = False
    retrained: bool = False  # the encoder itself was trained on anonymized speech


@dataclass(frozen=True, eq=False)
class Played:
    """One encoder in the hands of one attacker: the scores and what they give away."""

    encoder: str
    attacker: str
    backend: str
    scores: TrialScores
    assessment: Assessment


def trial_list(corpus: Corpus) -> TrialList:
    """The corpus' trials in the form that comparison takes."""
    models = tuple(dict.fromkeys(trial.enrolled for trial in corpus.trials))
    utterances = tuple(dict.fromkeys(trial.utterance for trial in corpus.trials))
    model_number, number = ({name: k for k, name in enumerate(names)} for names in (models, utterances))
    return TrialList(
        models,
        utterances,
        np.array([model_number[trial.enrolled] for trial in corpus.trials], dtype=np.int64),
        np.array([number[trial.utterance] for trial in corpus.trials], dtype=np.int64),
        np.array([trial.target for trial in corpus.trials]),
        corpus.notes,
    )


def play_encoder(
    encoded: Encoded, corpus: Corpus, conditions: Sequence[str] = CONDITIONS, *, resamples: int = 0, seed: int = 0
) -> list[Played]:
    """Play these attackers with one encoder."""
    trials = trial_list(corpus)
    played = []
    # The ceiling is played with a relearned comparison too: what helps the semi-informed attacker must help it as well,
    # or anonymized speech could seem easier to recognize than original speech.
    plays = [(condition, condition == "semi-informed") for condition in conditions]
    plays += [("original", True)] if "original" in conditions else []
    for condition, relearn in plays:
        if encoded.retrained and condition != "semi-informed":
            continue
        try:
            matrix, backend, models, tests = score_matrix(encoded, corpus, condition, seed, relearn)
        except InputError:
            if not relearn:
                raise
            continue  # too few speakers to learn from; the caller says so
        rows, columns = (
            rows_of(trials.models, models.utterances, "models"),
            rows_of(trials.utterances, tests.utterances, "u"),
        )
        flat = matrix[rows[trials.enrollment], columns[trials.trial]]
        scores = with_sex(labeled_scores(flat, trials, need_speakers(tests, "trials"), columns), corpus)
        result = assess_scores(scores, resamples=resamples, seed=seed, name=encoded.encoder, attacker=condition)
        known = f"{encoded.encoder}, {'network retrained' if encoded.retrained else backend}"
        played.append(Played(encoded.encoder, condition, backend, scores, replace(result, backend=known)))
    return played


def score_matrix(
    encoded: Encoded, corpus: Corpus, condition: str, seed: int, relearn: bool
) -> tuple[Matrix, str, Embeddings, Embeddings]:
    """Scores of every model with every trial utterance, how they were compared, the models and the trial vectors.

    With `relearn` the comparison is learned on speech like that of the trials: original for the ceiling, else anonymized.
    """
    enrollment_side = encoded.original if condition in ("original", "ignorant") else encoded.anonymized
    trial_side = encoded.original if condition == "original" else encoded.anonymized
    enrolls = set(corpus.enrollment)
    enrollment = take(enrollment_side, [k for k, name in enumerate(enrollment_side.utterances) if name in enrolls])
    wanted = {trial.utterance for trial in corpus.trials}
    tests = take(trial_side, [k for k, name in enumerate(trial_side.utterances) if name in wanted])
    others = None if condition == "original" else encoded.training  # `training` is anonymized speech of other people
    training = others if others is not None else trial_side
    if encoded.standardize:
        scale = enrollment
        enrollment, tests, training = (on_scale_of(part, scale) for part in (enrollment, tests, training))
    models = speaker_means(enrollment)
    speakers = list(need_speakers(enrollment, "enrollment"))
    counts = np.array([speakers.count(name) for name in models.utterances], dtype=np.float64)
    if not relearn or encoded.retrained:
        return cosine_scores(models.vectors, tests.vectors), "cosine", models, tests
    if others is not None:
        speakers_of = need_speakers(training, "training")
        backend, name = fit_backend(training.vectors.astype(np.float64), speakers_of, training.sex, seed)
        vectors = (models.vectors.astype(np.float64), tests.vectors.astype(np.float64))
        return backend.scores(*vectors, counts), name, models, tests
    everyone = corpus.speakers
    sexes = {utterance.speaker: utterance.sex for utterance in corpus.utterances}
    fold = speaker_folds(everyone, [sexes[s] for s in everyone], FOLDS, seed)
    if len(everyone) < 2 * LEAST_SPEAKERS:
        raise InputError(
            f"{len(everyone)} speakers are too few to retrain on; give --training, a corpus of other people"
        )
    matrix, name = cross_fitted_scores(models, counts, tests, training, fold, seed)
    return matrix, f"{name}, cross-fitted", models, tests


def on_scale_of(embeddings: Embeddings, scale: Embeddings) -> Embeddings:
    """The mean and deviation of `scale` taken out of each number, for encoders whose numbers have units."""
    return replace(embeddings, vectors=standardized(embeddings.vectors, scale.vectors))


def with_sex(scores: TrialScores, corpus: Corpus) -> TrialScores:
    """The scores labeled with the sex of the speaker of each trial, where it is known."""
    sexes = {utterance.speaker: utterance.sex for utterance in corpus.utterances}
    side = scores.trial_speakers
    if side is None or not any(sexes.values()):
        return scores
    names = ("f", "m")
    code = np.array(
        [names.index(sexes[name]) if sexes.get(name) in names else -1 for name in side.names], dtype=np.int32
    )
    factor = Factor(names, code[side.target], code[side.nontarget])
    return replace(scores, columns={**scores.columns, "sex": factor})


def with_groups(one: Played, *, resamples: int = 0, seed: int = 0) -> Assessment:
    """The assessment with results by sex and by speaker: who is worst protected."""
    groups: dict[str, Any] = {}
    if "sex" in one.scores.columns:
        groups["sex"] = assess_groups(one.scores, "sex", resamples=resamples, seed=seed)
    groups["speaker"] = assess_groups(one.scores, "speaker")
    return replace(one.assessment, groups=groups)


def strongest_encoder(played: Sequence[Played], attacker: str) -> Played | None:
    """The encoder and comparison with which this attacker learns most, by the one rule for it."""
    rivals = [one for one in played if one.attacker == attacker]
    return rivals[strongest_of([one.assessment for one in rivals])] if rivals else None
