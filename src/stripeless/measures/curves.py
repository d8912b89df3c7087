"""The curves of an assessment, small enough to travel with the numbers: what plots, report and web page draw from."""

from __future__ import annotations

from typing import Any

import numpy as np

from stripeless.measures.ece import LOG10_ODDS, hull_ece, prior_entropy, weighted_ece
from stripeless.measures.one_pass import ScorePass
from stripeless.measures.roc import roc_of, thin
from stripeless.scores.calibration import pav_sorted
from stripeless.scores.check import FloatArray

DIGITS = 9  # significant ones: more than a figure shows, at any scale of the scores
POINTS = 400  # of a DET curve; more cannot be told apart in a figure
ENDS, MIDDLE = 1_000, 4_000  # scores of a very large class that the actual ECE is drawn from; see _spaced


def curves_of(scores: ScorePass) -> dict[str, Any]:
    """ECE profile, ROC and hull, histogram with local linkability, and calibration, as plain lists."""
    return {
        "ece": _ece(scores),
        "roc": _points(scores, hull=False),
        "roc_hull": _points(scores, hull=True),
        "histogram": histogram(scores.target, scores.nontarget),
        "segments": _segments(scores),
    }


def _ece(scores: ScorePass) -> dict[str, list[float] | None]:
    """`actual` is None where an infinite score makes it infinite."""
    actual = weighted_ece(_spaced(scores.target), _spaced(scores.nontarget), LOG10_ODDS)
    return {
        "log10_odds": _plain(LOG10_ODDS),
        "zero_evidence": _plain(prior_entropy(LOG10_ODDS)),
        "calibrated": _plain(hull_ece(scores.hull, LOG10_ODDS)),
        "actual": _plain(actual) if np.isfinite(actual).all() else None,
    }


def _spaced(ascending: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scores and how many each stands for: all of them, or the outermost at both ends, where a single one can cost as
    much as all others, and evenly spaced quantiles between."""
    middle = ascending.size - 2 * ENDS
    if middle <= 2 * MIDDLE:
        return ascending, np.ones(ascending.size)
    picks = ENDS + ((np.arange(MIDDLE) + 0.5) * (middle / MIDDLE)).astype(np.int64)
    chosen = np.concatenate([ascending[:ENDS], ascending[picks], ascending[-ENDS:]])
    return chosen, np.concatenate([np.ones(ENDS), np.full(MIDDLE, middle / MIDDLE), np.ones(ENDS)])


def _points(scores: ScorePass, hull: bool) -> dict[str, list[float]]:
    curve = thin(roc_of(scores.hull if hull else scores.stairs), POINTS)
    return {"false_alarm": _plain(curve.false_alarm), "miss": _plain(curve.miss)}


_DENSEST = 1e300  # of scores so near to each other no number could say how dense they are


def histogram(target: FloatArray, nontarget: FloatArray, bins: int = 60) -> dict[str, list[float]]:
    """Densities of both classes in equal bins over the range that holds all but the outermost 0.1 % of each class.

    Scores beyond are counted in the first and last bin, so that an outlier cannot squash the picture.
    """
    ends = [end for scores in (target, nontarget) for end in _bulk(scores)]
    edges = _edges(min(ends), max(ends), bins) if ends else _edges(0.0, 0.0, bins)
    densities = []
    for scores in (target, nontarget):
        at = np.searchsorted(scores, edges)
        at[0], at[-1] = 0, scores.size
        with np.errstate(over="ignore"):
            density = np.diff(at) / scores.size / (edges[1] - edges[0])
        densities.append(np.minimum(density, _DENSEST))
    return {"edges": _plain(edges), "target": _plain(densities[0]), "nontarget": _plain(densities[1])}


def _edges(low: float, high: float, bins: int) -> FloatArray:
    """Bins of equal width; a range too narrow to be cut is widened until it can be."""
    edges = 2 * np.linspace(low / 2, high / 2, bins + 1)  # halved, or the width of the widest range overflows
    if (np.diff(edges) > 0).all():
        return edges
    pad = max(0.5, bins * float(np.spacing(max(abs(low), abs(high)))))
    return np.linspace(low - pad, high + pad, bins + 1)


def _bulk(ascending: FloatArray) -> tuple[float, ...]:
    """The scores one thousandth in from either end of the finite ones; nothing where none is finite."""
    first, last = np.searchsorted(ascending, -np.inf, side="right"), np.searchsorted(ascending, np.inf, side="left") - 1
    if last < first:
        return ()
    inset = (last - first) // 1000
    return float(ascending[first + inset]), float(ascending[last - inset])


def _segments(scores: ScorePass) -> dict[str, list[float | None]]:
    """The hull's segments: scores from low to high, their calibrated log10 LR and local linkability.

    An infinite LR (a segment of one class alone) is None.
    """
    fit = pav_sorted(scores.target, scores.nontarget, scores.hull)
    x, y = scores.hull.shares
    if fit.llr.size > POINTS:  # merge the shortest neighbors by taking evenly spaced segments by weight
        weight = np.cumsum(x + y)
        keep = np.unique(np.searchsorted(weight, np.linspace(0, weight[-1], POINTS, endpoint=False)))
    else:
        keep = np.arange(fit.llr.size)
    local = np.maximum(0.0, (x - y) / (x + y))
    log10_lr = fit.llr / np.log(10)
    return {
        "low": [_or_none(v) for v in fit.low[keep]],
        "high": [_or_none(v) for v in fit.high[keep]],
        "log10_lr": [_or_none(v) for v in log10_lr[keep]],
        "local_linkability": [_or_none(v) for v in local[keep]],
    }


def _or_none(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None


def _plain(values: FloatArray) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values.tolist()]
