"""Tables of two columns: a name and a value. utt2spk, spk2gender, labels, transcripts, wav.scp; as Kaldi writes them, or as CSV.

- UTF-8, with or without a byte-order mark, gzipped or not; lines end in a line feed, Windows lines too.
- Blanks, tabs and the like part the columns and stand at neither end; the value is the rest of the line. Quotes and
  backslashes mean nothing: they are part of the value.
- Commas part the columns where nothing else can be meant: each line is one word, a comma and one word, or the first line is a
  header without blanks that begins with a word for speakers or utterances. Quotes then mean what they mean in CSV.
- A first line that names the columns (`speaker,age`, `utterance label`) is no entry. Texts have neither commas nor a header.
- Empty lines are skipped, and counted.
- A name without a value is refused, unless the table is one of texts, which may be empty.
- A name that stands twice with the same value is fine; with two values it is refused, and both are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike

from stripeless._files import write_whole
from stripeless.errors import FileError, shown
from stripeless.tables.delimited import csv_rows
from stripeless.tables.text import read_lines

# what columns are called
_NAMES = frozenset(("speaker", "speaker_id", "spk", "spk_id", "utterance", "utterance_id", "utt", "utt_id"))
_VALUES = _NAMES | {
    "label",
    "class",
    "attribute",
    "value",
    "sex",
    "gender",
    "age",
    "accent",
    "dialect",
    "language",
    "emotion",
}
_PAIR = re.compile(rb"\s*[^\s,]+\s*,\s*[^\s,]+\s*")


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
    lines = read_lines(path)
    commas = not may_be_empty and _parted_by_commas(lines)
    first = True
    for line, cells in _csv_cells(path, lines) if commas else _cells(lines, 3 if one_word else 2):
        if len(cells) == 1 and may_be_empty:
            cells.append("")
        if len(cells) != 2:
            raise FileError(path, _not_two(cells), line)
        name, value = cells
        titles, first = first and not may_be_empty and name.lower() in _NAMES, False
        if titles and (commas or value.lower() in _VALUES):
            continue
        if table.setdefault(name, value) != value:
            raise FileError(path, f"{name!r} has two values, {table[name]!r} before and {value!r}; keep one", line)
    return table


def read_rows(path: str | PathLike[str], columns: int) -> Iterator[tuple[int, list[str]]]:
    """Each line that holds something: its number, and its first columns, at most so many; the last is the rest of the line."""
    return _cells(read_lines(path), columns)


def _cells(lines: list[bytes], columns: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines, start=1):
        cells = line.rstrip().split(None, columns - 1)  # of bytes: only blanks of ASCII part columns
        if cells:
            yield number, [cell.decode() for cell in cells]


def _parted_by_commas(lines: list[bytes]) -> bool:
    """Whether the columns can only be parted by commas: no blanks part any line, or the header."""
    full = (line for line in lines if line.strip())
    head = next(full, b"").strip()
    words = head.lower().split(b",")
    if len(words) > 1 and words[0].strip(b'"').decode() in _NAMES and not head.split(None, 1)[1:]:
        return True
    return _PAIR.fullmatch(head) is not None and all(_PAIR.fullmatch(line) for line in full)


def _csv_cells(path: str | PathLike[str], lines: list[bytes]) -> Iterator[tuple[int, list[str]]]:
    for number, found in csv_rows(path, (line.decode() for line in lines), ","):
        cells = [cell.strip() for cell in found]
        if any(cells):
            yield number, cells if all(cells[:2]) else [cell for cell in cells if cell][:1]


def _not_two(cells: list[str]) -> str:
    text = cells[2] if len(cells) > 2 else "".join(cells[-1:])  # a line of commas alone holds no cell
    field = shown("".join(text.split()[:1]))  # of a file that may be any: not the whole line
    if len(cells) < 2:
        return f"expected a name and a value, got {field!r} alone; write both"
    return f"expected 2 columns, got a third, {field!r}; write a name and a value"


def write_two_columns(path: str | PathLike[str], table: Mapping[str, str]) -> None:
    """Write a table that `read_two_columns` reads back."""
    write_whole(path, "".join(f"{name} {value}\n" for name, value in table.items()))
