"""Spectra that encoders look at: mel filterbanks as Kaldi and as librosa compute them, cepstra, and how loud each frame is."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.frames import check_samples
from stripeless.audio.recordings import RATE, Samples

Frames = NDArray[np.float64]
LENGTH, SHIFT = RATE // 40, RATE // 100  # 25 ms every 10 ms


def power_frames(samples: Samples, *, size: int = 512, emphasis: float = 0.97) -> Frames:
    """Power spectra of 25 ms frames every 10 ms as Kaldi makes them: mean removed, pre-emphasis, Povey's window."""
    samples = check_samples(samples, RATE)
    if len(samples) < LENGTH:
        samples = np.pad(samples, (0, LENGTH - len(samples)))
    frames = np.lib.stride_tricks.sliding_window_view(samples, LENGTH)[::SHIFT]
    frames = frames - frames.mean(axis=1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(LENGTH) / (LENGTH - 1))) ** 0.85
    spectrum = np.fft.rfft((frames - emphasis * before) * window, size)
    return np.asarray(spectrum.real**2 + spectrum.imag**2)


def kaldi_filterbank(samples: Samples, bins: int = 80) -> Frames:
    """Log mel energies, one row per frame, 20 Hz to 8 kHz, as Kaldi's compute-fbank-feats without dither."""
    energies = power_frames(samples)[:, :256] @ kaldi_mel(bins).T
    return np.asarray(np.log(np.maximum(energies, np.finfo(np.float32).eps)))


@cache
def kaldi_mel(bins: int) -> Frames:
    """Triangles on Kaldi's mel scale, 1127 ln(1 + f/700), over the 256 bins below 8 kHz."""
    mel = 1127.0 * np.log1p(np.arange(256) * RATE / 512 / 700.0)
    low, high = 1127.0 * np.log1p(np.array([20.0, RATE / 2]) / 700.0)
    edges = np.linspace(low, high, bins + 2)
    return triangles(mel, edges)


def triangles(points: NDArray[np.float64], edges: NDArray[np.float64]) -> Frames:
    """Triangular weights over `points`, rising from edge k to k+1 and falling to k+2."""
    left, middle, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rise, fall = (points - left) / (middle - left), (right - points) / (right - middle)
    return np.maximum(0.0, np.minimum(rise, fall))


@cache
def slaney_mel(bins: int, size: int) -> Frames:
    """Triangles of equal area on Slaney's mel scale (linear below 1 kHz), librosa's default."""

    def mel_to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(mel < 15, mel * 200 / 3, 1000.0 * np.exp((mel - 15) * np.log(6.4) / 27))

    top = 15 + 27 * np.log(RATE / 2 / 1000) / np.log(6.4)
    edges = mel_to_hz(np.linspace(0, top, bins + 2))
    weights = triangles(np.arange(size // 2 + 1) * RATE / size, edges)
    return weights * (2.0 / (edges[2:] - edges[:-2]))[:, None]


def mel_power(samples: Samples, bins: int = 40) -> Frames:
    """Mel power (no logarithm) of centered 25 ms Hann frames every 10 ms, as librosa.feature.melspectrogram."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(LENGTH) / LENGTH)
    padded = np.pad(check_samples(samples, RATE), LENGTH // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, LENGTH)[::SHIFT] * window
    spectrum = np.fft.rfft(frames)
    return np.asarray((spectrum.real**2 + spectrum.imag**2) @ slaney_mel(bins, LENGTH).T)


def cepstra(filterbank: Frames, count: int = 24) -> Frames:
    """Cosine transform of log mel energies: the first `count` cepstral coefficients."""
    bins = filterbank.shape[1]
    basis = np.cos(np.pi / bins * np.outer(np.arange(bins) + 0.5, np.arange(count))) * np.sqrt(2 / bins)
    return np.asarray(filterbank @ basis)


def loudness(samples: Samples) -> NDArray[np.float64]:
    """Level in dB of each 25 ms frame."""
    if len(samples) < LENGTH:
        samples = np.pad(samples, (0, LENGTH - len(samples)))
    frames = np.lib.stride_tricks.sliding_window_view(samples, LENGTH)[::SHIFT]
    return np.asarray(10 * np.log10(np.mean(frames**2, axis=1) + 1e-12))


def at_common_level(samples: Samples) -> Samples:
    """The recording at a root mean square of 0.1, so that loudness does not show; silence stays silence."""
    samples = check_samples(samples, RATE)
    level = float(np.sqrt(np.mean(samples**2)))
    return samples * (0.1 / level) if level > 0 else samples
