"""stripeless demo: the main job on a simulated corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from stripeless.cli.common import check_outputs, echo_json, say, write_whole


@click.command("demo")
@click.option(
    "--out", type=click.Path(file_okay=False), default="stripeless-demo", show_default=True, help="Folder to write."
)
@click.option(
    "--strength", type=float, default=0.5, show_default=True, help="How much of a voice the anonymizer removes, 0..1."
)
@click.option("--speakers", type=int, default=60, show_default=True, help="Speakers in the trials.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, alone, on standard output.")
@click.option(
    "--html", type=click.Path(dir_okay=False), help="Where the report goes. Default: report.html in the folder."
)
@click.option("--voices", is_flag=True, help="Synthesize sound, anonymize it with McAdams, and listen: half a minute.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of everything random; same seed, same bytes.",
)
def command(out: str, strength: float, speakers: int, as_json: bool, html: str | None, voices: bool, seed: int) -> None:
    """Simulate voices and an anonymizer of known strength, play three attackers, write a report.

    Nothing is needed but this program. The folder holds the report, the result as JSON, and the score files of every
    attacker, to be assessed again with `stripeless assess`.
    """
    from stripeless.errors import FileError
    from stripeless.report import render_html
    from stripeless.scores.files import write_scores
    from stripeless.worlds.population import Population, simulate_attackers, simulate_evaluation

    folder = Path(out)
    population = Population(strength=strength, speakers=speakers)
    # The report may go inside the folder, which is made once everything else is known to work.
    inside = html is None or Path(html).resolve().is_relative_to(folder.resolve())
    check_outputs(None if inside else html, folders=(out,))
    if voices:
        from stripeless.cli.demo_voices import demo_voices

        result, report = demo_voices(folder, seed, html)
        show(result, report, as_json)
        return
    say(f"Simulating {speakers} speakers and playing three attackers ...")
    result = simulate_evaluation(population, seed=seed).to_dict()
    report = Path(html) if html else folder / "report.html"
    page = render_html(result)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made ({error.strerror}); choose another --out") from error
    write_whole(report, page)
    for name, scores in simulate_attackers(population, seed=seed).items():
        write_scores(folder / f"{name}.csv", scores)
    write_whole(folder / "result.json", json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    show(result, report, as_json)


def show(result: dict[str, Any], report: Path, as_json: bool) -> None:
    """The result on standard output."""
    if as_json:
        echo_json(result)
        return
    from stripeless.report import render_text

    click.echo(render_text(result))
    click.echo(f"\nThe report: {report}")
