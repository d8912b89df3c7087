"""stripeless summary: one sheet for a privacy officer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stripeless.cli.common import check_outputs, say
from stripeless.cli.show import show


@click.command("summary")
@click.argument("results", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, alone, on standard output.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write the sheet: one file, offline, prints on one page.")
def command(results: tuple[str, ...], as_json: bool, html: str | None) -> None:
    """Sum up RESULTS of one system for a data-protection review: singling out, linkability, inference.

    RESULTS are files that other commands wrote with --json, or a folder of them: one of assess or evaluate, and what there
    is of attack and rank (singling out, linkability) and protect (inference). What nothing answers is called not tested.

    \b
    Examples:
      stripeless summary scores.json attack.json rank.json sex.json --html summary.html
      stripeless summary results/ --html summary.html
    """
    from stripeless.errors import FileError
    from stripeless.results.stored import find_results, read_result
    from stripeless.studies.summary import MAIN, MORE, summarize_results

    check_outputs(html)
    loaded: list[dict[str, Any]] = []
    for path in results:
        if Path(path).is_dir():
            found, others = find_results(path)
            usable = [result for _, result in found if result["kind"] in (*MAIN, *MORE)]
            left = len(found) - len(usable) + len(others)
            say(f"{path}: {len(usable)} results" + (f", {left} other JSON files left aside" if left else ""))
            loaded += usable
            continue
        known = read_result(path)
        if known is None:
            raise FileError(path, "is not a result; write one with --json, such as: stripeless assess SCORES --json")
        loaded.append(known)
    show(summarize_results(loaded), as_json=as_json, html=html)
