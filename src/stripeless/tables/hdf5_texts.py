"""Texts of any length in HDF5 files, looked over before the library sees them.

They lie in heaps, and a dataset holds a reference for each: a length, the address of a heap, a number in it. The library takes
these at their word: an entry of no size sends it in circles for ever, and a length of 4 GB, or an address beyond the end, makes
it ask for 4 GB.
"""

from __future__ import annotations

import mmap
import os
import re
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError
from stripeless.tables.limits import most_unpacked

BEYOND = "a broken HDF5 file (a text longer than the file, or beyond its end); write it again"
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HEAP = b"GCOL\x01\0\0\0"
# After the name of an attribute: a type (a text of any length, kept as 16 bytes), a shape (one text), and the reference.
_LABEL = re.compile(
    rb"\0*\x19.{3}\x10\0\0\0(?:\x13.{7}|\x10.{11}(?:\0{4})?)(?=[\x01\x02])"
    rb"(?:\x01\0.{6}|\x02\0.{2}|\x01\x01\0.{13}|\x01\x01\x01.{21}|\x02\x01\0.{9}|\x02\x01\x01.{17})(.{16})",
    re.DOTALL,
)


def check_before_opening(name: str) -> None:
    """Refuse what would send the library in circles or make it ask for all the memory there is."""
    with open(name, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _check_driver(name, data)
            _check_heaps(name, data)
            _check_labels(name, data)


def _check_driver(name: str, data: mmap.mmap) -> None:
    """Refuse files of a storage driver (split over several files): what it claims of its size is taken from memory at once.

    The block at the start of the file (version 0 or 1) names four addresses; the last is the driver's, all ones for none.
    """
    start = 0
    while start + 64 <= len(data) and data[start : start + 8] != _SIGNATURE:
        start = max(512, 2 * start)
    if start + 64 > len(data) or data[start + 8] > 1:
        return
    size, first = data[start + 13], start + (24 if data[start + 8] == 0 else 28)
    driver = data[first + 3 * size : first + 4 * size]
    if size in (2, 4, 8) and driver != b"\xff" * size:
        raise FileError(name, "a broken HDF5 file, or one of several parts; write it again as one file")


def _check_labels(name: str, data: mmap.mmap) -> None:
    """Texts that describe a dataset: they lie in headers, where h5py shows no reference, so they are looked for."""
    for label in (b"speaker\0", b"sex\0"):
        start = data.find(label)
        while start >= 0:
            found = _LABEL.match(data, start + len(label))
            if found:
                length, address = int.from_bytes(found[1][:4], "little"), int.from_bytes(found[1][4:12], "little")
                if length > len(data) or (length and address > len(data)):
                    raise FileError(name, BEYOND)
            start = data.find(label, start + 1)


def _check_heaps(name: str, data: mmap.mmap) -> None:
    """Refuse heaps whose sizes contradict each other.

    A heap is a sign, a size, and entries of a number, a size and the text, padded to eight bytes. Entry 0 is what is free, and
    its size counts its header.
    """
    start = data.find(_HEAP)
    while start >= 0:
        end = start + int.from_bytes(data[start + 8 : start + 16], "little")
        at = start + 16
        while at + 16 <= min(end, len(data)):
            number, size = int.from_bytes(data[at : at + 2], "little"), data[at + 8 : at + 16]
            step = int.from_bytes(size, "little")
            at += -(-step // 8) * 8 + 16 if number else step
            if not step and not number:
                raise FileError(name, "a broken HDF5 file (a text of no size); write it again")
        start = data.find(_HEAP, start + 8)


def claimed_texts(h5py: Any, name: str, dataset: Any) -> int:
    """How many bytes the references of a dataset claim together; 0 where it has none, or keeps them in its header.

    One text that is longer than the file, or lies beyond its end, is refused.
    """
    kind = dataset.id.get_type()
    widths = {h5py.h5t.STRING: 1, h5py.h5t.VLEN: 0}
    if not dataset.dtype.hasobject or kind.get_class() not in widths or not dataset.size:
        return 0
    each = widths[kind.get_class()] or kind.get_super().get_size()
    total, size = 0, os.path.getsize(name)
    of_address = dataset.file.id.get_create_plist().get_sizes()[0]
    width = 4 + of_address + 4
    for raw in _references(h5py, name, dataset, width):
        parts = raw[: len(raw) // width * width].reshape(-1, width)
        claimed = np.ascontiguousarray(parts[:, :4]).view("<u4").astype(np.int64).ravel() * each
        address = np.ascontiguousarray(parts[:, 4:-4]).view(f"<u{of_address}").ravel()
        if claimed.size and (int(claimed.max()) > size or (address[claimed > 0] > size).any()):
            raise FileError(name, BEYOND)
        total += int(claimed.sum())
    return total


def _references(h5py: Any, name: str, dataset: Any, width: int) -> Any:
    """The bytes of the references, in one piece or chunk by chunk."""
    plist = dataset.id.get_create_plist()
    layout, offset = plist.get_layout(), dataset.id.get_offset()
    if layout == h5py.h5d.CONTIGUOUS and offset is not None:
        yield np.frombuffer(_read(name, offset, dataset.size * width), np.uint8)
    if layout != h5py.h5d.CHUNKED:
        return
    filters = [plist.get_filter(number)[0] for number in range(plist.get_nfilters())]
    known = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE}
    if not set(filters) <= known:
        raise FileError(name, "texts packed in a way that cannot be looked over; write it again with gzip, or unpacked")
    for number in range(dataset.id.get_num_chunks()):
        about = dataset.id.get_chunk_info(number)
        raw = _read(name, about.byte_offset, about.size)
        yield _unfiltered(h5py, raw, filters, about.filter_mask, width)


def _read(name: str, offset: int, count: int) -> bytes:
    with open(name, "rb") as file:
        file.seek(offset)
        return file.read(min(count, os.path.getsize(name)))


def _unfiltered(h5py: Any, raw: bytes, filters: list[int], left_out: int, width: int) -> NDArray[np.uint8]:
    """A chunk as it was before it was packed; filters are undone from the last, those left out for it are not."""
    for number, kind in reversed([*enumerate(filters)]):
        if left_out >> number & 1:
            continue
        if kind == h5py.h5z.FILTER_DEFLATE:
            raw = zlib.decompressobj().decompress(raw, most_unpacked(len(raw)))
        else:
            whole = len(raw) // width
            raw = np.frombuffer(raw[: whole * width], np.uint8).reshape(width, whole).T.tobytes()
    return np.frombuffer(raw, np.uint8)
