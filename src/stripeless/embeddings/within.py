"""How much a speaker's own utterances vary: what every back-end learns from, found once for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.vectors import FloatArray, speaker_codes

KEPT = 8  # results that are kept: one for each fold, and as many for the control
_known: dict[bytes, WithinSpeakers] = {}


@dataclass(frozen=True, eq=False)
class WithinSpeakers:
    """Vectors of speakers, taken apart.

    Attributes:
        names: the speakers, in order of first appearance.
        codes: for each row the number of its speaker.
        counts: how many rows each has.
        means: the mean of each.
        values, axes: variances, ascending, and directions of the scatter about the means (a sum over rows).
    """

    names: tuple[str, ...]
    codes: NDArray[np.int64]
    counts: FloatArray
    means: FloatArray
    values: FloatArray
    axes: FloatArray


def within_speakers(vectors: FloatArray, speakers: Sequence[str]) -> WithinSpeakers:
    """Take vectors apart; the same vectors again cost nothing, because several back-ends learn from each set."""
    digest = hashlib.blake2b(np.ascontiguousarray(vectors).data)
    digest.update("\n".join((str(vectors.shape), *speakers)).encode())
    key = digest.digest()
    if key not in _known:
        while len(_known) >= KEPT:
            _known.pop(next(iter(_known)))
        _known[key] = _taken_apart(vectors, speakers)
    return _known[key]


def _taken_apart(vectors: FloatArray, speakers: Sequence[str]) -> WithinSpeakers:
    names, codes = speaker_codes(speakers)
    counts = np.bincount(codes).astype(np.float64)
    means = sums_of(vectors, codes) / counts[:, None]
    inner = vectors - means[codes]
    values, axes = np.linalg.eigh(inner.T @ inner)
    return WithinSpeakers(names, codes, counts, means, values, axes)


def sums_of(vectors: FloatArray, codes: NDArray[np.int64]) -> FloatArray:
    """The sum of the rows of each number."""
    order = np.argsort(codes, kind="stable")
    return np.asarray(np.add.reduceat(vectors[order], np.searchsorted(codes[order], np.arange(int(codes.max()) + 1))))
