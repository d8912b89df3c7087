"""The waveform model: log mel, F0 and a voice become sound. Pulses and noise pass through filters that a network sets.

Each frame has two filters, given by their gains at the centers of the 80 mel bands: one for the pulses (minimum phase, as
a vocal tract) and one for the noise (zero phase). They start from the mel spectrum itself; the network says how much of
each band is voice and how much is noise, and mends what mel bands blur. Written once for NumPy and torch (`layers`).
After the neural source-filter models of Wang et al. (2019), with the harmonic-plus-noise synthesizer of Engel et al. (2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.audio.network_layers import Array, Drawn, Weights, convolved, normalized, residual
from stripeless.audio.recordings import Samples
from stripeless.embeddings.safetensors_file import read_safetensors
from stripeless.errors import FileError, InputError, NotANumber
from stripeless.synthesis.excitation import excitation
from stripeless.synthesis.filters import TAIL, centers, filtered, spectra, white
from stripeless.synthesis.grid import BANDS, HOP, frame_count
from stripeless.synthesis.spectral_ops import SpectralNumpyOps

SHIPPED = Path(__file__).parents[1] / "data" / "voice" / "waveform.safetensors"
CHANNELS, KERNEL, DILATIONS, VOICE = 160, 5, (1, 2, 4, 2, 1), 64
MEAN, SPREAD = -6.5, 2.5  # of log mel amplitudes at the common level, about
REACH = 24  # frames that the network looks ahead and back
FURTHEST = 4.0  # nepers by which the network may leave the mel spectrum: 35 dB
BLOCK = 1000  # frames computed at a time


def described(mel: NDArray[Any], f0: NDArray[Any]) -> NDArray[np.float32]:
    """What the network sees of each frame: mel, how near each band lies to a harmonic, F0 and voicing; (..., 162)."""
    f0 = np.asarray(f0, dtype=np.float64)[..., None]
    voiced = f0 > 0
    pitch = np.where(voiced, f0, 150.0)
    resolved = np.clip(1 - np.gradient(centers()) / pitch, 0, 1)
    near = np.where(voiced, resolved * np.cos(2 * np.pi * centers() / pitch), 0.0)
    return np.concatenate([(mel - MEAN) / SPREAD, near, 2 * np.log(pitch / 150), voiced], axis=-1).astype(np.float32)


def drawn_weights(
    voice: int, seed: int, channels: int = CHANNELS, dilations: tuple[int, ...] = DILATIONS
) -> dict[str, Any]:
    """A new network for embeddings of `voice` numbers; it begins by playing the mel spectrum with pulses and noise alike."""
    new = Drawn(seed)
    new.conv("voice", voice, VOICE)
    new.conv("in", 2 * BANDS + 2, channels, 3)
    for number in range(len(dilations)):
        new.residual(f"block{number}", channels, KERNEL, VOICE)
    new.norm("norm", channels)
    new.conv("out", channels, 2 * BANDS, scale=0.1)
    new.weights["dilations"] = np.array(dilations, np.float32)
    return new.weights


def gains(ops: Any, frames: Array, mel: Array, voice: Array, weights: Weights) -> tuple[Array, Array]:
    """Log gains for (pulses, noise) in each band: (batch, frames, 80) each. `frames` come from `described`."""
    voice = ops.relu(convolved(ops, voice, weights, "voice"))
    x = ops.relu(convolved(ops, frames, weights, "in"))
    for number, dilation in enumerate(weights["dilations"]):
        x = residual(ops, x, weights, f"block{number}", int(dilation), voice)
    out = FURTHEST * ops.tanh(convolved(ops, normalized(ops, x, weights, "norm"), weights, "out") / FURTHEST)
    base = mel - white()
    return base + out[..., :BANDS], base + out[..., BANDS:]


def sound(ops: Any, pulses: Array, noise: Array, for_pulses: Array, for_noise: Array) -> Array:
    """Excitations (batch, 160 (k + 1)) through the filters of k frames; they begin a hop before the first center."""
    whole = filtered(ops, spectra(ops, pulses), spectra(ops, noise), for_pulses, for_noise)
    return whole[:, HOP : HOP + noise.shape[-1]]


@dataclass(frozen=True, eq=False)
class WaveformModel:
    """Weights by name, and what is known of their making."""

    weights: Mapping[str, NDArray[np.float32]]
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def dimension(self) -> int:
        """Numbers in a voice."""
        return int(self.weights["voice.weight"].shape[1])

    def apply(self, mel: ArrayLike, f0: ArrayLike, voice: ArrayLike, samples: int, seed: int = 0) -> Samples:
        """Sound of so many samples, from log mel and F0 (Hz, 0 without voice) of each frame and a voice of length 1.

        >>> model = WaveformModel(drawn_weights(4, seed=0, channels=8, dilations=(1,)))
        >>> model.apply(np.full((101, 80), -6.0), np.full(101, 120.0), np.eye(4)[0], 16000).shape
        (16000,)
        """
        shown, pitch, spoken = self.checked(mel, f0, voice, samples)
        frames = described(shown, pitch)
        driven = [
            np.pad(signal, (HOP, len(shown) * HOP - samples))[None] for signal in excitation(pitch, samples, seed)
        ]
        output = np.zeros((len(shown) + TAIL - 1) * HOP, np.float32)
        for start in range(0, len(shown), BLOCK):
            stop = min(start + BLOCK, len(shown))
            first, last = max(0, start - REACH), min(len(shown), stop + REACH)
            inside = slice(start - first, stop - first)
            both = gains(OPS, frames[None, first:last], shown[None, first:last], spoken, self.weights)
            parts = [spectra(OPS, signal[:, start * HOP : (stop + 1) * HOP]) for signal in driven]
            piece = filtered(OPS, *parts, *(gain[:, inside] for gain in both))
            output[start * HOP : start * HOP + piece.shape[-1]] += piece[0]
        return output[2 * HOP : 2 * HOP + samples].astype(np.float64)

    def checked(
        self, mel: ArrayLike, f0: ArrayLike, voice: ArrayLike, samples: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float32]]:
        """The arguments as arrays, or one sentence about what is wrong with them."""
        frames = frame_count(samples)
        shapes = {"mel": (frames, BANDS), "f0": (frames,), "voice": (self.dimension,)}
        arrays = []
        for (name, shape), given in zip(shapes.items(), (mel, f0, voice), strict=True):
            array = np.asarray(given, dtype=np.float64)
            if array.shape != shape:
                raise InputError(
                    f"{name}: expected shape {shape} for {samples} samples (a frame every {HOP}), got {array.shape}"
                )
            if not np.isfinite(array).all():
                raise NotANumber(f"{name}: holds NaN or infinity; unvoiced frames have an F0 of 0")
            arrays.append(array)
        if arrays[1].min() < 0 or arrays[1].max() > 1000:
            raise InputError(f"f0: expected 0 (no voice) to 1000 Hz, got {arrays[1].min():g} to {arrays[1].max():g}")
        return arrays[0].astype(np.float32), arrays[1], arrays[2].astype(np.float32)[None, None]


OPS = SpectralNumpyOps()


def read_waveform_model(path: str | PathLike[str] = SHIPPED) -> WaveformModel:
    """The model in a safetensors file; without path the one that comes with stripeless."""
    weights, about = read_safetensors(path)
    missing = sorted({"voice.weight", "in.weight", "out.weight", "dilations"} - set(weights))
    if missing:
        raise FileError(path, f"is no waveform model (it lacks {', '.join(missing)}); train one with train_waveform.py")
    return WaveformModel(weights, about)
