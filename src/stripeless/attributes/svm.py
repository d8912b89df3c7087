"""A support vector machine with a radial kernel that never mixes up a person with a class.

Width and cost are chosen, and its outputs turned into probabilities, on speakers that are held out from among those who
train it. scikit-learn's own calibration holds out rows: a speaker's other rows then tell who is held out, and the
ratios become far too bold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._draws import dealt
from stripeless._extras import need
from stripeless.scores.check import FloatArray

WIDTHS = (0.125, 0.5, 2.0)  # of the kernel's exponent, in units of one over the median squared distance
COSTS = (1.0, 10.0)
HOLD_OUT = 3  # parts of the speakers who train


class SpeakerSvm:
    """A classifier like those of scikit-learn, but that it wants to know whose the rows are."""

    by_speaker = True

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, vectors: NDArray[Any], codes: NDArray[np.int64], speakers: NDArray[np.int64]) -> None:
        """Learn `codes`, the class of each row, of `speakers`."""
        rows = np.asarray(vectors, dtype=np.float64)
        self.middle = rows.mean(axis=0)
        spread = rows.std(axis=0)
        self.spread = np.where(spread > 0, spread, 1.0)
        self.rows = (rows - self.middle) / self.spread
        distances = squared_distances(self.rows, self.rows)
        usual = float(np.median(distances[np.triu_indices(len(rows), 1)])) or 1.0
        folds = held_out_folds(codes, speakers, self.seed)
        best, held_out = -1.0, np.zeros((len(rows), int(codes.max()) + 1))
        width, self.cost = WIDTHS[0], COSTS[0]
        for wide in WIDTHS if folds is not None else ():
            kernel = np.exp(-wide / usual * distances)
            for cost in COSTS:
                found = decisions_held_out(kernel, codes, folds, cost)
                seen = separation(found, codes)
                if seen > best:
                    best, held_out, width, self.cost = seen, found, wide, cost
        self.width = width / usual
        self.machine = machine_on(np.exp(-self.width * distances), codes, self.cost)
        self.lines = [fit_line(held_out[:, code], codes == code) for code in range(held_out.shape[1])]

    def predict_proba(self, vectors: NDArray[Any]) -> FloatArray:
        """The probability of each class."""
        rows = (np.asarray(vectors, dtype=np.float64) - self.middle) / self.spread
        found = decisions(self.machine, np.exp(-self.width * squared_distances(rows, self.rows)))
        odds = np.column_stack([slope * found[:, code] + zero for code, (slope, zero) in enumerate(self.lines)])
        probability = 1 / (1 + np.exp(-np.clip(odds, -30.0, 30.0)))
        return np.asarray(probability / probability.sum(axis=1, keepdims=True))


def squared_distances(one: FloatArray, two: FloatArray) -> FloatArray:
    """Between every row of the one and every row of the other."""
    found = np.square(one).sum(axis=1)[:, None] + np.square(two).sum(axis=1) - 2 * one @ two.T
    return np.asarray(np.maximum(found, 0.0))


def held_out_folds(codes: NDArray[np.int64], speakers: NDArray[np.int64], seed: int) -> NDArray[np.int64] | None:
    """Which part each row's speaker is held out with; None where a class has one speaker only."""
    names, place, people = np.unique(speakers, return_index=True, return_inverse=True)
    classes = codes[place]
    fewest = int(np.bincount(classes).min())
    if fewest < 2:
        return None
    rng, fold = np.random.default_rng(seed), np.zeros(names.size, dtype=np.int64)
    for code in range(int(codes.max()) + 1):
        for person, number in dealt(np.flatnonzero(classes == code).tolist(), rng):
            fold[person] = number % min(HOLD_OUT, fewest)
    return fold[people]


def decisions_held_out(kernel: FloatArray, codes: NDArray[np.int64], folds: Any, cost: float) -> FloatArray:
    """How far each row lies on the side of each class, for a machine that never saw its speaker."""
    found = np.zeros((len(codes), int(codes.max()) + 1))
    for fold in range(int(folds.max()) + 1):
        learn, out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        machine = machine_on(kernel[np.ix_(learn, learn)], codes[learn], cost)
        found[out] = decisions(machine, kernel[np.ix_(out, learn)])
    return found


def machine_on(kernel: FloatArray, codes: NDArray[np.int64], cost: float) -> Any:
    """A machine that takes classes of unequal size for equally likely."""
    svm = need("sklearn.svm", "classifiers", "The support vector machine")
    return svm.SVC(C=cost, kernel="precomputed", class_weight="balanced", decision_function_shape="ovr").fit(
        kernel, codes
    )


def decisions(machine: Any, kernel: FloatArray) -> FloatArray:
    """One column per class, with two classes too."""
    found = np.asarray(machine.decision_function(kernel), dtype=np.float64)
    return np.column_stack([-found, found]) if found.ndim == 1 else found


def separation(found: FloatArray, codes: NDArray[np.int64]) -> float:
    """Mean over the classes of the AUC of one against the others."""
    from scipy.stats import rankdata

    shares = []
    for code in range(found.shape[1]):
        member = codes == code
        ours, others = int(member.sum()), int((~member).sum())
        ranks = rankdata(found[:, code])
        shares.append((ranks[member].sum() - ours * (ours + 1) / 2) / (ours * others))
    return float(np.mean(shares))


def fit_line(values: FloatArray, member: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and zero of the log odds of being a member (Platt 2000, with his targets short of 0 and 1).

    The slope stays above 0: where held-out speakers say nothing, or the contrary, the order of the rows is kept and the
    ratios are all about 1.

    >>> slope, zero = fit_line(np.array([-2.0, -1.0, 1.0, 2.0] * 9), np.array([False, False, True, True] * 9))
    >>> slope > 1, abs(zero) < 1e-6
    (True, True)
    """
    ours, others = int(member.sum()), int((~member).sum())
    goal = np.where(member, (ours + 1) / (ours + 2), 1 / (others + 2))
    scale = float(values.std()) or 1.0
    inputs = np.column_stack([values / scale, np.ones(values.size)])
    start = np.log((ours + 1) / (others + 1))
    found = np.array([0.0, start])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (chance - goal)
        curvature = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        found = found - np.clip(step, -4.0, 4.0)
        if np.abs(step).max() < 1e-9:
            break
    slope = float(found[0]) / scale
    return (slope, float(found[1])) if slope > 0 else (1e-3 / scale, float(start))
