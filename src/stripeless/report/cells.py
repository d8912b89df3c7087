"""What tables and cards of a report are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.measures.shown import NO_VALUE, shown, shown_interval
from stripeless.plots.series import tidy
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class TableCell:
    """One value as text, its interval, and a note such as why it is missing."""

    value: str
    interval: str = ""
    note: str = ""
    best: bool = False

    @property
    def text(self) -> str:
        """Value and interval on one line."""
        return f"{self.value} ({self.interval})" if self.interval else self.value


@dataclass(frozen=True)
class TableRow:
    """One measure: what it is, its ends, and a cell per series."""

    name: str
    label: str
    unit: str
    meaning: str
    chance: str
    exposed: str
    cells: tuple[TableCell, ...]

    @property
    def shared_reason(self) -> str:
        """The one reason why no series has a value, or an empty text."""
        notes = {cell.note for cell in self.cells}
        missing = all(cell.value == NO_VALUE for cell in self.cells)
        return notes.pop() if missing and len(notes) == 1 else ""


@dataclass(frozen=True)
class Card:
    """One key number with its company. `gauge` holds places from private (0) to exposed (1): value, interval, ceiling."""

    label: str
    value: str
    unit: str
    interval: str
    chance: str
    ceiling: str
    meaning: str
    gauge: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PageTable:
    """Any further table: caption, head, rows of cells; the first cell of a row names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Said(Finding):
    """A finding, and the result that it is about where there are several."""

    who: str = ""


def cell_of(name: str, measure: Measure | None, best: bool = False) -> TableCell:
    if measure is None:
        return TableCell(NO_VALUE, best=best)
    note = _reason(measure.reason)
    if not note and measure.reach is not None:
        note = f"reach {shown(name, measure.reach)}"
    return TableCell(shown(name, measure.value), shown_interval(name, measure), note, best)


def number_with_interval(measure: Measure, digits: int = 3, factor: float = 1.0, ends: str = "({} to {})") -> str:
    """A number that no entry of the catalog describes, in units of 1/factor.

    >>> number_with_interval(Measure(MEASURES["d_ece"], 0.25, 0.2, 0.3), 1, 100)
    '25.0 (20.0 to 30.0)'
    """
    numbers: tuple[Any, ...] = (measure.value, measure.low, measure.high)
    value, *limits = ("" if end is None else f"{factor * end:.{digits}f}" for end in numbers)
    return f"{value} {ends.format(*limits)}" if limits[0] else value


def _reason(reason: str) -> str:
    """A reason beside its measure need not name the measure again."""
    reason = tidy(reason, 500)
    name, colon, why = reason.partition(": ")
    return why if colon and (name in MEASURES or name.startswith("hit rate at")) else reason


def page_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> PageTable:
    """A table of plain texts."""
    return PageTable(caption, tuple(head), tuple(texts(*row) for row in rows))


def texts(*values: str) -> tuple[TableCell, ...]:
    """A row of plain texts."""
    return tuple(TableCell(value) for value in values)
