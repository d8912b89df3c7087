"""What drives the voice: pulses at F0 where it sings, noise everywhere; both white, as loud per Hz as one another.

The vocal tract colors them afterwards (`waveform`). White means that a filter's gain is the spectrum that is heard, for any
F0, so the filter need not know how many harmonics fall into a band.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.recordings import RATE
from stripeless.synthesis.grid import HOP

Signal = NDArray[np.float32]
BREATH = 0.6  # how far noise swells and fades with each pulse while there is voice


def excitation(f0: NDArray[np.floating], samples: int, seed: int) -> tuple[Signal, Signal]:
    """(pulses, noise), each `samples` long, from F0 per frame in Hz (0 where there is no voice).

    >>> pulses, noise = excitation(np.full(101, 200.0), 16000, 0)
    >>> float(np.round(np.mean(pulses[1600:14400] ** 2), 1)), float(np.round(np.mean(noise**2), 1))
    (1.0, 1.0)
    """
    voice, pitch = at_samples(np.asarray(f0, dtype=np.float64), samples)
    phase = 2 * np.pi * (np.cumsum(pitch) / RATE % 1.0)
    pulses = voice * np.sqrt(4 * pitch / RATE) * harmonics(phase, pitch)
    swell = BREATH * voice
    noise = np.random.default_rng(seed).standard_normal(samples)
    noise *= (1 + swell * np.cos(phase)) / np.sqrt(1 + swell * swell / 2)
    return pulses.astype(np.float32), noise.astype(np.float32)


def at_samples(f0: NDArray[np.float64], samples: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Voicing (0 to 1, gliding over one frame, so that nothing clicks) and F0 at every sample, carried across silence."""
    frames, time = np.arange(len(f0)), np.arange(samples) / HOP
    voiced = f0 > 0
    if not voiced.any():
        return np.zeros(samples), np.full(samples, 100.0)
    return np.interp(time, frames, voiced.astype(np.float64)), np.interp(time, frames[voiced], f0[voiced])


def harmonics(phase: NDArray[np.float64], pitch: NDArray[np.float64]) -> NDArray[np.float64]:
    """cos(phase) + cos(2 phase) + ... up to half the rate, in closed form; the topmost fades in and out as F0 glides."""
    count = np.maximum(RATE / 2 / pitch - 1, 0.0)
    whole = np.floor(count)
    half = np.sin(phase / 2)
    peak = np.abs(half) < 1e-6
    closed = np.sin(whole * phase / 2) * np.cos((whole + 1) * phase / 2) / np.where(peak, 1.0, half)
    return np.asarray(np.where(peak, whole, closed) + (count - whole) * np.cos((whole + 1) * phase))
