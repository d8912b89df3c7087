"""NumPy archives: arrays by name. No pickles, and no more than the file can hold.

An archive may hold at most 1000 arrays and unpack to at most 1 GiB, or to 100 times its size where that is more: arrays that
`np.savez` wrote always pass, and a small file that would fill the memory does not.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError
from stripeless.tables.text import guarded

MOST_ARRAYS = 1000
FREE = 1 << 30  # bytes that any archive may unpack to
MOST_UNPACKED = 100  # times its size may a larger one

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, NotImplementedError, MemoryError, OSError)


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
    if len(members) > MOST_ARRAYS or unpacked > max(FREE, MOST_UNPACKED * size):
        raise FileError(
            name,
            f"it holds {len(members)} arrays and unpacks to {unpacked / 1e6:.0f} MB, far more than it is; save at most "
            f"{MOST_ARRAYS} arrays with np.savez",
        )


def _array(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as part:
        array: NDArray[Any] = np.lib.format.read_array(part, allow_pickle=False)
    if array.size > member.file_size:  # entries of no bytes: a header could ask for any number of them
        raise FileError(name, f"{member.filename} claims {array.size} entries that it does not hold; save it again")
    return array
