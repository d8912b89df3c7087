"""The layers of `stripeless.audio.network_layers`, which encoders share, under the name by which the networks here call them."""

from stripeless.audio.network_layers import (
    EPSILON,
    Array,
    Drawn,
    NumpyOps,
    TorchOps,
    Weights,
    convolved,
    normalized,
    residual,
)

__all__ = ["EPSILON", "Array", "Drawn", "NumpyOps", "TorchOps", "Weights", "convolved", "normalized", "residual"]
