"""The melody of a voice: F0 by normalized autocorrelation, and the most likely path through the candidates.

Each frame offers a few periods, the highest peaks of its autocorrelation divided by that of its window (Boersma 1993),
and silence. Which of them is meant is decided for the whole recording at once (Viterbi): a peak is worth its height, a
little more where the period is short (so that two periods are not taken for one), and jumps in pitch, voice that sets in
and voice that breaks off cost. A frame alone cannot tell an octave; its neighbors can.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.audio.frames import check_samples
from stripeless.errors import InputError

LOW, HIGH = 60.0, 500.0  # Hz
RATE = 16000  # sound with more samples per second is brought to this rate: pitch lies far below
PERIODS = 3.0  # of the lowest pitch, in a frame
RUMBLE = 0.85  # what lies below this share of the lowest pitch is taken out: 50 Hz of the mains too
CANDIDATES = 8
DIP = 0.25  # how far the correlation has fallen before it rises to a peak; less is a ripple on a slope
VOICED = 0.40  # least correlation of a voiced frame
SILENT = 0.03  # loudness, relative to loud frames, below which nothing is voiced
OCTAVE = 0.05  # what an octave higher is worth
JUMP = 0.50  # what an octave up or down costs from one frame to the next 10 ms later
ONSET = 0.14  # what it costs that voice sets in or breaks off
_FRAMES = 2048  # frames computed at a time


def pitch_track(
    samples: ArrayLike, rate: int, *, low: float = LOW, high: float = HIGH, step: float = 0.010
) -> NDArray[np.float64]:
    """F0 in Hz every `step` seconds, 0 where there is no voice. Frame k is centered at k * step; the first at 0.

    Parameters:
        samples: one channel of sound, 1-D, in -1 to 1.
        rate: samples per second, in Hz.
        low, high: the range in which to look for F0, in Hz; `high` at most a quarter of `rate`.
        step: seconds from one frame to the next, 0.001 to 0.1.
    Returns:
        One F0 in Hz per frame, 0 where there is no voice.

    >>> time = np.arange(16000) / 16000
    >>> voice = sum(np.sin(2 * np.pi * 120 * k * time) / k for k in range(1, 10))
    >>> track = pitch_track(voice, 16000)
    >>> len(track), bool(np.all(np.abs(track[3:-3] - 120) < 0.5))
    (101, True)
    """
    signal = check_samples(samples, rate)
    if not 0 < low < high <= rate / 4:
        raise InputError(f"low, high: expected 0 < low < high <= {rate / 4:g} Hz, got {low:g} and {high:g}")
    if not 0.001 <= step <= 0.1:
        raise InputError(f"step: expected 0.001 to 0.1 seconds, got {step:g}")
    count = 1 + int(len(signal) / (step * rate) + 1e-9)
    signal, rate = without_rumble(signal, rate, low)
    pitch, strength, loud = candidates(signal, rate, np.round(np.arange(count) * step * rate).astype(int), low, high)
    return best_path(pitch, strength, silence(loud), step)


def without_rumble(signal: NDArray[np.float64], rate: int, low: float) -> tuple[NDArray[np.float64], int]:
    """The sound without what lies below `low` (rooms, hum, offset), at no more than 16 kHz."""
    new = min(rate, RATE)
    down = rate // gcd(rate, new)
    size = -(-(len(signal) + rate // 10) // down) * down
    size = down * _smooth_size(size // down)
    spectrum = np.fft.rfft(signal, size)
    spectrum *= np.clip((np.fft.rfftfreq(size, 1 / rate) / low - RUMBLE) / (1 - RUMBLE), 0, 1)
    shorter = size // down * (new // gcd(rate, new))
    return np.fft.irfft(spectrum[: shorter // 2 + 1], shorter)[: -(-len(signal) * new // rate)] * shorter / size, new


def _smooth_size(least: int) -> int:
    """The smallest number from `least` on whose prime factors are 2, 3 and 5: quick to transform."""
    best = 1 << max(0, least - 1).bit_length()
    for five in (1, 5, 25, 125):
        for three in (1, 3, 9, 27, 81, 243):
            rest = -(-least // (five * three))
            best = min(best, five * three * (1 << max(0, rest - 1).bit_length()))
    return best


def candidates(
    signal: NDArray[np.float64], rate: int, centers: NDArray[np.int64], low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Pitch and correlation of the best periods of each frame (frames x candidates), and the loudness of each frame."""
    half = int(np.ceil(PERIODS * rate / low / 2))
    padded = np.pad(signal, (half, half + max(0, int(centers[-1]) - len(signal)) + 1))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)
    pieces = [_peaks(windows[centers[i : i + _FRAMES]], rate, low, high) for i in range(0, len(centers), _FRAMES)]
    pitch, strength, loud = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return pitch, strength, loud


def _peaks(
    frames: NDArray[np.float64], rate: int, low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    window = np.hanning(frames.shape[1] + 2)[1:-1]
    first, last = int(np.floor(rate / high)), int(np.ceil(rate / low))
    size = _smooth_size(frames.shape[1] + last + 2)
    frames = frames * window
    spectrum = np.fft.rfft(frames - window * (frames.sum(axis=1, keepdims=True) / window.sum()), size)
    own = np.fft.irfft(spectrum.real**2 + spectrum.imag**2, size)[:, : last + 2]
    shape = np.fft.irfft(np.abs(np.fft.rfft(window, size)) ** 2, size)[: last + 2]
    energy = own[:, 0] / shape[0]
    r = own / np.maximum(own[:, :1], 1e-20) / (shape / shape[0])
    lowest = np.minimum.accumulate(r, axis=1)[:, first:-1]
    left, middle, right = r[:, first - 1 : -2], r[:, first:-1], r[:, first + 1 :]
    peak = (middle > left) & (middle >= right) & (middle > np.maximum(lowest + DIP, 0))
    lags = np.arange(first, last + 1)
    worth = np.where(peak, middle - OCTAVE * np.log2(lags * low / rate), -np.inf)
    offered = min(CANDIDATES, len(lags))
    chosen = np.argpartition(-worth, offered - 1, axis=1)[:, :offered]
    row = np.arange(len(frames))[:, None]
    a, b, c = left[row, chosen], middle[row, chosen], right[row, chosen]
    bend = np.minimum(a - 2 * b + c, -1e-12)
    shift = np.clip((a - c) / (2 * bend), -0.5, 0.5)
    pitch = rate / (lags[chosen] + shift)
    height = np.minimum(b - (a - c) * shift / 4, 1.0)
    fits = np.isfinite(worth[row, chosen]) & (pitch >= low) & (pitch <= high)
    return np.where(fits, pitch, 0.0), np.where(fits, height, -np.inf), np.sqrt(np.maximum(energy, 0.0))


def silence(loud: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the claim that a frame is unvoiced is worth: more where the frame is quiet beside the loud ones."""
    top = float(np.quantile(loud, 0.95))
    if top <= 1e-9:
        return np.full(len(loud), np.inf)
    return np.asarray(VOICED + np.maximum(0.0, 2 - loud / top / (SILENT / (1 + VOICED))))


def best_path(
    pitch: NDArray[np.float64], strength: NDArray[np.float64], unvoiced: NDArray[np.float64], step: float
) -> NDArray[np.float64]:
    """The path through the candidates (the last is silence) that is worth most, all costs paid."""
    if not np.isfinite(unvoiced).all():
        return np.zeros(len(pitch))
    frames = np.arange(len(pitch))
    octave = np.log2(np.where(pitch > 0, pitch, 1.0))
    worth = np.column_stack(
        [np.where(pitch > 0, strength + OCTAVE * octave - OCTAVE * np.log2(HIGH), -np.inf), unvoiced]
    )
    slower = 0.010 / step
    moves = np.full((len(pitch), worth.shape[1], worth.shape[1]), ONSET * slower)
    moves[1:, :-1, :-1] = JUMP * slower * np.abs(octave[1:, None, :] - octave[:-1, :, None])
    moves[:, -1, -1] = 0.0
    origin = np.zeros(worth.shape, dtype=np.intp)
    columns = np.arange(worth.shape[1])
    total = worth[0]
    for k in range(1, len(pitch)):
        ways = total[:, None] - moves[k]
        origin[k] = ways.argmax(axis=0)
        total = ways[origin[k], columns] + worth[k]
    path = np.empty(len(pitch), dtype=np.intp)
    path[-1] = total.argmax()
    for k in range(len(pitch) - 1, 0, -1):
        path[k - 1] = origin[k, path[k]]
    return np.where(path < pitch.shape[1], pitch[frames, np.minimum(path, pitch.shape[1] - 1)], 0.0)
