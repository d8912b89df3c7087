"""What every speaker encoder is."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._files import refuse_stream
from stripeless.audio.recordings import Samples
from stripeless.errors import FileError, MissingExtra

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


def packaged_weights(package: str, inside: str, install: str, purpose: str) -> Path:
    """Path of a weight file inside an installed package, found without importing (and so without running) the package."""
    spec = find_spec(package)
    folders = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    for folder in folders:
        if (folder / inside).is_file():
            return folder / inside
    raise MissingExtra(f"{purpose} needs the weights that come with {package}: {install}")


def load_weights(path: Path) -> dict[str, Any]:
    """A state dict of tensors; files that hold anything but tensors are refused, never executed."""
    import pickle

    from stripeless._extras import need

    torch: Any = need("torch", "torch", "Running a speaker encoder")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else "no message"
        raise FileError(path, f"holds no plain weights that can be loaded safely ({first})") from error
    return dict(state)


def file_digest(path: Path) -> str:
    """SHA-256 of a file, shortened."""
    refuse_stream(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
