"""Cutting a block of text into fields, all lines at once.

A block is an array of bytes; a field is a start and an end in it. No line becomes a Python object, so ten million lines
cost about as much as reading them. Fields are fetched eight bytes at a time, as numbers (`Fields.words`).
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.check import IntArray

Words = NDArray[np.uint64]

# Zero bytes before and after the text, so that a word may be fetched across either end.
PAD = 32
UNIT = "\x1f"
NEWLINE, RETURN, SPACE = 10, 13, 32
SOLID = re.compile(rb"[^\x00-\x20]+")

# Keep the first k bytes of a word: in little-endian order these are its low bytes.
FIRST = np.array([(1 << 8 * k) - 1 for k in range(9)], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of a block: row r, column c lies at `starts[r, c]` to `ends[r, c]` in `data`."""

    data: NDArray[np.uint8]
    starts: IntArray
    ends: IntArray

    @property
    def every_word(self) -> Words:
        """The eight bytes from each position on, as a number. A view: nothing is copied."""
        return np.ndarray((self.data.size - 7,), dtype="<u8", buffer=self.data.data, strides=(1,))

    def words(self, column: int) -> list[Words]:
        """The column's fields as 8-byte numbers, zero after the end of each field."""
        starts = np.ascontiguousarray(self.starts[:, column])
        lengths = self.ends[:, column] - starts
        every, last = self.every_word, self.data.size - 8
        shortest, longest = int(lengths.min()), int(lengths.max())
        columns = []
        for at in range(0, max(longest, 1), 8):
            places = starts + at if at + 8 <= PAD else np.minimum(starts + at, last)
            word = every[places]
            if shortest == longest:
                word &= FIRST[min(longest - at, 8)]
            elif shortest < at + 8:
                word &= FIRST[np.minimum(np.maximum(lengths - at, 0), 8)]
            columns.append(word)
        return columns

    def field(self, row: int, column: int) -> bytes:
        return self.data[self.starts[row, column] : self.ends[row, column]].tobytes()


def cut(block: bytes, delimiter: str | None, columns: int) -> Fields | None:
    """The fields of a block of whole lines, or None where a line has not `columns` of them."""
    if delimiter is not None and b'"' in block:
        block, delimiter = unquoted(block, delimiter), UNIT
    data = np.frombuffer(b"\0" * PAD + block + b"\0" * PAD, dtype=np.uint8)
    if delimiter is not None:
        return _at(data, ord(delimiter), columns)
    return _at_single_blanks(data, columns) or _at_spaces(data, columns)


def _at_single_blanks(data: NDArray[np.uint8], columns: int) -> Fields | None:
    """The usual case, one blank between fields and none at the ends of lines, at half the price of `_at_spaces`."""
    flat = np.flatnonzero(data <= SPACE)[PAD:-PAD]
    if flat.size % columns:
        return None
    starts = np.empty_like(flat)
    starts[0] = PAD
    np.add(flat[:-1], 1, out=starts[1:])
    ends = flat.reshape(-1, columns)
    line_ends = data[ends] == NEWLINE
    if (starts == flat).any() or not line_ends[:, -1].all() or line_ends[:, :-1].any():
        return None
    return Fields(data, starts.reshape(-1, columns), ends)


def _at_spaces(data: NDArray[np.uint8], columns: int) -> Fields | None:
    """Fields between any run of blanks; a carriage return is a blank, so Windows lines need no care."""
    solid = data > SPACE
    edges = np.flatnonzero(solid[1:] != solid[:-1]) + 1
    newlines = np.flatnonzero(data == NEWLINE)
    if edges.size != 2 * columns * newlines.size:
        return None
    starts, ends = edges[0::2].reshape(-1, columns), edges[1::2].reshape(-1, columns)
    if (ends[:, -1] > newlines).any() or (starts[1:, 0] < newlines[:-1]).any():
        return None
    return Fields(data, starts, ends)


def _at(data: NDArray[np.uint8], delimiter: int, columns: int) -> Fields | None:
    """Fields between single delimiters; they may be empty, and blanks around them are no part of them."""
    flat = np.flatnonzero((data == delimiter) | (data == NEWLINE))
    if flat.size % columns:
        return None
    ends = flat.reshape(-1, columns)
    line_ends = data[ends] == NEWLINE
    if not line_ends[:, -1].all() or line_ends[:, :-1].any():
        return None
    starts = np.concatenate(([PAD], flat[:-1] + 1)).reshape(-1, columns)
    return Fields(data, *_trimmed(data, starts, ends))


def _trimmed(data: NDArray[np.uint8], starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    for step, look in ((1, 0), (-1, -1)):
        while True:
            edge = starts if step == 1 else ends
            letters = data[edge + look]
            blank = ((letters == SPACE) | (letters == RETURN)) & (starts < ends)
            if not blank.any():
                break
            if step == 1:
                starts = starts + blank
            else:
                ends = ends - blank
    return starts, ends


def unquoted(block: bytes, delimiter: str) -> bytes:
    """The block with its quotes resolved and fields set apart by a control character that no field holds.

    A quote that does not close in its line is a `csv.Error`: the block may have been cut inside it.
    """
    rows = list(csv.reader(quoted_lines(block), delimiter=delimiter, strict=True))
    if len(rows) != block.count(b"\n"):
        raise csv.Error("a quote that does not close in its line")
    return "".join(UNIT.join(row) + "\n" for row in rows).encode("utf-8", "surrogateescape")


def quoted_lines(block: bytes) -> list[str]:
    """The lines of a block as text for a reader of quotes; carriage returns count as blanks, as in blocks without quotes."""
    text = block.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", " ").replace(UNIT, " ")
    return text.split("\n")[:-1]


def first_uneven(block: bytes, delimiter: str | None, columns: int) -> tuple[int, int]:
    """The first row that has not `columns` fields, and how many it has: the slow look after `cut` said None."""
    if delimiter is not None and b'"' in block:
        block, delimiter = unquoted(block, delimiter), UNIT
    mark = None if delimiter is None else delimiter.encode()
    for row, line in enumerate(block.split(b"\n")[:-1]):
        found = len(line.split(mark) if mark else SOLID.findall(line)) if line.strip() else 0
        if found != columns:
            return row, found
    raise AssertionError("cut() refused a block whose lines all have the right number of fields")
