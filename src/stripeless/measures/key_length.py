"""Key length: how many bits a biometric key bound to these comparisons could hold at most (after Veldhuis 2015).

Read the other way round it is how many bits a match gives away about who speaks; 0 is the private end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.scores.calibration import laplace_hull
from stripeless.scores.check import check_scores
from stripeless.scores.staircase import Staircase, staircase


def key_length(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Bits: the integral of slope times log2 of the slope along the ROC's convex hull.

    The slope of the ROC is the likelihood ratio, so this is the divergence of target from nontarget scores. One more
    trial of each class at both ends keeps it finite. Two unit-variance Gaussians two deviations apart have 2.885 bits.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        Bits per comparison, 0 where nothing can be learned; no upper end, but it grows slowly with the number of
        trials.

    >>> key_length([1.0, 1.0], [1.0, 1.0])
    0.0
    """
    return hull_key_length(staircase(*check_scores(target, nontarget)).hull)


def hull_key_length(hull: Staircase) -> float:
    """Sum of dTPR log2(dTPR / dFPR) over the segments of the hull with added trials."""
    x, y = laplace_hull(hull).shares
    return max(0.0, float((x * np.log2(x / y)).sum()))
