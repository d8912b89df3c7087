"""Sorting large arrays on all cores: halves in threads, then one merge. NumPy lets go of the interpreter while it sorts."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from stripeless.scores.check import FloatArray

LARGE = 1 << 19  # below this a thread costs more than it saves
MOST_THREADS = 8


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sorted_copy(values: FloatArray) -> FloatArray:
    """`np.sort(values)`, on several cores where the array is large.

    >>> import numpy as np
    >>> sorted_copy(np.array([2.0, -np.inf, 1.0])).tolist()
    [-inf, 1.0, 2.0]
    """
    copy = values.copy()
    _sort(copy, min(cores(), MOST_THREADS))
    return copy


def _sort(values: FloatArray, threads: int) -> None:
    """Sort in place. The last step meets two ascending runs, which NumPy's stable sort merges in one sweep."""
    if threads < 2 or values.size < LARGE:
        values.sort()
        return
    middle = values.size // 2
    with ThreadPoolExecutor(1) as other:
        upper = other.submit(_sort, values[middle:], threads // 2)
        _sort(values[:middle], threads - threads // 2)
        upper.result()
    values.sort(kind="stable")
