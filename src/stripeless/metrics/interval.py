"""From resampled values to an interval.

Measures that rest on pool adjacent violators fit themselves to the sample, and more so to a resample that repeats it:
near chance, every resampled Cllr_min lies below the estimate, which lies below the truth. The usual percentiles then miss
the truth almost always. The basic interval turns the resampled deviations round and so corrects for it; it is widened
for few speakers as Student's t widens a normal interval. How often either covers the truth in simulated tests stands in
docs/explanation/intervals.md.
"""

from __future__ import annotations

import numpy as np

from stripeless.metrics.zebra import D_ECE_MAX
from stripeless.scores.check import FloatArray

LEVEL = 0.95

# What each measure can be at all; an interval never leaves it.
_RANGES: dict[str, tuple[float, float]] = {
    "eer_rocch": (0.0, 0.5),
    "cllr": (0.0, np.inf),
    "d_ece": (0.0, D_ECE_MAX),
    "log10_lr": (0.0, np.inf),
    "epsilon": (0.0, np.inf),
    "key_length": (0.0, np.inf),
}
# A maximum has no population value to be off from: its interval says how much it varies over resamples.
_EXTREMES = frozenset({"log10_lr", "epsilon"})


def interval(name: str, value: float, resampled: FloatArray, units: int) -> tuple[float, float] | None:
    """95 % interval of a measure from its values in resamples of this many units; None where too few are defined.

    It always contains the value itself.
    """
    usable = resampled[~np.isnan(resampled)]
    if usable.size < 0.9 * resampled.size or usable.size < 20 or not np.isfinite(value):
        return None
    tail = (1 - LEVEL) / 2
    below, above = (float(q) for q in np.quantile(usable, [tail, 1 - tail], method="nearest"))
    if name in _EXTREMES:
        low, high = below, above
    else:
        wider = small_sample_factor(units)
        low, high = value - wider * (above - value), value - wider * (below - value)
    least, most = _RANGES.get(name, (0.0, 1.0))
    return min(max(low, least), value), max(min(high, most), value)


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
