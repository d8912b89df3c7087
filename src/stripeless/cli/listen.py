"""stripeless listen: from ratings to what people hear."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stripeless.cli.shared.checks import check_inputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.options import output_options, resamples_option
from stripeless.cli.shared.show import Output

if TYPE_CHECKING:
    from stripeless.results.listening import ListeningStudy, Objective


@click.command("listen", cls=Command)
@click.argument("ratings", type=click.Path(dir_okay=False))
@click.option("--scale", nargs=2, type=float, default=(1.0, 10.0), show_default=True, help="Lowest and highest score.")
@resamples_option(1000, "Resamples of listeners behind the intervals.")
@click.option("--without", multiple=True, metavar="LISTENER", help="Leave this listener out; may be repeated.")
@click.option(
    "--objective", multiple=True, type=click.Path(), help="Results (or folders of them) of the same systems by machine."
)
@click.option("--published", is_flag=True, help="Take the objective values of Table 18 of VoicePrivacy 2020.")
@click.option("--name", help="Name of the test in tables and figures. Default: the name of the file.")
@output_options
def command(
    ratings: str,
    scale: tuple[float, float],
    resamples: int,
    without: tuple[str, ...],
    objective: tuple[str, ...],
    published: bool,
    name: str | None,
    output: Output,
    seed: int,
) -> None:
    """Analyze a listening test.

    RATINGS is a CSV file with the columns listener, stimulus, system, trial (target or nontarget), speech (original or
    anonymized) and any of naturalness, intelligibility, similarity from 1 to 10; dataset and sex where known.

    \b
    Examples:
      stripeless listen ratings.csv --html listening.html
      stripeless listen ratings.csv --without L07 --objective results/
    """
    from stripeless.errors import InputError
    from stripeless.listening.ratings import read_ratings
    from stripeless.listening.study import listening_study

    if not (isfinite(scale[0]) and isfinite(scale[1]) and scale[0] < scale[1]):
        raise click.UsageError("--scale: the lowest score must lie below the highest.")
    output.check()
    check_inputs(*objective)
    read = read_ratings(ratings, scale=scale)
    for listener in without:
        if not (read.listener == listener).any():
            raise InputError(f"--without {listener}: nobody of that name rated anything in {ratings}")
        read = read.take(read.listener != listener)
    study = listening_study(read, resamples=resamples, seed=seed, name=name or Path(ratings).name)
    if objective or published:
        study = replace(study, objective=_objective(study, objective, published))
    output.show(study)


def _objective(study: ListeningStudy, paths: tuple[str, ...], published: bool) -> dict[str, Objective]:
    from stripeless.listening.objective import objective_against_subjective, published_objective
    from stripeless.results.stored import find_results, read_result
    from stripeless.studies.systems import collect_cells

    cells = published_objective() if published else []
    for path in paths:
        if Path(path).is_dir():
            cells += collect_cells(result for _, result in find_results(path)[0])
            continue
        cells += collect_cells([read_result(path)])
    return objective_against_subjective(study, cells)
