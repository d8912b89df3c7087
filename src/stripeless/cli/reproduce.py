"""stripeless reproduce: the papers' tables from data, cell by cell."""

from __future__ import annotations

from typing import Any

import click

from stripeless.cli.common import check_outputs, echo_json, say, write_whole


@click.command("reproduce")
@click.argument("table", required=False)
@click.option("--data", type=click.Path(), help="Folder with the data the table was made from.")
@click.option("--json", "as_json", is_flag=True, help="Print the lines as JSON, alone, on standard output.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write the lines as a page.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of everything random; same seed, same bytes.",
)
def command(table: str | None, data: str | None, as_json: bool, html: str | None, seed: int) -> None:
    """Recompute a TABLE of the papers and print published, ours, difference.

    Without TABLE, lists the tables; with --data alone, recomputes every table that this folder allows.
    """
    from stripeless.protocols.reproduce import TABLES, reproduce

    if table is None and data is None:
        for name, known in TABLES.items():
            click.echo(f"{name:15} {known.title}" + (f" (--data {known.needs})" if known.needs else ""))
        return
    check_outputs(html)
    names = [table] if table is not None else list(TABLES)
    lines: list[dict[str, Any]] = []
    for name in names:
        lines += [{"table": name, **line} for line in reproduce(name, data)]
    if as_json:
        echo_json({"kind": "reproduction", "schema": 1, "lines": lines, "seed": seed})
    else:
        click.echo(as_text(lines))
    if html:
        from stripeless.report.page import simple_table_page

        rows = [[cell(line, column) for column in COLUMNS] for line in lines]
        write_whole(html, simple_table_page("Papers recomputed", COLUMNS, rows))
        say(f"Report: {html}")


COLUMNS = ("what", "published", "ours", "difference", "agrees")


def cell(line: dict[str, Any], column: str) -> str:
    value = line.get(column)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:+.4f}" if column == "difference" else f"{value:.4f}" if column == "ours" else f"{value:g}"
    return str(value)


def as_text(lines: list[dict[str, Any]]) -> str:
    """Aligned columns; whether a line agrees is judged at the digits that were printed."""
    rows = [list(COLUMNS)] + [[cell(line, column) for column in COLUMNS] for line in lines]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    text = [
        "  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*text, "", summary(lines)])


def summary(lines: list[dict[str, Any]]) -> str:
    agree = sum(line.get("agrees") is True for line in lines)
    judged = sum(isinstance(line.get("agrees"), bool) for line in lines)
    return f"{agree} of {judged} lines agree at the digits printed."
