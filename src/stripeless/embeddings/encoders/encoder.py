"""What every speaker encoder is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.recordings import Samples
from stripeless.errors import FileError, shown

Vector: TypeAlias = NDArray[np.float32]


class Encoder(Protocol):
    """Hears a recording and gives one vector: write an object with these three to attack with an encoder of your own."""

    @property
    def name(self) -> str:
        """What the encoder is called in results."""

    @property
    def identity(self) -> str:
        """A text that changes whenever the vectors would, such as a digest of the weights: it keys the cache."""

    def embed(self, samples: Samples) -> Vector:
        """One vector, 1-D, for `samples`: one channel at 16 kHz, from -1 to 1."""


def load_weights(path: Path) -> dict[str, Any]:
    """A state dict of tensors; files that hold anything but tensors are refused, never executed."""
    import pickle

    from stripeless._extras import need

    torch: Any = need("torch", "torch", "Running a speaker encoder")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
        raise FileError(path, f"holds no plain weights that can be loaded safely ({shown(error)})") from error
    return dict(state)
