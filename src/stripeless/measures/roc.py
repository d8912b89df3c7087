"""The ROC and its convex hull, as error rates. A DET curve is the same points on normal-deviate axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, staircase


@dataclass(frozen=True, eq=False)
class Roc:
    """Error rates from the most to the least permissive threshold; neighbors are joined by straight lines.

    Attributes:
        false_alarm: share of nontargets accepted at each point, falling from 1 to 0.
        miss: share of targets refused at each point, rising from 0 to 1; the hit rate is 1 - miss.
    """

    false_alarm: FloatArray
    miss: FloatArray


def roc(target: ArrayLike, nontarget: ArrayLike) -> Roc:
    """Every corner of the ROC, ties pooled; points on a straight line between corners are left out.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        A `Roc`: `false_alarm` and `miss` as shares, from the most permissive threshold to the strictest.

    >>> curve = roc([1.0, 3.0], [0.0, 2.0])
    >>> curve.false_alarm.tolist(), curve.miss.tolist()
    ([1.0, 0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    """
    return roc_of(staircase(*check_scores(target, nontarget)))


def roc_hull(target: ArrayLike, nontarget: ArrayLike) -> Roc:
    """The convex hull of the ROC: the best that any attacker can reach who thresholds these scores.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        A `Roc` as from `roc`, with the corners of the hull only.

    >>> curve = roc_hull([1.0, 3.0], [0.0, 2.0])
    >>> curve.false_alarm.tolist(), curve.miss.tolist()
    ([1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 1.0])
    """
    return roc_of(staircase(*check_scores(target, nontarget)).hull)


def roc_of(stairs: Staircase) -> Roc:
    """The step ends of a staircase as error rates, with the corner that accepts everything."""
    return Roc(
        false_alarm=np.concatenate([[1.0], 1.0 - stairs.nontarget / stairs.n_nontarget]),
        miss=np.concatenate([[0.0], stairs.target / stairs.n_target]),
    )


def thin(curve: Roc, most: int) -> Roc:
    """At most about `most` points of a curve, spread evenly along it on normal-deviate axes; the ends stay."""
    if curve.miss.size <= most:
        return curve
    from scipy.special import ndtr

    # Corners next to evenly spaced rates of either kind, up to five deviations out: a search, whatever their number.
    rates = ndtr(np.linspace(-5.0, 5.0, most // 2))
    near = [np.searchsorted(curve.miss, rates), np.searchsorted(-curve.false_alarm, -rates)]
    keep = np.unique(np.concatenate([[0], *near, [curve.miss.size - 1]]).clip(0, curve.miss.size - 1))
    return Roc(curve.false_alarm[keep], curve.miss[keep])
