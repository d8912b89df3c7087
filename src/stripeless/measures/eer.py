"""Equal error rate: where an attacker misses as many targets as nontargets are falsely accepted.

0 is an attacker who never errs, 0.5 one who guesses; above 0.5 the scores point the wrong way. The private end is 0.5.
Three definitions live here, because the literature prints all three under one name. None of them is folded at 0.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, staircase


def eer(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Where the piecewise-linear ROC, ties pooled, crosses miss rate = false-alarm rate.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        The equal error rate as a share: 0 for scores that separate, 0.5 for guessing, above 0.5 where higher means less
        alike.

    >>> eer([1.0, 2.0, 3.0, 4.0], [0.0, 1.5, -1.0, -2.0])
    0.25
    >>> eer([7.0, 7.0], [7.0, 7.0, 7.0])
    0.5
    """
    return crossing(staircase(*check_scores(target, nontarget)))


def eer_rocch(target: ArrayLike, nontarget: ArrayLike) -> float:
    """The same point on the convex hull of the ROC; never above 0.5 and never above `eer` below 0.5.

    The hull is what an attacker reaches who may recalibrate and toss coins (Brummer 2010).

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        The equal error rate on the hull as a share, 0 to 0.5.

    >>> eer_rocch([1.0, 2.0, 3.0, 4.0], [0.0, 1.5, -1.0, -2.0])
    0.125
    """
    return crossing(staircase(*check_scores(target, nontarget)).hull)


def eer_kaldi(target: ArrayLike, nontarget: ArrayLike) -> float:
    """As Kaldi's compute-eer prints it, and with it the tables of the VoicePrivacy challenges.

    A miss rate at one of the target scores, so it moves in steps of 1/targets.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        The equal error rate as a share, 0 to 1.

    >>> eer_kaldi([1.0, 2.0, 3.0, 4.0], [0.0, 1.5, -1.0, -2.0])
    0.25
    """
    target, nontarget = check_scores(target, nontarget)
    return kaldi_crossing(np.sort(target), np.sort(nontarget))


def crossing(stairs: Staircase) -> float:
    """Error rate where the line through the step ends of this staircase meets miss = false alarm."""
    miss = stairs.target / stairs.n_target
    false_alarm = 1.0 - stairs.nontarget / stairs.n_nontarget
    gap = miss - false_alarm  # rises from -1, before the first step, to 1
    k = int(np.searchsorted(gap, 0.0))
    low_miss, low_gap = (0.0, -1.0) if k == 0 else (float(miss[k - 1]), float(gap[k - 1]))
    along = -low_gap / (float(gap[k]) - low_gap)
    return low_miss + along * (float(miss[k]) - low_miss)


def kaldi_crossing(
    target: FloatArray,
    nontarget: FloatArray,
    target_weight: FloatArray | None = None,
    nontarget_weight: FloatArray | None = None,
) -> float:
    """Kaldi's rule on ascending scores; weights, given as running sums, stand for repeated scores.

    The first i for which the nontarget at the mirrored place is below the i-th target. Targets rise and the mirrored
    nontargets fall with i, so it is found by bisection.
    """
    t = target.size if target_weight is None else round(float(target_weight[-1]))
    n = nontarget.size if nontarget_weight is None else round(float(nontarget_weight[-1]))

    def crossed(i: int) -> bool:
        j = max(0, n - 1 - n * i // t)
        at = i if target_weight is None else int(np.searchsorted(target_weight, i, side="right"))
        mirrored = j if nontarget_weight is None else int(np.searchsorted(nontarget_weight, j, side="right"))
        return bool(nontarget[mirrored] < target[at])

    low, high = 0, t - 1  # Kaldi stops at the last target whether or not the two have crossed
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if crossed(middle) else (middle + 1, high)
    return low / t
