"""Information that is not monotone: an attacker who measures the distance from the middle does better than by the score."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from stripeless.assessment.doctor.runs import Finite
from stripeless.measures.eer import crossing
from stripeless.scores.check import FloatArray
from stripeless.scores.staircase import Staircase
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.finding import Finding

POINTS = 2048  # distances of each class at which the shares are compared
BETTER = 0.05  # by which the area under the curve must be larger than that of the score itself
BEYOND = 4.0  # standard errors from chance
UNNAMED = 2.0  # trials of one person are alike: errors are taken twice as large where nobody is named


@dataclass(frozen=True, eq=False)
class Distances:
    """Shares of both classes within rising distances from the middle of the nontargets."""

    middle: float
    at: FloatArray
    target: FloatArray
    nontarget: FloatArray

    def area(self) -> float:
        """How often a target lies closer to the middle than a nontarget; one half by chance."""
        steps = [np.diff(part, prepend=0.0) for part in (self.target, self.nontarget)]
        return float(steps[0] @ (1 - self.nontarget + steps[1] / 2))

    def error_rate(self, narrow: bool) -> float:
        """The equal error rate of an attacker who takes a small (narrow) or a large distance for more alike."""
        if not narrow:
            return crossing(_steps(self.target, self.nontarget))
        # A staircase rises with the score, here with closeness: both are counted from outside.
        outside = [np.append(1.0 - part[-2::-1], 1.0) for part in (self.target, self.nontarget)]
        return crossing(_steps(*outside))


def _steps(target: FloatArray, nontarget: FloatArray) -> Staircase:
    moved = np.diff(target, prepend=0.0) + np.diff(nontarget, prepend=0.0) > 0
    return Staircase(target[moved], nontarget[moved])


def distances(scores: Finite) -> Distances:
    """Counted by bisection at distances taken from both classes."""
    middle = float(scores.nontarget[scores.nontarget.size // 2])
    thin = [
        values[sorted({*range(0, values.size, max(1, values.size // POINTS)), values.size - 1})]
        for values in (scores.target, scores.nontarget)
    ]
    at = np.unique(np.abs(np.concatenate(thin) - middle))
    shares = [
        (np.searchsorted(values, middle + at, side="right") - np.searchsorted(values, middle - at, side="left"))
        / values.size
        for values in (scores.target, scores.nontarget)
    ]
    return Distances(middle, at, shares[0], shares[1])


def area_by_score(scores: Finite) -> float:
    """How often a target scores higher than a nontarget, from a part of the targets, evenly spaced."""
    thin = scores.target[(np.arange(POINTS) * scores.target.size + scores.target.size // 2) // POINTS]
    below = np.searchsorted(scores.nontarget, thin, "left") + np.searchsorted(scores.nontarget, thin, "right")
    return float(below.mean() / 2 / scores.nontarget.size)


def narrow_targets(scores: Finite, error_rate: float, trials: TrialScores | None) -> Finding | None:
    """Targets around the middle of the nontargets that vary less than these, or more: no threshold on the score sees it."""
    if not scores.enough:
        return None
    folded = distances(scores)
    area = folded.area()
    gain = abs(area - 0.5) - abs(area_by_score(scores) - 0.5)
    if gain < BETTER or abs(area - 0.5) < BEYOND * _error_of_area(scores, folded, area, trials):
        return None
    narrow = area > 0.5
    how, which = ("closer to", "small") if narrow else ("further from", "large")
    right, by_score = 1 - folded.error_rate(narrow), 1 - error_rate
    return Finding(
        "narrow_targets",
        "caution",
        f"Targets lie {how} the middle of the nontargets ({folded.middle:.4g}) than nontargets do. An attacker who takes a "
        f"{which} distance from it for more alike is right {100 * right:.0f} of 100 times, one who takes a higher score for "
        f"more alike {100 * by_score:.0f} of 100. Every measure here is about the second.",
    )


def _error_of_area(scores: Finite, folded: Distances, area: float, trials: TrialScores | None) -> float:
    """Standard error: over trials, and over the people who are targets where they are named."""
    n_t, n_n = scores.target.size, scores.nontarget.size
    plain = sqrt((n_t + n_n + 1) / (12 * n_t * n_n))
    people = None if trials is None else trials.enrollment_speakers or trials.trial_speakers
    if trials is None or people is None or people.target.min() < 0:
        return UNNAMED * plain
    place = np.interp(np.abs(trials.target - folded.middle), folded.at, folded.nontarget)
    off = (1 - place) - area
    sums = np.bincount(people.target, weights=off)
    present = np.bincount(people.target) > 0
    several = int(present.sum())
    if several < 3:
        return UNNAMED * plain
    error = sqrt(float(np.square(sums[present]).sum()) * several / (several - 1)) / trials.target.size
    return max(plain, error * (1 + 8 / several))  # few people: a t with few degrees of freedom has wide tails
