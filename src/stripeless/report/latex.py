"""A result as a LaTeX table that a paper can input; needs the package booktabs."""

from __future__ import annotations

import re
from typing import Any

from stripeless.measures.shown import NO_VALUE
from stripeless.report.cells import PageTable, TableCell, TableRow
from stripeless.report.view import view_of

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
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(view.title)}. Intervals are 95\,\%.}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(_line(row) for row in view.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    lines += [line for key, table in view.tables.items() if key == "differences" for line in _table(table)]
    return "\n".join(lines) + "\n"


def _table(table: PageTable) -> list[str]:
    rows = [" & ".join(escape(cell.text) for cell in row) + r" \\" for row in table.rows]
    return [
        "",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.caption)}. Intervals are 95\,\%.}}",
        rf"\begin{{tabular}}{{{'l' * len(table.head)}}}",
        r"\toprule",
        " & ".join(escape(head) for head in table.head) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def escape(text: str) -> str:
    """Text that LaTeX sets as it is.

    >>> print(escape("50 % of A_1 & B"))
    50 \\% of A\\_1 \\& B
    """
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda match: _SPECIAL[match.group()], text)


def _line(row: TableRow) -> str:
    label = escape(row.label + (f" ({row.unit})" if row.unit else ""))
    return " & ".join([label, *(_cell(cell) for cell in row.cells), escape(row.chance), escape(row.exposed)]) + r" \\"


def _cell(cell: TableCell) -> str:
    value = rf"\textbf{{{escape(cell.value)}}}" if cell.best else escape(cell.value)
    return f"{value} [{escape(cell.interval)}]" if cell.interval else value
