"""Kaldi archives of vectors: ark and scp, binary and text.

Written from the format itself: a key, a space, then either `\\0B`, a type (`FV ` or `DV `), a byte 4, the length as a
little-endian int32 and the numbers, or in text ` [ 1.0 2.0 ]`. A matrix of one row counts as a vector.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from io import BufferedReader
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._files import refuse_stream
from stripeless.errors import FileError, shown
from stripeless.tables.two_columns import read_rows, write_two_columns

_NUMBER = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)", re.IGNORECASE
)

StrPath: TypeAlias = str | PathLike[str]

_VECTORS: dict[bytes, np.dtype[Any]] = {b"FV ": np.dtype("<f4"), b"DV ": np.dtype("<f8")}
_DIGITS = 19  # more than the bytes of any file have
_MATRICES: dict[bytes, np.dtype[Any]] = {b"FM ": np.dtype("<f4"), b"DM ": np.dtype("<f8")}


def read_ark(path: StrPath) -> Iterator[tuple[str, NDArray[Any]]]:
    """Every (key, vector) of an archive, in file order; binary or text is seen from the bytes."""
    refuse_stream(path)
    with open(path, "rb") as file:
        while key := _read_key(file, path):
            yield key, _read_value(file, path, key)


def read_scp(path: StrPath) -> Iterator[tuple[str, NDArray[Any]]]:
    """Every (key, vector) that a script file points at; archives are looked for beside it as well."""
    opened: dict[Path, BufferedReader] = {}
    try:
        for number, (key, *place) in read_rows(path, 2):
            archive, offset = _place(path, number, *place)
            if archive not in opened:
                opened[archive] = open(archive, "rb")  # noqa: SIM115, closed below with the others
            opened[archive].seek(offset)
            yield key, _read_value(opened[archive], archive, key)
    finally:
        for file in opened.values():
            file.close()


def write_ark(path: StrPath, keys: tuple[str, ...], vectors: NDArray[Any], *, text: bool = False) -> list[int]:
    """Write one archive; returns where the value of each key begins, which is what an scp file lists."""
    for key in keys:
        if not key or any(c.isspace() for c in key):
            raise FileError(path, f"Kaldi separates columns by spaces, so the utterance {key!r} cannot be a key")
    offsets = []
    with open(path, "wb") as file:
        for key, vector in zip(keys, vectors, strict=True):
            file.write(f"{key} ".encode())
            offsets.append(file.tell())
            file.write(_text_value(vector) if text else _binary_value(vector))
    return offsets


def write_scp(path: StrPath, keys: tuple[str, ...], archive: str, offsets: list[int]) -> None:
    """The script file of an archive that lies beside it."""
    write_two_columns(path, {key: f"{archive}:{offset}" for key, offset in zip(keys, offsets, strict=True)})


def _place(scp: StrPath, number: int, place: str = "") -> tuple[Path, int]:
    """Archive and offset of one scp entry. A pipe would run a program, so it is refused."""
    if not place:
        raise FileError(scp, "expected a name and the place of its vector", number)
    if place.endswith("|") or place.startswith("|"):
        raise FileError(scp, "the entry is a command; write the vectors to an archive first (copy-vector)", number)
    name, colon, offset = place.rpartition(":")
    if not colon or not (offset.isascii() and offset.isdigit() and len(offset) < _DIGITS):
        name, offset = place, "0"
    for candidate in (Path(name), Path(scp).parent / name, Path(scp).parent / Path(name).name):
        if candidate.is_file():
            return candidate, int(offset)
    raise FileError(scp, f"the archive {shown(name)} does not exist, here or beside the scp file", number)


def _read_key(file: BinaryIO, path: StrPath) -> str:
    """The next key, or an empty string at the end of the archive."""
    letters = bytearray()
    while byte := file.read(1):
        if byte.isspace():
            if letters:
                break
            continue
        if byte == b"\0" or len(letters) > 4096:
            raise FileError(path, "is not a Kaldi archive: no key where one should be")
        letters += byte
    try:
        return letters.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(path, "is not a Kaldi archive: a key is not UTF-8 text") from error


def _read_value(file: BinaryIO, path: StrPath, key: str) -> NDArray[Any]:
    start = file.tell()
    if file.read(2) == b"\0B":
        return _read_binary(file, path, key)
    file.seek(start)
    return _read_text(file, path, key)


def _read_binary(file: BinaryIO, path: StrPath, key: str) -> NDArray[Any]:
    kind = file.read(3)
    if kind in _VECTORS:
        dtype, length = _VECTORS[kind], _read_int(file, path, key)
    elif kind in _MATRICES:
        dtype, rows, length = _MATRICES[kind], _read_int(file, path, key), _read_int(file, path, key)
        if rows != 1:
            raise FileError(path, f"{key!r} is a matrix of {rows} rows; expected one vector per utterance")
    else:
        raise FileError(path, f"{key!r} has the type {kind!r}; expected a vector of floats (FV or DV)")
    wanted, there = length * dtype.itemsize, os.fstat(file.fileno()).st_size - file.tell()
    if not 0 <= wanted <= there:  # asked before reading, which takes as much memory as the header claims
        raise FileError(path, f"{key!r} is cut short: {there} of {wanted} bytes are there")
    return np.frombuffer(file.read(wanted), dtype).astype(dtype.newbyteorder("="))


def _read_int(file: BinaryIO, path: StrPath, key: str) -> int:
    data = file.read(5)
    if len(data) != 5 or data[0] != 4:
        raise FileError(path, f"{key!r} is damaged: no length where one should be")
    return int(struct.unpack("<i", data[1:])[0])


def _read_text(file: BinaryIO, path: StrPath, key: str) -> NDArray[Any]:
    """Numbers in brackets, as float64: text may hold more digits than a float32 keeps."""
    lines = [b""]
    while b"]" not in lines[-1]:
        lines.append(file.readline())
        if not lines[-1]:
            raise FileError(path, f"{key!r} has no closing bracket; the file is cut short or no Kaldi archive")
    inside, _, _ = b"".join(lines).partition(b"]")
    words = inside.split()
    if not words or words[0] != b"[":
        raise FileError(path, f"{key!r}: expected numbers in brackets; is this a Kaldi archive?")
    bad = next((word for word in words[1:] if not _NUMBER.fullmatch(word)), None)
    if bad is not None:
        raise FileError(path, f"{key!r}: expected numbers in brackets, got {bad!r}")
    return np.array([float(word) for word in words[1:]], dtype=np.float64)


def _binary_value(vector: NDArray[Any]) -> bytes:
    kind, dtype = (b"FV ", "<f4") if vector.dtype == np.float32 else (b"DV ", "<f8")
    return b"\0B" + kind + struct.pack("<bi", 4, vector.size) + vector.astype(dtype).tobytes()


def _text_value(vector: NDArray[Any]) -> bytes:
    # repr of each number in its own type is the shortest text that reads back to the same bits
    return (" [ " + " ".join(str(value) for value in vector) + " ]\n").encode()
