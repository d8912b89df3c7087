"""Tables of two columns, as Kaldi writes them: a name, blanks, a value. utt2spk, spk2gender, labels, transcripts, wav.scp.

- UTF-8, with or without a byte-order mark, gzipped or not; lines end in a line feed, Windows lines too.
- Blanks, tabs and the like part the columns and stand at neither end; the value is the rest of the line. Quotes and
  backslashes mean nothing: they are part of the value.
- Empty lines are skipped, and counted.
- A name without a value is refused, unless the table is one of texts, which may be empty.
- A name that stands twice with the same value is fine; with two values it is refused, and both are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike

from stripeless._files import write_whole
from stripeless.errors import FileError, shown
from stripeless.tables.text import read_lines


def read_two_columns(
    path: str | PathLike[str], *, one_word: bool = False, may_be_empty: bool = False
) -> dict[str, str]:
    """Names and their values, in the order of the file.

    With `one_word` a value is a name itself, such as a speaker: a third column shows that this is another kind of table, and
    is refused. With `may_be_empty` a value may be the empty text, as in transcripts.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "text")
    >>> with open(path, "w") as file:
    ...     _ = file.write("a-1 good morning\\na-2\\n")
    >>> read_two_columns(path, may_be_empty=True)
    {'a-1': 'good morning', 'a-2': ''}
    >>> folder.cleanup()
    """
    table: dict[str, str] = {}
    for line, cells in _cells(path, 3 if one_word else 2):
        if len(cells) == 1 and may_be_empty:
            cells.append(b"")
        if len(cells) != 2:
            raise FileError(path, _not_two(cells), line)
        name, value = cells[0].decode(), cells[1].decode()
        if table.setdefault(name, value) != value:
            raise FileError(path, f"{name!r} has two values, {table[name]!r} before and {value!r}; keep one", line)
    return table


def read_rows(path: str | PathLike[str], columns: int) -> Iterator[tuple[int, list[str]]]:
    """Each line that holds something: its number, and its first columns, at most so many; the last is the rest of the line."""
    for line, cells in _cells(path, columns):
        yield line, [cell.decode() for cell in cells]


def _cells(path: str | PathLike[str], columns: int) -> Iterator[tuple[int, list[bytes]]]:
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.rstrip().split(None, columns - 1)  # of bytes: only blanks of ASCII part columns
        if cells:
            yield number, cells


def _not_two(cells: list[bytes]) -> str:
    field = shown(cells[-1].split()[0].decode())  # of a file that may be any: not the whole line
    if len(cells) == 1:
        return f"expected a name and a value, got {field!r} alone; write both"
    return f"expected 2 columns, got a third, {field!r}; write a name and a value"


def write_two_columns(path: str | PathLike[str], table: Mapping[str, str]) -> None:
    """Write a table that `read_two_columns` reads back."""
    write_whole(path, "".join(f"{name} {value}\n" for name, value in table.items()))
