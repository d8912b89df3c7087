"""stripeless reproduce: the papers' tables from data, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stripeless.cli.common import check_outputs
from stripeless.cli.show import show


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
    from stripeless.papers.reproduce import TABLES, reproduce

    if table is None and data is None:
        for name, known in TABLES.items():
            click.echo(f"{name:15} {known.title}" + (f" (--data {known.needs})" if known.needs else ""))
        return
    check_outputs(html)
    names = [table] if table is not None else [n for n, t in TABLES.items() if allowed_by(t.needs, Path(data or "."))]
    lines: list[dict[str, Any]] = []
    for name in names:
        lines += [{"table": name, **line} for line in reproduce(name, data)]
    result = {"kind": "reproduction", "schema": 1, "lines": lines, "seed": seed}
    show(result, as_json=as_json, html=html)


def allowed_by(needs: str, data: Path) -> bool:
    """Does this folder hold what a table is made from, by name? A table without data always can be made."""
    return not needs or (data / needs).is_dir() or data.resolve().name == needs
