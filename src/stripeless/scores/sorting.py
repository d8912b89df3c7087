"""Sorting large arrays on all cores: halves in threads, then one merge. NumPy lets go of the interpreter while it sorts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from stripeless.parallel.workers import usable_cores
from stripeless.scores.check import FloatArray, IntArray

LARGE = 1 << 19  # below this a thread costs more than it saves
MOST_THREADS = 8


def sorted_copies(target: FloatArray, nontarget: FloatArray) -> tuple[FloatArray, FloatArray]:
    """`np.sort` of both classes. While one core merges the halves of the larger one, another sorts the smaller one.

    >>> target, nontarget = sorted_copies(np.array([2.0, 1.0]), np.array([0.5, -np.inf]))
    >>> target.tolist(), nontarget.tolist()
    ([1.0, 2.0], [-inf, 0.5])
    """
    few, many = (target, nontarget) if target.size <= nontarget.size else (nontarget, target)
    if many.size < LARGE or usable_cores() < 2:
        return np.sort(target), np.sort(nontarget)
    few, many = few.copy(), many.copy()
    with ThreadPoolExecutor(1) as other:
        _sort_halves(many, min(usable_cores(), MOST_THREADS), other)
        smaller = other.submit(few.sort)
        many.sort(kind="stable")
        smaller.result()
    return (few, many) if target.size <= nontarget.size else (many, few)


def search_sorted(ascending: FloatArray, values: FloatArray) -> IntArray:
    """`np.searchsorted(ascending, values)` of ascending values, on two cores where there are many."""
    if values.size < LARGE or usable_cores() < 2:
        return np.searchsorted(ascending, values)
    middle = values.size // 2
    with ThreadPoolExecutor(1) as other:
        upper = other.submit(np.searchsorted, ascending, values[middle:])
        return np.concatenate([np.searchsorted(ascending, values[:middle]), upper.result()])


def _sort(values: FloatArray, threads: int) -> None:
    """Sort in place. The last step meets two ascending runs, which NumPy's stable sort merges in one sweep."""
    if threads < 2 or values.size < LARGE:
        values.sort()
        return
    with ThreadPoolExecutor(1) as other:
        _sort_halves(values, threads, other)
    values.sort(kind="stable")


def _sort_halves(values: FloatArray, threads: int, other: ThreadPoolExecutor) -> None:
    """Each half sorted by itself, one of them on the other thread."""
    middle = values.size // 2
    upper = other.submit(_sort, values[middle:], threads // 2)
    _sort(values[:middle], threads - threads // 2)
    upper.result()
