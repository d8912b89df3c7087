"""Vectors of people before and after a simulated anonymizer, in the shape that `play_attackers` takes."""

from __future__ import annotations

import numpy as np

from stripeless.attackers.embedded import Embedded
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take

D = 12


def speech(speakers: range, each: int = 8, seed: int = 0) -> Embeddings:
    """Speakers of a fixed population; the same speaker numbers are the same people."""
    rng = np.random.default_rng(seed)
    people = np.random.default_rng(11).normal(size=(400, D))
    who = np.repeat(np.array(speakers), each)
    names = tuple(f"s{i}" for i in who)
    return Embeddings(
        people[who] + 0.6 * rng.normal(size=(len(who), D)), tuple(f"{n}-{seed}-{i}" for i, n in enumerate(names)), names
    )


def anonymized(data: Embeddings, strength: float = 3.0, seed: int = 1) -> Embeddings:
    """Voices are squeezed in half of the directions and bent by a fixed map, with fresh noise for each utterance."""
    rng = np.random.default_rng([seed, len(data)])
    bend = np.random.default_rng(42).normal(size=(D, D))
    squeezed = data.vectors * np.repeat([1.0, 0.1], D // 2)
    noise = strength * rng.normal(size=data.vectors.shape) * np.repeat([0.1, 1.0], D // 2)
    return Embeddings((squeezed + noise) @ bend, data.utterances, data.speakers)


def halves(data: Embeddings) -> Embedded:
    odd = np.arange(len(data)) % 2 == 1
    return Embedded(take(data, odd), take(data, ~odd))
