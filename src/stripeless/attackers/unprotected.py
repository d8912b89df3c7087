"""Was the speech that an attacker learned from anonymized at all? Asked of vectors, where before and after differ.

Two Gaussians are fitted to half of the people, to vectors before and after anonymization. Their answers on the other half
say how often each kind of vector looks like one from before. Training vectors are placed between these two rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
TOLD_APART = 0.25  # by how much the two rates must differ; else nothing is said
UNPROTECTED = 0.75  # place of the training vectors between them, 0 anonymized and 1 not, from which it is said
STRANGE = 4.0  # times as far from vectors before anonymization as unseen ones lie: these are of another kind
PER_DIRECTION = 8  # vectors of a side for each direction that is kept
MOST_DIRECTIONS = 40
MOST_ROWS = 4000  # of each side


@dataclass(frozen=True, eq=False)
class Telling:
    """Two Gaussians; above 0 a vector looks like those before anonymization."""

    mean: Matrix
    axes: Matrix
    before: tuple[Matrix, Matrix, float]
    after: tuple[Matrix, Matrix, float]

    def says_before(self, vectors: Matrix) -> NDArray[np.bool_]:
        """Which of these look like those before."""
        rows = (vectors - self.mean) @ self.axes
        return np.asarray(_likelihood(rows, self.before) > _likelihood(rows, self.after))

    def far_from_before(self, vectors: Matrix) -> float:
        """How far these lie from those before, in its own spread: the median of squares."""
        center, root, _ = self.before
        return float(np.median((((vectors - self.mean) @ self.axes - center) @ root) ** 2 @ np.ones(root.shape[1])))


def share_unprotected(
    before: NDArray[np.generic],
    speakers_before: Sequence[str],
    after: NDArray[np.generic],
    speakers_after: Sequence[str],
    training: NDArray[np.generic],
) -> float | None:
    """Share of training vectors that seem unprotected, where most do and the two kinds can be told apart; else None."""
    sides = [np.asarray(part, dtype=np.float64) for part in (before, after)]
    people = sorted(set(speakers_before) | set(speakers_after))
    if len(people) < 4 or not speakers_before or not speakers_after:
        return None
    if len(np.unique(sides[1], axis=0)) < len(sides[1]) / 2:
        return None  # many outputs are one: whatever varies would look like before
    first = set(people[::2])
    halves = [np.array([name in first for name in names]) for names in (speakers_before, speakers_after)]
    sides, halves = zip(*(_thinned(side, half) for side, half in zip(sides, halves, strict=True)), strict=True)  # type: ignore[assignment]
    taught, places = np.asarray(training, dtype=np.float64), []
    for inside in (True, False):
        seen = [side[half == inside] for side, half in zip(sides, halves, strict=True)]
        unseen = [side[half != inside] for side, half in zip(sides, halves, strict=True)]
        telling = fit_telling(seen[0], seen[1]) if min(map(len, (*seen, *unseen))) >= PER_DIRECTION else None
        if telling is None:
            return None
        whole, none, asked = (float(telling.says_before(part).mean()) for part in (*unseen, taught))
        if whole - none < TOLD_APART:
            return None
        if telling.far_from_before(taught) > STRANGE * telling.far_from_before(unseen[0]):
            return None  # like neither: anonymized in another way
        places.append((asked - none) / (whole - none))
    share = min(1.0, sum(places) / len(places))
    return share if share > UNPROTECTED else None


def fit_telling(before: Matrix, after: Matrix) -> Telling | None:
    """Gaussians in the directions in which all vectors vary most; None where nothing varies."""
    both = np.concatenate([before, after])
    mean = both.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov((both - mean).T) + 0.0)
    kept = min(MOST_DIRECTIONS, max(1, min(len(before), len(after)) // PER_DIRECTION), int((values > 1e-12).sum()))
    if kept < 1:
        return None
    scaled = axes[:, ::-1][:, :kept] / np.sqrt(values[::-1][:kept])
    return Telling(mean, scaled, *(_gaussian((side - mean) @ scaled) for side in (before, after)))


def _thinned(side: Matrix, half: NDArray[np.bool_]) -> tuple[Matrix, NDArray[np.bool_]]:
    step = max(1, len(side) // MOST_ROWS)
    return side[::step], half[::step]


def _gaussian(rows: Matrix) -> tuple[Matrix, Matrix, float]:
    """Mean, inverse root of the covariance (pulled a little towards a ball) and log determinant."""
    covariance = np.atleast_2d(np.cov(rows.T))
    size = float(np.trace(covariance)) / len(covariance)
    values, axes = np.linalg.eigh(0.95 * covariance + (0.05 * size + 1e-9) * np.eye(len(covariance)))
    return rows.mean(axis=0), axes / np.sqrt(values), float(np.log(values).sum())


def _likelihood(rows: Matrix, gaussian: tuple[Matrix, Matrix, float]) -> Matrix:
    mean, root, log_determinant = gaussian
    return np.asarray(-(((rows - mean) @ root) ** 2).sum(axis=1) - log_determinant)
