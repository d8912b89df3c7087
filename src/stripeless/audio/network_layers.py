"""Layers of the networks, for NumPy arrays and torch tensors alike: what trains in torch applies in NumPy.

Arrays are (batch, frames, channels). A network is a function of named weights, written once; `Ops` is what differs
between the two libraries. So a plain install runs every network without torch, and no second version can drift away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any  # a NumPy array or a torch tensor
Weights: TypeAlias = Mapping[str, Array]
EPSILON = 1e-5


class NumpyOps:
    """The operations in NumPy."""

    def conv(self, x: Array, weight: Array, bias: Array, dilation: int = 1) -> Array:
        """Convolution over frames, as long as its input; weight is (kernel, inputs, outputs)."""
        kernel, frames = weight.shape[0], x.shape[1]
        if kernel == 1:
            return x @ weight[0] + bias
        reach = dilation * (kernel - 1)
        padded = np.pad(x, ((0, 0), (reach // 2, reach - reach // 2), (0, 0)))
        out = padded[:, :frames] @ weight[0]
        for tap in range(1, kernel):
            out += padded[:, tap * dilation : tap * dilation + frames] @ weight[tap]
        out += bias
        return out

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0.0)

    def tanh(self, x: Array) -> Array:
        return np.tanh(x)

    def sigmoid(self, x: Array) -> Array:
        return 1.0 / (1.0 + np.exp(-np.clip(x, -60.0, 60.0)))

    def softmax(self, x: Array, axis: int) -> Array:
        raised = np.exp(x - x.max(axis=axis, keepdims=True))
        return raised / raised.sum(axis=axis, keepdims=True)

    def root(self, x: Array) -> Array:
        return np.sqrt(np.maximum(x, 1e-8))

    def join(self, parts: list[Array], axis: int = -1) -> Array:
        return np.concatenate(parts, axis=axis)


class TorchOps:
    """The same in torch."""

    def __init__(self) -> None:
        import torch

        self.torch: Any = torch

    def conv(self, x: Array, weight: Array, bias: Array, dilation: int = 1) -> Array:
        kernel = weight.shape[0]
        if kernel == 1:
            return x @ weight[0] + bias
        reach = dilation * (kernel - 1)
        functional = self.torch.nn.functional
        padded = functional.pad(x.transpose(1, 2), (reach // 2, reach - reach // 2))
        return functional.conv1d(padded, weight.permute(2, 1, 0), bias, dilation=dilation).transpose(1, 2)

    def relu(self, x: Array) -> Array:
        return self.torch.relu(x)

    def tanh(self, x: Array) -> Array:
        return self.torch.tanh(x)

    def sigmoid(self, x: Array) -> Array:
        return self.torch.sigmoid(x)

    def softmax(self, x: Array, axis: int) -> Array:
        return self.torch.softmax(x, axis)

    def root(self, x: Array) -> Array:
        return self.torch.sqrt(self.torch.clamp_min(x, 1e-8))

    def join(self, parts: list[Array], axis: int = -1) -> Array:
        return self.torch.cat(parts, axis)


def normalized(ops: Any, x: Array, weights: Weights, name: str) -> Array:
    """Layer normalization over the channels: needs no statistics of a batch, so it is the same in training and use."""
    mean = x.mean(-1)[..., None]
    apart = x - mean
    return (
        apart / ops.root((apart * apart).mean(-1)[..., None] + EPSILON) * weights[f"{name}.scale"]
        + weights[f"{name}.shift"]
    )


def convolved(ops: Any, x: Array, weights: Weights, name: str, dilation: int = 1) -> Array:
    """The convolution called `name`."""
    return ops.conv(x, weights[f"{name}.weight"], weights[f"{name}.bias"], dilation)


def residual(ops: Any, x: Array, weights: Weights, name: str, dilation: int, voice: Array | None = None) -> Array:
    """A residual block: wide convolution, rectifier, scaled and shifted by the `voice` (batch, 1, numbers), mixed, added."""
    hidden = ops.relu(convolved(ops, normalized(ops, x, weights, f"{name}.norm"), weights, f"{name}.wide", dilation))
    if voice is not None:
        both = convolved(ops, voice, weights, f"{name}.voice")
        half = hidden.shape[-1]
        hidden = hidden * (1.0 + both[..., :half]) + both[..., half:]
    return x + convolved(ops, hidden, weights, f"{name}.mix")


class Drawn:
    """New weights, drawn by name in the order of asking: the same seed gives the same network."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.weights: dict[str, Any] = {}

    def conv(self, name: str, inputs: int, outputs: int, kernel: int = 1, scale: float = 1.0) -> None:
        """A convolution, or with kernel 1 a linear layer."""
        spread = scale * np.sqrt(2.0 / (inputs * kernel))
        self.weights[f"{name}.weight"] = self.random.normal(0, spread, (kernel, inputs, outputs)).astype(np.float32)
        self.weights[f"{name}.bias"] = np.zeros(outputs, np.float32)

    def norm(self, name: str, channels: int) -> None:
        """Layer normalization."""
        self.weights[f"{name}.scale"] = np.ones(channels, np.float32)
        self.weights[f"{name}.shift"] = np.zeros(channels, np.float32)

    def residual(self, name: str, channels: int, kernel: int, voice: int = 0) -> None:
        """A residual block, which starts close to doing nothing."""
        self.norm(f"{name}.norm", channels)
        self.conv(f"{name}.wide", channels, channels, kernel)
        if voice:
            self.conv(f"{name}.voice", voice, 2 * channels, scale=0.3)
        self.conv(f"{name}.mix", channels, channels, scale=0.3)
