"""A result as Markdown, for issues, wikis and notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from stripeless.report.cells import PageTable, Said
from stripeless.report.view import ReportView, view_of


def render_markdown(results: Any) -> str:
    """Verdict, tables, warnings and method of a result, a comparison or a list of results."""
    view = view_of(results)
    parts = [f"# {escape(view.title)}"]
    parts += [escape(view.description)] if view.description else []
    parts += [_finding_item(finding) for finding in view.serious]
    parts += [f"**{escape(view.verdict.label)}.** {escape(view.verdict.headline)}"]
    parts += [escape(" ".join((*view.verdict.sentences, view.verdict.basis)))]
    if view.attackers is not None:
        parts += ["## Who learns how much", _texts_of(view.attackers), escape(view.attackers.note)]
    if (tested := view.tables.get("tested")) is not None:
        parts += [f"## {tested.caption}", _texts_of(tested), escape(tested.note)]
    parts += ["## Every measure", _measures_table(view)]
    parts += [
        part
        for table in (*view.tables.values(), *view.groups)
        for part in (f"## {escape(table.caption)}", _texts_of(table), escape(table.note))
    ]
    if view.findings:
        parts += ["## Warnings", "\n".join(f"- {_finding_item(finding)}" for finding in view.findings)]
    parts += ["## Method", "\n".join(f"- {escape(what)}: {escape(how)}" for what, how in view.method)]
    parts += [_texts_of(view.inputs)] if view.inputs is not None else []
    parts += [escape(note) for note in view.notes]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """Text that Markdown shows as it is.

    >>> escape("a|b <script> *x*")
    'a\\\\|b &lt;script> \\\\*x\\\\*'
    """
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def pipe_table(head: Sequence[str], *rows: Sequence[str]) -> str:
    """A table of texts that Markdown can show as they are."""
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _escaped(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return pipe_table(*([escape(cell) for cell in row] for row in (head, *rows)))


def _texts_of(table: PageTable) -> str:
    return _escaped(table.head, ([cell.text for cell in row] for row in table.rows))


def _measures_table(view: ReportView) -> str:
    head = ["Measure", *(one.label for one in view.series), "Chance", "Exposed"]
    rows = []
    for row in view.rows:
        notes = [f"{cell.text}; {cell.note}" if cell.note else cell.text for cell in row.cells]
        rows.append([row.label + (f" ({row.unit})" if row.unit else ""), *notes, row.chance, row.exposed])
    return _escaped(head, rows)


def _finding_item(finding: Said) -> str:
    who = f" ({escape(finding.who)})" if finding.who else ""
    return f"**{finding.severity.capitalize()}**{who}: {escape(finding.message)}"
