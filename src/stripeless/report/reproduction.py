"""The report of `stripeless reproduce`: published beside ours, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from stripeless.report.cells import page_table
from stripeless.report.page import Section, render_sections
from stripeless.report.simple import Sheet, plain_sheet, rows_csv
from stripeless.report.text import aligned, rule_of, widths_of
from stripeless.results.reproduction import ReproducedLine, Reproduction

COLUMNS = ("what", "published", "ours", "difference", "agrees")
TITLE = "Papers recomputed"


def cell(line: ReproducedLine, column: str) -> str:
    """One value as text."""
    value = getattr(line, column)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:+.4f}" if column == "difference" else f"{value:.4f}" if column == "ours" else f"{value:g}"
    return str(value)


def summary(lines: Sequence[ReproducedLine]) -> str:
    """How many lines agree, at the digits that were printed."""
    agree = sum(line.agrees is True for line in lines)
    judged = sum(isinstance(line.agrees, bool) for line in lines)
    return f"{agree} of {judged} lines agree: at the digits printed, or within the seeds' spread where chance plays a part."


def as_text(lines: Sequence[ReproducedLine]) -> str:
    """Aligned columns; whether a line agrees is judged at the digits that were printed."""
    rows = _rows(lines)
    head, *body = aligned(COLUMNS, rows)
    return "\n".join([head, rule_of(widths_of((COLUMNS, *rows))), *body, "", summary(lines)])


def _rows(lines: Sequence[ReproducedLine]) -> list[list[str]]:
    return [[cell(line, column) for column in COLUMNS] for line in lines]


def text(result: Reproduction) -> str:
    """The lines for a terminal."""
    return as_text(result.lines)


def html(result: Reproduction) -> str:
    """One page, offline."""
    table = page_table(TITLE, COLUMNS, _rows(result.lines))
    return render_sections(TITLE, [Section("", (summary(result.lines),), tables=(table,))])


def sheet(result: Reproduction) -> Sheet:
    """The lines as they stand in Markdown and LaTeX."""
    return plain_sheet(TITLE, [summary(result.lines)], [(TITLE, COLUMNS, _rows(result.lines))])


def numbers(result: Reproduction) -> str:
    """The lines as CSV, numbers in full."""
    head = ("table", *COLUMNS)
    return rows_csv(head, ([getattr(line, column) for column in head] for line in result.lines))
