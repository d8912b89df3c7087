"""The weights that come with stripeless: safetensors in `data/voice`, made by the commands in their metadata."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._weights import checked_weights
from stripeless.embeddings.safetensors_file import read_safetensors
from stripeless.errors import FileError

FOLDER = Path(__file__).parents[1] / "data" / "voice"


def shipped_file(name: str) -> Path:
    """Where the weights called `name` lie."""
    path = FOLDER / f"{name}.safetensors"
    if not path.is_file():
        raise FileError(path, "is missing from this installation; install stripeless again")
    return path


@cache
def shipped(name: str) -> dict[str, NDArray[Any]]:
    """Weights by name, in single precision, loaded once per process; others than those on record are refused."""
    path = checked_weights(name, shipped_file(name)).path
    return {key: value.astype(np.float32) for key, value in read_safetensors(path)[0].items()}


@cache
def digest() -> str:
    """One name for all shipped weights: it changes when any of them does, and so does what they make."""
    parts = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.safetensors")):
        parts.update(path.name.encode() + path.read_bytes())
    return parts.hexdigest()[:16]
