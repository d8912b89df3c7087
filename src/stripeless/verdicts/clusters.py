"""Where nobody is named: what so many people could show by luck alone.

Without a leak the mean rank of a person's own scores has a variance of at most 1/12 about the middle, however much the
recordings of a person resemble each other. The mean over G people then exceeds 1/2 + 1.645 / sqrt(12 (G - 1)) in at most
about one of twenty draws; with two people, the fewest there can be, that is an AUC of .975.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from stripeless.scores.check import FloatArray
from stripeless.verdicts.bounds import Bounds

ONE_SIDED = 1.645  # normal quantile of 95 %
FEWEST = 2


def area(target: FloatArray, nontarget: FloatArray) -> float:
    """Chance that a target scores above a nontarget; ties count half. Both in ascending order.

    >>> area(np.array([1.0, 2.0]), np.array([0.0, 1.0]))
    0.875
    """
    few, many = (target, nontarget) if target.size <= nontarget.size else (nontarget, target)
    below = np.searchsorted(many, few, "left") + np.searchsorted(many, few, "right")
    share = float(below.mean()) / (2 * many.size)
    return share if few is target else 1 - share


def reach(people: int) -> float:
    """How far the AUC of so many unnamed people can lie above 1/2 without a leak."""
    return ONE_SIDED / sqrt(12 * (people - 1))


def people_for(auc: float) -> int | None:
    """From how many people on this AUC would be a leak; None where no number is enough."""
    if auc <= 0.5:
        return None
    return max(FEWEST, ceil(1 + (ONE_SIDED / (auc - 0.5)) ** 2 / 12 - 1e-9))


def bounds_of_unnamed(auc: float, people: int) -> Bounds:
    """The AUC with its limits, whatever the clustering."""
    return Bounds(auc, max(0.0, auc - reach(people)), min(1.0, auc + reach(people)), people)
