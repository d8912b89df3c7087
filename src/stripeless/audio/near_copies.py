"""Do two recordings hold the same sound? Found after a change of loudness, a shift, a codec or a cut; another take is not.

A recording is kept as a fingerprint of some kilobytes: its voice between 300 and 1500 Hz with loudness evened out, and a
sketch of its spectrum. The sketches of all recordings are compared at once, which leaves a few neighbors of each; those
are laid over each other at every shift by an FFT. Copies correlate by 0.88 and more, other takes of the same words by
the same person by 0.48 at most (docs/reference/findings.md has the figures).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.recordings import RATE, Samples

SLOW = 4000  # samples a second of the kept sound
BAND = (300.0, 1500.0)  # Hz; hum lies below, and what codecs change most above
KEPT = 8 * SLOW  # at most so much of the middle is kept
FRAME, STEP, BANDS = 512, 160, 20  # of the sketch, in samples at 16 kHz
NEIGHBORS = 10  # sketches nearest to each one that are looked at closely
BLOCK = 512  # rows of sketches compared at a time
SHORTEST = RATE // 10  # less than 0.1 s holds no voice
QUIETEST = 2.0 / 32768  # from peak to peak: all samples equal, but for one step of 16 bits
PERIOD = SLOW // 4  # a sound that is like itself this much later would be like many others
NEEDED = ((2.0, 0.7), (1.0, 0.9), (0.0, 0.97))  # seconds in common, and the correlation that then means a copy


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """What is kept of a recording to tell it from others.

    Attributes:
        seconds: how long the recording is.
        voiceless: whether it is digital silence, or shorter than 0.1 s: there is no voice in it.
        wave: the middle of the sound, slow, in one band and evened out; 127 is five times its usual size.
        sketch: how its spectrum is on average and varies, the same for a louder or later copy.
        timing: how loud it is, in three bands, every 20 ms.
    """

    seconds: float
    voiceless: bool
    wave: NDArray[np.int8]
    sketch: NDArray[np.float32]
    timing: NDArray[np.float32]


def fingerprint(samples: Samples) -> Fingerprint:
    """The fingerprint of a recording at 16 kHz.

    >>> fingerprint(np.zeros(16000)).voiceless
    True
    """
    seconds = len(samples) / RATE
    if len(samples) < SHORTEST or np.ptp(samples) <= QUIETEST:
        return Fingerprint(seconds, True, np.zeros(0, np.int8), np.zeros(0, np.float32), np.zeros((3, 0), np.float32))
    power = band_powers(samples)
    return Fingerprint(seconds, False, evened(samples), sketched(power), timed(power))


@cache
def band_filter() -> Any:
    """Second-order sections of the band that is kept."""
    from scipy.signal import butter

    return butter(4, BAND, "band", fs=SLOW, output="sos")


def evened(samples: Samples) -> NDArray[np.int8]:
    """The middle of the sound with each fifth of a second about as loud as the next, so that no vowel decides alone."""
    from scipy.signal import resample_poly, sosfilt

    most = KEPT * RATE // SLOW
    first = max(0, (len(samples) - most) // 2)
    slow = sosfilt(band_filter(), resample_poly(samples[first : first + most], SLOW, RATE))
    total = np.concatenate([[0.0], np.cumsum(slow * slow)])
    place = np.arange(len(slow))
    low, high = np.maximum(place - SLOW // 10, 0), np.minimum(place + SLOW // 10 + 1, len(slow))
    loud = np.sqrt(np.maximum(total[high] - total[low], 0.0) / (high - low))
    level = slow / (loud + 0.1 * np.quantile(loud, 0.9) + 1e-12)
    return np.asarray(np.clip(np.round(level * (127 / 5)), -127, 127), dtype=np.int8)


def band_powers(samples: Samples) -> NDArray[np.float64]:
    """Frames x bands."""
    padded = np.pad(samples, (0, max(0, FRAME - len(samples))))
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::STEP] * np.hanning(FRAME)
    power = np.abs(np.fft.rfft(frames)) ** 2
    edges = np.geomspace(4, 240, BANDS + 1).astype(int)
    bands: NDArray[np.float64] = np.add.reduceat(power, edges, axis=1)[:, :BANDS]
    return bands


def sketched(power: NDArray[np.float64]) -> NDArray[np.float32]:
    """Mean and covariance of the shape of the spectrum where there is sound; loudness and time do not show in it."""
    energy = power.sum(axis=1)
    sounding = energy >= 0.05 * np.quantile(energy, 0.9)
    power, energy = power[sounding], energy[sounding]
    shape = np.log(power + 1e-3 * energy[:, None] + 1e-4 * energy.mean() + 1e-300)
    shape -= shape.mean(axis=1, keepdims=True)
    around = shape - shape.mean(axis=0)
    covariance = around.T @ around / len(around)
    return np.concatenate([shape.mean(axis=0), covariance[np.triu_indices(BANDS)]]).astype(np.float32)


def timed(power: NDArray[np.float64]) -> NDArray[np.float32]:
    """Loudness in decibels of all bands, the low and the high ones, every 20 ms; what is far below the loudest is a floor."""
    parts = np.stack([power.sum(axis=1), power[:, :8].sum(axis=1), power[:, 14:].sum(axis=1)])
    parts = parts[:, : parts.shape[1] // 2 * 2].reshape(3, -1, 2).mean(axis=2)
    decibels = 10 * np.log10(parts + 1e-300)
    return np.asarray(np.maximum(decibels, decibels.max(axis=1, keepdims=True) - 40), dtype=np.float32)


def likeness(first: Fingerprint, second: Fingerprint, apart: int = 0) -> tuple[float, float]:
    """The highest correlation over all shifts that leave half of the shorter one, and the seconds in common there.

    Its size does not depend on loudness or sign. `apart` leaves out shifts smaller than that many kept samples.
    """
    from scipy import fft

    one, two = (part.wave.astype(np.float32) for part in (first, second))
    if not one.size or not two.size:
        return 0.0, 0.0
    size = fft.next_fast_len(len(one) + len(two) - 1)
    spectrum = np.zeros(size, np.complex64)
    half = size // 2
    # one side of the spectrum gives the envelope of the correlation: a shift by parts of a sample does not lower it
    spectrum[1:half] = (fft.rfft(one, size) * np.conj(fft.rfft(two, size)))[1:half] * 2
    whole = np.abs(fft.ifft(spectrum, overwrite_x=True))
    shift = np.arange(1 - len(two), len(one))
    start, end = np.maximum(shift, 0), np.minimum(len(one), len(two) + shift)
    energies = energy_between(one, start, end), energy_between(two, start - shift, end - shift)
    enough = (2 * (end - start) >= min(len(one), len(two))) & (np.abs(shift) >= apart)
    for energy, wave in zip(energies, (one, two), strict=True):
        enough &= 2 * energy >= float(np.dot(wave, wave))
    if not enough.any():
        return 0.0, 0.0
    found = np.where(enough, whole[shift] / np.sqrt(np.maximum(energies[0] * energies[1], 1e-9)), 0.0)
    best = int(np.argmax(found))
    return min(1.0, float(found[best])), float(end[best] - start[best]) / SLOW


def energy_between(wave: NDArray[np.float32], start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum of squares of each piece of a wave."""
    total = np.concatenate([[0.0], np.cumsum(wave.astype(np.float64) ** 2)])
    pieces: NDArray[np.float64] = total[end] - total[start]
    return pieces


def is_copy(first: Fingerprint, second: Fingerprint) -> bool:
    """Whether the two hold the same sound. What repeats itself, such as a tone, is like many others and is not judged."""
    found, seconds = likeness(first, second)
    if found < next(needed for least, needed in NEEDED if seconds >= least):
        return False
    return max(likeness(one, one, PERIOD)[0] for one in (first, second)) < NEEDED[0][1]


def near_copies(prints: Sequence[Fingerprint]) -> list[tuple[int, int]]:
    """Every two recordings that hold the same sound, as places in the list, the lower one first.

    Time grows with the number of recordings for the fingerprints and for the close look, with its square for the sketches.
    """
    places = [k for k, one in enumerate(prints) if not one.voiceless]
    if len(places) < 2:
        return []
    sketches = np.stack([prints[k].sketch for k in places])
    spread = sketches.std(axis=0)
    pairs = nearest_pairs((sketches - sketches.mean(axis=0)) / np.where(spread > 1e-6, spread, 1.0))
    return [(places[i], places[j]) for i, j in pairs if is_copy(prints[places[i]], prints[places[j]])]


def nearest_pairs(rows: NDArray[np.float32], neighbors: int = NEIGHBORS) -> list[tuple[int, int]]:
    """Each row with the `neighbors` rows nearest to it; every pair once, the lower place first."""
    squares = np.einsum("ij,ij->i", rows, rows)
    pairs: set[tuple[int, int]] = set()
    for start, block in blocks(rows):
        distance = squares - 2.0 * (block @ rows.T)
        place = np.arange(len(block))
        distance[place, start + place] = np.inf
        count = min(neighbors, len(rows) - 1)
        near = np.argpartition(distance, count - 1, axis=1)[:, :count]
        pairs.update((min(start + i, j), max(start + i, j)) for i, row in enumerate(near.tolist()) for j in row)
    return sorted(pairs)


def blocks(rows: NDArray[np.float32]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Some rows at a time, with the place of the first."""
    for start in range(0, len(rows), BLOCK):
        yield start, rows[start : start + BLOCK]
