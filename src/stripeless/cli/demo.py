"""stripeless demo: the main job on a simulated corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import html_option, json_option, seed_option
from stripeless.cli.shared.show import Output, make_folder

if TYPE_CHECKING:
    from stripeless.results.evaluation import Evaluation


@click.command("demo", cls=Command)
@click.option(
    "--out", type=click.Path(file_okay=False), default="stripeless-demo", show_default=True, help="Folder to write."
)
@click.option(
    "--strength",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="How much of a voice the anonymizer removes, 0..1.",
)
@click.option("--speakers", type=click.IntRange(min=4), default=60, show_default=True, help="Speakers in the trials.")
@json_option()
@html_option("Where the report goes. Default: report.html in the folder.")
@click.option("--voices", is_flag=True, help="Synthesize sound, anonymize it with McAdams, and listen: half a minute.")
@seed_option
def command(out: str, strength: float, speakers: int, as_json: bool, html: str | None, voices: bool, seed: int) -> None:
    """Simulate voices and an anonymizer of known strength, play three attackers, write a report.

    Nothing is needed but this program. The folder holds the report, the result as JSON, and the score files of every
    attacker, to be assessed again with `stripeless assess`.
    """
    folder, report = Path(out), html or str(Path(out) / "report.html")
    shown = Output(as_json, report)
    # The report may go inside the folder, which is made once everything else is known to work.
    inside = Path(report).resolve().is_relative_to(folder.resolve())
    check_outputs(None if inside else html, folders=(out,))
    if voices:
        from stripeless.cli.demo_voices import demo_voices

        result = demo_voices(folder, seed)
        shown.show(replace(result, listen=()), page=result)
        return
    shown.show(simulated(folder, strength, speakers, seed))


def simulated(folder: Path, strength: float, speakers: int, seed: int) -> Evaluation:
    """Three attackers against simulated voices; their scores and the result in the folder."""
    from stripeless.results.stored import write_result
    from stripeless.scores.files import write_scores
    from stripeless.worlds.population import Population, simulate_attackers, simulate_evaluation

    population = Population(strength=strength, speakers=speakers)
    say(f"Simulating {speakers} speakers and playing three attackers ...")
    result = simulate_evaluation(population, seed=seed)
    attackers = simulate_attackers(population, seed=seed)
    make_folder(folder)
    for name, scores in attackers.items():
        write_scores(folder / f"{name}.csv", scores)
    write_result(folder / "result.json", result)
    return result
