"""The people from whom pseudo-voices are made: the shipped artificial pool, or a user's own; and the pitch that suits a voice."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from stripeless.anonymizers.xvector_sex import guessed_sex
from stripeless.embeddings.files import read_embeddings
from stripeless.embeddings.vectors import FloatArray, length_normalized, need_speakers, speaker_means
from stripeless.errors import FileError
from stripeless.protections.pseudo.pool import Pool
from stripeless.synthesis.pool import shipped_pitch, shipped_pool, shipped_utterances

NEIGHBORS = 10


@cache
def artificial_pool() -> Pool:
    """The shipped pool, made once per process."""
    return Pool.of(shipped_utterances())


def read_pool(path: str | None) -> Pool:
    """The embeddings in a file (`stripeless embed POOL pool.npz --encoder compact`); without path the shipped ones."""
    if path is None:
        return artificial_pool()
    embeddings = read_embeddings(path)
    if embeddings.sex is None and embeddings.dimension == shipped_pool()[0].shape[1]:
        names = need_speakers(embeddings, str(path))
        means = speaker_means(embeddings)
        guess = {name: guessed_sex(vector, []) for name, vector in zip(means.utterances, means.vectors, strict=True)}
        embeddings = replace(embeddings, sex=tuple(guess[name] for name in names))
    pool = Pool.of(embeddings)
    expected = shipped_pool()[0].shape[1]
    if pool.dimension != expected:
        raise FileError(
            path,
            f"holds vectors of {pool.dimension} numbers, the voices are built from {expected}; make them with "
            "`stripeless embed POOL pool.npz --encoder compact`",
        )
    return pool


def pitch_near(vector: FloatArray, sex: str) -> tuple[float, float]:
    """(median F0 in Hz, deviation of log F0) that voices like this one have: the mean over the nearest of the shipped pool."""
    vectors, _, sexes = shipped_pool()
    hertz, deviation = shipped_pitch()
    alike = vectors @ length_normalized(np.asarray(vector, dtype=np.float64)[None])[0]
    near = np.argsort(-np.where([own == sex for own in sexes], alike, -2.0), kind="stable")[:NEIGHBORS]
    return float(np.exp(np.log(hertz[near]).mean())), float(deviation[near].mean())
