"""Filters that change every 10 ms, given by log gains at the centers of the mel bands; in NumPy and in torch.

Frames of 20 ms, cut with a Hann window, add up to the signal; each passes through its own filter in the frequency domain
and is added to its neighbors, so that one filter fades into the next. Frames stand 10 ms from the start of their 64 ms,
which leaves room for what filters ring before (zero phase) and after.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.network_layers import Array
from stripeless.audio.recordings import RATE
from stripeless.synthesis.grid import BANDS, HOP, SIZE, bands, hann

TAIL = -(-SIZE // HOP)  # hops that a filtered frame covers


@cache
def centers() -> NDArray[np.float64]:
    """Center of each mel band in Hz."""
    return np.asarray(bands() @ (np.arange(SIZE // 2 + 1) * RATE / SIZE))


@cache
def between() -> NDArray[np.float32]:
    """Bands to bins: straight lines between the centers, level beyond the outermost; (80, 513)."""
    bins = np.arange(SIZE // 2 + 1) * RATE / SIZE
    return np.array([np.interp(bins, centers(), one) for one in np.eye(BANDS)], np.float32)


@cache
def minimum_phase() -> NDArray[np.float32]:
    """Log gains of bands to the phase of the minimum-phase filter with these gains, which is linear in them; (80, 513)."""
    cepstra = np.fft.irfft(between().astype(np.float64), SIZE)
    cepstra[:, 1 : SIZE // 2] *= 2
    cepstra[:, SIZE // 2 + 1 :] = 0
    return np.asarray(np.fft.rfft(cepstra, SIZE).imag, dtype=np.float32)


@cache
def window() -> NDArray[np.float32]:
    """Hann over two hops: neighbors add up to 1."""
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * np.arange(2 * HOP) / HOP), dtype=np.float32)


@cache
def white() -> float:
    """Log mel amplitude of white noise of variance 1: Rayleigh's mean."""
    return float(np.log(np.sqrt(np.pi / 4 * np.sum(hann() ** 2)) * 2 / hann().sum()))


def spectra(ops: Any, signal: Array) -> Array:
    """(batch, 160 (k + 1)) -> spectra of the k frames centered at 160, 320, ...: (batch, k, 513)."""
    blocks = signal.reshape(signal.shape[0], -1, HOP)
    frames = ops.join([blocks[:, :-1], blocks[:, 1:]]) * ops.constant(window())
    return ops.rfft(ops.pad(frames, HOP, SIZE - 3 * HOP))


def filtered(ops: Any, pulses: Array, noise: Array, for_pulses: Array, for_noise: Array) -> Array:
    """Spectra of both excitations through filters of these log gains per band, added up: (batch, 160 (k + 6)).

    The sound begins one hop before the signal whose spectra these are.
    """
    lines = ops.constant(between())
    voiced = pulses * ops.polar(ops.exp(for_pulses @ lines), for_pulses @ ops.constant(minimum_phase()))
    frames = ops.irfft(voiced + noise * ops.exp(for_noise @ lines), SIZE)
    batch, count = frames.shape[:2]
    pieces = ops.pad(frames, 0, TAIL * HOP - SIZE).reshape(batch, count, TAIL, HOP)
    rows = [ops.pad(pieces[:, :, k].reshape(batch, -1), k * HOP, (TAIL - 1 - k) * HOP) for k in range(TAIL)]
    return sum(rows[1:], rows[0])
