"""What is said, without who says it: a small network that hears phones.

Trained to name the phone state of every frame (scripts/voice/train_content.py). Three trainings of one network are shipped:
`frames` (every frame by itself, as the recognizer of B1), `sequence` (also end to end on the sequence of phones, as M1), and
`adversarial` (the same against a branch that tries to name the speaker, as M1c1). What they pass on is how likely each
of 40 phones is. Their 48-number bottlenecks, which the published systems pass on, can be had too (`frames-bottleneck` ...):
they carry the speaker, and the acoustic model learns to use it (docs/reference/voice-model.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.network_layers import Array, Drawn, NumpyOps, Weights, convolved, normalized, residual
from stripeless.errors import InputError
from stripeless.synthesis.grid import BANDS, Frames

CHANNELS, WIDTH = 160, 48
DILATIONS = (1, 2, 3, 1, 2, 4)
# fmt: off
PHONES = (
    "SIL", "AA", "AE", "AH", "AO", "AW", "AY", "B", "CH", "D", "DH", "EH", "ER", "EY", "F", "G", "HH", "IH", "IY", "JH",
    "K", "L", "M", "N", "NG", "OW", "OY", "P", "R", "S", "SH", "T", "TH", "UH", "UW", "V", "W", "Y", "Z", "ZH",
)
# fmt: on
STATES = 3 * len(PHONES)  # beginning, middle and end of each phone
TRAININGS = ("frames", "sequence", "adversarial")
BOTTLENECKS = tuple(f"{training}-bottleneck" for training in TRAININGS)
KINDS = (*TRAININGS, *BOTTLENECKS)
SHARPENED = 2.0  # power of the likelihoods of phones: doubts say more about the speaker than about the word


def new_content(seed: int) -> dict[str, Any]:
    """Weights to start from."""
    drawn = Drawn(seed)
    drawn.conv("first", BANDS, CHANNELS, 5)
    for number in range(len(DILATIONS)):
        drawn.residual(f"block{number}", CHANNELS, 3)
    drawn.norm("last", CHANNELS)
    drawn.conv("narrow", CHANNELS, WIDTH)
    drawn.norm("bottleneck", WIDTH)
    drawn.conv("hidden", WIDTH, CHANNELS)
    drawn.conv("states", CHANNELS, STATES, scale=0.5)
    drawn.conv("symbols", CHANNELS, len(PHONES), scale=0.5)
    return drawn.weights


def bottleneck(ops: Any, x: Array, weights: Weights) -> Array:
    """(batch, frames, 80) with the mean removed -> (batch, frames, 48) of mean 0 and variance 1."""
    x = convolved(ops, x, weights, "first")
    for number, dilation in enumerate(DILATIONS):
        x = residual(ops, x, weights, f"block{number}", dilation)
    x = convolved(ops, normalized(ops, x, weights, "last"), weights, "narrow")
    return normalized(ops, x, weights, "bottleneck")


def heard(ops: Any, narrow: Array, weights: Weights, what: str = "states") -> Array:
    """Logits of the phone state of each frame; in training also of the `symbols` of the sequence (silence is the blank)."""
    return convolved(ops, ops.relu(convolved(ops, narrow, weights, "hidden")), weights, what)


def centered(mel: Frames) -> Frames:
    """The mean over the recording, which is microphone, room and voice more than words, removed; about unit variance."""
    return np.asarray((mel - mel.mean(axis=0)) / 1.5, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class ContentModel:
    """A trained network."""

    weights: Mapping[str, NDArray[np.float32]]

    def bottleneck(self, mel: Frames) -> Frames:
        """48 numbers per frame."""
        if mel.ndim != 2 or mel.shape[1] != BANDS:
            raise InputError(f"mel: expected frames of {BANDS} bands, got an array of shape {mel.shape}")
        return np.asarray(bottleneck(NumpyOps(), centered(mel)[None], self.weights)[0])

    def posteriors(self, mel: Frames) -> Frames:
        """How likely each phone state is in each frame: (frames, 120)."""
        ops = NumpyOps()
        logits = heard(ops, self.bottleneck(mel)[None], self.weights)
        return np.asarray(ops.softmax(logits, -1)[0], dtype=np.float32)

    def phones(self, mel: Frames) -> Frames:
        """How likely each phone is, sharpened: (frames, 40)."""
        raised = self.posteriors(mel).reshape(len(mel), len(PHONES), 3).sum(axis=-1) ** SHARPENED
        return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)

    def features(self, mel: Frames, kind: str) -> Frames:
        """What the acoustic model is given: likelihoods of phones, or the bottleneck."""
        return self.bottleneck(mel) if kind in BOTTLENECKS else self.phones(mel)


def width(kind: str) -> int:
    """Numbers per frame of this kind of features.

    >>> width("frames"), width("frames-bottleneck")
    (40, 48)
    """
    return WIDTH if kind in BOTTLENECKS else len(PHONES)


def training_of(kind: str) -> str:
    """The training whose network gives this kind of features."""
    return kind.partition("-")[0]


def entrance(kind: str) -> str:
    """Where these features enter the acoustic model: likelihoods of phones are alike, whichever network they are from."""
    return training_of(kind) if kind in BOTTLENECKS else "phones"
