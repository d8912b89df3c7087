"""Leaks of known size in embeddings: an attack that misses them could not have found a real one.

Each person's original voice, turned at random, is added to everything of theirs that was anonymized. Its size is such that
a listener who knows every voice and all covariances would err in one of five comparisons. A linear map can bring it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stripeless.attackers.inversion.people import Part
from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.attackers.planted import centered, shrunk, strength_against
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import FloatArray, need_speakers, speaker_codes
from stripeless.errors import InputError

KNOWN = 1e-3  # variance with which the ideal listener knows a voice, against that of a recording


@dataclass(frozen=True, eq=False)
class Plant:
    """What is added to the vectors of each person."""

    added: dict[str, FloatArray]

    def into(self, anonymized: Embeddings) -> Embeddings:
        """These vectors with the plant in them."""
        more = np.stack([self.added[name] for name in need_speakers(anonymized, "anonymized")])
        return replace(anonymized, vectors=anonymized.vectors + more)


def plant(parts: Sequence[Part], seed: int) -> list[Part]:
    """The parts with one plant in everything anonymized, learned from or judged."""
    rng = np.random.default_rng([seed, 23])
    made = _plant(parts, rng)
    return [
        Part(
            (made.into(one.training[0]), one.training[1]),
            replace(one.sets, anonymized_trials=made.into(one.sets.anonymized_trials)),
        )
        for one in parts
    ]


def _plant(parts: Sequence[Part], rng: np.random.Generator) -> Plant:
    names, voices = _voices([side for one in parts for side in (one.training[1], one.sets.original_trials)])
    left, sizes, _ = np.linalg.svd(voices, full_matrices=False)
    kept = sizes > 1e-9 * max(float(sizes[0]), 1e-300)
    if not kept.any():
        raise InputError("all original vectors are alike, so no voice can be planted")
    coordinates = left[:, kept] * (sizes[kept] / sizes[0])
    hidden = [one.sets.anonymized_trials for one in parts]
    tests = centered(
        np.concatenate([side.vectors for side in hidden]).astype(np.float64),
        [sex for side in hidden for sex in (side.sex or ("",) * len(side))],
    )
    covariance = shrunk(tests)
    axes = random_rotation(tests.shape[1], rng)[: coordinates.shape[1]] * np.sqrt(
        np.trace(covariance) / len(covariance)
    )
    strength = strength_against(axes * coordinates.std(axis=0)[:, None], covariance, KNOWN, rng)
    return Plant(dict(zip(names, strength * coordinates @ axes, strict=True)))


def _voices(sides: Sequence[Embeddings]) -> tuple[tuple[str, ...], FloatArray]:
    """The mean original vector of each person, less the mean of their sex."""
    names, codes = speaker_codes([name for side in sides for name in need_speakers(side, "original")])
    sexes = [sex for side in sides for sex in (side.sex or ("",) * len(side))]
    total = np.zeros((len(names), sides[0].dimension))
    np.add.at(total, codes, np.concatenate([side.vectors for side in sides]).astype(np.float64))
    first = np.unique(codes, return_index=True)[1].tolist()
    return names, centered(total / np.bincount(codes)[:, None], [sexes[row] for row in first])
