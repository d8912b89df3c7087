"""Many voices out of few: recordings changed so that an encoder hears other people in other rooms.

A voice gets its own pitch (by resampling), vocal tract, spectral slope and color, the same for all its recordings; a
recording gets its own channel and noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.audio.recordings import RATE, Samples, resample

SIZE, HOP = 1024, 256
KNOTS = 7


@dataclass(frozen=True, eq=False)
class Change:
    """What is done to every recording of one speaker."""

    rate: float
    tract: float
    tilt: float
    color: np.ndarray


def other_voice(seed: int, speaker: int, variant: int) -> Change:
    """The change that makes variant 1, 2, ... of a speaker."""
    random = np.random.default_rng([seed, speaker, variant, 11])
    return Change(
        rate=float(np.exp(random.uniform(np.log(0.85), np.log(1.18)))),
        tract=float(np.exp(random.uniform(-0.1, 0.1))),
        tilt=float(random.uniform(-2.0, 2.0)),
        color=random.normal(0, 2.5, KNOTS),
    )


def changed(samples: Samples, change: Change, random: np.random.Generator) -> Samples:
    """The recording in another voice, through a channel and with noise of its own."""
    moved = resample(samples, round(RATE * change.rate), RATE)
    channel = random.normal(0, 1.0, KNOTS)
    sounding = reshaped(moved, change.tract, change.tilt, change.color + channel)
    return with_noise(sounding, random.uniform(15, 45), random)


def reshaped(samples: Samples, tract: float, tilt: float, color: np.ndarray) -> Samples:
    """Spectral envelope stretched by `tract`, with a slope in dB per octave and a smooth color in dB."""
    window = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(SIZE) / SIZE))
    padded = np.pad(samples, (SIZE, 2 * SIZE))
    frames = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP] * window
    spectrum = np.fft.rfft(frames)
    logs = np.log(np.abs(spectrum) + 1e-6)
    cepstrum = np.fft.irfft(logs)
    cepstrum[:, 33 : SIZE - 32] = 0
    envelope = np.fft.rfft(cepstrum).real
    bins = np.arange(SIZE // 2 + 1)
    place = np.clip(bins / tract, 0, SIZE // 2)
    left = np.minimum(place.astype(int), SIZE // 2 - 1)
    stretched = envelope[:, left] + (place - left) * (envelope[:, left + 1] - envelope[:, left])
    hz = np.maximum(bins * RATE / SIZE, 60.0)
    smooth = np.interp(np.log(hz), np.linspace(np.log(60.0), np.log(RATE / 2), KNOTS), color)
    gain = np.clip(stretched - envelope, -2.5, 2.5) + (smooth + tilt * np.log2(hz / 1000)) * np.log(10) / 20
    frames = np.fft.irfft(spectrum * np.exp(gain)) * window
    out = np.zeros(len(padded))
    for first in range(SIZE // HOP):  # frames that do not overlap are laid down at once
        part = frames[first :: SIZE // HOP].reshape(-1)
        out[first * HOP : first * HOP + len(part)] += part
    return out[SIZE : SIZE + len(samples)] * (2 * HOP / SIZE)


def with_noise(samples: Samples, ratio: float, random: np.random.Generator) -> Samples:
    """Noise between white and pink, `ratio` dB below the speech."""
    spectrum = np.fft.rfft(random.standard_normal(len(samples)))
    spectrum /= np.maximum(np.arange(len(spectrum)), 1.0) ** (0.5 * random.uniform(0, 1))
    noise = np.fft.irfft(spectrum, len(samples))
    level = float(np.sqrt(np.mean(samples**2)))
    return samples + noise * (level / max(float(np.std(noise)), 1e-12) * 10 ** (-ratio / 20))
