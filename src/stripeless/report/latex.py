"""A result as a LaTeX table that a paper can input; needs the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from stripeless.measures.shown import NO_VALUE
from stripeless.report.cells import PageTable, TableCell, TableRow
from stripeless.report.view import view_of

INTERVALS = r". Intervals are 95\,\%."
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    NO_VALUE: "--",
    "…": r"\dots{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def render_latex(results: Any) -> str:
    """Measures down, attackers or systems across, 95 % intervals in brackets; the most private of several in bold.

    Paired differences, where there are any, follow as a table of their own.
    """
    view = view_of(results)
    columns = "l" + "r" * len(view.series) + "rr"
    head = ["Measure", *(escape(one.label) for one in view.series), "Chance", "Exposed"]
    lines = [
        "% Needs \\usepackage{booktabs}; with pdfLaTeX also \\usepackage[T1]{fontenc} and textcomp.",
        *table_of(escape(view.title) + INTERVALS, columns, head, [_measure_cells(row) for row in view.rows]),
    ]
    lines += [
        line for key, table in view.tables.items() if key == "differences" for line in ("", *_difference_lines(table))
    ]
    return "\n".join(lines) + "\n"


def table_of(
    caption: str, columns: str, head: Sequence[str], rows: Iterable[Sequence[str]], *settings: str
) -> list[str]:
    """A table line by line, from texts that LaTeX can set as they are; `settings` stand above the caption."""
    inside = tabular_of(columns, head, rows)
    return [r"\begin{table}", r"\centering", *settings, rf"\caption{{{caption}}}", *inside, r"\end{table}"]


def tabular_of(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The same without caption, for a table of one's own."""
    first, *rest = (" & ".join(row) + r" \\" for row in (head, *rows))
    return [
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", first, r"\midrule", *rest, r"\bottomrule", r"\end{tabular}"
    ]  # fmt: skip


def _difference_lines(table: PageTable) -> list[str]:
    rows = [[escape(cell.text) for cell in row] for row in table.rows]
    return table_of(escape(table.caption) + INTERVALS, "l" * len(table.head), list(map(escape, table.head)), rows)


def escape(text: str) -> str:
    """Text that LaTeX sets as it is.

    >>> print(escape("50 % of A_1 & B"))
    50 \\% of A\\_1 \\& B
    """
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda match: _SPECIAL[match.group()], text)


def _measure_cells(row: TableRow) -> list[str]:
    label = escape(row.label + (f" ({row.unit})" if row.unit else ""))
    return [label, *(_cell(cell) for cell in row.cells), escape(row.chance), escape(row.exposed)]


def _cell(cell: TableCell) -> str:
    value = rf"\textbf{{{escape(cell.value)}}}" if cell.best else escape(cell.value)
    return f"{value} [{escape(cell.interval)}]" if cell.interval else value
