"""The terminal's report: aligned columns that fit 80 characters, then warnings in plain words."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Any

from stripeless.metrics.shown import NO_VALUE
from stripeless.report.view import Row, Table, View, view_of

WIDTH = 80
_HEAD = ("measure", "value", "95 % interval", "chance", "exposed")
_SHORT = {
    "Equal error rate": "EER",
    "Hits at 1 % false alarms": "hits at 1 %",
    "D_ECE (bit)": "D_ECE",
    "Linkability": "linkability",
    "Worst case, log10 LR": "log10 LR",
    "ZEBRA category": "category",
}
_MARKS = {"serious": "!!", "caution": " !", "remark": "  "}


def render_text(results: Any) -> str:
    """A readable table of a result, of an evaluation's attackers, or of several results side by side.

    >>> from stripeless.metrics.assessment import assess
    >>> print(render_text(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]).to_dict()).splitlines()[0])
    Privacy assessment
    """
    view = view_of(results)
    blocks = [_top(view)]
    if view.attackers is not None:
        blocks.append(_attackers(view.attackers))
    if view.kind != "comparison":
        place = next(k for k, one in enumerate(view.series) if one.label == view.subject)
        title = [f"All measures, {view.subject}:"] if len(view.series) > 1 else []
        blocks.append(title + _measures(view.rows, place))
    blocks += [_small(table) for key, table in view.tables.items() if key == "differences"]
    quieter = [finding for finding in view.findings if finding["severity"] != "serious"]
    if quieter:
        blocks.append([line for finding in quieter for line in _finding(finding)])
    blocks += [_wrap(note) for note in view.notes]
    return "\n\n".join("\n".join(block) for block in blocks).replace(NO_VALUE, "-") + "\n"


def width(text: str) -> int:
    """Columns a terminal gives a text: wide characters take two, combining ones none.

    >>> width("abc"), width("語"), width("e\\u0301")
    (3, 2, 1)
    """
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, columns: int, right: bool = False) -> str:
    """A text filled up with blanks to this many columns."""
    blanks = " " * max(0, columns - width(text))
    return blanks + text if right else text + blanks


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    """Lines of a text; a percent sign stays with its number."""
    kept = text.replace(" %", "\u00a0%")
    lines = textwrap.wrap(kept, WIDTH, initial_indent=first, subsequent_indent=rest) or [""]
    return [line.replace("\u00a0", " ") for line in lines]


def _top(view: View) -> list[str]:
    judged = view.verdict
    lines = [view.title, "=" * min(WIDTH, width(view.title))]
    lines += _wrap(view.description) if view.description else []
    lines += [line for finding in view.serious for line in _finding(finding)]
    lines += _wrap(f"{judged.label}. {judged.headline}")
    return lines + _wrap(" ".join((*judged.sentences, judged.basis)))


def _measures(rows: Sequence[Row], place: int) -> list[str]:
    """One line per measure; a reach or a reason stands on its own line below."""
    table = [
        (
            row.label + (f", {row.unit}" if row.unit == "log10 LR" else ""),
            row.cells[place].value + (f" {row.unit}" if row.unit == "bit" else ""),
            row.cells[place].interval,
            row.chance,
            row.exposed,
        )
        for row in rows
    ]
    widths = [max(width(line[k]) for line in (_HEAD, *table)) for k in range(len(_HEAD))]
    lines = [_aligned(_HEAD, widths), "  ".join("-" * columns for columns in widths)]
    for row, line in zip(rows, table, strict=True):
        lines.append(_aligned(line, widths))
        if row.cells[place].note:
            lines += _wrap(row.cells[place].note, "    ", "    ")
    return lines


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    cells = [pad(text, columns, right=k > 0) for k, (text, columns) in enumerate(zip(line, widths, strict=True))]
    return "  ".join(cells).rstrip()


def _attackers(table: Table) -> list[str]:
    """Name, then its numbers below where a line would grow too long."""
    short = tuple(_SHORT.get(head, head) for head in table.head)
    rows = [tuple(cell.value for cell in row) for row in table.rows]
    widths = [max(width(line[k]) for line in (short, *rows)) for k in range(len(short))]
    widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths[1:]))
    lines = [_aligned(short, widths), "  ".join("-" * columns for columns in widths)]
    for row in rows:
        if width(row[0]) > widths[0]:
            lines.append(row[0])
            row = ("", *row[1:])
        lines.append(_aligned(row, widths))
    return lines


def _small(table: Table) -> list[str]:
    """Any table as one line per fact."""
    lines = [table.caption + ":"]
    for row in table.rows:
        lines += _wrap(
            "; ".join(f"{head} {cell.text}" for head, cell in zip(table.head, row, strict=True)), "  ", "    "
        )
    return lines


def _finding(finding: Any) -> list[str]:
    who = f"({finding['who']}) " if finding["who"] else ""
    return _wrap(
        f"{finding['severity'].capitalize()}: {who}{finding['message']}",
        f"{_MARKS.get(finding['severity'], '  ')} ",
        "   ",
    )
