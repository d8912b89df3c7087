"""Recognizing a text file: how its fields are set apart, and which column is what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from stripeless.errors import FileError
from stripeless.scores.files.numbers import NUMBER
from stripeless.scores.files.source import HEAD, Source
from stripeless.scores.files.words import check_names, is_target, roles_by_name
from stripeless.tables.delimited import csv_rows, meant

SAMPLE = 1000
ADD_HEADER = "add a header line such as `enrollment,trial,score,label`"


@dataclass(frozen=True)
class Layout:
    """`roles` says which column is the score, the label, ...; `names` are the header's, empty without one."""

    delimiter: str | None  # None: any run of blanks
    columns: int
    roles: dict[str, int]
    names: tuple[str, ...] = ()


def recognize(source: Source, expected: str) -> Layout:
    """The layout of a text file, from its extension and its first lines.

    `expected` is what the caller gave it as: `scores`, `trials`, or `both`.
    """
    lines = _lines(source)
    delimiter = _delimiter(source.extension, lines[0])
    table = _fields_of(source.path, lines, delimiter)
    first = table[0]
    if _is_header(first, delimiter, source.extension):
        if len(lines) == 1 and len(source.head) < HEAD:
            raise FileError(source.path, "a header line and nothing below it; write the scores again")
        titles = first if delimiter is None else [meant(title) for title in first]
        return Layout(delimiter, len(first), check_names(source.path, titles), tuple(titles))
    even = [row for row in table if len(row) == len(first)]
    return Layout(delimiter, len(first), _roles(source.path, even, expected))


def _lines(source: Source) -> list[str]:
    text = source.head.decode("utf-8", "replace")
    lines = text.split("\n")  # not splitlines: it would also split at signs that are part of an id
    if len(source.head) >= HEAD and len(lines) > 1:
        lines.pop()  # cut off in the middle
    if not lines[0].strip():
        raise FileError(source.path, "blank before the first row; delete the blank lines", line=1)
    return list(islice((line for line in lines if line.strip()), SAMPLE))


def _delimiter(extension: str, line: str) -> str | None:
    if extension == ".tsv":
        return "\t"
    for mark in (",", ";"):
        if mark in line and (extension == ".csv" or not any(c in line for c in " \t") or line.count(mark) > 1):
            return mark
    if extension == ".csv" or ("\t" in line and {"score", "label"} & roles_by_name(line.split("\t")).keys()):
        return "\t" if "\t" in line else ","
    return None


def _fields_of(path: str, lines: list[str], delimiter: str | None) -> list[list[str]]:
    if delimiter is None:
        return [line.split() for line in lines]
    plain = (line.removesuffix("\r").replace("\r", " ") for line in lines)
    return [[field.strip() for field in fields] for _, fields in csv_rows(path, plain, delimiter)]


def _is_number(text: str) -> bool:
    return bool(NUMBER.fullmatch(text.encode())) or text.lower().lstrip("+-") == "nan"


def _is_header(fields: list[str], delimiter: str | None, extension: str) -> bool:
    """No numbers in it, and a word that names a score or a label; `target` names a label only beside a score."""
    if any(_is_number(field) for field in fields):
        return False
    roles = roles_by_name(fields)
    labels = sum(is_target(field) is not None for field in fields)
    if "score" in roles:
        return True
    if "label" in roles and is_target(fields[roles["label"]]) is None:
        return True
    return delimiter is not None and extension in (".csv", ".tsv") and not labels


def _roles(path: str, table: list[list[str]], expected: str) -> dict[str, int]:
    """The roles of columns without names, from what they hold."""
    count = len(table[0])
    if count not in (2, 3, 4):
        raise FileError(
            path,
            f"{count} column{'s' * (count > 1)} and no header that names a score; expected `score label`, "
            f"`enrollment utterance score`, or both with a label, so {ADD_HEADER}",
            line=1,
        )
    numbers = [_share_of_rows(_is_number(row[c]) for row in table) for c in range(count)]
    labels = [_share_of_rows(is_target(row[c]) is not None for row in table) for c in range(count)]
    if count == 3:
        return _three(numbers, labels, expected)
    return _with_label(path, numbers[-2:], labels[-2:], ids=count == 4)


def _share_of_rows(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return sum(listed) / len(listed)


def _three(numbers: list[float], labels: list[float], expected: str) -> dict[str, int]:
    """`enrollment utterance score|label`, or the score or label first where the last column cannot be it."""
    kinds = {"score": numbers, "label": labels}
    order = ("score", "label") if expected == "scores" else ("label", "score")
    for column, ids in ((2, (0, 1)), (0, (1, 2))):
        for kind in order:
            # Half is enough: a bad line is to be reported as such, not to change what the file is taken for.
            if kinds[kind][column] >= 0.5:
                return {"enrollment": ids[0], "trial": ids[1], kind: column}
    return {"enrollment": 0, "trial": 1, "label" if expected == "trials" else "score": 2}


def _with_label(path: str, numbers: list[float], labels: list[float], ids: bool) -> dict[str, int]:
    """Of two columns one is the label: the one with more words that name a class."""
    if min(labels) == 1.0 and min(numbers) == 1.0:
        raise FileError(path, f"scores and labels both hold only 0 and 1, and nothing tells them apart; {ADD_HEADER}")
    label = 1 if (labels[1], numbers[0]) >= (labels[0], numbers[1]) else 0
    shift = 2 if ids else 0
    return {**({"enrollment": 0, "trial": 1} if ids else {}), "score": 1 - label + shift, "label": label + shift}
