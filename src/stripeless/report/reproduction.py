"""The report of `stripeless reproduce`: published beside ours, line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stripeless.report.columns import aligned, rule_of, widths_of

Result = Mapping[str, Any]
COLUMNS = ("what", "published", "ours", "difference", "agrees")
TITLE = "Papers recomputed"


def cell(line: Mapping[str, Any], column: str) -> str:
    """One value as text."""
    value = line.get(column)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:+.4f}" if column == "difference" else f"{value:.4f}" if column == "ours" else f"{value:g}"
    return str(value)


def summary(lines: Sequence[Mapping[str, Any]]) -> str:
    """How many lines agree, at the digits that were printed."""
    agree = sum(line.get("agrees") is True for line in lines)
    judged = sum(isinstance(line.get("agrees"), bool) for line in lines)
    return f"{agree} of {judged} lines agree: at the digits printed, or within the seeds' spread where chance plays a part."


def as_text(lines: Sequence[Mapping[str, Any]]) -> str:
    """Aligned columns; whether a line agrees is judged at the digits that were printed."""
    rows = _rows(lines)
    head, *body = aligned(COLUMNS, rows)
    return "\n".join([head, rule_of(widths_of((COLUMNS, *rows))), *body, "", summary(lines)])


def _rows(lines: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [[cell(line, column) for column in COLUMNS] for line in lines]


def text(result: Result) -> str:
    """The lines for a terminal."""
    return as_text(result["lines"])


def html(result: Result) -> str:
    """One page, offline."""
    from stripeless.report.cells import page_table
    from stripeless.report.page import Section, render_sections

    table = page_table(TITLE, COLUMNS, _rows(result["lines"]))
    return render_sections(TITLE, [Section("", (summary(result["lines"]),), tables=(table,))])


def _one_table(result: Result) -> Any:
    from stripeless.report.simple import plain_tables

    return plain_tables([(TITLE, COLUMNS, _rows(result["lines"]))])


def markdown(result: Result) -> str:
    """The lines as Markdown."""
    from stripeless.report.simple import tables_markdown

    return tables_markdown(TITLE, [summary(result["lines"])], _one_table(result))


def latex(result: Result) -> str:
    """The lines as LaTeX."""
    from stripeless.report.simple import tables_latex

    return tables_latex(_one_table(result))


def numbers(result: Result) -> str:
    """The lines as CSV, numbers in full."""
    from stripeless.report.simple import rows_csv

    head = ("table", *COLUMNS)
    return rows_csv(head, ([line.get(column) for column in head] for line in result["lines"]))
