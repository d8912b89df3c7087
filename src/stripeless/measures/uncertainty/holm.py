"""Holm's correction: p-values that stay honest when many are looked at together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError
from stripeless.scores.check import FloatArray


def holm(p_values: ArrayLike) -> FloatArray:
    """The p-values, each raised so that one false alarm among all of them is as rare as among one (Holm 1979).

    Never below the uncorrected values and never above Bonferroni's. NaN (a test that could not be made) stays NaN and
    does not count as a test.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"p_values: expected a flat list, got an array of shape {p.shape}")
    made = ~np.isnan(p)
    if ((p[made] < 0) | (p[made] > 1)).any():
        raise InputError("p_values: expected numbers between 0 and 1")
    order = np.argsort(p[made], kind="stable")
    steps = np.arange(order.size, 0, -1) * p[made][order]
    raised = np.empty(order.size)
    raised[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    corrected = np.full(p.size, np.nan)
    corrected[made] = raised
    return corrected
