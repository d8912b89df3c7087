"""The cheap semi-informed attacker: keeps the encoder and relearns, on anonymized speakers, how to compare its vectors.

Several back-ends are tried: the cosine after more or less whitening of how much a speaker's own utterances vary (WCCN with
shrinkage; 1 is no whitening), and LDA + PLDA. The attacker keeps the one that does best on held-out speakers of their own
training data. Without a training corpus of other people, the speakers of the evaluation are dealt into folds, and each
fold is judged by itself, by back-ends that learned from all the others. Targets and nontargets so come from one back-end that
has seen neither of the two speakers: comparing across folds needs a back-end that has seen fewer people, whose scores lie
elsewhere, and noise then looks like a leak, or like the opposite of one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stripeless._draws import dealt
from stripeless.embeddings.embeddings import Embeddings, check_vectors
from stripeless.embeddings.vectors import length_normalized, speaker_codes
from stripeless.embeddings.within import within_speakers
from stripeless.errors import InputError

Matrix = NDArray[np.float64]
SHRINKAGES = (0.05, 0.3, 1.0)
LEAST_SPEAKERS = 6  # to learn a back-end from
LEAST_IN_FOLD, MOST_FOLDS = 4, 4


class Backend(Protocol):
    """Compares models (means of `counts` utterances) with trials."""

    def scores(self, models: Matrix, trials: Matrix, counts: Matrix) -> Matrix: ...


@dataclass(frozen=True, eq=False)
class WhitenedCosine:
    """Cosine after subtracting the mean and whitening within-speaker variation."""

    mean: Matrix
    whiten: Matrix

    def scores(self, models: Matrix, trials: Matrix, counts: Matrix) -> Matrix:
        left = length_normalized((check_vectors(models, "models") - self.mean) @ self.whiten)
        right = length_normalized((check_vectors(trials, "trials") - self.mean) @ self.whiten)
        return np.asarray(left @ right.T)


@dataclass(frozen=True, eq=False)
class PldaBackend:
    """LDA and PLDA."""

    plda: Any

    def scores(self, models: Matrix, trials: Matrix, counts: Matrix) -> Matrix:
        return np.asarray(self.plda.scores(models, trials, counts))


def fit_whitened_cosine(vectors: Matrix, speakers: Sequence[str], shrinkage: float) -> WhitenedCosine:
    """Within-speaker covariance, pulled towards a multiple of the identity by `shrinkage`, and its inverse root.

    The mean of the speakers is subtracted where it is long against their spread; vectors that were standardized come
    centered on the enrollment data, which is a better center than the mean of a few training speakers.
    """
    vectors = check_vectors(vectors).astype(np.float64)
    within = within_speakers(vectors, speakers)
    means, values = within.means, within.values / max(1, len(vectors) - len(within.names))
    values = (1 - shrinkage) * values + shrinkage * values.mean() + 1e-12
    center = means.mean(axis=0)
    off_center = np.linalg.norm(center) > np.sqrt(np.mean(np.sum((means - center) ** 2, axis=1)))
    return WhitenedCosine(center if off_center else 0 * center, within.axes / np.sqrt(values))


def fit_backend(
    vectors: Matrix, speakers: Sequence[str], sexes: Sequence[str] | None = None, seed: int = 0
) -> tuple[Backend, str]:
    """The back-end that tells held-out training speakers apart best, then learned from all of them; and its name."""
    best = choose_backend(vectors, speakers, sexes, seed)
    return backends()[best](vectors, tuple(speakers)), best


def choose_backend(vectors: Matrix, speakers: Sequence[str], sexes: Sequence[str] | None = None, seed: int = 0) -> str:
    """Name of the back-end that, learned from half of the speakers, separates the other half best, within each sex."""
    vectors = check_vectors(vectors).astype(np.float64)
    sex = np.array(sexes if sexes is not None else [""] * len(speakers))
    names = sorted(set(speakers))
    if len(names) < LEAST_SPEAKERS:
        raise InputError(f"speakers: a back-end learns from at least {LEAST_SPEAKERS} people, got {len(names)}")
    order = np.random.default_rng([seed, 11]).permutation(len(names))
    halves = [{names[i] for i in order[start::2]} for start in (0, 1)]
    labels = np.array(speakers)
    rivals = dict.fromkeys(backends(), 0.0)
    for held_out in halves:
        inside = np.array([speaker not in held_out for speaker in speakers])
        for name, fit in backends().items():
            try:
                rival = fit(vectors[inside], tuple(labels[inside]))
                rivals[name] += share_in_order(rival, vectors[~inside], tuple(labels[~inside]), sex[~inside])
            except InputError:
                continue  # too little data for this one
    return max(rivals, key=lambda name: rivals[name])


def backends() -> dict[str, BackendFitter]:
    """The rivals by name."""
    whitened: dict[str, BackendFitter] = {
        f"WCCN {share:g}": partial(fit_whitened_cosine, shrinkage=share) for share in SHRINKAGES
    }
    return {**whitened, "PLDA": fit_plda_backend}


class BackendFitter(Protocol):
    """Learns a back-end."""

    def __call__(self, vectors: Matrix, speakers: Sequence[str]) -> Backend: ...


def fit_plda_backend(vectors: Matrix, speakers: Sequence[str]) -> PldaBackend:
    """LDA to at most 100 dimensions, then PLDA."""
    from stripeless.embeddings.plda import fit_plda

    return PldaBackend(fit_plda(vectors, tuple(speakers), lda_dimensions=100))


def share_in_order(backend: Backend, vectors: Matrix, speakers: tuple[str, ...], sex: NDArray[np.str_]) -> float:
    """Share of (same speaker, other speaker of the same sex) pairs of comparisons that come out in the right order."""
    scores = backend.scores(vectors, vectors, np.ones(len(vectors)))
    _, codes = speaker_codes(speakers)
    i, j = np.triu_indices(len(vectors), k=1)
    i, j = i[sex[i] == sex[j]], j[sex[i] == sex[j]]
    values, same = scores[i, j], codes[i] == codes[j]
    if same.all() or not same.any():
        return 0.0
    target, nontarget = np.sort(values[same]), np.sort(values[~same])
    below = np.searchsorted(nontarget, target, "left") + np.searchsorted(nontarget, target, "right")
    return float(below.mean() / (2 * len(nontarget)))


def speaker_folds(speakers: Sequence[str], sexes: Sequence[str], folds: int, seed: int) -> dict[str, int]:
    """Speakers dealt into folds, each sex by itself, in an order that depends on seed and names alone."""
    rng = np.random.default_rng([seed, 12])
    fold: dict[str, int] = {}
    for sex in sorted(set(sexes)):
        members = sorted({speaker for speaker, own in zip(speakers, sexes, strict=True) if own == sex})
        # Goes on where the other sex ended: folds of equal size.
        fold.update((name, number % folds) for name, number in dealt(members, rng, len(fold)))
    return fold


def block_folds(people: Mapping[str, str], judged: Collection[str], seed: int) -> dict[str, int]:
    """The fold in which each person is judged; -1 for people of a sex of whom too few are both enrolled and judged.

    As many folds, up to four, as leave four people of each sex in each, and two at least. People are dealt in the order of
    their names, those who are both enrolled and judged first, so that neither rows nor bystanders act.

    Parameters:
        people: everybody who is enrolled or judged, with their sex.
        judged: who is both.
        seed: start of the random draws.
    """
    fold = dict.fromkeys(people, -1)
    for sex in sorted(set(people.values())):
        members = [name for name, own in people.items() if own == sex]
        both = [name for name in members if name in judged]
        if len(both) < 2 * LEAST_IN_FOLD:
            continue
        folds = min(MOST_FOLDS, len(both) // LEAST_IN_FOLD)
        for some in (both, [name for name in members if name not in judged]):
            fold.update(speaker_folds(some, [sex] * len(some), folds, seed))
    return fold


def cross_fitted_scores(
    models: Embeddings, counts: Matrix, trials: Embeddings, training: Embeddings, fold: dict[str, int], seed: int = 0
) -> tuple[Matrix, str]:
    """The score matrix (models, trials), each fold by a back-end that learned from the others; and the names of the back-ends.

    Each fold's attacker chooses the back-end on the people it learns from. Cells between people of two folds are not judged:
    they are NaN. `models` has one row per speaker, named by it. `training` holds the vectors to learn from, of the same
    people; whose fold is -1 teaches everybody and is not judged.
    """
    labels = np.array(training.speakers)
    sex = np.array(training.sex if training.sex is not None else [""] * len(training))
    learned = np.array([fold[name] for name in labels])
    chosen = {
        one: choose_backend(training.vectors[learned != one], tuple(labels[learned != one]), tuple(sex[learned != one]), seed)
        for one in sorted({one for one in fold.values() if one >= 0})
    }  # fmt: skip
    scores = block_scores(
        models, counts, trials, training, fold, {one: backends()[name] for one, name in chosen.items()}
    )
    return scores, ", ".join(dict.fromkeys(chosen.values()))


def block_scores(
    models: Embeddings,
    counts: Matrix,
    trials: Embeddings,
    training: Embeddings,
    fold: Mapping[str, int],
    fit: Mapping[int, BackendFitter],
) -> Matrix:
    """The score matrix (models, trials) fold by fold, each by what its fitter makes of all others; NaN between two folds."""
    in_trials = np.array([fold[name] for name in trials.speakers or ()])
    learned = np.array([fold[name] for name in training.speakers or ()])
    labels = np.array(training.speakers)
    in_models = np.array([fold[name] for name in models.utterances])
    scores = np.full((len(models), len(trials)), np.nan)
    for one, fitter in fit.items():
        rows, columns = np.flatnonzero(in_models == one), np.flatnonzero(in_trials == one)
        if not rows.size or not columns.size:
            continue
        backend = fitter(training.vectors[learned != one].astype(np.float64), tuple(labels[learned != one]))
        scores[np.ix_(rows, columns)] = backend.scores(
            models.vectors[rows].astype(np.float64), trials.vectors[columns].astype(np.float64), counts[rows]
        )
    return scores


def on_one_scale(scores: Matrix, folds: NDArray[np.int64]) -> Matrix:
    """The scores of each fold (of the rows) with mean 0 and deviation 1: each back-end has a scale of its own."""
    result = scores.copy()
    for one in np.unique(folds[folds >= 0]):
        block = scores[folds == one]
        judged = block[~np.isnan(block)]
        if judged.size:
            result[folds == one] = (block - judged.mean()) / (judged.std() or 1.0)
    return result
