"""Cutting a signal into overlapping windowed frames, and putting frames back together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.audio.lpc import Columns
from stripeless.errors import InputError, NotANumber


@dataclass(frozen=True, eq=False)
class Framing:
    """Frames of `length` samples every `shift`; the window is applied before and after whatever is done to a frame.

    The window is the root of a Hann window scaled so that windowing twice and adding up gives the signal back.
    """

    length: int
    shift: int
    window: NDArray[np.float64]

    def frames(self, samples: NDArray[np.float64], first: int, last: int) -> Columns:
        """Frames `first` to `last` (not included), windowed, one per column."""
        windows = np.lib.stride_tricks.sliding_window_view(samples, self.length)[:: self.shift][first:last]
        return np.multiply(windows.T, self.window[:, None], order="C")

    def overlap_add(self, frames: Columns, output: NDArray[np.float64], first: int) -> None:
        """Add windowed frames, of which the leftmost is number `first`, to `output`."""
        frames = frames * self.window[:, None]
        count, blocks = frames.shape[1], -(-self.length // self.shift)
        padded = np.zeros((blocks * self.shift, count))
        padded[: self.length] = frames
        total = np.zeros((count + blocks - 1, self.shift))
        for block in range(blocks):
            total[block : block + count] += padded[block * self.shift : (block + 1) * self.shift].T
        start = first * self.shift
        flat = total.reshape(-1)[: len(output) - start]
        output[start : start + len(flat)] += flat


def root_hann(rate: int, window_ms: float = 20.0, shift_ms: float = 10.0) -> Framing:
    """Frames of 20 ms every 10 ms with the window of the VoicePrivacy 2020 baseline B2: sqrt(hann / K)."""
    length, shift = int(window_ms * rate / 1000), int(shift_ms * rate / 1000)
    hann = np.hanning(length)
    return Framing(length, shift, np.sqrt(hann / (hann.sum() / shift)))


def check_samples(samples: ArrayLike, rate: int, shortest: int = 1) -> NDArray[np.float64]:
    """One channel of finite samples in -1..1, as float64; integers are scaled by their type's full range."""
    array = np.asarray(samples)
    if array.ndim != 1:
        raise InputError(
            f"samples: expected one channel, got an array of shape {array.shape}; average the channels first"
        )
    if array.dtype.kind == "i":
        array = array / -float(np.iinfo(array.dtype).min)
    if array.dtype.kind != "f":
        raise NotANumber(f"samples: expected numbers, got values of type {array.dtype}")
    if rate <= 0:
        raise InputError(f"rate: expected samples per second such as 16000, got {rate}")
    if array.size < shortest:
        raise InputError(
            f"samples: {array.size} samples are {1000 * array.size / rate:.0f} ms, at least "
            f"{1000 * shortest / rate:.0f} ms are needed; leave this recording out"
        )
    if not np.isfinite(array).all():
        raise NotANumber("samples: some are NaN or infinite; read or write the file again")
    return array.astype(np.float64, copy=False)
