"""The safetensors format: eight bytes with the length of a JSON header, the header, the raw numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._files import read_whole
from stripeless.errors import FileError, InputError, shown

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
_NAMES = {code: name for name, code in _DTYPES.items()}
_LONGEST_HEADER = 100_000_000  # the format's own limit


def read_safetensors(path: str | PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """All tensors by name, in the order in which their numbers lie in the file, and the metadata."""
    data = read_whole(path)
    length = int.from_bytes(data[:8], "little") if len(data) >= 8 else _LONGEST_HEADER + 1
    if length > min(_LONGEST_HEADER, len(data) - 8):
        raise FileError(path, "is not a safetensors file, or is cut short")
    try:
        header = json.loads(data[8 : 8 + length])
        metadata = _metadata(header.pop("__metadata__", {}))
        entries = sorted(((name, _place(entry), entry) for name, entry in header.items()), key=lambda entry: entry[1])
        body = memoryview(data)[8 + length :]
        ends = [0, *(end for _, (_, end), _ in entries)]
        if any(start < end for (_, (start, _), _), end in zip(entries, ends, strict=False)):
            raise ValueError("two tensors share bytes")  # a small file could ask for any amount of memory
        return {name: _tensor(body[start:end], entry) for name, (start, end), entry in entries}, metadata
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise FileError(path, f"has a header that is not safetensors ({shown(error)})") from error


def write_safetensors(
    path: str | PathLike[str], tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Little-endian floats of 16, 32 or 64 bits, header padded to eight bytes."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    at = 0
    for name, tensor in tensors.items():
        kind = _NAMES.get(tensor.dtype.newbyteorder("<").str)
        if kind is None:
            raise InputError(f"{name}: expected float16, float32 or float64, got {tensor.dtype}; convert it first")
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(np.ascontiguousarray(tensor).astype(tensor.dtype.newbyteorder("<")).tobytes())


def _metadata(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError("its metadata are no texts by name")
    return value


def _place(entry: Any) -> tuple[int, int]:
    """Where the numbers of a tensor begin and end."""
    start, end = _whole_numbers(entry["data_offsets"])
    return start, end


def _whole_numbers(value: Any) -> list[int]:
    if not isinstance(value, list) or not all(type(number) is int and number >= 0 for number in value):
        raise ValueError("a shape or place that is no list of whole numbers")
    return value


def _tensor(data: memoryview, entry: Mapping[str, Any]) -> NDArray[Any]:
    if entry["dtype"] not in _DTYPES:
        raise ValueError(f"a tensor of type {entry['dtype']}; expected F16, F32 or F64")
    dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), _whole_numbers(entry["shape"])
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError("a tensor with more or fewer numbers than its shape says")
    array = np.frombuffer(data, dtype).reshape(shape)
    return array.astype(np.float64 if array.itemsize == 8 else np.float32)
