"""Voice similarity matrices: who sounds like whom, before and after anonymization (Noe et al. 2020).

Eq. 4-8 of the VoicePrivacy 2020 supplement. Every two utterances are compared once, the scores are calibrated to
log-likelihood ratios, and a cell holds the sigmoid of their mean for two speakers: 0.5 is no evidence, 1 the same voice.
M_oo compares originals, M_aa anonymized voices, M_oa an original with an anonymized one. A diagonal that stands out in
M_oa means that the speaker is still there; one in M_aa that the new voices can be told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import length_normalized, need_speakers, paired, speaker_codes
from stripeless.errors import InputError, OneClassOnly
from stripeless.scores.calibration import fit_pav
from stripeless.scores.check import FloatArray

ROUNDING = 1e-9  # share of the distinctiveness that means of equal numbers can leave


@dataclass(frozen=True, eq=False)
class SimilarityMatrix:
    """Who sounds like whom.

    Attributes:
        values: speakers x speakers; `values[i, j]` says how alike speakers i and j sound: 0.5 is no evidence, 1 one voice.
        speakers: names of the speakers, in the order of rows and columns.
        kind: "oo" originals, "aa" anonymized voices, "oa" originals against anonymized ones.
    """

    values: FloatArray
    speakers: tuple[str, ...]
    kind: str


def similarity_matrix(first: Embeddings, second: Embeddings | None = None, *, kind: str = "oo") -> SimilarityMatrix:
    """Speakers against speakers, by cosine scores between their utterances.

    With one argument its utterances are compared with each other (M_oo, M_aa). With two, utterance i of `first` meets
    utterance j of `second` for every i before j in the list, so that no utterance meets its own copy (M_oa); both must
    list the same utterances.

    Parameters:
        first: embeddings with speakers, two of them at least, in which some speaker has two utterances.
        second: the same utterances under another system; None compares `first` with itself.
        kind: a mark kept with the result: "oo" original, "aa" anonymized, "oa" one against the other.
    Returns:
        A `SimilarityMatrix`: `values[i, j]` from 0 to 1 (0.5 says nothing) for `speakers[i]` and `speakers[j]`.

    >>> one = Embeddings([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]], ("a1", "a2", "b1", "b2"), ("a", "a", "b", "b"))
    >>> similarity_matrix(one).values.round(2).tolist()
    [[0.86, 0.29], [0.29, 0.86]]
    """
    if second is not None:
        second = paired(second, first)[0]
        if second.dimension != first.dimension:
            raise InputError(
                f"first and second: vectors of {first.dimension} and {second.dimension} dimensions cannot be compared; "
                "extract both with one encoder"
            )
    speakers = need_speakers(first, "first")
    rows = length_normalized(first.vectors, "first")
    scores = rows @ (rows if second is None else length_normalized(second.vectors, "second")).T
    return similarity_of_scores(scores, speakers, kind=kind)


def similarity_matrices(original: Embeddings, anonymized: Embeddings) -> dict[str, SimilarityMatrix]:
    """M_oo, M_oa and M_aa by their kind: what the measures of similarity are computed from."""
    return {
        "oo": similarity_matrix(original, kind="oo"),
        "oa": similarity_matrix(original, anonymized, kind="oa"),
        "aa": similarity_matrix(anonymized, kind="aa"),
    }


def similarity_of_scores(scores: ArrayLike, speakers: tuple[str, ...], *, kind: str = "oo") -> SimilarityMatrix:
    """The same from a square matrix of scores between utterances, such as PLDA's; only i before j is read."""
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.shape != (len(speakers), len(speakers)):
        raise InputError(f"scores: expected one row and one column per utterance ({len(speakers)}), got {matrix.shape}")
    names, codes = speaker_codes(speakers)
    if len(names) < 2:
        raise OneClassOnly("speakers: a similarity matrix needs at least two speakers")
    i, j = np.triu_indices(len(speakers), k=1)
    values, same = matrix[i, j], codes[i] == codes[j]
    calibration = fit_pav(values[same], values[~same], laplace=True)
    return SimilarityMatrix(_cell_means(calibration.apply(values), codes[i], codes[j], names), names, kind)


def _cell_means(llr: FloatArray, i: NDArray[np.int64], j: NDArray[np.int64], names: tuple[str, ...]) -> FloatArray:
    """Sigmoid of the mean LLR of each pair of speakers, whichever of the two came first."""
    n = len(names)
    cell = np.minimum(i, j) * n + np.maximum(i, j)
    count = np.bincount(cell, minlength=n * n).reshape(n, n)
    total = np.bincount(cell, weights=llr, minlength=n * n).reshape(n, n)
    alone = [names[k] for k in np.flatnonzero(np.diag(count) == 0)]
    if alone:
        raise InputError(
            f"speakers: {alone[0]!r} has one utterance, so nothing can be compared within it "
            f"({len(alone)} such speakers); leave them out"
        )
    count, total = np.triu(count) + np.triu(count, 1).T, np.triu(total) + np.triu(total, 1).T
    similarity: FloatArray = 1.0 / (1.0 + np.exp(-total / count))
    return similarity


def diagonal_dominance(matrix: SimilarityMatrix | ArrayLike) -> float:
    """How far the mean of the diagonal is from the mean of the rest (Eq. 6), 0 to 1.

    >>> diagonal_dominance([[1.0, 0.5], [0.5, 1.0]])
    0.5
    """
    values = matrix.values if isinstance(matrix, SimilarityMatrix) else np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        raise InputError(f"matrix: expected a square matrix of at least two speakers, got shape {values.shape}")
    off = ~np.eye(len(values), dtype=bool)
    return float(abs(np.diag(values).mean() - values[off].mean()))


def de_identification(m_oa: SimilarityMatrix | ArrayLike, m_oo: SimilarityMatrix | ArrayLike) -> float:
    """Share of the original diagonal that is gone after anonymization (Eq. 8): 1 is private, 0 nothing hidden.

    Parameters:
        m_oa: similarity matrix of original against anonymized voices, speakers x speakers, 0 to 1.
        m_oo: similarity matrix of the originals; its diagonal must stand out.
    Returns:
        A share: 1 where no speaker is found again, 0 where the diagonal is as strong as before.

    >>> de_identification([[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]])
    1.0
    """
    return 1.0 - diagonal_dominance(m_oa) / _original_dominance(m_oo)


def gain_of_voice_distinctiveness(m_aa: SimilarityMatrix | ArrayLike, m_oo: SimilarityMatrix | ArrayLike) -> float:
    """How much better anonymized voices can be told apart than the original ones (Eq. 7), in dB; below 0 is a loss.

    Not a measure of privacy but of use: a listener should still hear who is speaking. Minus infinity where all
    anonymized voices are alike.

    Parameters:
        m_aa: similarity matrix of the anonymized voices, speakers x speakers, 0 to 1.
        m_oo: similarity matrix of the originals; its diagonal must stand out.
    Returns:
        Decibels: 0 where voices are as distinct as before, -10 where a tenth of it is left.

    >>> round(gain_of_voice_distinctiveness([[0.6, 0.5], [0.5, 0.6]], [[1.0, 0.0], [0.0, 1.0]]), 6)
    -10.0
    """
    ratio = diagonal_dominance(m_aa) / _original_dominance(m_oo)
    return float(10 * np.log10(ratio)) if ratio > ROUNDING else float("-inf")


def _original_dominance(m_oo: SimilarityMatrix | ArrayLike) -> float:
    dominance = diagonal_dominance(m_oo)
    if dominance == 0:
        raise InputError(
            "m_oo: the originals cannot be told apart by these scores, so there is nothing to compare with"
        )
    return dominance
