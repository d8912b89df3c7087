"""The shipped pool: 800 voices of nobody, so that pseudo-speakers can be made after a plain install.

B1 and its kin need vectors of other people. Vectors of real people are not published here: these were drawn from how the
vectors of training speakers are distributed, none of them near any one of those (docs/reference/voice-model.md; made by
scripts/voice/make_pool.py). Each voice comes with the pitch that such a voice would have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless._draws import keyed_draws
from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError
from stripeless.synthesis.shipped import shipped

Floats32 = NDArray[np.float32]


def shipped_pool() -> tuple[Floats32, tuple[str, ...], tuple[str, ...]]:
    """(vectors, names, sexes): 400 women and 400 men of the encoder `compact`, each vector of length 1.

    >>> vectors, names, sexes = shipped_pool()
    >>> vectors.shape, names[0], sexes.count("f"), sexes.count("m")
    ((800, 192), 'pool-f000', 400, 400)
    """
    parts = [(sex, shipped("pool")[f"vectors.{sex}"]) for sex in "fm"]
    vectors = np.concatenate([rows for _, rows in parts])
    unit = np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
    names = tuple(f"pool-{sex}{k:03d}" for sex, rows in parts for k in range(len(rows)))
    return unit, names, tuple(sex for sex, rows in parts for _ in range(len(rows)))


def shipped_pitch() -> tuple[Floats32, Floats32]:
    """For each voice of the pool: median F0 in Hz, and the deviation of log F0 within an utterance."""
    stored = shipped("pool")
    hertz, deviation = (np.concatenate([stored[f"{name}.{sex}"] for sex in "fm"]) for name in ("f0", "f0_deviation"))
    return hertz, deviation


def shipped_utterances(each: int = 4, seed: int = 0) -> Embeddings:
    """The pool for systems that learn from utterances: `each` vectors per voice, apart as utterances of one person are.

    >>> shipped_utterances(2).vectors.shape
    (1600, 192)
    """
    if each < 1:
        raise InputError(f"each: expected at least one utterance per voice, got {each}")
    vectors, names, sexes = shipped_pool()
    within = shipped("pool")[
        "within"
    ]  # (192, axes): times normal numbers, it is the change from utterance to utterance
    rows = []
    for name, vector in zip(names, vectors, strict=True):
        changes = keyed_draws("shipped pool", str(seed), name).normal(size=(each, within.shape[1])) @ within.T
        rows.append(vector + changes - changes.mean(axis=0))  # the mean of a voice's utterances stays the voice
    said = np.concatenate(rows).astype(np.float32)
    return Embeddings(
        said,
        tuple(f"{name}-{k:02d}" for name in names for k in range(each)),
        tuple(name for name in names for _ in range(each)),
        tuple(sex for sex in sexes for _ in range(each)),
    )
