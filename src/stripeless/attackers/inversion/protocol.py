"""Inverting an anonymizer in the embedding space, and what is learned by it (Champion et al. 2021).

The attacker learns a map from anonymized to original embeddings on data of their own (enrollment), applies it to the
anonymized trials, and is judged twice. *Unlinkability*: compare the inverted trials with original enrollment (EER and
all measures of the score domain). *Non-invertibility*: how often the nearest neighbor across is the same speaker
(top-k, in both directions).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stripeless.attackers.inversion.linear_map import Chain, LengthNormalization, LinearMap, fit_pca
from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.embeddings.embeddings import EmbeddingMap, Embeddings
from stripeless.embeddings.vectors import FloatArray, need_speakers, paired, speaker_means
from stripeless.measures.top_k import chance_top_k, top_k_accuracy
from stripeless.scores.comparison import cosine_scores, labeled_scores
from stripeless.scores.pairs import TrialList, generate_trials, rows_of
from stripeless.scores.trials import TrialScores

Fit = Callable[[FloatArray, FloatArray], EmbeddingMap]


@dataclass(frozen=True, eq=False)
class FrontEnd:
    """What is done to vectors before an attack sees them, separately on each side."""

    anonymized: EmbeddingMap
    original: EmbeddingMap


@dataclass(frozen=True, eq=False)
class Inversion:
    """What an inverted set of trials gives away.

    `scores`: inverted trials against original enrollment. `top_k[k]`: (nearest inverted trial of each original one,
    nearest original trial of each inverted one), as shares of the same speaker; `chance_top_k[k]` what blind picks give.
    """

    scores: TrialScores
    top_k: dict[int, tuple[float, float]]
    chance_top_k: dict[int, float]


@dataclass(frozen=True, eq=False)
class Sets:
    """Enrollment and trials, before and after; the two trial sets list the same utterances."""

    enrollment: Embeddings
    anonymized_trials: Embeddings
    original_trials: Embeddings
    trial_list: TrialList

    @classmethod
    def of(
        cls,
        enrollment: Embeddings,
        anonymized_trials: Embeddings,
        original_trials: Embeddings,
        trial_list: TrialList | None = None,
    ) -> Sets:
        """Check that they belong together; without a list of trials, all within one sex."""
        anonymized_trials, original_trials = paired(anonymized_trials, original_trials)
        need_speakers(original_trials, "original trials")
        if anonymized_trials.speakers is None:
            anonymized_trials = Embeddings(
                anonymized_trials.vectors, original_trials.utterances, original_trials.speakers, original_trials.sex
            )
        trial_list = trial_list or generate_trials(enrollment, anonymized_trials)
        return cls(enrollment, anonymized_trials, original_trials, trial_list)


def fit_front_end(anonymized: Embeddings, original: Embeddings, dimensions: int | None) -> FrontEnd:
    """Length normalization, after PCA of this many dimensions, learned on each side by itself, where asked for."""
    if dimensions is None:
        return FrontEnd(LengthNormalization(), LengthNormalization())
    return FrontEnd(
        Chain((fit_pca(anonymized.vectors, dimensions), LengthNormalization())),
        Chain((fit_pca(original.vectors, dimensions), LengthNormalization())),
    )


def evaluate_inversion(
    front_end: FrontEnd, attack: EmbeddingMap, sets: Sets, *, top: tuple[int, ...] = (1,)
) -> Inversion:
    """Apply a learned attack to the anonymized trials and measure what it gives away.

    A speaker's model is the mean of the raw enrollment vectors, put through the same front end afterwards.
    """
    inverted = attack.apply(front_end.anonymized.apply(sets.anonymized_trials.vectors))
    originals = front_end.original.apply(sets.original_trials.vectors)
    models = speaker_means(sets.enrollment)
    matrix = cosine_scores(front_end.original.apply(models.vectors), inverted)
    rows = rows_of(sets.trial_list.models, models.utterances, "models")
    columns = rows_of(sets.trial_list.utterances, sets.anonymized_trials.utterances, "utterances")
    speakers = need_speakers(sets.original_trials, "original trials")
    values = matrix[rows[sets.trial_list.enrollment], columns[sets.trial_list.trial]]
    accuracy = {
        k: (
            top_k_accuracy(originals, inverted, speakers, speakers, k=k),
            top_k_accuracy(inverted, originals, speakers, speakers, k=k),
        )
        for k in top
    }
    scores = labeled_scores(values, sets.trial_list, speakers, columns)
    return Inversion(scores, accuracy, {k: chance_top_k(speakers, speakers, k=k) for k in top})


def random_attacks(dimensions: int, count: int, seed: int) -> list[LinearMap]:
    """Rotations drawn blindly: the chance that every attack by rotation is to be compared with."""
    rng = np.random.default_rng([seed, dimensions])
    return [LinearMap(random_rotation(dimensions, rng)) for _ in range(count)]
