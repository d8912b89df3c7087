"""What a protection costs: can speakers still be verified by someone who does not know that the vectors are
protected?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.assessment.assess import assess_scores
from stripeless.embeddings.embeddings import check_vectors
from stripeless.errors import InputError
from stripeless.protections.labels import LabeledVectors
from stripeless.results.assessment import Assessment
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Factor, TrialScores

Compare = Callable[[NDArray[Any]], FloatArray]
MOST_UTTERANCES = 3000  # all pairs of more would be more than enough for any rate, and fill the memory


@dataclass(frozen=True, eq=False)
class Background:
    """Unprotected vectors of other speakers, which the verifier learned from."""

    vectors: FloatArray
    speakers: tuple[str, ...]


def check_background(vectors: ArrayLike, speakers: Any, dimension: int) -> Background:
    """A background that fits the vectors to judge."""
    rows = check_vectors(vectors, "background").astype(np.float64)
    names = tuple(str(name) for name in speakers)
    if len(names) != len(rows) or rows.shape[1] != dimension:
        raise InputError(
            f"background: {len(rows)} vectors of {rows.shape[1]} dimensions with {len(names)} speakers; "
            f"expected {dimension} dimensions and one speaker per vector"
        )
    return Background(rows, names)


def verifiers(background: Background | None) -> dict[str, Compare]:
    """Ways to compare all vectors with all: cosine, and PLDA where there is something to learn it from."""
    mean = 0.0 if background is None else background.vectors.mean(axis=0)
    known: dict[str, Compare] = {"cosine": lambda vectors: cosine_matrix(vectors - mean)}
    if background is not None:
        known |= plda_verifier(background)
    return known


def plda_verifier(background: Background) -> dict[str, Compare]:
    """PLDA learned on the background."""
    from stripeless.embeddings.plda import fit_plda

    model = fit_plda(background.vectors, background.speakers)
    return {"plda": lambda vectors: model.scores(vectors, vectors)}


def cosine_matrix(vectors: FloatArray) -> FloatArray:
    """Cosine of every row with every row."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(length > 0, length, 1.0)
    matrix: FloatArray = unit @ unit.T
    return matrix


def verification(data: LabeledVectors, compare: Compare, *, resamples: int = 0, seed: int = 0) -> Assessment:
    """How well speakers are told apart: the measures of `verification_trials`."""
    return assess_scores(verification_trials(data, compare, seed), resamples=resamples, seed=seed, curves=False)


def verification_trials(data: LabeledVectors, compare: Compare, seed: int) -> TrialScores:
    """Every pair of utterances of one class: the same speaker or not? Pairs across classes are left out.

    Across classes the attribute itself would tell speakers apart, so that hiding it would look like a loss.
    """
    rows = chosen_rows(data, seed)
    matrix = compare(data.vectors[rows].astype(np.float64))
    first, second = np.triu_indices(rows.size, k=1)
    alike = data.codes[rows][first] == data.codes[rows][second]
    first, second = first[alike], second[alike]
    people = data.speakers[rows].astype(np.int32)
    same = people[first] == people[second]
    scores = matrix[first, second]
    names = tuple(str(code) for code in range(int(data.speakers.max()) + 1))
    return TrialScores(
        scores[same],
        scores[~same],
        enrollment_speakers=Factor(names, people[first][same], people[first][~same]),
        trial_speakers=Factor(names, people[second][same], people[second][~same]),
    )


def joined_trials(parts: Sequence[TrialScores]) -> TrialScores:
    """The trials of several sets of speakers, whose codes are of one numbering, as one set."""

    def factor(found: list[Factor]) -> Factor:
        names = max((each.names for each in found), key=len)
        return Factor(
            names, np.concatenate([each.target for each in found]), np.concatenate([each.nontarget for each in found])
        )

    return TrialScores(
        np.concatenate([part.target for part in parts]),
        np.concatenate([part.nontarget for part in parts]),
        enrollment_speakers=factor([part.enrollment_speakers for part in parts if part.enrollment_speakers]),
        trial_speakers=factor([part.trial_speakers for part in parts if part.trial_speakers]),
    )


def can_verify(data: LabeledVectors) -> bool:
    """Whether some speaker has two utterances and some class two speakers."""
    return bool(np.bincount(data.speakers).max() > 1 and np.bincount(data.speaker_classes).max() > 1)


def chosen_rows(data: LabeledVectors, seed: int) -> NDArray[np.int64]:
    """All rows, or as many of each speaker as fit."""
    if len(data.codes) <= MOST_UTTERANCES:
        return np.arange(len(data.codes))
    people = int(data.speakers.max()) + 1
    order = np.random.default_rng(seed).permutation(len(data.codes))
    place = np.empty(len(order), dtype=np.int64)
    counts = np.zeros(people, dtype=np.int64)
    for row in order:
        place[row] = counts[data.speakers[row]]
        counts[data.speakers[row]] += 1
    return np.sort(np.argsort(place, kind="stable")[:MOST_UTTERANCES])
