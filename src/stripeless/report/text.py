"""The terminal's report: columns that stay aligned whatever the script and fit 80 characters, then warnings in plain words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from stripeless.measures.shown import NO_VALUE
from stripeless.report.cells import PageTable, Said, TableRow
from stripeless.report.view import ReportView, view_of

WIDTH = 80
_HEAD = ("measure", "value", "95 % interval", "chance", "exposed")
_SHORT = {
    "Equal error rate": "EER",
    "Hits at 1 % false alarms": "hits at 1 %",
    "D_ECE (bit)": "D_ECE",
    "Expected disclosure D_ECE": "D_ECE",
    "Linkability": "linkability",
    "Worst case, log10 LR": "log10 LR",
    "ZEBRA category": "category",
    "Target / nontarget trials": "trials",
}
EXPLAINED = ("linkability_binned", "epsilon")  # read wrongly without a sentence beside them
UNITS = ("bit", "nat")  # that stand with the number; others are in the name, or none
_MARKS = {"serious": "!!", "caution": " !", "remark": "  "}


def render_text(results: Any) -> str:
    """A readable table of a result, of an evaluation's attackers, or of several results side by side.

    >>> from stripeless.assessment.assess import assess
    >>> print(render_text(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]).to_dict()).splitlines()[0])
    Privacy assessment
    """
    view = view_of(results)
    blocks = [_opening(view)]
    if view.attackers is not None:
        blocks.append(_named_rows(view.attackers))
        compared = [f"{one.label} by {one.assessment.backend}" for one in view.series if one.assessment.backend]
        how = wrap(f"Recordings compared: {'; '.join(compared)}.") if compared and view.kind == "evaluation" else []
        blocks.append([*how, *(wrap(view.attackers.note) if view.attackers.note else [])])
    if view.kind != "comparison":
        place = next(k for k, one in enumerate(view.series) if one.label == view.subject)
        title = [f"All measures, {view.subject}:"] if len(view.series) > 1 else []
        blocks.append(title + _measure_lines(view.rows, place))
    blocks += [_named_once(table) for key, table in view.tables.items() if key == "differences"]
    blocks += [[f"{table.caption}:", *_named_rows(table), *wrap(table.note)] for table in view.groups]
    quieter = [finding for finding in view.findings if finding.severity != "serious"]
    if quieter:
        blocks.append([line for finding in quieter for line in _finding_lines(finding)])
    blocks += [wrap(note) for note in view.notes]
    return "\n\n".join("\n".join(block) for block in blocks if block).replace(NO_VALUE, "-") + "\n"


def wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most 80 columns; a percent sign stays with its number, a word too long for a line is cut.

    >>> [width(line) for line in wrap("語" * 50)]
    [80, 20]
    """
    lines, line = [], first
    for word in text.replace(" %", "\u00a0%").split(" "):
        empty = line in (first, rest)
        if not empty and width(line) + 1 + width(word) > WIDTH:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        while width(line) > WIDTH:
            fits = next(k for k in range(len(line), 0, -1) if width(line[:k]) <= WIDTH)
            lines.append(line[:fits])
            line = rest + line[fits:]
    return [each.replace("\u00a0", " ") for each in (*lines, line)]


def width(text: str) -> int:
    """Columns a terminal gives a text: wide characters take two, combining ones none.

    >>> width("abc"), width("語"), width("e\\u0301")
    (3, 2, 1)
    """
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def widths_of(rows: Iterable[Sequence[str]]) -> list[int]:
    """How wide each column must be."""
    return [max(map(width, column)) for column in zip(*rows, strict=True)]


def line_of(cells: Sequence[str], widths: Sequence[int], *, right: bool = True) -> str:
    """One row, two blanks between columns: the first flush left, the others flush right unless told otherwise."""
    filled = []
    for k, (text, columns) in enumerate(zip(cells, widths, strict=True)):
        blanks = " " * (columns - width(text))
        filled.append(blanks + text if right and k else text + blanks)
    return "  ".join(filled).rstrip()


def rule_of(widths: Sequence[int]) -> str:
    """The line under a head."""
    return "  ".join("-" * columns for columns in widths)


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = True) -> list[str]:
    """Head and rows, a line each.

    >>> aligned(("who", "n"), [("Anna", "7"), ("Bo", "12")])
    ['who    n', 'Anna   7', 'Bo    12']
    """
    table = [head, *rows]
    widths = widths_of(table)
    return [line_of(row, widths, right=right) for row in table]


def _opening(view: ReportView) -> list[str]:
    judged = view.verdict
    title = wrap(view.title)
    lines = [*title, "=" * width(title[0])]
    lines += wrap(view.description) if view.description else []
    lines += [line for finding in view.serious for line in _finding_lines(finding)]
    lines += wrap(f"{judged.label}. {judged.headline}")
    return lines + wrap(" ".join((*judged.sentences, judged.basis)))


def _measure_lines(rows: Sequence[TableRow], place: int) -> list[str]:
    """One line per measure; a reach or a reason stands on its own line below."""
    table = [
        (
            row.label + (f", {row.unit}" if row.unit == "log10 LR" else ""),
            row.cells[place].value
            + (f" {row.unit}" if row.unit in UNITS and row.cells[place].value != NO_VALUE else ""),
            row.cells[place].interval,
            row.chance,
            row.exposed,
        )
        for row in rows
    ]
    widths = widths_of((_HEAD, *table))
    lines = [line_of(_HEAD, widths), rule_of(widths)]
    for row, line in zip(rows, table, strict=True):
        lines.append(line_of(line, widths))
        if row.cells[place].note:
            lines += wrap(row.cells[place].note, "    ", "    ")
        elif row.name in EXPLAINED:
            lines += wrap(row.meaning, "    ", "    ")
    return lines


def _named_rows(table: PageTable) -> list[str]:
    """Name, then its numbers below where a line would grow too long."""
    rows = [tuple(cell.value for cell in row) for row in table.rows]
    short = tuple(_SHORT.get(head, head) for head in table.head)
    short = (short[0] if width(short[0]) < 20 else "", *short[1:])  # a label of the trials may have any name
    widths = widths_of((short, *rows))
    widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths[1:]))
    lines = [line_of(short, widths), rule_of(widths)]
    for row in rows:
        if width(row[0]) > widths[0]:
            lines += wrap(row[0])
            row = ("", *row[1:])
        lines.append(line_of(row, widths))
    return lines


def _named_once(table: PageTable) -> list[str]:
    """A table whose rows share names: each name once, its rows aligned below."""
    lines = [f"{table.caption}:"]
    rows = [tuple(_SHORT.get(cell.text, cell.text) for cell in row[1:]) for row in table.rows]
    widths = widths_of((table.head[1:], *rows))
    fits = 2 + sum(widths) + 2 * len(widths[1:]) <= WIDTH
    named = ""
    for row, cells in zip(table.rows, rows, strict=True):
        if row[0].value != named:
            named = row[0].value
            lines += wrap(named)
            lines += ["  " + line_of(table.head[1:], widths)] if fits else []
        lines += ["  " + line_of(cells, widths)] if fits else wrap("; ".join(cells), "  ", "    ")
    return lines


def _finding_lines(finding: Said) -> list[str]:
    who = f"({finding.who}) " if finding.who else ""
    said = f"{finding.severity.capitalize()}: {who}{finding.message}"
    return wrap(said, f"{_MARKS.get(finding.severity, '  ')} ", "   ")
