"""Which other files an ONNX model keeps numbers in, read from the file itself, so that its digest can cover them.

An ONNX file is a protocol buffer: fields, each a number with a value. Only the fields on the way to a tensor are followed; their
numbers are those of the published onnx.proto.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stripeless.errors import FileError, shown

EXTERNAL_DATA = 13  # of a TensorProto: texts by name, "location" among them
# What lies in what: of each message the fields that lead to tensors, and what they hold.
WAYS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
DEEPEST = 60  # graphs in nodes in graphs
TAG, LENGTH, INTEGER = (5, 1 << 32), (5, 1 << 31), (10, 1 << 64)  # bytes, and what the number must lie below
_FIXED = {1: 8, 5: 4}  # bytes of the kinds of value that have one length


def model_files(path: Path) -> tuple[Path, ...]:
    """The file of a model and those beside it that it reads, in order of their names; refused where one lies elsewhere."""
    data = path.read_bytes()
    if data[4:8] == b"ORTM":
        raise FileError(path, "is a model in the form of one program (ORT); give it as ONNX")
    try:
        names = sorted(set(_locations(memoryview(data), "model", 0)))
    except (ValueError, IndexError) as error:
        raise FileError(path, f"cannot be loaded as an ONNX model ({shown(error)})") from error
    return (path, *(_beside(path, name) for name in names))


def _beside(path: Path, name: str) -> Path:
    """A file in the folder of the model, and nowhere else, also not by a link."""
    plain = Path(name).name == name and name not in ("", ".", "..") and "\\" not in name and "\0" not in name
    found = path.parent / name if plain else None
    if found is None or os.path.islink(found) or not found.is_file():
        raise FileError(
            path,
            f"keeps numbers in {shown(name)}, which is no file beside it; put it there, or save the model as one file",
        )
    return found


def _locations(data: memoryview, kind: str, depth: int) -> Iterator[str]:
    """The names of the files that tensors in this message are kept in."""
    if depth > DEEPEST:
        raise ValueError("graphs inside graphs without end")
    if kind == "tensor":
        yield from _of_tensor(data)
        return
    ways = WAYS[kind]
    for number, value in _fields(data):
        if number in ways and isinstance(value, memoryview):
            yield from _locations(value, ways[number], depth + 1)


def _of_tensor(data: memoryview) -> Iterator[str]:
    """Every file that a tensor names, whatever else it says of where its numbers are: readers disagree on what is said twice."""
    for number, value in _fields(data):
        if number == EXTERNAL_DATA and isinstance(value, memoryview):
            entry = {key: bytes(text).decode() for key, text in _fields(value) if isinstance(text, memoryview)}
            if entry.get(1) == "location":
                yield entry.get(2, "")


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Each field of a message: its number, and an integer, the bytes that it holds, or None for what has a fixed length."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at, *TAG)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(data, at, *INTEGER)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at, *LENGTH)
        elif kind in _FIXED:
            length = _FIXED[kind]
        else:
            raise ValueError(f"a field of the unknown kind {kind}")
        if at + length > len(data):
            raise ValueError("a field is longer than the file")
        yield number, data[at : at + length] if kind == 2 else None
        at += length


def _varint(data: memoryview, at: int, most: int, below: int) -> tuple[int, int]:
    """An integer of seven bits a byte, and where it ends; refused beyond `most` bytes or from `below` on.

    The library that runs models drops what does not fit, so a number that is too large would be another one there.
    """
    value = shift = 0
    while shift < 7 * most:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            if value >= below:
                break
            return value, at
    raise ValueError("an integer is longer than its kind allows")
