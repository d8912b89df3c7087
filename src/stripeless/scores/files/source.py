"""Opening a file: is it there, what is it, its bytes block by block, its SHA-256."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import IO, cast

from stripeless._files import refuse_stream
from stripeless.errors import FileError
from stripeless.tables.text import BOM, GZIP, check_text, guarded, unzipped

# Small enough that a block and everything made from it stay in the processor's cache.
BLOCK = 1 << 21
HEAD = 1 << 16


@dataclass(frozen=True)
class Source:
    """A file that exists and can be read: its kind, and its first bytes (unzipped)."""

    path: str
    kind: str  # text, hdf5, npz, parquet
    gzipped: bool
    head: bytes

    @property
    def extension(self) -> str:
        """`.csv` of `a.csv` and of `a.csv.gz`."""
        name = self.path.lower()
        return os.path.splitext(name[:-3] if name.endswith(".gz") else name)[1]


def open_source(path: str | PathLike[str]) -> Source:
    """Look at a file's first bytes and say what it is; refuse what cannot hold scores."""
    name = os.fspath(path)
    refuse_stream(name)
    raw = guarded(name, lambda: _first_bytes(name, gzipped=False))
    gzipped = raw.startswith(GZIP)
    head = guarded(name, lambda: _first_bytes(name, gzipped=True)) if gzipped else raw
    kind = _kind(name, head)
    if gzipped and kind != "text":
        raise FileError(name, f"a gzipped {kind} file is not read; unzip it first")
    return Source(name, kind, gzipped, head.removeprefix(BOM))


def _opened(name: str, gzipped: bool) -> IO[bytes]:
    return cast(IO[bytes], unzipped(name)) if gzipped else open(name, "rb", buffering=0)


def _first_bytes(name: str, gzipped: bool) -> bytes:
    with _opened(name, gzipped) as file:
        return file.read(HEAD)


def _kind(name: str, head: bytes) -> str:
    for magic, kind in ((b"\x89HDF\r\n\x1a\n", "hdf5"), (b"PAR1", "parquet"), (b"PK\x03\x04", "npz")):
        if head.startswith(magic):
            return kind
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise FileError(name, "a pickle is never loaded, since it can run code; save the scores as text, CSV or npz")
    if head.startswith(b"\x93NUMPY"):
        raise FileError(name, "a .npy file holds one array; save both with np.savez(path, target=..., nontarget=...)")
    if not head.removeprefix(BOM).strip():
        raise FileError(name, "the file is empty; write the scores again")
    check_text(name, head)
    return "text"


def blocks(source: Source) -> Iterator[bytes]:
    """The file's whole lines in blocks; each ends in a newline, and blank lines at the end of the file are left out."""
    rest = b""
    with guarded(source.path, lambda: _opened(source.path, source.gzipped)) as file:
        data = guarded(source.path, lambda: file.read(BLOCK)).removeprefix(BOM)
        while data:
            check_text(source.path, data)
            data = rest + data
            # What follows the last line that holds anything waits: it may be the blank end of the file.
            cut = data.rfind(b"\n", 0, len(data.rstrip())) + 1
            rest = data[cut:]
            if cut:
                yield data[:cut]
            data = guarded(source.path, lambda: file.read(BLOCK))
    if rest.strip():
        end = rest.find(b"\n", len(rest.rstrip()))
        yield (rest if end < 0 else rest[:end]) + b"\n"
