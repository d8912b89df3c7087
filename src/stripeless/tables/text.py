"""Text files: opened, unzipped, and known to be UTF-8, or refused with one sentence."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable
from os import PathLike
from typing import TypeVar

from stripeless._files import read_whole
from stripeless.errors import FileError, InputError
from stripeless.tables.limits import beyond, most_unpacked

BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"

_Read = TypeVar("_Read")


def guarded(name: str, read: Callable[[], _Read]) -> _Read:
    """Run `read`, and turn what the system says into a sentence with a way out."""
    try:
        return read()
    except InputError:
        raise  # it is a ValueError too, and has its sentence already
    except FileNotFoundError:
        raise FileError(name, "there is no such file; check the path") from None
    except IsADirectoryError:
        raise FileError(name, "this is a directory; name the file in it") from None
    except PermissionError:
        raise FileError(name, "permission denied; ask for read access, or copy the file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise FileError(name, "the gzip data are broken or cut short; copy the file again") from None
    except OSError as error:
        raise FileError(name, f"cannot be read ({error.strerror or error}); check the disk and the path") from None
    except ValueError as error:
        raise FileError(name, f"cannot be opened ({error}); check the path") from None


def read_lines(path: str | PathLike[str]) -> list[bytes]:
    """The lines of a text file, gzipped or not, as bytes that are known to be UTF-8; without a byte-order mark.

    Only a line feed ends a line: other signs that some programs take for one may be part of a name.
    """
    name = os.fspath(path)
    raw = guarded(name, lambda: _content(name)).removeprefix(BOM)
    check_text(name, raw)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError(name, "cannot be read as text: it is not UTF-8; convert the file with iconv", line) from None
    return raw.split(b"\n")


def check_text(name: str, block: bytes) -> None:
    """A zero byte never occurs in text, and names are told apart on the promise that there is none."""
    if b"\0" in block:
        raise FileError(name, "binary data, or UTF-16, which cannot be read as text; give UTF-8 text")


def _content(name: str) -> bytes:
    raw = read_whole(name)
    if not raw.startswith(GZIP):
        return raw
    with unzipped(name) as file:
        return file.read()


class unzipped(io.BufferedIOBase):  # noqa: N801 - used like a function
    """A gzipped file opened for reading, which says no when more comes out of it than may."""

    def __init__(self, name: str) -> None:
        self._name, self._file = name, gzip.GzipFile(name)
        self._left = most_unpacked(os.path.getsize(name))

    def read(self, size: int | None = -1, /) -> bytes:
        """So many bytes, or all that is left."""
        wanted = self._left + 1 if size is None or size < 0 else size
        data: bytes = self._file.read(wanted)
        self._left -= len(data)
        if self._left < 0:
            raise FileError(self._name, beyond(most_unpacked(os.path.getsize(self._name))))
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
