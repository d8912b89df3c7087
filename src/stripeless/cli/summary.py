"""stripeless summary: one sheet for a privacy officer."""

from __future__ import annotations

from pathlib import Path

import click

from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import html_option, json_option
from stripeless.cli.shared.show import Output


@click.command("summary", cls=Command)
@click.argument("results", nargs=-1, required=True, type=click.Path())
@json_option()
@html_option("Write the sheet: one file, offline, prints on one page.")
def command(results: tuple[str, ...], as_json: bool, html: str | None) -> None:
    """Sum up RESULTS of one system for a data-protection review: singling out, linkability, inference.

    RESULTS are files that other commands wrote with --json, or a folder of them: one of assess or evaluate, and what there
    is of attack and rank (singling out, linkability) and protect (inference). What nothing answers is called not tested.

    \b
    Examples:
      stripeless summary scores.json attack.json rank.json sex.json --html summary.html
      stripeless summary results/ --html summary.html
    """
    from stripeless.results.codec import Result
    from stripeless.results.stored import find_results, read_result
    from stripeless.studies.summary import MAIN, MORE, summarize_results

    check_outputs(html)
    loaded: list[Result] = []
    for path in results:
        if Path(path).is_dir():
            found, others = find_results(path)
            usable = [result for _, result in found if result.KIND in (*MAIN, *MORE)]
            left = len(found) - len(usable) + len(others)
            say(f"{path}: {len(usable)} results" + (f", {left} other JSON files left aside" if left else ""))
            loaded += usable
            continue
        loaded.append(read_result(path))
    Output(as_json, html).show(summarize_results(loaded))
