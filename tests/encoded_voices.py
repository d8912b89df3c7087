"""Vectors of a small corpus as an encoder makes them, before and after anonymization, without any recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.embeddings.embeddings import Embeddings

PEOPLE, EACH, SIZE = 16, 4, 6


def heard(seed: int, shift: float = 0.0, prefix: str = "s") -> Embeddings:
    """Sixteen people, four utterances each; what one encoder makes of one version of the recordings."""
    rng = np.random.default_rng(seed)
    voices = np.repeat(rng.normal(size=(PEOPLE, SIZE)), EACH, axis=0)
    names = tuple(f"{prefix}{k // EACH:02d}-{k % EACH}" for k in range(PEOPLE * EACH))
    vectors = shift + voices + 0.7 * rng.normal(size=voices.shape) * np.linspace(0.3, 3, SIZE)
    return Embeddings(vectors, names, tuple(name[:-2] for name in names))


def corpus() -> Corpus:
    """The first two utterances of each person enroll, the others are trials."""
    every = heard(0)
    rows = zip(every.utterances, every.speakers or (), strict=True)
    return with_trials(Corpus(Path("x"), tuple(Utterance(name, Path(name), who) for name, who in rows)))


CORPUS = corpus()
ENROLLS = np.array([name in CORPUS.enrollment for name in heard(0).utterances])
ORIGINAL, ANONYMIZED = heard(1), heard(2, shift=3.0)
TRAINING = heard(3, shift=3.0, prefix="other")
