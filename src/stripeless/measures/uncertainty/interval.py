"""From resampled values to an interval.

Measures that rest on pool adjacent violators fit themselves to the sample, and more so to a resample that repeats it:
near chance, every resampled Cllr_min lies below the estimate, which lies below the truth. The usual percentiles then miss
the truth almost always. The basic interval turns the resampled deviations round and so corrects for it; it is widened
for few speakers as Student's t widens a normal interval. How often either covers the truth in simulated tests stands in
docs/explanation/intervals.md.
"""

from __future__ import annotations

import numpy as np

from stripeless.measures.catalog import MEASURES
from stripeless.measures.low_false_alarm import clopper_pearson
from stripeless.measures.measure import MeasureInfo
from stripeless.scores.check import FloatArray

LEVEL = 0.95
_UNLISTED = MeasureInfo("", "", "", "low", None, None, "", "")  # of which nobody said what it can be


def interval(
    name: str, value: float, resampled: FloatArray, units: int, level: float = LEVEL
) -> tuple[float, float] | None:
    """Interval of a measure from its values in resamples of this many units; None where they cannot give one.

    It always contains the value itself and stays within what the measure's entry says it can be at all. A single speaker
    has no spread, and resamples that all agree (scores that are separated, say) show none: then only rates have an
    interval, that of so many units without an exception.
    """
    info = MEASURES.get(name, _UNLISTED)
    usable = resampled[~np.isnan(resampled)]
    if units < 2 or usable.size < 0.9 * resampled.size or usable.size < 20 or not np.isfinite(value):
        return None
    tail = (1 - level) / 2
    below, above = (float(q) for q in np.quantile(usable, [tail, 1 - tail], method="nearest"))
    if not np.isfinite([below, above]).all():
        return None
    without_exception = info.rate and value in (0.0, 1.0)  # then the limit of so many error-free units still holds
    if below == above:
        return clopper_pearson(units * value, units, level) if without_exception else None
    if info.interval == "percentiles":
        low, high = below, above
    else:
        wider = small_sample_factor(units)
        low, high = value - wider * (above - value), value - wider * (below - value)
    if without_exception:
        exact = clopper_pearson(units * value, units, level)
        low, high = min(low, exact[0]), max(high, exact[1])
    low = low if info.lowest is None else max(low, info.lowest)
    high = high if info.highest is None else min(high, info.highest)
    return min(low, value), max(high, value)


def small_sample_factor(units: int) -> float:
    """How much wider an interval from this many independent units is than one from very many.

    >>> round(small_sample_factor(30), 3), round(small_sample_factor(100_000), 3)
    (1.061, 1.0)
    """
    from scipy.special import ndtri, stdtrit

    if units < 2:
        return float("inf")
    tail = 1 - (1 - LEVEL) / 2
    return float(stdtrit(units - 1, tail) / ndtri(tail) * np.sqrt(units / (units - 1)))
