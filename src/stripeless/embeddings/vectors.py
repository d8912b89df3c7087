"""Rows of embeddings: normalize, select, average by speaker, pair up two files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import Embeddings, check_vectors
from stripeless.errors import InputError, TrialMismatch

FloatArray: TypeAlias = NDArray[np.float64]


def length_normalized(vectors: ArrayLike, name: str = "vectors") -> FloatArray:
    """Each row divided by its length, as float64; a row of zeros has no direction and is refused.

    >>> length_normalized([[3.0, 4.0]]).tolist()
    [[0.6, 0.8]]
    """
    array = check_vectors(vectors, name).astype(np.float64)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    zero = lengths[:, 0] == 0
    if zero.any():
        raise InputError(
            f"{name}: {int(zero.sum())} of {len(array)} rows are all zeros (the first is row {int(np.argmax(zero))}); "
            "such an utterance was not extracted, so leave it out or extract it again"
        )
    normalized: FloatArray = array / lengths
    return normalized


def take(embeddings: Embeddings, rows: ArrayLike) -> Embeddings:
    """These rows, given as numbers or as a mask, in this order."""
    index = np.asarray(rows)
    index = np.flatnonzero(index) if index.dtype == bool else index
    if not index.size:
        raise InputError("no row of the embeddings is left after the selection")

    def pick(labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if labels is None else tuple(labels[i] for i in index)

    chosen = tuple(embeddings.utterances[i] for i in index)
    labels = pick(embeddings.speakers), pick(embeddings.sex)
    return Embeddings(embeddings.vectors[index], chosen, *labels, embeddings.inputs, embeddings.beside)


def read_beside(*given: Embeddings | None, labels: tuple[str, ...] = ("speakers", "sex")) -> tuple[str, ...]:
    """A sentence on each file that labels come from though nobody named it.

    >>> read_beside(Embeddings([[1.0]], ("a-1",), ("a",), ("f",), beside={"sex": "spk2gender"}))
    ('The sex of the speakers was read from spk2gender, which was not named but lies beside the vectors.',)
    """
    words = {"speakers": "The speakers were", "sex": "The sex of the speakers was"}
    found = [(label, one.beside[label]) for one in given if one is not None for label in labels if label in one.beside]
    return tuple(
        f"{words[label]} read from {path}, which was not named but lies beside the vectors."
        for label, path in dict.fromkeys(found)
    )


def of_sex(embeddings: Embeddings, sex: str) -> Embeddings:
    """The rows of one sex."""
    if embeddings.sex is None:
        raise InputError("sex is not known for these embeddings; give spk2gender")
    return take(embeddings, np.array([s == sex for s in embeddings.sex]))


def need_speakers(embeddings: Embeddings, name: str) -> tuple[str, ...]:
    """The speakers, or a sentence that says how to give them."""
    if embeddings.speakers is None:
        raise InputError(f"{name}: the speakers of the utterances are not known; give utt2spk")
    return embeddings.speakers


def standardized(vectors: NDArray[Any], reference: NDArray[Any] | None = None) -> NDArray[Any]:
    """Every feature with mean 0 and deviation 1 over the reference (the vectors themselves by default).

    A feature that never varies there becomes 0.
    """
    known = vectors if reference is None else reference
    spread = known.std(axis=0)
    centered = vectors - known.mean(axis=0)
    return np.asarray(np.where(spread > 1e-12, centered / np.where(spread > 1e-12, spread, 1.0), 0.0))


def speaker_codes(speakers: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The speakers in order of first appearance, and for each row the number of its speaker.

    >>> names, codes = speaker_codes(["b", "a", "b"])
    >>> names, codes.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(speaker, len(number)) for speaker in speakers], dtype=np.int64)
    return tuple(number), codes


def speaker_means(embeddings: Embeddings, name: str = "enrollment") -> Embeddings:
    """One row per speaker: the plain mean of the speaker's vectors, which models that speaker at enrollment."""
    speakers, codes = speaker_codes(need_speakers(embeddings, name))
    totals = np.zeros((len(speakers), embeddings.dimension))
    np.add.at(totals, codes, embeddings.vectors.astype(np.float64))
    means = totals / np.bincount(codes)[:, None]
    first = np.unique(codes, return_index=True)[1]
    sex = None if embeddings.sex is None else tuple(embeddings.sex[i] for i in first)
    return Embeddings(means, speakers, speakers, sex)


def paired(anonymized: Embeddings, original: Embeddings) -> tuple[Embeddings, Embeddings]:
    """Both files with row i of one and row i of the other being the same utterance, in the order of `original`.

    Utterances that only one of them lists are an error: a pair too few is a mistake somewhere upstream.
    """
    row = {utterance: i for i, utterance in enumerate(anonymized.utterances)}
    missing = [u for u in original.utterances if u not in row]
    surplus = set(anonymized.utterances) - set(original.utterances)
    if missing or surplus:
        example = missing[0] if missing else sorted(surplus)[0]
        raise TrialMismatch(
            f"anonymized and original must list the same utterances, but {len(missing)} are only original and "
            f"{len(surplus)} only anonymized, such as {example!r}; keep only what both have"
        )
    return take(anonymized, [row[u] for u in original.utterances]), original


def check_same_dimension(first: NDArray[Any], second: NDArray[Any], names: tuple[str, str]) -> None:
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"{names[0]} and {names[1]} must have as many dimensions, got {first.shape[1]} and {second.shape[1]}; "
            "were they made by the same extractor?"
        )
