"""stripeless reproduce: the papers' tables from data, cell by cell."""

from __future__ import annotations

from pathlib import Path

import click

from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.options import html_option, json_option, seed_option
from stripeless.cli.shared.show import Output


@click.command("reproduce", cls=Command)
@click.argument("table", required=False)
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False), help="Folder with the data the table was made from."
)
@json_option("the lines")
@html_option("Write the lines as a page.")
@seed_option
def command(table: str | None, data: str | None, as_json: bool, html: str | None, seed: int) -> None:
    """Recompute a TABLE of the papers and print published, ours, difference.

    Without TABLE, lists the tables; with --data alone, recomputes every table that this folder allows.
    """
    from stripeless.papers.reproduce import TABLES, reproduction

    if table is None and data is None:
        for name, known in TABLES.items():
            click.echo(f"{name:15} {known.title}" + (f" (--data {known.needs})" if known.needs else ""))
        return
    check_outputs(html)
    names = [table] if table is not None else [n for n, t in TABLES.items() if allowed_by(t.needs, Path(data or "."))]
    Output(as_json, html).show(reproduction(names, data, seed=seed))


def allowed_by(needs: str, data: Path) -> bool:
    """Does this folder hold what a table is made from, by name? A table without data always can be made."""
    return not needs or (data / needs).is_dir() or data.resolve().name == needs
