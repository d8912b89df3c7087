"""Many voices out of few: recordings changed so that an encoder hears other people in other rooms.

A voice gets its own pitch (by resampling), vocal tract (formants moved, each region of the spectrum by its own factor), sharpness
of formants and breath, the same for all its recordings; a recording gets its own channel and noise. A fixed coloring would be
no voice: encoders take the mean of each band out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.audio.recordings import RATE, Samples, resample

SIZE, HOP = 1024, 256
REGIONS = np.array([0.0, 500.0, 1200.0, 2200.0, 3500.0, 8000.0])  # Hz
KNOTS = 7


@dataclass(frozen=True, eq=False)
class Change:
    """What is done to every recording of one speaker; `stretch` has a factor for each of REGIONS."""

    rate: float
    stretch: np.ndarray
    sharpness: float
    breath: float


def other_voice(seed: int, speaker: int, variant: int) -> Change:
    """The change that makes variant 1, 2, ... of a speaker."""
    random = np.random.default_rng([seed, speaker, variant, 11])
    return Change(
        rate=float(np.exp(random.uniform(np.log(0.78), np.log(1.28)))),
        stretch=np.exp(random.uniform(-0.15, 0.15) + random.normal(0, 0.06, len(REGIONS))),
        sharpness=float(random.uniform(0.75, 1.2)),
        breath=float(random.uniform(0.0, 0.35)),
    )


def changed(samples: Samples, change: Change, random: np.random.Generator) -> Samples:
    """The recording in another voice, through a channel and with noise of its own."""
    moved = resample(samples, round(RATE * change.rate), RATE)
    return with_noise(reshaped(moved, change, random.normal(0, 1.5, KNOTS), random), random.uniform(15, 45), random)


def reshaped(samples: Samples, change: Change, color: np.ndarray, random: np.random.Generator) -> Samples:
    """Another spectral envelope on the same excitation; `color` is that of the channel, in dB from 60 Hz to 8 kHz."""
    window = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(SIZE) / SIZE))
    padded = np.pad(samples, (SIZE, 2 * SIZE))
    frames = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP] * window
    spectrum = np.fft.rfft(frames)
    cepstrum = np.fft.irfft(np.log(np.abs(spectrum) + 1e-6))
    cepstrum[:, 33 : SIZE - 32] = 0
    envelope = np.fft.rfft(cepstrum).real
    bins = np.arange(SIZE // 2 + 1)
    hz = bins * RATE / SIZE
    place = np.clip(bins / np.interp(hz, REGIONS, change.stretch), 0, SIZE // 2)
    left = np.minimum(place.astype(int), SIZE // 2 - 1)
    new = envelope[:, left] + (place - left) * (envelope[:, left + 1] - envelope[:, left])
    level = new.mean(axis=1, keepdims=True)
    new = level + change.sharpness * (new - level)
    smooth = np.interp(np.log(np.maximum(hz, 60.0)), np.linspace(np.log(60.0), np.log(RATE / 2), KNOTS), color)
    gain = np.exp(np.clip(new - envelope, -2.5, 2.5) + smooth * np.log(10) / 20)
    noise = random.standard_normal(spectrum.shape) + 1j * random.standard_normal(spectrum.shape)
    breath = change.breath * np.clip((hz - 1000) / 2000, 0, 1) * np.exp(envelope) * noise
    frames = np.fft.irfft((spectrum + breath) * gain) * window
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
