"""Reports made of findings, tables and figures: what listening tests and comparisons of systems share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stripeless.measures.measure import Measure
from stripeless.plots.data import rows_csv as rows_csv
from stripeless.report.cells import PageTable, page_table, value_and_ends
from stripeless.report.columns import aligned
from stripeless.report.figures import HOW_TO_GET, have_matplotlib, picture
from stripeless.report.latex import escape as tex
from stripeless.report.latex import table_of
from stripeless.report.markdown import escape as md
from stripeless.report.markdown import pipe_table
from stripeless.report.page import render_page
from stripeless.report.words import GLOSSARY
from stripeless.verdicts.finding import Finding


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


def sheet_html(
    sheet: Sheet, drawn: Mapping[str, Any], captions: Mapping[str, tuple[str, str]], data: Callable[[str], str]
) -> str:
    """The page of a sheet with its figures; `captions[name]` is a title and what it shows, `data(name)` its CSV."""
    pictures = [
        picture(figure, name, *captions.get(name, (name.replace("-", " "), "")), csv=data(name))
        for name, figure in drawn.items()
    ]
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
                f"{heading}: {table.caption}" if table.caption != heading else heading,
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
    return "% Needs \\usepackage{booktabs}.\n" + "\n\n".join(
        table_latex(table) for _, _, tables in sheet.sections for table in tables
    ) + "\n"  # fmt: skip


def table_latex(table: TextTable) -> str:
    rows = [[tex(cell) for cell in row] for row in table.rows]
    return "\n".join(table_of(tex(table.caption), f"l{'r' * (len(table.head) - 1)}", list(map(tex, table.head)), rows))


def plain_tables(tables: Iterable[tuple[str, Sequence[str], Sequence[Sequence[str]]]]) -> list[TextTable]:
    """Tables from captions, heads and rows."""
    return [TextTable(caption, tuple(head), tuple(tuple(row) for row in rows)) for caption, head, rows in tables]


def tables_markdown(title: str, sentences: Sequence[str], tables: Iterable[TextTable]) -> str:
    """A title, sentences and tables as Markdown."""
    sections = tuple((table.caption, "", (table,)) for table in tables)
    return sheet_markdown(Sheet("", title, " ".join(sentences), (), sections, (), ()))


def tables_latex(tables: Iterable[TextTable]) -> str:
    """Tables as LaTeX."""
    return "% Needs \\usepackage{booktabs}.\n" + "\n\n".join(table_latex(table) for table in tables) + "\n"


def measures_csv(named: Iterable[tuple[str, Mapping[str, Measure | Mapping[str, Any]]]]) -> str:
    """Measures with their intervals as CSV, one row each; `named` pairs whom they are of with the measures."""
    head = ("of", "measure", "value", "low", "high", "unit")
    return rows_csv(
        head,
        (
            (who, name, *value_and_ends(m), m.get("unit") if isinstance(m, Mapping) else m.unit)
            for who, measures in named
            for name, m in measures.items()
        ),
    )
