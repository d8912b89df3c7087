"""A population whose attribute is known exactly: every vector's true log-likelihood ratio, hidden from linear
methods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.errors import InputError
from stripeless.scores.check import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AttributePopulation:
    """`llr[i]`: the true natural-log likelihood ratio of row i, in favor of the first class in alphabetical order."""

    vectors: FloatArray
    labels: tuple[str, ...]
    speakers: tuple[str, ...]
    llr: FloatArray


def simulate_attribute(
    speakers: int = 100,
    utterances: int = 20,
    *,
    dimension: int = 6,
    mu: float = 9.0,
    speaker_share: float = 0.5,
    turn: float = 0.4,
    seed: int = 0,
    world: int = 0,
) -> AttributePopulation:
    """Speakers of two sexes whose vectors bend around their evidence.

    The evidence is an LLR as in Eq. 2 and 3: mean mu for one sex and -mu for the other, variance 2 mu, of which
    `speaker_share` is the speaker's own. The residual is Gaussian and knows nothing of the sex. A fixed invertible map,
    the same for every `seed` of one `world`, turns the direction in which the evidence lies by `turn` radians per
    standard deviation of another part of the residual, and mixes all dimensions: the LLR stays what it was, and no
    linear function of the vector is near it. A linear protection can hide the evidence only where it happens to point
    the usual way.

    >>> people = simulate_attribute(10, 3)
    >>> people.vectors.shape, len(set(people.speakers))
    ((30, 6), 10)
    """
    if dimension < 3 or speakers < 2 or utterances < 1 or mu <= 0 or not 0 <= speaker_share <= 1:
        raise InputError(
            "simulate_attribute: expected 3 or more dimensions, 2 or more speakers, 1 or more utterances, mu above 0 and a "
            f"share, got {dimension}, {speakers}, {utterances}, {mu} and {speaker_share}"
        )
    rng = np.random.default_rng(seed)
    people: IntArray = np.repeat(np.arange(speakers), utterances)
    own, now = rng.normal(size=(speakers, dimension))[people], rng.normal(size=(people.size, dimension))
    normal = np.sqrt(speaker_share) * own + np.sqrt(1 - speaker_share) * now
    female = people % 2 == 0
    llr = np.where(female, mu, -mu) + np.sqrt(2 * mu) * normal[:, 0]
    residual = normal[:, 1:]
    scaled, beside, turning = llr / np.sqrt(2 * mu), residual[:, 0], turn * residual[:, 1]
    first = np.cos(turning) * scaled - np.sin(turning) * beside
    second = np.sin(turning) * scaled + np.cos(turning) * beside
    mix = np.linalg.qr(np.random.default_rng(world).normal(size=(dimension, dimension)))[0]
    return AttributePopulation(
        vectors=np.column_stack([first, second, residual[:, 1:]]) @ mix,
        labels=tuple("f" if is_female else "m" for is_female in female),
        speakers=tuple(f"{seed}-{person}" for person in people),
        llr=llr,
    )
