"""Named arrays and their description in one file: the safetensors format, read and written without a library.

Eight bytes with the length of a JSON header, the header, the raw numbers. Nothing in such a file can run code, unlike
in a pickle. The description (a dict of plain values) travels as JSON in the header's `__metadata__`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._files import write_whole
from stripeless.errors import FileError

TYPES: dict[str, np.dtype[Any]] = {"F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "I64": np.dtype("<i8")}
NAMES = {dtype: name for name, dtype in TYPES.items()}
LONGEST_HEADER = 100_000_000  # the limit of the format itself


def write_tensors(path: str | os.PathLike[str], tensors: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
    """Write the file whole or not at all; the same arrays give the same bytes."""
    header: dict[str, Any] = {"__metadata__": {"stripeless": json.dumps(about, sort_keys=True)}}
    place, blocks = 0, []
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        header[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [place, place + array.nbytes],
        }
        place += array.nbytes
        blocks.append(array.tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers start at a multiple of eight
    write_whole(path, b"".join([len(text).to_bytes(8, "little"), text, *blocks]))


def read_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the description, or a sentence that says what is wrong with the file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror or error})") from error
    try:
        length = int.from_bytes(data[:8], "little")
        if len(data) < 8 or length > min(len(data) - 8, LONGEST_HEADER):
            raise ValueError("no header")
        header = json.loads(data[8 : 8 + length])
        about = json.loads(header.pop("__metadata__")["stripeless"])
        body = memoryview(data)[8 + length :]
        return {name: _array(entry, body) for name, entry in header.items()}, about
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(path, "is not a protection saved by stripeless, or it was cut short") from error


def _array(entry: dict[str, Any], body: memoryview) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    dtype, shape = TYPES[entry["dtype"]], entry["shape"]
    if not 0 <= start <= end <= len(body) or end - start != dtype.itemsize * int(np.prod(shape, dtype=np.int64)):
        raise ValueError("offsets do not fit")
    array: NDArray[Any] = np.frombuffer(body[start:end], dtype=dtype).reshape(shape)
    return array
