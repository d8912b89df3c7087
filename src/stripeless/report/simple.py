"""Reports made of findings, tables and figures: what listening tests and comparisons of systems share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stripeless.measures.measure import Measure
from stripeless.plots.data import rows_csv as rows_csv
from stripeless.report.cells import PageTable, page_table
from stripeless.report.figures import HOW_TO_GET, Picture, have_matplotlib
from stripeless.report.latex import escape as tex
from stripeless.report.latex import table_of, tabular_of
from stripeless.report.markdown import escape as md
from stripeless.report.markdown import pipe_table
from stripeless.report.page import render_page
from stripeless.report.text import aligned
from stripeless.report.words import GLOSSARY
from stripeless.verdicts.finding import Finding

Table: TypeAlias = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # caption, head, rows


@dataclass(frozen=True)
class TextTable:
    """A table of plain texts."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cells(self) -> PageTable:
        """The same for the common page."""
        return page_table(self.caption, self.head, self.rows)


@dataclass(frozen=True)
class Sheet:
    """A report as a headline, sentences, sections of tables, and how it came about."""

    kicker: str
    title: str
    headline: str
    sentences: tuple[str, ...]
    sections: tuple[tuple[str, str, tuple[TextTable, ...]], ...]
    findings: tuple[Finding, ...]
    method: tuple[tuple[str, str], ...]


def sheet_html(sheet: Sheet, pictures: Sequence[Picture]) -> str:
    """The page of a sheet with its figures."""
    sections = [(heading, note, [table.cells() for table in tables]) for heading, note, tables in sheet.sections]
    return render_page(
        "sheet.html.j2", title=sheet.title, sheet=sheet, sections=sections, figures=pictures, glossary=GLOSSARY,
        how_to_get_figures="" if have_matplotlib() else HOW_TO_GET,
    )  # fmt: skip


def sheet_text(sheet: Sheet, most_rows: int = 60) -> str:
    """The sheet for a terminal."""
    lines = [sheet.title, "=" * min(80, len(sheet.title)), sheet.headline, *sheet.sentences, ""]
    for heading, note, tables in sheet.sections:
        for table in tables:
            lines += [
                table.caption if table.caption.startswith(heading) else f"{heading}: {table.caption}",
                *_first_rows(table, most_rows),
                "",
            ]
        lines += [note, ""] if note else []
    for finding in sheet.findings:
        lines.append(f"{finding.severity.capitalize()}: {finding.message}")
    return "\n".join(lines).rstrip() + "\n"


def _first_rows(table: TextTable, most: int) -> list[str]:
    lines = aligned(table.head, table.rows[:most])
    left = len(table.rows) - most
    return [*lines, f"... and {left} more; --json holds them all"] if left > 0 else lines


def sheet_markdown(sheet: Sheet) -> str:
    parts = [f"# {md(sheet.title)}", f"**{md(sheet.headline)}**", md(" ".join(sheet.sentences))]
    for heading, note, tables in sheet.sections:
        parts += [f"## {md(heading)}", md(note)]
        for table in tables:
            parts += [md(table.caption), pipe_table(*([md(cell) for cell in row] for row in (table.head, *table.rows)))]
    parts += [f"- **{f.severity.capitalize()}**: {md(f.message)}" for f in sheet.findings]
    return "\n\n".join(part for part in parts if part) + "\n"


def sheet_latex(sheet: Sheet) -> str:
    """The tables of a sheet as LaTeX."""
    tables = (table for _, _, tables in sheet.sections for table in tables)
    return "% Needs \\usepackage{booktabs}.\n" + "\n\n".join(map(_table_latex, tables)) + "\n"


def _table_latex(table: TextTable) -> str:
    head, *rows = _escaped(table.head, table.rows)
    return "\n".join(table_of(tex(table.caption), f"l{'r' * (len(table.head) - 1)}", head, rows))


def bare_latex(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """One table as LaTeX, without caption."""
    head, *rows = _escaped(head, rows)
    return "\n".join(tabular_of("l" * len(head), head, rows)) + "\n"


def _escaped(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[list[str]]:
    return [[tex(cell) for cell in row] for row in (head, *rows)]


def plain_sheet(title: str, sentences: Sequence[str], tables: Iterable[Table]) -> Sheet:
    """A sheet of sentences and tables, each table under its caption."""
    plain = (TextTable(caption, tuple(head), tuple(map(tuple, rows))) for caption, head, rows in tables)
    return Sheet("", title, " ".join(sentences), (), tuple((table.caption, "", (table,)) for table in plain), (), ())


def measures_csv(named: Iterable[tuple[str, Mapping[str, Measure]]]) -> str:
    """Measures with their intervals as CSV, one row each; `named` pairs whom they are of with the measures."""
    rows = ((who, name, m.value, m.low, m.high, m.unit) for who, measures in named for name, m in measures.items())
    return rows_csv(("of", "measure", "value", "low", "high", "unit"), rows)
