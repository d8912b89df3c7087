"""Calibration: from scores to log-likelihood ratios, learned on one set of trials and applied to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, NotANumber
from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, merge_sorted


def _numbers(scores: ArrayLike) -> FloatArray:
    """Scores of any shape; NaN is refused, because a step function would turn it into the strongest evidence."""
    values = np.asarray(scores, dtype=np.float64)
    if np.isnan(values).any():
        raise NotANumber(f"scores: {int(np.isnan(values).sum())} of {values.size} are NaN; leave those trials out")
    return values


@dataclass(frozen=True, eq=False)
class PavCalibration:
    """The best monotone map from scores to natural-log likelihood ratios, as steps.

    `llr[k]` holds from `low[k]` to `high[k]`; between two steps it changes half-way.

    Attributes:
        low: the lowest training score of each step, in rising order.
        high: the highest training score of each step.
        llr: natural-log likelihood ratio of each step; infinite at the ends unless `laplace` was asked for.
    """

    low: FloatArray
    high: FloatArray
    llr: FloatArray

    def apply(self, scores: ArrayLike) -> FloatArray:
        """Natural-log LLRs of these `scores`, in their shape; those beyond the training range take the outermost step."""
        values = _numbers(scores)
        with np.errstate(invalid="ignore"):
            borders = self.high[:-1] + (self.low[1:] - self.high[:-1]) / 2
        # Half-way between a finite and an infinite score there is nothing: the finite one keeps its step.
        borders = np.where(np.isfinite(borders), borders, self.high[:-1])
        step = np.searchsorted(borders, values, side="left")
        # A border can round down onto the step below; then the score that opens the next step decides.
        following = np.minimum(step + 1, self.low.size - 1)
        step = np.where(values >= self.low[following], following, step)
        return np.asarray(self.llr[step])


@dataclass(frozen=True)
class LinearCalibration:
    """A straight line from scores to natural-log likelihood ratios: LLR = scale * score + offset.

    Attributes:
        scale: nats per unit of the score.
        offset: LLR of a score of 0, in nats.
    """

    scale: float
    offset: float

    def apply(self, scores: ArrayLike) -> FloatArray:
        """Natural-log LLRs of these `scores`, in their shape."""
        return np.asarray(self.scale * _numbers(scores) + self.offset)


def fit_pav(target: ArrayLike, nontarget: ArrayLike, *, laplace: bool = False) -> PavCalibration:
    """Pool adjacent violators: the best increasing map from scores to likelihood ratios.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
        laplace: add one more trial of each class at both ends, which keeps every ratio finite.
    Returns:
        A `PavCalibration`, whose `apply(scores)` gives natural-log likelihood ratios.

    >>> fit_pav([1.0, 3.0], [0.0, 2.0]).apply([0.0, 1.0, 2.0, 3.0]).tolist()
    [-inf, 0.0, 0.0, inf]
    """
    target, nontarget = check_scores(target, nontarget)
    target, nontarget = np.sort(target), np.sort(nontarget)
    stairs = merge_sorted(target, nontarget)
    return pav_sorted(target, nontarget, stairs.hull, laplace)


def pav_sorted(target: FloatArray, nontarget: FloatArray, hull: Staircase, laplace: bool = False) -> PavCalibration:
    """`fit_pav` of ascending arrays whose hull is at hand."""
    low, high = segment_scores(hull, target, nontarget)
    x, y = hull.steps
    if laplace:
        pooled = laplace_hull(hull)
        # Each segment of the plain hull lies inside one of the Laplace hull: take the ratio from there.
        ends = np.searchsorted(pooled.target + pooled.nontarget, hull.target + hull.nontarget + 2.0)
        x, y = (part[ends] for part in pooled.steps)
    with np.errstate(divide="ignore"):
        llr = np.log(x) - np.log(y) - np.log(hull.n_target / hull.n_nontarget)
    return PavCalibration(low, high, llr)


def segment_scores(hull: Staircase, target: FloatArray, nontarget: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least and greatest score within each segment of the hull of these ascending arrays."""
    low = np.full(hull.target.size, np.inf)
    high = np.full(hull.target.size, -np.inf)
    for ends, scores in ((hull.target, target), (hull.nontarget, nontarget)):
        end = ends.astype(np.int64)
        start = np.concatenate([[0], end[:-1]])
        some = end > start
        low[some] = np.minimum(low[some], scores[start[some]])
        high[some] = np.maximum(high[some], scores[end[some] - 1])
    return low, high


def laplace_hull(hull: Staircase) -> Staircase:
    """The hull with one more trial of each class below all scores and one more of each above them.

    Adding them to the hull's segments instead of to all scores gives the same hull.
    """
    targets = np.concatenate([[1.0], hull.target + 1.0, [hull.n_target + 2.0]])
    nontargets = np.concatenate([[1.0], hull.nontarget + 1.0, [hull.n_nontarget + 2.0]])
    return Staircase(targets, nontargets).hull


def fit_logistic_calibration(target: ArrayLike, nontarget: ArrayLike, *, prior: float = 0.5) -> LinearCalibration:
    """Logistic regression with both classes weighed to this prior of a target; the usual calibration of a back-end.

    Training and test trials must not share speakers, or the calibration flatters the attacker.

    Parameters:
        target: finite scores of training trials of one person, 1-D.
        nontarget: finite scores of training trials of two people; the classes must overlap.
        prior: probability of a target at which the map should be best, between 0 and 1.
    Returns:
        A `LinearCalibration`, whose `apply(scores)` gives natural-log likelihood ratios.

    >>> calibration = fit_logistic_calibration([1.0, 2.0, 3.0, 0.0], [0.0, -1.0, -2.0, 1.0])
    >>> round(calibration.scale, 3), round(calibration.offset, 3)
    (1.55, -0.775)
    """
    target, nontarget = check_scores(target, nontarget)
    if not 0 < prior < 1:
        raise InputError(f"prior: expected a number between 0 and 1, got {prior}")
    for side, name in ((target, "target"), (nontarget, "nontarget")):
        if not np.isfinite(side).all():
            raise InputError(
                f"{name}: a logistic calibration learns nothing from infinite scores; leave them out or clip them"
            )
    scores = np.concatenate([target, nontarget])
    constant = scores.min() == scores.max()
    if not constant and (target.min() >= nontarget.max() or target.max() <= nontarget.min()):
        raise InputError(
            "target and nontarget: no score of one class lies beyond one of the other, so the best scale is infinite; "
            "train on more trials or use fit_pav with laplace=True"
        )
    center, spread = float(np.median(scores)), float(np.std(scores))
    if constant or spread == 0:
        return LinearCalibration(0.0, 0.0)
    scale, offset = _newton((target - center) / spread, (nontarget - center) / spread, prior)
    return LinearCalibration(scale / spread, offset - scale * center / spread)


def _newton(target: FloatArray, nontarget: FloatArray, prior: float) -> tuple[float, float]:
    """Weighted logistic regression of one variable; the problem is convex, so damped Newton steps end."""
    x = np.concatenate([target, nontarget])
    sign = np.concatenate([np.ones(target.size), -np.ones(nontarget.size)])
    parts = ((target.size, prior), (nontarget.size, 1 - prior))
    weight = np.concatenate([np.full(size, share / size) for size, share in parts])
    logit = np.log(prior / (1 - prior))

    def cost(w: FloatArray) -> float:
        return float(weight @ np.logaddexp(0.0, -sign * (w[0] * x + w[1] + logit)))

    w = np.zeros(2)
    now = cost(w)
    for _ in range(200):
        p = 1 / (1 + np.exp(np.clip(sign * (w[0] * x + w[1] + logit), -700, 700)))
        pull = weight * sign * p
        gradient = np.array([pull @ x, pull.sum()])
        bend = weight * p * (1 - p)
        hessian = np.array([[bend @ (x * x), bend @ x], [bend @ x, bend.sum()]]) + 1e-15 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        while (new := cost(w + step)) > now and np.abs(step).max() > 1e-12:
            step = step / 2
        w = w + step
        if abs(now - new) <= 1e-15 * max(1.0, now) and np.abs(step).max() < 1e-9:
            break
        now = new
    return float(w[0]), float(w[1])
