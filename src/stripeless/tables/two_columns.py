"""Tables of two columns, as Kaldi writes them: a name, blanks, a value. utt2spk, spk2gender, labels, transcripts, wav.scp.

- UTF-8, with or without a byte-order mark, gzipped or not; lines end in a line feed, Windows lines too.
- Blanks, tabs and the like part the columns and stand at neither end; the value is the rest of the line. Quotes and
  backslashes mean nothing: they are part of the value.
- Empty lines are skipped, and counted.
- A name without a value is refused, unless the table is one of texts, which may be empty.
- A name that stands twice with the same value is fine; with two values it is refused, and both are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike

from stripeless.errors import FileError
from stripeless.tables.text import read_lines

_WORD = re.compile(r"[^ \t\r\v\f]+")


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
    for line, name, value in read_rows(path):
        if not value and not may_be_empty:
            raise FileError(path, f"expected a name and a value, got {name[:60]!r} alone; write both", line)
        if one_word and len(words(value)) > 1:
            found = 1 + len(words(value))
            raise FileError(path, f"expected 2 columns, got {found}; write one name and one value", line)
        if table.setdefault(name, value) != value:
            raise FileError(path, f"{name!r} has two values, {table[name]!r} before and {value!r}; keep one", line)
    return table


def read_rows(path: str | PathLike[str]) -> Iterator[tuple[int, str, str]]:
    """(number of the line, first word, rest of the line) of each line that holds something; the rest may be empty."""
    for number, line in enumerate(read_lines(path), start=1):
        first, *rest = line.split(None, 1) or (b"",)
        if first:
            yield number, first.decode(), rest[0].rstrip().decode() if rest else ""


def words(text: str) -> list[str]:
    """The columns of a text. Only blanks of ASCII part them: a no-break space is part of a name."""
    return _WORD.findall(text)


def format_two_columns(table: Mapping[str, str]) -> str:
    """The text of a table that `read_two_columns` reads back."""
    return "".join(f"{name} {value}\n" for name, value in table.items())
