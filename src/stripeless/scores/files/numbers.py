"""Decimal numbers from text, a whole column at once, each rounded exactly as Python's `float` rounds it.

`-36.60771` is the whole number 3660771 over 10^5. Where the whole number is below 2^53 both are exact in double
precision, and one division rounds once: the result is the nearest double (Clinger 1990). Where it is longer, up to 19
digits, the quotient is computed to about 100 bits, and kept if it is clearly on one side of the rounding point. The
rest (exponents, infinities, near ties, nonsense) goes to `float`, one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.files.fields import Fields, Words

NUMBER = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf(?:inity)?)", re.IGNORECASE
)

_U = np.uint64
_ONES, _HIGH = _U(0x0101010101010101), _U(0x8080808080808080)
_ZEROS, _DOTS, _ROOM = _U(0x3030303030303030), _U(0x2E2E2E2E2E2E2E2E), _U(0x7676767676767676)
_PAIRS = _U(0x000000FF000000FF)
_MUL_HIGH, _MUL_LOW = _U(100 + (1000000 << 32)), _U(1 + (10000 << 32))
# Keep the last k bytes of a word.
_LAST = np.array([((1 << 64) - 1) ^ ((1 << 8 * (8 - k)) - 1) for k in range(9)], dtype=np.uint64)
_POWERS = np.array([10**k for k in range(20)], dtype=np.uint64)
_EXACT = _U(1 << 53)


def decimals(fields: Fields, column: int) -> tuple[FloatArray, int | None]:
    """The column as doubles, and the first row that is NaN or no number (None where all are)."""
    data, starts, ends = fields.data, fields.starts[:, column], fields.ends[:, column]
    starts = np.ascontiguousarray(starts)
    lead = data[starts]
    minus = lead == ord("-")
    starts = starts + (minus | (lead == ord("+")))
    every, length = fields.every_word, ends - starts
    dot = np.minimum(_dot(every, starts), length)
    after = np.maximum(length - dot - 1, 0)
    whole, good_whole = _digits(every, starts + dot, dot)
    part, good_part = _digits(every, ends, after)
    good = good_whole & good_part & (dot + after > 0) & (dot <= 15) & (after <= 16) & (dot + after <= 19)
    values = _ratio(whole * _POWERS[np.minimum(after, 19)] + part, np.minimum(after, 16), good)
    np.negative(values, out=values, where=minus)
    if good.all():
        return values, None
    return values, _one_by_one(fields, column, values, np.flatnonzero(~good))


def _dot(every: Words, starts: IntArray) -> IntArray:
    """Where the point stands within the first 16 bytes from each start; 16 where there is none."""
    at = _first_dot(every[starts])
    late = np.flatnonzero(at == 8)  # few: scores rarely have eight digits before the point
    at[late] += _first_dot(every[np.minimum(starts[late] + 8, every.size - 1)])
    return at


def _first_dot(words: Words) -> IntArray:
    other = words ^ _DOTS
    found = (other - _ONES) & ~other & _HIGH  # the lowest set bit marks the first byte that is a point
    return (np.bitwise_count((found & (~found + _U(1))) - _U(1)) >> 3).astype(np.int64)


def _digits(every: Words, ends: IntArray, length: IntArray) -> tuple[Words, NDArray[np.bool_]]:
    """The whole number written in the `length` (up to 16) bytes before each end, and whether all are digits."""
    value, good = _eight(every[ends - 8], np.minimum(length, 8))
    if length.max() > 8:
        long = np.flatnonzero(length > 8)
        more, good_more = _eight(every[ends[long] - 16], np.minimum(length[long] - 8, 8))
        value[long] += more * _U(10**8)
        good[long] &= good_more
    return value, good


def _eight(words: Words, keep: IntArray) -> tuple[Words, NDArray[np.bool_]]:
    """Eight digits at a time: neighbors become pairs, pairs fours, fours eight."""
    digits = (words ^ _ZEROS) & _LAST[keep]
    good = (((digits + _ROOM) | digits) & _HIGH) == 0
    pairs = digits * _U(10) + (digits >> _U(8))
    return ((pairs & _PAIRS) * _MUL_HIGH + ((pairs >> _U(16)) & _PAIRS) * _MUL_LOW) >> _U(32), good


def _ratio(whole: Words, places: IntArray, good: NDArray[np.bool_]) -> FloatArray:
    """`whole / 10**places`, rounded once; rows where that cannot be promised are taken out of `good`."""
    below = _POWERS.astype(np.float64)[places]
    values = whole.astype(np.float64) / below
    if whole.max() >= _EXACT:
        long = np.flatnonzero(good & (whole >= _EXACT))
        values[long], sure = _long_ratio(whole[long], below[long])
        good[long] = sure
    return values


def _long_ratio(whole: Words, below: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    high = whole.astype(np.float64)
    low = (whole - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    first = high / below
    product, error = _product(first, below)
    second = ((high - product) - error + low) / below
    total = first + second
    left = second - (total - first)
    return total, np.abs(left) < np.spacing(np.nextafter(total, 0.0)) * (0.5 - 2.0**-40)


def _product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """`a * b` as rounded, and what rounding took away (Dekker 1971)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _one_by_one(fields: Fields, column: int, values: FloatArray, rows: IntArray) -> int | None:
    for row in rows.tolist():
        text = fields.field(row, column)
        if not NUMBER.fullmatch(text):
            return int(row)
        values[row] = float(text)
    return None
