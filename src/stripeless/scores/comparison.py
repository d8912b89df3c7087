"""From embeddings to scores: cosine or PLDA, listed trials or whole matrices block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import Embeddings, check_vectors
from stripeless.embeddings.plda import Plda
from stripeless.embeddings.vectors import (
    check_same_dimension,
    length_normalized,
    need_speakers,
    speaker_codes,
    speaker_means,
)
from stripeless.errors import InputError
from stripeless.scores.check import FloatArray
from stripeless.scores.files.digest import trial_digest
from stripeless.scores.files.rows import Ids
from stripeless.scores.pairs import TrialList, generate_trials, rows_of
from stripeless.scores.trials import Factor, TrialScores

BLOCK_BYTES = 64 << 20  # of one block of scores


def cosine_scores(enrollment: ArrayLike, trials: ArrayLike) -> FloatArray:
    """Cosine of every enrollment row with every trial row.

    >>> cosine_scores([[1.0, 0.0]], [[2.0, 0.0], [0.0, 3.0]]).tolist()
    [[1.0, 0.0]]
    """
    models, tests = length_normalized(enrollment, "enrollment"), length_normalized(trials, "trials")
    check_same_dimension(models, tests, ("enrollment", "trials"))
    matrix: FloatArray = models @ tests.T
    return matrix


def score_blocks(
    enrollment: ArrayLike, trials: ArrayLike, *, plda: Plda | None = None
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The whole matrix of scores, some rows of `enrollment` at a time, in memory that does not grow with it.

    Cosine keeps the precision of the vectors: float32 in, float32 out.
    """
    models, tests = check_vectors(enrollment, "enrollment"), check_vectors(trials, "trials")
    check_same_dimension(models, tests, ("enrollment", "trials"))
    rows = max(1, BLOCK_BYTES // (8 * len(tests)))
    if plda is not None:
        latent, latent_tests = plda.apply(models), plda.apply(tests)
        for part in _parts(len(models), rows):
            yield part, plda.latent_scores(latent[part], latent_tests, np.ones(part.stop - part.start))
        return
    kind = np.float32 if models.dtype == tests.dtype == np.float32 else np.float64
    unit: NDArray[Any] = length_normalized(models, "enrollment").astype(kind)
    unit_tests: NDArray[Any] = length_normalized(tests, "trials").astype(kind)
    for part in _parts(len(models), rows):
        yield part, unit[part] @ unit_tests.T


def _parts(count: int, rows: int) -> Iterator[slice]:
    for start in range(0, count, rows):
        yield slice(start, min(start + rows, count))


def compare_embeddings(
    enrollment: Embeddings,
    trials: Embeddings,
    trial_list: TrialList | None = None,
    *,
    plda: Plda | None = None,
    same_sex: bool = True,
) -> TrialScores:
    """Scores of trials between speakers' models and utterances, with the speakers of each trial.

    A speaker's model is the mean of the enrollment vectors.

    Parameters:
        enrollment: embeddings with speakers, of which models are made.
        trials: embeddings with speakers, of the same dimension.
        trial_list: which model meets which utterance; None takes all pairs but an utterance with its own model.
        plda: a back-end from `fit_plda`, whose natural-log likelihood ratios are the scores; None gives cosines, -1 to
            1.
        same_sex: without a list: only pairs within one sex, where sex is known.
    Returns:
        The scores as `TrialScores`.

    >>> enrolled = Embeddings([[1.0, 0.0], [0.0, 1.0]], ("a1", "b1"), ("a", "b"))
    >>> compare_embeddings(enrolled, Embeddings([[3.0, 4.0]], ("a2",), ("a",))).target.tolist()
    [0.6]
    """
    if trial_list is None:
        trial_list = generate_trials(enrollment, trials, same_sex=same_sex)
    models = speaker_means(enrollment)
    check_same_dimension(models.vectors, trials.vectors, ("enrollment", "trials"))
    rows = rows_of(trial_list.models, models.utterances, "models")
    columns = rows_of(trial_list.utterances, trials.utterances, "utterances")
    matrix = _matrix(enrollment, models, trials, plda)
    scores = matrix[rows[trial_list.enrollment], columns[trial_list.trial]]
    return labeled_scores(scores, trial_list, need_speakers(trials, "trials"), columns)


def _matrix(enrollment: Embeddings, models: Embeddings, trials: Embeddings, plda: Plda | None) -> FloatArray:
    if plda is None:
        return cosine_scores(models.vectors, trials.vectors)
    overlap = set(plda.speakers) & set(models.utterances)
    if overlap:
        raise InputError(
            f"plda: {len(overlap)} of its training speakers are enrolled, such as {sorted(overlap)[0]!r}; scores of people "
            "it was trained on say nothing about others"
        )
    counts = np.bincount(speaker_codes(need_speakers(enrollment, "enrollment"))[1])
    return plda.scores(models.vectors, trials.vectors, counts)


def labeled_scores(
    scores: FloatArray, trial_list: TrialList, speakers: tuple[str, ...], columns: NDArray[np.int64]
) -> TrialScores:
    """Scores in list order, split by class, with the speakers of both sides."""
    target = trial_list.target
    number: dict[str, int] = {}
    of_model = np.array([number.setdefault(name, len(number)) for name in trial_list.models], dtype=np.int32)
    of_trial = np.array([number.setdefault(speakers[c], len(number)) for c in columns], dtype=np.int32)
    claimed, spoken = of_model[trial_list.enrollment], of_trial[trial_list.trial]
    wrong = int(((claimed == spoken) != target).sum())
    if wrong:
        raise InputError(
            f"{wrong} trials are labeled against the speakers of the embeddings; list and utt2spk disagree"
        )
    names = tuple(number)
    ids = [
        Ids(names_, codes.astype(np.int32))
        for names_, codes in ((trial_list.models, trial_list.enrollment), (trial_list.utterances, trial_list.trial))
    ]
    return TrialScores(
        scores[target],
        scores[~target],
        Factor(names, claimed[target], claimed[~target]),
        Factor(names, spoken[target], spoken[~target]),
        notes=trial_list.notes,
        trial_digest=trial_digest(ids[0], ids[1], target),
    )
