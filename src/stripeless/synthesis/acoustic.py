"""The acoustic model: what is said, at what pitch, in whose voice -> the spectrum of every frame.

A stack of convolutions over content features and pitch; the embedding of the voice scales and shifts the channels of
every block. One network serves every kind of content features, each with an entrance of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.network_layers import Array, Drawn, NumpyOps, Weights, convolved, normalized, residual
from stripeless.errors import InputError
from stripeless.synthesis.content import KINDS, entrance, width
from stripeless.synthesis.grid import BANDS, Frames

CHANNELS, VOICE = 160, 32
DILATIONS = (1, 2, 4, 1, 2, 4)
MEAN, SPREAD = -6.0, 2.0  # of log amplitudes, about: the network works on numbers near 1
PITCH = 5.0  # log of 148 Hz


def new_acoustic(seed: int, dimension: int) -> dict[str, Any]:
    """Weights to start from, for embeddings of `dimension` numbers."""
    drawn = Drawn(seed)
    for name, numbers in sorted({(entrance(kind), width(kind)) for kind in KINDS}):
        drawn.conv(f"enter-{name}", numbers, CHANNELS, 5)
    drawn.conv("pitch", 3, CHANNELS, 5)
    drawn.conv("voice", dimension, VOICE, scale=np.sqrt(dimension / 2))
    for number in range(len(DILATIONS)):
        drawn.residual(f"block{number}", CHANNELS, 3, VOICE)
    drawn.norm("last", CHANNELS)
    drawn.conv("leave", CHANNELS, BANDS, 3, scale=0.3)
    drawn.weights["spread"] = np.ones(BANDS, np.float32)
    return drawn.weights


def pitch_inputs(f0: NDArray[np.floating[Any]]) -> Frames:
    """Log pitch around 0, voiced or not, and the slope of log pitch: (frames, 3); unvoiced frames (0 or NaN) are bridged."""
    values = np.nan_to_num(np.asarray(f0, dtype=np.float64))
    voiced = values > 0
    if not voiced.any():
        return np.zeros((len(values), 3), np.float32)
    at = np.arange(len(values))
    log = np.interp(at, at[voiced], np.log(values[voiced])) - PITCH
    slope = np.gradient(log) if len(log) > 1 else np.zeros_like(log)
    return np.stack([2 * log, voiced, 10 * slope], axis=1).astype(np.float32)


def spectrum(ops: Any, content: Array, pitch: Array, voice: Array, weights: Weights, kind: str) -> Array:
    """(batch, frames, features), (batch, frames, 3), (batch, 1, dimension) -> (batch, frames, 80), scaled to about 1."""
    x = convolved(ops, content, weights, f"enter-{entrance(kind)}") + convolved(ops, pitch, weights, "pitch")
    voice = ops.tanh(convolved(ops, voice, weights, "voice"))
    for number, dilation in enumerate(DILATIONS):
        x = residual(ops, x, weights, f"block{number}", dilation, voice)
    return convolved(ops, normalized(ops, x, weights, "last"), weights, "leave")


@dataclass(frozen=True, eq=False)
class AcousticModel:
    """A trained network."""

    weights: Mapping[str, NDArray[np.float32]]

    @property
    def dimension(self) -> int:
        """Numbers of an embedding."""
        return int(self.weights["voice.weight"].shape[1])

    def apply(self, content: Frames, f0: NDArray[np.floating[Any]], voice: NDArray[Any], kind: str) -> Frames:
        """Log mel amplitudes of every frame."""
        vector = np.asarray(voice, dtype=np.float32)
        if vector.shape != (self.dimension,):
            raise InputError(f"voice: expected an embedding of {self.dimension} numbers, got shape {vector.shape}")
        if len(f0) != len(content):
            raise InputError(f"f0: expected one value per frame ({len(content)}), got {len(f0)}")
        out = spectrum(NumpyOps(), content[None], pitch_inputs(f0)[None], vector[None, None], self.weights, kind)[0]
        # a network trained to be right on average is too flat; each band gets the spread of real speech back
        middle = out.mean(axis=0)
        return np.asarray((middle + (out - middle) * self.weights["spread"]) * SPREAD + MEAN, dtype=np.float32)
