"""Leaks of known size, planted into protected vectors: classifiers that miss them could not have found a real one.

All rows of one class are moved in one direction, drawn at random; so far that a listener who knows all covariances, and
takes the mean of everything a speaker said, would err for one of five.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from stripeless.attackers.planted import IDEAL_EER, nothing_planted, shrunk
from stripeless.attributes.exchange import LEAK
from stripeless.attributes.levels import means_of
from stripeless.attributes.tested import Tested, tested_on
from stripeless.protections.labels import LabeledVectors
from stripeless.scores.check import FloatArray
from stripeless.verdicts.evidence import Planted

PLANTS = 5
Judge = Callable[[LabeledVectors], Tested]


def planted_leaks(test: Tested, seed: int) -> Planted:
    """How many leaks of known size the same classifiers find, each in the vectors that they were tried on."""
    rng = np.random.default_rng([seed, 31])
    moves = [move_of(test.data, rng) for _ in range(PLANTS)]
    if any(move is None for move in moves):
        return nothing_planted("all protected vectors of a class are alike, so a planted leak has no size")
    found = sum(found_in(test, moved(test.data, move, number)) for number, move in enumerate(moves) if move is not None)
    return Planted(PLANTS, found, 100 * IDEAL_EER)


def move_of(data: LabeledVectors, rng: np.random.Generator) -> FloatArray | None:
    """By how much rows are moved, so that speakers differ as far as the ideal listener needs; None where nothing varies."""
    means = means_of(data.vectors, data.speakers)
    units = means.std(axis=0)
    used = units > 1e-12 * max(float(units.max()), 1e-300)
    if not used.any():
        return None
    rows = means[:, used] / units[used]
    for code in range(len(data.classes)):
        ours = data.speaker_classes == code
        rows[ours] -= rows[ours].mean(axis=0)
    covariance = shrunk(rows)
    if not float(np.trace(covariance)) > 1e-12:
        return None
    direction = rng.normal(size=int(used.sum()))
    reach = float(np.sqrt(direction @ np.linalg.solve(covariance, direction)))
    move = np.zeros(units.size)
    move[used] = -2 * NormalDist().inv_cdf(IDEAL_EER) / reach * direction * units[used]
    return move


def moved(data: LabeledVectors, move: FloatArray, number: int) -> LabeledVectors:
    """The same with the rows of one class moved; the classes take turns."""
    ours = data.codes == number % len(data.classes)
    return replace(data, vectors=data.vectors + ours[:, None] * move)


def found_in(test: Tested, data: LabeledVectors) -> bool:
    """Whether the test calls it a leak, without training anew."""
    again = tested_on(data, data.vectors, test.folds, test.names, test.seed, None)
    return float(again.quick.careful.min()) <= LEAK
