"""`compact`: a small network in NumPy that learned to give CAM++'s vectors, so that a plain install has a real encoder.

Two frames of 80 log mel energies make one step of 20 ms; residual convolutions, each told the mean of what it sees over the whole
utterance; pooling of mean and deviation with learned weights; a linear layer. The weights (Apache-2.0 teacher, CC BY and MIT
recordings) ship with the package and were trained by scripts/voice/train_encoder.py.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._weights import WeightsFile, checked_weights, sha256_of_weights
from stripeless.audio.network_layers import Array, Drawn, NumpyOps, Weights, convolved, normalized, residual
from stripeless.audio.recordings import Samples
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.embeddings.encoders.spectra import at_common_level, kaldi_filterbank
from stripeless.embeddings.safetensors_file import read_safetensors
from stripeless.errors import FileError

BINS, WIDTH, ATTENTION, DIMENSION = 80, 192, 64, 192
DILATIONS = (1, 2, 3, 4, 1)
LEAST = 40  # frames; shorter recordings are repeated
WEIGHTS = Path(__file__).parents[2] / "data" / "voice" / "encoder.safetensors"


def new_compact(seed: int) -> dict[str, NDArray[np.float32]]:
    """Weights before training."""
    drawn = Drawn(seed)
    drawn.conv("first", 2 * BINS, WIDTH, 3)
    for block in range(len(DILATIONS)):
        drawn.residual(f"block{block}", WIDTH, 3, voice=WIDTH)
    drawn.norm("out", WIDTH)
    drawn.conv("look", WIDTH, ATTENTION)
    drawn.conv("weigh", ATTENTION, WIDTH, scale=0.3)
    drawn.norm("pooled", 2 * WIDTH)
    drawn.conv("last", 2 * WIDTH, DIMENSION)
    return drawn.weights


def compact(ops: Any, frames: Array, weights: Weights) -> Array:
    """(batch, frames, 80) -> (batch, 192), not yet of length 1."""
    steps = frames.shape[1] // 2
    x = convolved(ops, frames[:, : 2 * steps].reshape(frames.shape[0], steps, 2 * BINS), weights, "first")
    for block, dilation in enumerate(DILATIONS):
        x = residual(ops, x, weights, f"block{block}", dilation, ops.tanh(x.mean(1)[:, None]))
    x = ops.relu(normalized(ops, x, weights, "out"))
    weight = ops.softmax(convolved(ops, ops.tanh(convolved(ops, x, weights, "look")), weights, "weigh"), 1)
    mean = (weight * x).sum(1)[:, None]
    deviation = ops.root((weight * x * x).sum(1)[:, None] - mean * mean + 1e-4)
    pooled = normalized(ops, ops.join([mean, deviation]), weights, "pooled")
    return convolved(ops, pooled, weights, "last")[:, 0]


def compact_frames(samples: Samples) -> NDArray[np.float32]:
    """What the network sees: log mel energies at one level, their mean over the utterance removed."""
    frames = kaldi_filterbank(at_common_level(samples), BINS)
    if len(frames) < LEAST:
        frames = np.tile(frames, (-(-LEAST // len(frames)), 1))
    return np.asarray(frames - frames.mean(axis=0), dtype=np.float32)


def of_length_one(vectors: Vector) -> Vector:
    """Each row divided by its length."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), dtype=np.float32)


class CompactEncoder:
    """192 numbers of length 1, the mean over people taken out: two voices compare by their cosine."""

    name = "compact"

    def __init__(self, path: str | Path = WEIGHTS) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileError(self.path, "is missing; it comes with the package: install stripeless again")
        own = self.path != WEIGHTS  # of somebody who trained it anew
        self.file = (
            WeightsFile(self.path, sha256_of_weights(path), False) if own else checked_weights("compact", self.path)
        )

    @cached_property
    def identity(self) -> str:
        return f"compact-1-{self.file.sha256[:16]}"

    @cached_property
    def weights(self) -> dict[str, NDArray[Any]]:
        return read_safetensors(self.path)[0]

    def embed(self, samples: Samples) -> Vector:
        out = compact(NumpyOps(), compact_frames(samples)[None], self.weights)
        vector: Vector = of_length_one(of_length_one(out) - self.weights["mean"])[0]
        return vector
