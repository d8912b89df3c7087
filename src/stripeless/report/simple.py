"""Reports made of findings, tables and figures: what listening tests and comparisons of systems share."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stripeless.report.cells import PageTable, TableCell
from stripeless.report.figures import HOW_TO_GET, Picture, have_matplotlib, inline_svg
from stripeless.report.latex import escape as tex
from stripeless.report.markdown import escape as md
from stripeless.report.page import render_page
from stripeless.report.words import GLOSSARY


@dataclass(frozen=True)
class TextTable:
    """A table of plain texts."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cells(self) -> PageTable:
        """The same for the common page."""
        return PageTable(self.caption, self.head, tuple(tuple(TableCell(text) for text in row) for row in self.rows))


@dataclass(frozen=True)
class Sheet:
    """A report as a headline, sentences, sections of tables, and how it came about."""

    kicker: str
    title: str
    headline: str
    sentences: tuple[str, ...]
    sections: tuple[tuple[str, str, tuple[TextTable, ...]], ...]
    findings: tuple[Mapping[str, str], ...]
    method: tuple[tuple[str, str], ...]


def rows_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV; text that a spreadsheet would run as a formula becomes plain text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([f"'{c}" if isinstance(c, str) and c[:1] in ("=", "+", "-", "@", "\t") else c for c in row])
    return out.getvalue()


def sheet_html(
    sheet: Sheet, drawn: Mapping[str, Any], captions: Mapping[str, tuple[str, str]], data: Callable[[str], str]
) -> str:
    """The page of a sheet with its figures; `captions[name]` is a title and what it shows, `data(name)` its CSV."""
    from stripeless.plots.save import figure_bytes

    pictures = []
    for name, figure in drawn.items():
        title, caption = captions.get(name, (name.replace("-", " "), ""))
        svg = figure_bytes(figure, "svg").decode()
        pictures.append(Picture(name, title, caption, inline_svg(svg, name, title, caption), data(name)))
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
                *_aligned(table, most_rows),
                "",
            ]
        lines += [note, ""] if note else []
    for finding in sheet.findings:
        lines.append(f"{finding['severity'].capitalize()}: {finding['message']}")
    return "\n".join(lines).rstrip() + "\n"


def _aligned(table: TextTable, most: int) -> list[str]:
    rows = [table.head, *table.rows[:most]]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.head))]
    lines = [
        "  ".join(
            c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    left = len(table.rows) - most
    return [*lines, f"... and {left} more; --json holds them all"] if left > 0 else lines


def sheet_markdown(sheet: Sheet) -> str:
    parts = [f"# {md(sheet.title)}", f"**{md(sheet.headline)}**", md(" ".join(sheet.sentences))]
    for heading, note, tables in sheet.sections:
        parts += [f"## {md(heading)}", md(note)]
        for table in tables:
            lines = [table.head, tuple("---" for _ in table.head), *table.rows]
            shown = ["| " + " | ".join(c if k == 1 else md(c) for c in row) + " |" for k, row in enumerate(lines)]
            parts += [md(table.caption), "\n".join(shown)]
    parts += [f"- **{f['severity'].capitalize()}**: {md(f['message'])}" for f in sheet.findings]
    return "\n\n".join(part for part in parts if part) + "\n"


def sheet_latex(sheet: Sheet) -> str:
    return "% Needs \\usepackage{booktabs}.\n" + "\n\n".join(
        table_latex(table) for _, _, tables in sheet.sections for table in tables
    ) + "\n"  # fmt: skip


def table_latex(table: TextTable) -> str:
    head = [r"\begin{table}", r"\centering", rf"\caption{{{tex(table.caption)}}}"]
    head += [rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}", r"\toprule"]
    body = [" & ".join(tex(cell) for cell in row) + r" \\" for row in (table.head, *table.rows)]
    return "\n".join([*head, body[0], r"\midrule", *body[1:], r"\bottomrule", r"\end{tabular}", r"\end{table}"])


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


def measures_csv(named: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Measures with their intervals as CSV, one row each; `named` pairs whom they are of with the measures."""
    head = ("of", "measure", "value", "low", "high", "unit")
    rows = ((who, name, *(m.get(key) for key in head[2:])) for who, measures in named for name, m in measures.items())
    return rows_csv(head, rows)
