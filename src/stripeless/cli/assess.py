"""stripeless assess: from a score file to a privacy statement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stripeless.cli.common import F, check_outputs, output_options, say, write_whole
from stripeless.cli.show import figure_options, show

if TYPE_CHECKING:
    from stripeless.scores.trials import TrialScores

FILE = click.Path(dir_okay=False)


def score_options(function: F) -> F:
    """How to read scores: the same for every command that does."""
    for option in (
        click.option(
            "--allow-missing", is_flag=True, help="Go on without trials that have no score; the result says so."
        ),
        click.option("--spk2gender", type=FILE, help="Kaldi spk2gender: adds the label 'sex' to every trial."),
        click.option("--utt2spk", type=FILE, help="Kaldi utt2spk: who speaks in each trial utterance."),
        click.option("--trials", type=FILE, help="Trial list (enrollment, utterance, target or nontarget)."),
    ):
        function = option(function)
    return function


@click.command("assess")
@click.argument("scores", type=click.Path())
@score_options
@click.option("--original", type=FILE, help="Scores of the same trials before anonymization: the ceiling.")
@click.option(
    "--by", multiple=True, metavar="LABEL", help="Results per 'speaker', 'sex' or any column; may be repeated."
)
@click.option(
    "--resamples",
    type=int,
    help="Bootstrap resamples behind the 95 % intervals; 0 for none. Default: 1000, 200 above 200,000 trials, 0 above 2 million.",
)
@click.option(
    "--llr", is_flag=True, help="The scores claim to be natural-log likelihood ratios: judge their calibration."
)
@click.option("--name", help="Name of the system in tables and figures. Default: the name of the file.")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="KEY=VALUE",
    help="What these scores are of: dataset=..., split=..., sex=..., system=...; compare builds its tables from them.",
)
@click.option(
    "--on-disk",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="For more scores than memory holds: sort them in this folder (8 bytes each). SCORES may be a directory of files.",
)
@click.option("--summary", type=FILE, help="Write one page for a data-protection review (HTML, prints on one sheet).")
@click.option("--attacker", default="", help="Who made the scores: ignorant, lazy-informed, semi-informed, ...")
@figure_options
@output_options
def command(
    scores: str,
    trials: str | None,
    utt2spk: str | None,
    spk2gender: str | None,
    allow_missing: bool,
    original: str | None,
    by: tuple[str, ...],
    resamples: int | None,
    llr: bool,
    name: str | None,
    labels: tuple[str, ...],
    on_disk: str | None,
    summary: str | None,
    attacker: str,
    figures: str | None,
    figure_format: str,
    as_json: bool,
    html: str | None,
    seed: int,
) -> None:
    """Measure what an attacker learns from SCORES.

    SCORES is a Kaldi score file (with --trials), a text of scores and labels, CSV, TSV, parquet, npz or BOSARIS HDF5, text
    also gzipped; which one is found out from the file. Higher scores must mean "more likely the same speaker".

    \b
    Examples:
      stripeless assess scores.txt --trials trials.txt
      stripeless assess scores.csv --by sex --by speaker --html report.html
      stripeless assess anonymized.txt --trials trials.txt --original original.txt --figures figures/
      stripeless assess parts/ --on-disk /scratch/sorted
    """
    if on_disk is not None:
        if trials or utt2spk or spk2gender or original or by or resamples:
            raise click.UsageError(
                "--on-disk reads scores and labels only: leave out --trials, --utt2spk, --spk2gender, --original, --by "
                "and --resamples."
            )
        from stripeless.assessment.files import assess_files

        sorted_ = assess_files(scores, folder=on_disk, name=name or Path(scores).name, attacker=attacker, llr=llr)
        sorted_ = replace(sorted_, labels=parse_labels(labels), seed=seed)
        show(
            sorted_.to_dict() | {"original": None},
            as_json=as_json,
            html=html,
            figures=figures,
            figure_format=figure_format,
        )
        return
    from stripeless.assessment.assess import assess_scores
    from stripeless.assessment.groups import assess_groups
    from stripeless.attackers.ceiling import examine_ceiling
    from stripeless.results.evaluation import Evaluation
    from stripeless.scores.files import read_scores

    check_outputs(html, summary, folders=(figures,))

    def read(path: str) -> TrialScores:
        return read_scores(path, trials, utt2spk=utt2spk, spk2gender=spk2gender, allow_missing=allow_missing)

    read_trials = read(scores)
    draws = default_resamples(read_trials) if resamples is None else resamples
    title = name or Path(scores).name
    result = assess_scores(read_trials, resamples=draws, seed=seed, name=title, attacker=attacker, llr=llr)
    groups = {}
    for label in dict.fromkeys(by):
        # Intervals for every single speaker would cost as much as all the rest, and say little with so few trials.
        group_draws = 0 if label == "speaker" else draws
        groups[label] = assess_groups(read_trials, label, resamples=group_draws, seed=seed)
    result = replace(result, groups=groups, labels=parse_labels(labels))
    ceiling = None
    if original is not None:
        ceiling = assess_scores(
            read(original), resamples=draws, seed=seed, name=Path(original).name, attacker="original"
        )
        suspect = examine_ceiling(result.to_dict(), ceiling.to_dict())
        result = replace(result, warnings=(*suspect, *result.warnings))
    whole: dict[str, Any] = result.to_dict() | {"original": None if ceiling is None else ceiling.to_dict()}
    page = None if ceiling is None else Evaluation(title, (result,), original=ceiling, seed=seed).to_dict()
    if summary:
        from stripeless.report.summary import render_summary

        write_whole(summary, render_summary(page or whole))
        say(f"Summary: {summary}")
    show(whole, as_json=as_json, html=html, figures=figures, figure_format=figure_format, page=page)


def parse_labels(labels: tuple[str, ...]) -> dict[str, str]:
    """KEY=VALUE pairs; anything else is a mistake of the call."""
    parsed = {}
    for label in labels:
        key, equals, value = label.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise click.UsageError(f"--label {label}: expected KEY=VALUE, such as dataset=librispeech.")
        parsed[key.strip()] = value.strip()
    return parsed


def default_resamples(scores: TrialScores) -> int:
    """As many as take a moment; a very large file gets none unless asked for, and is told so."""
    trials = scores.target.size + scores.nontarget.size
    if trials <= 200_000:
        return 1000
    if trials <= 2_000_000:
        return 200
    say(f"{trials:,} trials: no intervals without --resamples, they would take a while.")
    return 0
