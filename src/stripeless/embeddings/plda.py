"""PLDA: how much likelier two sets of vectors are if one person spoke both.

The two-covariance model x = mean + y + e, where y is the speaker, drawn once per person from N(0, between), and e the
utterance, drawn anew from N(0, within). Learned by EM; scores are natural-log likelihood ratios. The steps before it are
those of the VoicePrivacy recipe's ASV_eval: subtract the mean, LDA, normalize the length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import check_vectors
from stripeless.embeddings.vectors import FloatArray, speaker_codes
from stripeless.embeddings.within import WithinSpeakers, sums_of, within_speakers
from stripeless.errors import InputError, OneClassOnly, check_one_each

EM_STEPS = 10


@dataclass(frozen=True, eq=False)
class Plda:
    """A learned back-end. In its latent space the covariance within speakers is 1 and that between speakers diagonal.

    Attributes:
        mean: mean of the training vectors, one number per dimension.
        lda: projection of centered vectors, dimensions x directions kept.
        latent_mean: mean of the projected vectors of equal length.
        latent: the map from there into the latent space, directions x directions.
        between: variance between speakers along each latent direction; 1 is that within a speaker.
        speakers: names of the people it was trained on, who must not be those of the trials.
    """

    mean: FloatArray
    lda: FloatArray
    latent_mean: FloatArray
    latent: FloatArray
    between: FloatArray
    speakers: tuple[str, ...]

    def apply(self, vectors: ArrayLike) -> FloatArray:
        """These `vectors` in the latent space: mean subtracted, LDA, length normalized, both covariances diagonal."""
        array = check_vectors(vectors)
        if array.shape[1] != len(self.mean):
            raise InputError(f"vectors: this PLDA takes {len(self.mean)} dimensions, got {array.shape[1]}")
        with np.errstate(over="ignore", invalid="ignore"):
            projected = (array - self.mean) @ self.lda
            latent: FloatArray = (_normalized(projected) - self.latent_mean) @ self.latent
        if not np.isfinite(latent).all():
            raise InputError(
                "plda: its numbers are so large that vectors become infinite; learn it again, or take another file"
            )
        return latent

    def scores(self, enrollment: ArrayLike, trials: ArrayLike, counts: ArrayLike | None = None) -> FloatArray:
        """Natural-log LLR of every row of `enrollment` (the mean of `counts` utterances, 1 unless told) with every row of
        `trials`.
        """
        models, tests = self.apply(enrollment), self.apply(trials)
        return self.latent_scores(models, tests, np.ones(len(models)) if counts is None else np.asarray(counts, float))

    def latent_scores(self, models: FloatArray, tests: FloatArray, counts: FloatArray) -> FloatArray:
        """`scores` from latent vectors: `models` (means of `counts` utterances) against `tests`."""
        result = np.empty((len(models), len(tests)))
        for n in np.unique(counts):
            rows = counts == n
            result[rows] = two_covariance_llr(models[rows], tests, self.between, float(n))
        return result


def two_covariance_llr(models: FloatArray, tests: FloatArray, between: FloatArray, n: float) -> FloatArray:
    """LLR of every model (the mean of n utterances) against every test, where `within` is 1 and `between` diagonal.

    A test x under the same speaker is N(a m, v) with a = n b / (n b + 1), v = 1 + b / (n b + 1), under another N(0, 1 + b).
    """
    gain = n * between / (n * between + 1)
    same = 1 + between / (n * between + 1)
    other = 1 + between
    of_test = -0.5 * (tests**2 @ (1 / same - 1 / other)) - 0.5 * np.log(same / other).sum()
    of_model = -0.5 * (models**2 @ (gain**2 / same))
    llr: FloatArray = (models * (gain / same)) @ tests.T + of_model[:, None] + of_test
    return llr


def fit_plda(
    vectors: ArrayLike, speakers: tuple[str, ...], *, lda_dimensions: int = 200, steps: int = EM_STEPS
) -> Plda:
    """Learn mean, LDA and PLDA from labeled vectors; the speakers must not be those of the trials.

    LDA keeps at most as many dimensions as there are speakers less one. Each EM step raises the likelihood.

    Parameters:
        vectors: training vectors, rows x dimensions.
        speakers: who speaks in each row; several rows per speaker are needed.
        lda_dimensions: dimensions that LDA keeps, at most.
        steps: rounds of expectation-maximization.
    Returns:
        A `Plda`: `scores(enrollment, trials)` gives natural-log likelihood ratios, `apply` the vectors in its latent
        space.

    >>> rng = np.random.default_rng(0)
    >>> people = np.repeat(rng.normal(size=(30, 4)), 10, axis=0)
    >>> model = fit_plda(people + 0.3 * rng.normal(size=people.shape), tuple(str(i // 10) for i in range(300)))
    >>> bool(model.scores(people[:1], people[:1])[0, 0] > model.scores(people[:1], people[-1:])[0, 0])
    True
    """
    array = check_vectors(vectors).astype(np.float64)
    names, codes = _checked_labels(array, speakers)
    mean = array.mean(axis=0)
    lda = lda_of(within_speakers(array, speakers), mean, min(lda_dimensions, len(names) - 1))
    projected = _normalized((array - mean) @ lda)
    latent_mean = projected.mean(axis=0)
    within, between = two_covariances(projected - latent_mean, codes, steps)
    latent, variances = diagonalized(within, between)
    return Plda(mean, lda, latent_mean, latent, variances, names)


def _checked_labels(array: FloatArray, speakers: tuple[str, ...]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    check_one_each("speakers", len(speakers), len(array), of="vectors")
    names, codes = speaker_codes(speakers)
    if len(names) < 3:
        raise OneClassOnly(
            f"speakers: PLDA learns from at least three speakers, got {len(names)}; train on more people"
        )
    if len(array) < len(names) + 2:
        raise InputError("speakers: nearly every speaker has one utterance; PLDA needs several of most of them")
    return names, codes


def lda_of(within: WithinSpeakers, mean: FloatArray, dimensions: int) -> FloatArray:
    """Directions, in columns, in which speakers differ most against how much their own utterances do.

    Directions without any variation within speakers, as with fewer vectors than dimensions, are left out: there a
    quotient of variances means nothing.
    """
    values = within.values / within.counts.sum()
    kept = values > values[-1] * 1e-10
    whiten = within.axes[:, kept] / np.sqrt(values[kept])
    spread = ((within.means - mean) * np.sqrt(within.counts)[:, None]) @ whiten
    directions = np.linalg.svd(spread, full_matrices=False)[2][:dimensions]
    result: FloatArray = whiten @ directions.T
    return result


def two_covariances(centered: FloatArray, codes: NDArray[np.int64], steps: int) -> tuple[FloatArray, FloatArray]:
    """Within- and between-speaker covariance by EM, started from the scatter matrices."""
    counts = np.bincount(codes).astype(np.float64)
    means = sums_of(centered, codes) / counts[:, None]
    scatter = (centered - means[codes]).T @ (centered - means[codes])
    identity = np.eye(centered.shape[1])
    within = scatter / len(centered) + 1e-6 * np.trace(scatter) / len(centered) * identity
    between = means.T @ means / len(means) + 1e-6 * np.trace(within) * identity
    for _ in range(steps):
        within, between = _em_step(counts, means, scatter, within, between)
    return within, between


def _em_step(
    counts: FloatArray, means: FloatArray, scatter: FloatArray, within: FloatArray, between: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Expected speaker variables given the present model, then the covariances that explain them best."""
    between_inverse, within_inverse = np.linalg.inv(between), np.linalg.inv(within)
    new_within, new_between = scatter.copy(), np.zeros_like(between)
    for n in np.unique(counts):
        group = means[counts == n]
        covariance = np.linalg.inv(between_inverse + n * within_inverse)
        expected = group @ (n * within_inverse @ covariance)
        left = group - expected
        new_between += expected.T @ expected + len(group) * covariance
        new_within += n * (left.T @ left + len(group) * covariance)
    return new_within / counts.sum(), new_between / len(counts)


def diagonalized(within: FloatArray, between: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The map under which `within` becomes the identity and `between` diagonal."""
    values, vectors = np.linalg.eigh(within)
    whiten = vectors / np.sqrt(values)
    variances, turn = np.linalg.eigh(whiten.T @ between @ whiten)
    return whiten @ turn[:, ::-1], np.maximum(variances[::-1], 0.0)


def _normalized(vectors: FloatArray) -> FloatArray:
    """Length sqrt(dimensions): on average one per dimension, as the model expects."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    zero = lengths[:, 0] == 0
    if zero.any():
        raise InputError(
            f"vectors: row {int(np.argmax(zero))} is the mean of the training data itself, so it has no direction; "
            "was that utterance extracted?"
        )
    normalized: FloatArray = vectors / lengths * np.sqrt(vectors.shape[1])
    return normalized
