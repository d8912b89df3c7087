"""Text of any size into rows: Kaldi lists, `score label`, CSV and TSV, gzipped or not. One path for small and large."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np

from stripeless.errors import FileError, NotANumber
from stripeless.scores.check import FloatArray
from stripeless.scores.files.codebook import Codebook
from stripeless.scores.files.fields import Fields, cut, first_uneven, quoted_lines
from stripeless.scores.files.layout import Layout, recognize
from stripeless.scores.files.numbers import decimals
from stripeless.scores.files.rows import Ids, Rows
from stripeless.scores.files.source import Source, blocks
from stripeless.scores.files.tables import rows_of
from stripeless.scores.trials import Codes
from stripeless.tables.delimited import csv_rows, meant


def read_text(source: Source, expected: str = "both") -> Rows:
    """The rows of a text file, with whatever of scores, labels and ids it holds."""
    layout = recognize(source, expected)
    score = layout.roles.get("score")
    books = {column: Codebook() for column in range(layout.columns) if column != score}
    codes: dict[int, list[Codes]] = {column: [] for column in books}
    scores: list[FloatArray] = []
    for line, fields in all_fields(source, layout):
        if score is not None:
            scores.append(numbers_in(source, fields, score, line))
        for column, book in books.items():
            codes[column].append(book.encode(fields, column))
    plain = layout.delimiter is None
    ids = {
        column: Ids(_names(source.path, book, plain), np.concatenate(codes.pop(column)))
        for column, book in books.items()
    }
    first_line = 2 if layout.names else 1
    names = layout.names or [""] * layout.columns
    return rows_of(source.path, names, layout.roles, np.concatenate(scores) if scores else None, ids, first_line)


def _names(path: str, book: Codebook, plain: bool) -> tuple[str, ...]:
    """The names in a column; of CSV without the sign that keeps spreadsheets from running them."""
    names = book.names(path)
    if plain or not any(name.startswith("'") for name in names):
        return names
    meanings = tuple(map(meant, names))
    if len(set(meanings)) != len(names):
        twice = next(name for name in names if meant(name) != name and meant(name) in names)
        raise FileError(path, f"both {twice!r} and {meant(twice)!r}, which mean the same in CSV; rename one")
    return meanings


def all_fields(source: Source, layout: Layout) -> Iterator[tuple[int, Fields]]:
    """Each block cut into fields, with the line number of its first row."""
    line = 1
    for block in blocks(source):
        if line == 1 and layout.names:
            line, block = 2, block[block.index(b"\n") + 1 :]
        if not block:
            continue
        try:
            fields = cut(block, layout.delimiter, layout.columns)
        except csv.Error:
            for _ in csv_rows(source.path, quoted_lines(block), layout.delimiter or ",", line):
                pass  # the reader of small tables finds the line, and says what is wrong with it
            raise
        if fields is None:
            row, found = first_uneven(block, layout.delimiter, layout.columns)
            raise FileError(source.path, _uneven(layout.columns, found), line=line + row)
        yield line, fields
        line += len(fields.starts)


def _uneven(expected: int, found: int) -> str:
    if not found:
        return "a blank line in the middle; delete it"
    return f"expected {expected} columns as in the first line, got {found}; correct the line or leave it out"


def numbers_in(source: Source, fields: Fields, column: int, line: int) -> FloatArray:
    values, bad = decimals(fields, column)
    if bad is None:
        return values
    text = fields.field(bad, column).decode("utf-8", "replace")
    where = f"{source.path}, line {line + bad}"
    if text.lower().lstrip("+-") == "nan":
        raise NotANumber(f"{where}: the score is NaN; find out why the comparison failed, or leave the trial out")
    raise NotANumber(
        f"{where}: expected a score, got {text!r}; write it as a plain number such as -1.5, or leave it out"
    )
