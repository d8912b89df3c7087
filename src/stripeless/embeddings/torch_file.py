"""Tensors out of a PyTorch file, without PyTorch and without running anything that is in the file.

`torch.save` writes a zip archive: a pickle that describes the tensors, and the raw numbers beside it. The pickle is
read by an unpickler that knows how a tensor and its storage are named and maps those names to functions of this file;
any other name is refused, so a file cannot make the reader call anything.
"""

from __future__ import annotations

import io
import lzma
import math
import os
import pickle
import pickletools
import struct
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._files import refuse_stream
from stripeless.errors import FileError, InputError, shown
from stripeless.tables.limits import beyond, most_unpacked

_BROKEN = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError, EOFError, MemoryError,
           pickle.UnpicklingError, zlib.error, lzma.LZMAError, struct.error, OSError)  # fmt: skip
_DTYPES = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2"}


def read_torch_vectors(path: str | PathLike[str]) -> NDArray[Any]:
    """One tensor of shape (rows, dimension), or a list of equally long vectors stacked."""
    refuse_stream(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _check_bounds(archive, os.path.getsize(path))
            content = _Reader(archive, path).load()
    except zipfile.BadZipFile as error:
        raise FileError(
            path, "is not a PyTorch file of version 1.6 or later; load it with PyTorch there and save it again"
        ) from error
    except FileError:
        raise
    except InputError as error:
        raise FileError(path, str(error)) from None
    except _BROKEN as error:
        reason = f"cannot be read as tensors alone ({shown(error)}); nothing else is loaded from it"
        raise FileError(path, reason) from error
    if isinstance(content, (list, tuple)) and content and all(isinstance(part, np.ndarray) for part in content):
        if len({part.shape for part in content}) != 1:
            raise FileError(path, "holds vectors of different lengths; expected one vector per row, all as long")
        content = np.stack(content)
    if not isinstance(content, np.ndarray):
        raise FileError(path, f"holds {type(content).__name__}; expected a tensor with one row per utterance")
    return content.reshape(len(content), -1) if content.ndim > 2 and 1 in content.shape[1:] else content


def _check_bounds(archive: zipfile.ZipFile, size: int) -> None:
    """An archive that would unpack to far more than it is would fill the memory."""
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > most_unpacked(size):
        raise InputError(beyond(unpacked))


def _checked_pickle(content: bytes) -> io.BytesIO:
    """A description; a place in its memory far beyond its own length would be made room for before anything is looked at."""
    for code, value, _ in pickletools.genops(content):
        if code.name in ("PUT", "BINPUT", "LONG_BINPUT") and isinstance(value, int) and value > len(content):
            raise ValueError("it asks for more memory than it has entries")
    return io.BytesIO(content)


class _Reader(pickle.Unpickler):
    """Knows how a tensor is put together, and nothing else."""

    def __init__(self, archive: zipfile.ZipFile, path: str | PathLike[str]) -> None:
        description = next((n for n in archive.namelist() if n.endswith("/data.pkl") or n == "data.pkl"), None)
        if description is None:
            raise FileError(path, "is a zip archive without data.pkl; expected a file written by torch.save")
        self._archive = archive
        self._folder = description.removesuffix("data.pkl")
        super().__init__(_checked_pickle(archive.read(description)))

    def find_class(self, module: str, name: str) -> Any:
        known: dict[tuple[str, str], Callable[..., Any] | str] = {
            ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
            ("collections", "OrderedDict"): OrderedDict,
        }
        if (module, name) in known:
            return known[module, name]
        if module == "torch" and name in _DTYPES:
            return _DTYPES[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> NDArray[Any]:
        kind, dtype, key = pid[0], pid[1], pid[2]
        if kind != "storage" or not isinstance(dtype, str):
            raise pickle.UnpicklingError("it names a storage of unknown kind")
        return np.frombuffer(self._archive.read(f"{self._folder}data/{key}"), np.dtype(dtype))


def _rebuild(
    storage: NDArray[Any], offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: object
) -> NDArray[Any]:
    """A tensor is a window on its storage; a window that leaves it is refused before any number is read."""
    last = offset + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
    if min(size, default=0) < 0 or min(stride, default=0) < 0 or offset < 0 or (0 not in size and last >= storage.size):
        raise ValueError("a tensor reaches beyond its numbers")
    if math.prod(size) > storage.size:  # steps of 0: any number of rows out of one
        raise ValueError("a tensor shows its numbers several times")
    bytes_per = storage.itemsize
    strides = tuple(step * bytes_per for step in stride)
    window = np.lib.stride_tricks.as_strided(storage[offset:], size, strides, writeable=False)
    return window.astype(np.float64 if bytes_per == 8 else np.float32)
