"""What every reader hands on: the rows of one file, ids as numbers, nothing yet matched or split by class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, shown
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Codes


@dataclass(frozen=True, eq=False)
class Ids:
    """One id per row, as a number into `names`, which are in order of first appearance."""

    names: tuple[str, ...]
    codes: Codes


@dataclass(frozen=True, eq=False)
class Rows:
    """One file, row by row. What the file does not hold is None."""

    path: str
    first_line: int | None = None  # of row 0; None where the format has no lines
    scores: FloatArray | None = None
    labels: NDArray[np.bool_] | None = None
    enrollment: Ids | None = None
    trial: Ids | None = None
    enrollment_speaker: Ids | None = None
    trial_speaker: Ids | None = None
    columns: dict[str, Ids] = field(default_factory=dict)
    titles: tuple[str, ...] = ()  # the names of all columns, where they have names

    def line(self, row: int) -> int | None:
        return None if self.first_line is None else self.first_line + int(row)

    def key(self, row: int) -> str:
        """The two ids of a trial as people write them."""
        assert self.enrollment is not None
        assert self.trial is not None
        names = self.enrollment.names[self.enrollment.codes[row]], self.trial.names[self.trial.codes[row]]
        return " ".join(map(shown, names))

    def where(self, row: int) -> str:
        """`trials, line 7`, or `trials.h5` where there are no lines."""
        line = self.line(row)
        return self.path if line is None else f"{self.path}, line {line}"


def ids_of(values: Iterable[object]) -> Ids:
    """Ids from plain values.

    >>> ids_of(["b", "a", "b"])
    Ids(names=('b', 'a'), codes=array([0, 1, 0], dtype=int32))
    """
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(str(value), len(numbers)) for value in values]
    return Ids(tuple(numbers), np.array(codes, dtype=np.int32))


def compact(ids: Ids) -> Ids:
    """The same ids with names in order of first appearance and none unused: one list of rows, one numbering."""
    count = len(ids.names)
    first = np.full(count, ids.codes.size, dtype=np.int64)
    first[ids.codes[::-1]] = np.arange(ids.codes.size - 1, -1, -1)  # the last writer is the first row
    order = np.argsort(first, kind="stable")
    order = order[first[order] < ids.codes.size]
    if order.size == count and bool((order == np.arange(count)).all()):
        return ids
    number = np.full(count, -1, dtype=np.int32)
    number[order] = np.arange(order.size, dtype=np.int32)
    return Ids(tuple(ids.names[i] for i in order), number[ids.codes])


def decode_name(raw: bytes, path: str) -> str:
    """An id as text; ids that are not UTF-8 would print as nonsense in every report."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(path, f"the id {raw!r} is not UTF-8 text; convert the file with iconv") from None
