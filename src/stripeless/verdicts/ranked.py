"""Ranks of scores within groups, so that neither their scale nor one wild score can act; and groups numbered without holes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
GRID = 2.0**30  # steps of a rank
MANY = 1 << 18  # from so many scores on, neighbors share a rank
LEAST = 1 << 17  # and so many in a group, on average: a group has its own count of steps
OCTAVES = 24  # distances from the middle are told apart over so many powers of two
DETAIL = 12  # and each power of two has 2 ** DETAIL steps
_SMALLEST = 1e-290  # of a quartile range, so that nothing divided by it overflows
_LARGEST = 1e300  # in place of infinite quartiles
FULL = 2.0**-10  # a share of a group's scores that no single step may hold, unless it holds one value


def numbered(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The keys that occur, ascending, and for each row its place among them; without a sort where they are dense."""
    if not keys.size:
        return keys, keys
    possible = int(keys.max()) + 1
    if possible <= max(4 * keys.size, 1 << 20):
        present = np.zeros(possible, dtype=bool)
        present[keys] = True
        places = np.cumsum(present) - 1
        return np.flatnonzero(present), places[keys]
    found, inverse = np.unique(keys, return_inverse=True)
    return found, inverse.reshape(-1)


def ranks_within(values: FloatArray, groups: IntArray) -> FloatArray:
    """Mid-ranks from 0 to 1 of the values of each group by itself; equal values share theirs.

    >>> ranks_within(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 0, 0, 1])).round(3).tolist()
    [0.833, 0.167, 0.5, 0.5]
    """
    if not values.size:
        return np.zeros(0)
    sizes = np.bincount(groups, minlength=1)
    present = int(np.count_nonzero(sizes))
    if values.size > max(MANY, LEAST * present):
        ranks = _ranks_in_steps(values, groups, sizes)
        if ranks is not None:
            return ranks
    if present == 1:
        return _ranks(values)
    ranks = np.empty(values.size)
    small = groups.astype(np.int16) if sizes.size < 1 << 15 else groups  # which are sorted by their digits
    members = np.argsort(small, kind="stable")
    ends = np.cumsum(sizes[sizes > 0])
    for start, end in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
        some = members[start:end]
        ranks[some] = _ranks(values[some])
    return ranks


def _ranks(values: FloatArray) -> FloatArray:
    order = np.argsort(values)
    ordered = values[order]
    new = ordered[1:] != ordered[:-1]
    ends = np.append(np.flatnonzero(new) + 1, ordered.size)
    sizes = np.diff(ends, prepend=0)
    middle = _on_grid((ends - sizes / 2) / ordered.size)
    ranks = np.empty(values.size)
    ranks[order] = middle if new.all() else np.repeat(middle, sizes)
    return ranks


def _ranks_in_steps(values: FloatArray, groups: IntArray, sizes: IntArray) -> FloatArray | None:
    """The same for many, without a sort: values in one step share a rank. None where a step would hold too many values."""
    step, steps = _steps(values)
    if sizes.size > 1:
        number = np.cumsum(sizes > 0) - 1
        step += (number * steps)[groups]
        sizes = sizes[sizes > 0]
    count = np.bincount(step, minlength=steps * sizes.size).reshape(sizes.size, steps)
    full = count > FULL * sizes[:, None]
    if full.any() and not _single(values, step, np.flatnonzero(full)):
        return None
    middle = _on_grid((np.cumsum(count, axis=1) - count / 2) / sizes[:, None])
    return np.asarray(middle.reshape(-1)[step])


def _steps(values: FloatArray) -> tuple[IntArray, int]:
    """The step of each value, ascending, and how many there are: fine near the middle, coarse far from it.

    Steps are those of the bits of a float, of the distance from the median in quartile ranges: a sign, a power of two, and
    the first digits. Median and quartiles do not depend on the order of rows, as a mean does in its last digit.
    """
    parts = [values.size // 4, values.size // 2, 3 * values.size // 4]
    low, median, high = np.clip(np.partition(values, parts)[parts], -_LARGEST, _LARGEST).tolist()
    away = values - median
    away /= max(high - low, _SMALLEST) if high > low else 1.0
    bits = np.abs(away).view(np.int64)
    bits >>= 52 - DETAIL
    bits -= (1023 - OCTAVES // 2 - 2) << DETAIL  # the bits of a distance that is next to none
    farthest = OCTAVES << DETAIL
    np.clip(bits, 0, farthest, out=bits)
    np.negative(bits, out=bits, where=away < 0)
    bits += farthest
    return bits, 2 * farthest + 1


def _single(values: FloatArray, step: IntArray, full: IntArray) -> bool:
    """Whether each of these steps holds one value only, as where scores are rounded or many are alike."""
    place = np.full(int(step.max()) + 1, -1, dtype=np.int64)
    place[full] = np.arange(full.size)
    inside = place[step]
    some = np.flatnonzero(inside >= 0)
    one = np.empty(full.size)
    one[inside[some]] = values[some]
    return bool((values[some] == one[inside[some]]).all())


def _on_grid(ranks: FloatArray) -> FloatArray:
    """Rounded so that millions of them add up exactly, and the order of rows cannot act."""
    return np.asarray(np.round(ranks * GRID) / GRID)
