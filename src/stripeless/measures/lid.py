"""LID: information disclosed by one trial, in bits, when the attacker knows that one of N enrolled people spoke it.

The scores of a trial against all N enrolled speakers are normalized, turned into probabilities by a logistic slope learned on
other speakers, and compared with the guess 1/N: LID = log2(N p). 0 bit is the private end; log2 N is full
disclosure; below 0 the attacker is misled. After arXiv 2607.06259, reimplemented from its formulas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, NotANumber
from stripeless.scores.calibration import fit_logistic_calibration
from stripeless.scores.check import FloatArray


@dataclass(frozen=True, eq=False)
class Lid:
    """What trials disclose about who of N enrolled people spoke, in bits; log2 N is full disclosure.

    Attributes:
        alid: mean over all trials, in bits.
        pdr: share of trials that disclose more than 0 bit, 0 to 1.
        ndr: share of the other trials, which mislead or say nothing, 0 to 1.
        lid_plus: mean of the trials above 0 bit; 0 where there are none.
        lid_minus: mean of the other trials, 0 or below; 0 where there are none.
        lid_max: the most that one trial discloses, in bits.
        n: how many people are enrolled.
        per_trial: bits of each trial, in the order of the scores.
    """

    alid: float
    pdr: float
    ndr: float
    lid_plus: float
    lid_minus: float
    lid_max: float
    n: int
    per_trial: FloatArray


def lid(scores: ArrayLike, true_speaker: ArrayLike, slope: float, *, population: bool = False) -> Lid:
    """Bits disclosed by each trial against all enrolled speakers, one of whom is the true one.

    Parameters:
        scores: trials x enrolled speakers; higher must mean more alike.
        true_speaker: for each trial the column of its speaker, counted from 0.
        slope: what one unit of the normalized score is worth in nats; learn it on other speakers.
        population: divide by N instead of N - 1 in the normalization: the manuscript's example, not its program.
    Returns:
        A `Lid`: the mean over trials (`alid`), its positive and negative parts, the maximum, and `per_trial`, all in
        bits; log2 N is full disclosure.

    >>> scores = [[0.9, 0.7, 0.4, 1.1, 1.2, 0.4]]
    >>> round(lid(scores, [3], 1.5).alid, 3), round(lid(scores, [3], 1.5, population=True).alid, 3)
    (0.892, 0.9)
    """
    matrix, truth = _checked(scores, true_speaker)
    z = slope * normalized_rows(matrix, population=population)
    own = z[np.arange(len(z)), truth]
    highest = z.max(axis=1)
    log_p = own - highest - np.log(np.exp(z - highest[:, None]).sum(axis=1))
    bits = np.log2(matrix.shape[1]) + log_p / np.log(2)
    above = bits > 0
    return Lid(
        alid=float(bits.mean()),
        pdr=float(above.mean()),
        ndr=float(1 - above.mean()),
        lid_plus=float(bits[above].mean()) if above.any() else 0.0,
        lid_minus=float(bits[~above].mean()) if (~above).any() else 0.0,
        lid_max=float(bits.max()),
        n=matrix.shape[1],
        per_trial=bits,
    )


def fit_lid_slope(scores: ArrayLike, true_speaker: ArrayLike, *, population: bool = False) -> float:
    """The slope, by balanced logistic regression on normalized scores; the speakers must not be those that are judged."""
    matrix, truth = _checked(scores, true_speaker)
    z = normalized_rows(matrix, population=population)
    own = np.zeros(z.shape, dtype=bool)
    own[np.arange(len(z)), truth] = True
    return fit_logistic_calibration(z[own], z[~own]).scale


def normalized_rows(matrix: FloatArray, *, population: bool = False) -> FloatArray:
    """Each trial's scores less their mean, by their deviation; a trial whose scores are all alike says nothing, so 0."""
    centered = matrix - matrix.mean(axis=1, keepdims=True)
    spread = matrix.std(axis=1, ddof=0 if population else 1, keepdims=True)
    result: FloatArray = np.divide(centered, spread, out=np.zeros_like(centered), where=spread > 0)
    return result


def _checked(scores: ArrayLike, true_speaker: ArrayLike) -> tuple[FloatArray, NDArray[np.int64]]:
    matrix, truth = np.asarray(scores, dtype=np.float64), np.asarray(true_speaker)
    if matrix.ndim != 2 or matrix.shape[1] < 2 or not len(matrix):
        raise InputError(
            f"scores: expected one row per trial and a column per enrolled speaker, got shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all():
        raise NotANumber("scores: NaN or infinity among them; every trial needs a score against every enrolled speaker")
    if (
        truth.shape != (len(matrix),)
        or truth.dtype.kind not in "iu"
        or truth.min() < 0
        or truth.max() >= matrix.shape[1]
    ):
        raise InputError(
            "true_speaker: expected for each trial the number of a column; leave out speakers not enrolled"
        )
    return matrix, truth.astype(np.int64)
