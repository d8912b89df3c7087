"""What the waveform model needs besides layers: spectra, and padding of the last axis; in NumPy and in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from stripeless.audio.network_layers import Array, NumpyOps, TorchOps


class SpectralNumpyOps(NumpyOps):
    """In NumPy, single precision throughout."""

    def constant(self, values: Any) -> Array:
        return np.asarray(values, dtype=np.float32)

    def exp(self, x: Array) -> Array:
        return np.exp(x)

    def polar(self, magnitude: Array, phase: Array) -> Array:
        out = np.empty(magnitude.shape, np.complex64)
        out.real, out.imag = magnitude * np.cos(phase), magnitude * np.sin(phase)
        return out

    def rfft(self, x: Array) -> Array:
        return np.fft.rfft(x)

    def irfft(self, x: Array, size: int) -> Array:
        return np.fft.irfft(x, size)

    def pad(self, x: Array, before: int, after: int) -> Array:
        """Zeros before and after, along the last axis."""
        return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(before, after)])


class SpectralTorchOps(TorchOps):
    """The same in torch."""

    def __init__(self) -> None:
        super().__init__()
        self.constants: dict[int, tuple[Any, Array]] = {}

    def constant(self, values: Any) -> Array:
        if id(values) not in self.constants:  # the array is kept beside its tensor, so that its id stays taken
            self.constants[id(values)] = values, self.torch.from_numpy(np.array(values, np.float32))
        return self.constants[id(values)][1]

    def exp(self, x: Array) -> Array:
        return self.torch.exp(x)

    def polar(self, magnitude: Array, phase: Array) -> Array:
        return self.torch.complex(magnitude * self.torch.cos(phase), magnitude * self.torch.sin(phase))

    def rfft(self, x: Array) -> Array:
        return self.torch.fft.rfft(x)

    def irfft(self, x: Array, size: int) -> Array:
        return self.torch.fft.irfft(x, size)

    def pad(self, x: Array, before: int, after: int) -> Array:
        return self.torch.nn.functional.pad(x, (before, after))
