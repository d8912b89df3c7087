"""Leaks of known size, planted into anonymized vectors: an attack that misses them could not have found a real one.

Each person gets a direction of their own, as far from the others as voices are, turned at random; its size is such that a
listener who knows all covariances would err in one of five comparisons of one model with one recording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stripeless.attackers.backends import Matrix
from stripeless.attackers.battery import Battery, models_of
from stripeless.attackers.embedded import Embedded
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers
from stripeless.errors import InputError
from stripeless.verdicts.evidence import Planted

IDEAL_EER = 0.2  # of the listener who knows everything
DRAWS = 4000  # comparisons by which that listener's EER is found
HALVINGS = 8  # of the span in which the size of a plant lies: to half a percent of it
LARGEST = 1e4  # deviations of the anonymized vectors: a plant that needs more has no size


@dataclass(frozen=True, eq=False)
class Voices:
    """How far people lie apart in the original vectors: one row of coordinates per person, the spread of each coordinate."""

    row: dict[str, int]
    coordinates: Matrix
    spread: Matrix

    def of(self, speakers: tuple[str, ...], rng: np.random.Generator) -> Matrix:
        """The coordinates of these people; of those who are not known, drawn anew like them."""
        names = dict.fromkeys(speakers)
        made = {
            name: self.coordinates[self.row[name]]
            if name in self.row
            else rng.normal(size=len(self.spread)) * self.spread
            for name in names
        }
        return np.stack([made[name] for name in speakers])


def voices_of(battery: Battery) -> Voices:
    """From the mean of each person's original vectors, less the mean of their sex."""
    people = battery.people
    names = list(people)
    row = {name: k for k, name in enumerate(names)}
    total, count = np.zeros((len(names), battery.original.trials.dimension)), np.zeros(len(names))
    for side in (battery.original.enrollment, battery.original.trials):
        codes = [row[name] for name in need_speakers(side, "original")]
        np.add.at(total, codes, side.vectors.astype(np.float64))
        np.add.at(count, codes, 1.0)
    means = centered(total / count[:, None], [people[name] for name in names])
    left, sizes, _ = np.linalg.svd(means, full_matrices=False)
    kept = sizes > 1e-9 * sizes[0] if sizes[0] > 0 else np.zeros(sizes.size, dtype=bool)
    return Voices(row, left[:, kept] * sizes[kept], sizes[kept] / np.sqrt(len(names)))


def centered(rows: Matrix, groups: list[str]) -> Matrix:
    """The rows less the mean of their group."""
    result = rows.astype(np.float64, copy=True)
    for group in set(groups):
        members = np.array([one == group for one in groups])
        result[members] -= result[members].mean(axis=0)
    return result


def with_plant(battery: Battery, voices: Voices, rng: np.random.Generator) -> Battery:
    """The same battery with a leak planted into everything that was anonymized."""
    if not voices.spread.size:
        raise InputError("all original vectors are alike, so no voice can be planted")
    anonymized, others = planted_into(
        battery.anonymized, battery.others if battery.heard is None else None, battery, voices, rng
    )
    heard = None if battery.heard is None else planted_into(battery.heard, None, battery, voices, rng)[0]
    return replace(
        battery, anonymized=anonymized, heard=heard, others=others if battery.heard is None else battery.others
    )


def planted_into(
    sides: Embedded, others: Embeddings | None, battery: Battery, voices: Voices, rng: np.random.Generator
) -> tuple[Embedded, Embeddings | None]:
    """Both sides, and the speech of others, with the voices turned at random and added at the size that is wanted."""
    size, rank = sides.trials.dimension, len(voices.spread)
    scale = sides.trials.vectors.astype(np.float64).std(axis=0)
    turn = np.linalg.qr(rng.normal(size=(size, min(size, rank))))[0].T
    axes = turn if rank <= size else rng.normal(size=(rank, size)) / np.sqrt(size)
    strength = strength_of(sides, battery, axes * voices.spread[:, None], scale, rng)

    def moved(data: Embeddings) -> Embeddings:
        added = strength * voices.of(need_speakers(data, "speakers"), rng) @ axes * scale
        return replace(data, vectors=data.vectors + added)

    return Embedded(moved(sides.enrollment), moved(sides.trials)), None if others is None else moved(others)


def strength_of(sides: Embedded, battery: Battery, axes: Matrix, scale: Matrix, rng: np.random.Generator) -> float:
    """How large voices along these axes must be for the listener who knows all covariances."""
    people = battery.people
    units = np.where(scale > 1e-12, scale, 1.0)
    tests = centered(sides.trials.vectors / units, [people[name] for name in need_speakers(sides.trials, "trials")])
    models = models_of(sides.enrollment)[0]
    enrolled = centered(models.vectors / units, [people.get(name, "") for name in models.utterances])
    covariance = shrunk(tests)
    if not float(np.trace(covariance)) > 1e-12:
        raise InputError("all anonymized vectors are alike, so no planted voice can be compared with them")
    noise = max(float(np.square(enrolled).sum(axis=1).mean() / np.trace(covariance)), 1e-3)
    return strength_against(axes, covariance, noise, rng)


def strength_against(axes: Matrix, covariance: Matrix, noise: float, rng: np.random.Generator) -> float:
    """How large voices along these axes must be, where recordings vary like this and models `noise` times as much."""
    values, vectors = np.linalg.eigh(covariance)
    if values[-1] <= 0:
        raise InputError("the anonymized vectors are all alike, so a planted voice has no size")
    whitened = axes @ (vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1])))
    gains = np.linalg.svd(whitened, compute_uv=False) ** 2
    draws = rng.normal(size=(4, DRAWS, gains.size))
    low, high = 0.0, 1.0
    while ideal_eer(high**2 * gains, noise, draws) > IDEAL_EER:
        low, high = high, 2 * high
        if high > LARGEST:
            raise InputError("the anonymized vectors vary too much for a planted voice to show")
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if ideal_eer(middle**2 * gains, noise, draws) > IDEAL_EER else (low, middle)
    return high


def shrunk(rows: Matrix) -> Matrix:
    """Covariance of centered rows, pulled towards a multiple of the identity as far as so few rows need it (OAS, Chen et al.
    2010)."""
    count, size = rows.shape
    sample = rows.T @ rows / count
    trace, square = float(np.trace(sample)), float(np.square(sample).sum())
    below = (count + 1 - 2 / size) * (square - trace**2 / size)
    share = 1.0 if below <= 0 else min(1.0, ((1 - 2 / size) * square + trace**2) / below)
    return np.asarray((1 - share) * sample + share * trace / size * np.eye(size))


def ideal_eer(gains: Matrix, noise: float, draws: Matrix) -> float:
    """EER of the log-likelihood ratio, where models have variance `noise` and recordings 1 beside voices of variance `gains`.

    >>> draws = np.random.default_rng(0).normal(size=(4, 1000, 1))
    >>> round(ideal_eer(np.array([1e-9]), 1.0, draws), 1), round(ideal_eer(np.array([1e9]), 1.0, draws), 1)
    (0.5, 0.0)
    """
    from stripeless.measures.eer import eer

    voice, other, left, right = draws
    model = np.sqrt(gains) * voice + np.sqrt(noise) * left
    same, different = np.sqrt(gains) * voice + right, np.sqrt(gains) * other + right
    a, b = gains + noise, gains + 1
    determinant = a * b - gains**2

    def evidence(test: Matrix) -> Matrix:
        joint = (b * model**2 - 2 * gains * model * test + a * test**2) / determinant
        return np.asarray((model**2 / a + test**2 / b - joint).sum(axis=1) / 2)

    return eer(evidence(same), evidence(different))


def nothing_planted(reason: str) -> Planted:
    """That no leak was planted, and why."""
    return Planted(eer=100 * IDEAL_EER, reason=reason)
