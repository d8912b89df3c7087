"""Tables for a terminal: columns that stay aligned whatever the script of their texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence


def width(text: str) -> int:
    """Columns a terminal gives a text: wide characters take two, combining ones none.

    >>> width("abc"), width("語"), width("e\\u0301")
    (3, 2, 1)
    """
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def widths_of(rows: Iterable[Sequence[str]]) -> list[int]:
    """How wide each column must be."""
    return [max(map(width, column)) for column in zip(*rows, strict=True)]


def line_of(cells: Sequence[str], widths: Sequence[int], *, right: bool = True) -> str:
    """One row, two blanks between columns: the first flush left, the others flush right unless told otherwise."""
    filled = []
    for k, (text, columns) in enumerate(zip(cells, widths, strict=True)):
        blanks = " " * (columns - width(text))
        filled.append(blanks + text if right and k else text + blanks)
    return "  ".join(filled).rstrip()


def rule_of(widths: Sequence[int]) -> str:
    """The line under a head."""
    return "  ".join("-" * columns for columns in widths)


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = True) -> list[str]:
    """Head and rows, a line each.

    >>> aligned(("who", "n"), [("Anna", "7"), ("Bo", "12")])
    ['who    n', 'Anna   7', 'Bo    12']
    """
    table = [head, *rows]
    widths = widths_of(table)
    return [line_of(row, widths, right=right) for row in table]
