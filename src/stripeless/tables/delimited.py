"""CSV: a header, and rows of as many cells; parted by commas, semicolons or tabs, whichever the header has most of.

- UTF-8, with or without a byte-order mark, gzipped or not; lines end in a line feed, Windows lines too.
- Names of columns are compared in small letters; none may stand twice. Blanks around cells are no part of them.
- A cell in double quotes may hold the delimiter, and two double quotes for one. No cell holds the end of a line.
- Empty lines, and lines of empty cells, are skipped, and counted. A row with another number of cells is refused.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from stripeless.errors import FileError
from stripeless.tables.text import read_lines

DELIMITERS = ",;\t"
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class CsvTable:
    """The names of the columns, and of each row its line and its cells."""

    names: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each row with its line, as a dict from column to cell."""
        for line, cells in self.rows:
            yield line, dict(zip(self.names, cells, strict=True))


def read_csv(path: str | PathLike[str]) -> CsvTable:
    """The table in a CSV file, or one sentence about its first fault.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "list.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write('Path;Text\\na.wav;"yes; no"\\n')
    >>> read_csv(path).rows
    ((2, ['a.wav', 'yes; no']),)
    >>> folder.cleanup()
    """
    lines = read_lines(path)
    head = next((line for line in lines if line.strip()), b"").decode()
    if not head:
        raise FileError(path, "the file is empty; expected a header and rows")
    delimiter = max(DELIMITERS, key=head.count)
    if delimiter not in head:
        message = "the header holds one column only; expected names parted by commas, semicolons or tabs"
        raise FileError(path, message, 1)
    names: tuple[str, ...] = ()
    rows = []
    for line, found in csv_rows(path, (line.decode() for line in lines), delimiter):
        cells = [cell.strip() for cell in found]
        if not any(cells):
            continue
        if not names:
            names = _header(path, cells)
        elif len(cells) != len(names):
            raise FileError(path, f"has {len(cells)} cells where the header has {len(names)}", line)
        else:
            rows.append((line, cells))
    if not names:
        raise FileError(path, "holds no header and no values", 1)
    return CsvTable(names, tuple(rows))


def _header(path: str | PathLike[str], cells: list[str]) -> tuple[str, ...]:
    names = tuple(name.lower() for name in cells)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise FileError(path, f"has two columns called {twice!r}; rename one", 1)
    return names


def harmless(text: str) -> str:
    """A cell that no spreadsheet runs as a formula: an apostrophe stands before it, as before text that already has one.

    >>> harmless("=1+1"), harmless("'=1+1"), harmless("-3.5"), harmless("anna")
    ("'=1+1", "''=1+1", '-3.5', 'anna')
    """
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_NUMBER.fullmatch(text) else text


def meant(text: str) -> str:
    """What a cell that `harmless` wrote stands for.

    >>> meant("'=1+1"), meant("''=1+1"), meant("-3.5"), meant("'tis")
    ('=1+1', "'=1+1", '-3.5', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def csv_rows(
    path: str | PathLike[str], lines: Iterable[str], delimiter: str, first_line: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line with its number; quotes that do not close in their line are refused."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    while True:
        line = first_line + reader.line_num
        try:
            cells = next(reader, None)
        except csv.Error as error:
            message = f"quotes that do not close, or are not doubled ({error}); write the table again"
            raise FileError(path, message, line) from None
        if cells is None:
            return
        if first_line + reader.line_num - line > 1:
            raise FileError(path, "a quote that does not close in its line; write the table again", line)
        yield line, cells
