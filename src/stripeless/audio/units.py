"""Phone-like units: short sounds sorted into classes that were learned from a corpus, and how often each occurs.

A stand-in for phone recognition that needs no transcripts and no network: cepstra of 25 ms frames, mean removed per
recording, quantized by k-means. Which sounds a person makes, and how, shows in the distribution of units. In the paper
this is a VQ-VAE with 256 units (Baeckstroem et al., section VI); ours is simpler and is named so in every result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, NotANumber, TooFewTrials

BANDS, CEPSTRA = 26, 13
_BLOCK = 8192  # frames compared with the units at a time


def cepstra(samples: ArrayLike, rate: int) -> NDArray[np.float64]:
    """13 mel cepstra and their slopes for every 10 ms of speech; silence (40 dB below the loudest frame) is left out.

    >>> cepstra(np.random.default_rng(0).standard_normal(16000), 16000).shape
    (98, 26)
    """
    signal = np.asarray(samples, dtype=np.float64)
    if signal.ndim != 1 or not np.isfinite(signal).all():
        raise InputError(f"samples: expected one channel of finite numbers, got an array of shape {signal.shape}")
    length, hop = round(0.025 * rate), round(0.010 * rate)
    if signal.size < length:
        return np.zeros((0, 2 * CEPSTRA))
    frames = np.lib.stride_tricks.sliding_window_view(signal, length)[::hop] * np.hanning(length)
    size = 1 << int(np.ceil(np.log2(length)))
    power = np.abs(np.fft.rfft(frames, size)) ** 2
    energy = power.sum(axis=1)
    if not energy.any():
        return np.zeros((0, 2 * CEPSTRA))
    bands = np.log(np.maximum(power @ mel_bands(rate, size).T, 1e-10 * energy.max()))
    static = bands @ _cosines()
    slopes = np.gradient(static, axis=0) if len(static) > 1 else np.zeros_like(static)
    kept = energy > 1e-4 * energy.max()
    static = static - static[kept].mean(axis=0)  # the mean is the room, the microphone and the voice: not the sounds
    return np.asarray(np.hstack([static, 2.0 * slopes])[kept])


def mel_bands(rate: int, size: int) -> NDArray[np.float64]:
    """Triangular filters, evenly spaced in mel between 60 Hz and 0.475 times the rate."""
    low, high = (2595 * np.log10(1 + f / 700) for f in (60.0, 0.475 * rate))
    mel = np.linspace(float(low), float(high), BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    frequency = np.arange(size // 2 + 1) * rate / size
    rising = (frequency - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - frequency) / (edges[2:] - edges[1:-1])[:, None]
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)))


def _cosines() -> NDArray[np.float64]:
    """Cosine transform from log bands to cepstra 1 .. 13; cepstrum 0 is loudness and says nothing of the sound."""
    band = np.arange(BANDS) + 0.5
    return np.asarray(np.cos(np.pi / BANDS * np.outer(band, np.arange(1, CEPSTRA + 1))) * np.sqrt(2 / BANDS))


@dataclass(frozen=True, eq=False)
class Units:
    """Learned classes of sounds: a frame is scaled and goes to the nearest center.

    Attributes:
        centers: the middle of each unit, units x numbers per frame, after scaling.
        scale: what each number of a frame is divided by.
    """

    centers: NDArray[np.float64]
    scale: NDArray[np.float64]

    def of(self, frames: ArrayLike) -> NDArray[np.int64]:
        """The unit of each of these `frames` (frames x numbers), counted from 0."""
        return _nearest(_finite(frames) / self.scale, self.centers)[0]

    def histogram(self, frames: ArrayLike) -> NDArray[np.float64]:
        """How many of these `frames` (frames x numbers) fall to each unit."""
        return np.bincount(self.of(frames), minlength=len(self.centers)).astype(np.float64)


def fit_units(frames: Sequence[ArrayLike], count: int = 256, *, iterations: int = 25, seed: int = 0) -> Units:
    """Learn `count` units from the frames of many recordings by k-means, started far apart (k-means++).

    Learn them on speakers who are not measured: units that know the speakers say more than a stranger's would.

    Parameters:
        frames: for each recording its frames, frames x numbers, such as `cepstra` gives.
        count: how many units to learn; ten times as many frames are needed.
        iterations: rounds of k-means at most; it stops where nothing moves any more.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        `Units`: `of(frames)` names the unit of each frame, `histogram(frames)` counts them.

    >>> random = np.random.default_rng(0)
    >>> units = fit_units([random.normal(c, 0.1, (50, 2)) for c in (0, 5, 9)], count=3)
    >>> len(set(units.of([[0, 0], [5, 5], [9, 9]]).tolist()))
    3
    """
    stacked = np.concatenate([_finite(f) for f in frames]) if len(frames) else np.zeros((0, 1))
    if len(stacked) < 10 * count:
        raise TooFewTrials(f"frames: {len(stacked)} cannot teach {count} units; at least {10 * count} are needed")
    random = np.random.default_rng(seed)
    if len(stacked) > 400 * count:  # more frames move the centers no further
        stacked = stacked[np.sort(random.choice(len(stacked), 400 * count, replace=False))]
    scale = np.maximum(stacked.std(axis=0), 1e-12)
    points = stacked / scale
    centers = _far_apart(points, count, random)
    for _ in range(iterations):
        unit, distance = _nearest(points, centers)
        size = np.bincount(unit, minlength=count)
        order = np.argsort(unit, kind="stable")
        sums = np.zeros_like(centers)
        filled = np.flatnonzero(size)
        sums[filled] = np.add.reduceat(points[order], (np.cumsum(size) - size)[filled], axis=0)
        moved = np.where(size[:, None] > 0, sums / np.maximum(size, 1)[:, None], centers)
        empty = np.flatnonzero(size == 0)
        moved[empty] = points[np.argsort(-distance, kind="stable")[: empty.size]]
        if np.array_equal(moved, centers):
            break
        centers = moved
    return Units(centers, scale)


def _finite(frames: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(frames, dtype=np.float64)
    if not np.isfinite(array).all():
        raise NotANumber(
            "frames: NaN or infinity among them; find out which recording they come from, and leave it out"
        )
    return array


def _far_apart(points: NDArray[np.float64], count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """k-means++: each new center is drawn with probability proportional to its squared distance from the others."""
    sample = points[random.choice(len(points), min(len(points), 40 * count), replace=False)]
    centers = [sample[0]]
    distance = ((sample - centers[0]) ** 2).sum(axis=1)
    for _ in range(count - 1):
        total = distance.sum()
        pick = random.choice(len(sample), p=distance / total) if total > 0 else random.integers(len(sample))
        centers.append(sample[pick])
        distance = np.minimum(distance, ((sample - sample[pick]) ** 2).sum(axis=1))
    return np.array(centers)


def _nearest(
    points: NDArray[np.float64], centers: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest center of each point and the squared distance to it."""
    unit = np.empty(len(points), dtype=np.int64)
    distance = np.empty(len(points))
    norms = (centers**2).sum(axis=1)
    for i in range(0, len(points), _BLOCK):
        block = points[i : i + _BLOCK]
        score = norms - 2 * block @ centers.T
        unit[i : i + _BLOCK] = np.argmin(score, axis=1)
        distance[i : i + _BLOCK] = score.min(axis=1) + (block**2).sum(axis=1)
    return unit, distance
