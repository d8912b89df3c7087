"""Intervals over speakers for the statistics of rank disclosure.

Speakers, not probes, are drawn again with replacement: probes of one speaker are alike. The bootstrap is the basic one
(reflected about the estimate), because a resample holds fewer different ranks than the data and so overstates the
disclosure by about as much as the data overstate the truth; the reflection takes that back.
"""

from __future__ import annotations

import numpy as np

from stripeless.measures.catalog import RANK_MEASURES
from stripeless.ranks.disclosure import reach_of, spans_histogram, statistics_of
from stripeless.scores.check import FloatArray, IntArray

LEVEL = 0.95


def speaker_intervals(
    low: IntArray, width: IntArray, n: int, groups: IntArray, resamples: int, seed: int
) -> dict[str, tuple[float, float]]:
    """(low, high) of each statistic at 95 %, within what the statistic can be."""
    random = np.random.default_rng(seed)
    people = int(groups.max()) + 1
    estimate = statistics_of(spans_histogram(low, width, n) / low.size)
    drawn: dict[str, list[float]] = {name: [] for name in estimate}
    for _ in range(resamples):
        weight = np.bincount(random.integers(people, size=people), minlength=people)[groups].astype(np.float64)
        histogram = spans_histogram(low, width, n, weight)
        for name, value in statistics_of(histogram / histogram.sum()).items():
            drawn[name].append(value)
    ends = {name: info.highest or np.inf for name, info in RANK_MEASURES.items()} | reach_of(n)
    intervals = {}
    for name, value in estimate.items():
        below, above = np.quantile(drawn[name], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        low_end, high_end = min(value, 2 * value - above), max(value, 2 * value - below)  # holds the value itself
        intervals[name] = (float(np.clip(low_end, 0, ends[name])), float(np.clip(high_end, 0, ends[name])))
    intervals["id_rate"] = id_rate_interval(low, width, groups)
    return intervals


def id_rate_interval(low: IntArray, width: IntArray, groups: IntArray) -> tuple[float, float]:
    """Wilson's interval with the number of probes that independent ones would need to vary as much over speakers.

    The bootstrap would say (0, 0) where nobody was identified, however few were tried; this does not.
    """
    hit: FloatArray = np.where(low == 0, 1.0 / width, 0.0)
    rate = float(hit.mean())
    people = int(groups.max()) + 1
    residual = np.bincount(groups, weights=hit - rate, minlength=people)
    variance = float((residual**2).sum()) / hit.size**2 * people / max(1, people - 1)
    effective = rate * (1 - rate) / variance if variance > 0 else float(people)
    z = 1.959963984540054
    center = (rate + z**2 / (2 * effective)) / (1 + z**2 / effective)
    half = z * np.sqrt(rate * (1 - rate) / effective + z**2 / (4 * effective**2)) / (1 + z**2 / effective)
    return max(0.0, float(center - half)), min(1.0, float(center + half))
