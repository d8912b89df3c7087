"""The grid on which voices are taken apart and put together: frames every 10 ms, 80 log mel amplitudes each.

Frame k is centered at sample 160 k, so that a recording of n samples has 1 + n // 160 frames. Recordings are brought to one
level first: the networks learn nothing from loudness. It passes by another way, or not at all (`level` of the anonymizers).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.spectra import slaney_mel

Frames = NDArray[np.float32]

HOP = RATE // 100
WINDOW, SIZE = 512, 1024
BANDS = 80
LEVEL = 0.05  # root mean square of the speech
FLOOR = 1e-5  # of a band's amplitude; the log is then -11.5


def frame_count(samples: int) -> int:
    """Frames of a recording of so many samples.

    >>> frame_count(16000)
    101
    """
    return 1 + samples // HOP


@cache
def hann() -> NDArray[np.float64]:
    """The window of every frame."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)


@cache
def bands() -> NDArray[np.float64]:
    """Weights of the mel bands over the bins of the spectrum, each band's adding up to 1: (80, 513)."""
    weights = slaney_mel(BANDS, SIZE)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def level_of(samples: Samples) -> float:
    """Root mean square of the louder half of the frames: the level of speech, pauses left out; 0 for silence."""
    count = max(1, len(samples) // HOP)
    power = np.mean(np.resize(samples, (count, HOP)) ** 2, axis=1)
    return float(np.sqrt(np.mean(np.sort(power)[count // 2 :])))


def at_level(samples: Samples) -> tuple[Samples, float]:
    """The recording at the common level, and the factor that was applied."""
    level = level_of(samples)
    gain = LEVEL / level if level > 0 else 1.0
    return samples * gain, gain


def log_mel(samples: Samples) -> Frames:
    """Log amplitudes of 80 mel bands, one row per frame; a sine of amplitude 1 has about amplitude 1 in its bins.

    >>> log_mel(np.zeros(1600)).shape, float(log_mel(np.zeros(1600)).max()) < -11.5
    ((11, 80), True)
    """
    padded = np.pad(samples, WINDOW // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][: frame_count(len(samples))]
    amplitude = np.abs(np.fft.rfft(frames * hann(), SIZE)) * (2.0 / hann().sum())
    return np.asarray(np.log(np.maximum(amplitude @ bands().T, FLOOR)), dtype=np.float32)
