"""NumPy archives: arrays by name. No pickles, and no more than the file can hold.

An archive may hold at most 1000 arrays and unpack to as much as `limits` says: arrays that `np.savez` wrote always pass, and a
small file that would fill the memory does not.
"""

from __future__ import annotations

import lzma
import math
import os
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from stripeless._files import refuse_stream
from stripeless.errors import FileError
from stripeless.tables.limits import check_unpacked
from stripeless.tables.text import guarded

MOST_ARRAYS = 1000

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, LookupError, RuntimeError, TypeError, SyntaxError,
           ArithmeticError, MemoryError, OSError, tokenize.TokenError)  # fmt: skip


def read_npz(path: str | PathLike[str]) -> dict[str, NDArray[Any]]:
    """The arrays of an archive, in its order.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "x.npz")
    >>> np.savez(path, target=[2.0, 1.0])
    >>> read_npz(path)
    {'target': array([2., 1.])}
    >>> folder.cleanup()
    """
    name = os.fspath(path)
    refuse_stream(name)
    with guarded(name, lambda: open(name, "rb")) as file:
        try:
            return _arrays(name, file)
        except FileError:
            raise
        except ValueError as error:
            if "allow_pickle" in str(error):
                message = (
                    "it holds Python objects, a pickle, which is never loaded; save plain arrays of numbers and text"
                )
                raise FileError(name, message) from None
            raise FileError(name, f"cannot be read as a NumPy archive ({error}); save it with np.savez") from None
        except _BROKEN as error:
            raise FileError(name, f"cannot be read: a broken archive ({error}); save it again with np.savez") from None


def write_npz(path: str | PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Write an archive whose bytes depend on the arrays alone; their names may be any, `file` too, which `np.savez` refuses."""
    with open(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.ascontiguousarray(array), allow_pickle=False)


def _arrays(name: str, file: BinaryIO) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_bounds(name, members, os.fstat(file.fileno()).st_size)
        return {member.filename.removesuffix(".npy"): _array(name, archive, member) for member in members}


def _check_bounds(name: str, members: list[zipfile.ZipInfo], size: int) -> None:
    names = [member.filename for member in members]
    other = next((found for found in names if not found.endswith(".npy")), None)
    if other is not None:
        raise FileError(name, f"{other!r} in it is no array, so this is no NumPy archive; save it with np.savez")
    if len(set(names)) != len(names):
        raise FileError(name, "two arrays in it have the same name; save it again with np.savez")
    unpacked = sum(member.file_size for member in members)
    if len(members) > MOST_ARRAYS:
        raise FileError(name, f"it holds {len(members)} arrays; save at most {MOST_ARRAYS} arrays with np.savez")
    check_unpacked(name, unpacked, size)


def _array(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as part:
        _check_header(name, member, part)
    with archive.open(member) as part:
        array: NDArray[Any] = np.lib.format.read_array(part, allow_pickle=False)
    if array.dtype.names is not None:
        raise FileError(name, f"{member.filename} holds records; save one array for each of their fields")
    if array.dtype.kind == "U" and array.size:
        _check_signs(name, member, array)
    return array


def _check_signs(name: str, member: zipfile.ZipInfo, array: NDArray[Any]) -> None:
    """Texts are stored as numbers of signs; Python itself fails on a number that is none."""
    whole = np.ascontiguousarray(array).reshape(-1)
    numbers = whole.view(np.dtype("u4").newbyteorder(array.dtype.byteorder))
    if ((numbers > 0x10FFFF) | ((numbers >= 0xD800) & (numbers <= 0xDFFF))).any():
        raise FileError(name, f"{member.filename} holds names that are no text; save it again")


def _check_header(name: str, member: zipfile.ZipInfo, part: IO[bytes]) -> None:
    """Hold what the header of an array claims against what is there, before memory is taken for it."""
    version = np.lib.format.read_magic(part)
    if version not in _HEADERS:
        raise ValueError(f"{member.filename} is of version {version} of the format")
    shape, _, dtype = _HEADERS[version](part)
    entries = math.prod(shape)
    if dtype.hasobject:
        return  # refused as a pickle by whoever reads it
    if entries * max(dtype.itemsize, 1) > member.file_size or min(shape, default=0) < 0:  # of no bytes: any number fits
        raise FileError(name, f"{member.filename} claims {entries} entries that it does not hold; save it again")
