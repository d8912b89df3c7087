"""A protection in one file: named arrays as safetensors, and their description as JSON in its header.

Nothing in such a file can run code, unlike in a pickle.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._files import working_folder
from stripeless.embeddings.safetensors_file import read_safetensors, write_safetensors
from stripeless.errors import FileError, shown

MOST_NUMBERS = 1_000_000  # in one vector
LARGEST = 1e15  # of any number: products of three still fit into single precision
BROKEN = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
)  # by wrong types


def write_tensors(path: str | os.PathLike[str], tensors: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
    """Write the file whole or not at all; the same arrays give the same bytes."""
    path = Path(path)
    arrays = {name: np.ascontiguousarray(tensors[name]) for name in sorted(tensors)}
    try:
        with working_folder(path.parent) as folder:
            write_safetensors(folder / path.name, arrays, {"stripeless": json.dumps(about, sort_keys=True)})
            os.replace(folder / path.name, path)
    except OSError as error:
        raise FileError(path, f"cannot be written ({error.strerror or error}); choose a folder that exists") from error


def read_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the description, or a sentence that says what is wrong with the file."""
    try:
        arrays, metadata = read_safetensors(path)
        about: dict[str, Any] = json.loads(metadata["stripeless"])
        if not isinstance(about, dict):
            raise ValueError("its description is no table")
        json.dumps(about, ensure_ascii=False).encode()  # half a sign in a name is a ValueError
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror or error})") from error
    except (FileError, ValueError, KeyError, RecursionError) as error:
        raise FileError(path, "is not a protection saved by stripeless, or it was cut short") from error
    for name, array in arrays.items():
        if (
            not array.size and max(array.shape, default=0) > MOST_NUMBERS
        ):  # holds nothing, and says a length all the same
            raise FileError(
                path, f"claims {max(array.shape)} numbers in {shown(name)} that it does not hold; save it again"
            )
        if (np.abs(array[np.isfinite(array)]) > LARGEST).any():
            raise FileError(
                path,
                f"holds numbers beyond {LARGEST:g} in {shown(name)}, which nothing that is learned has; save it again",
            )
    return arrays, about
