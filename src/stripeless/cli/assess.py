"""stripeless assess: from a score file to a privacy statement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stripeless.cli.common import write_whole
from stripeless.cli.shared.checks import check_inputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import (
    F,
    Pair,
    add_options,
    margin_option,
    output_options,
    resamples_option,
)
from stripeless.cli.shared.show import Output

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment
    from stripeless.results.evaluation import Evaluation
    from stripeless.scores.trials import TrialScores

FILE = click.Path(dir_okay=False)


def score_options(function: F) -> F:
    """How to read scores: the same for every command that does."""
    return add_options(
        click.option("--trials", type=FILE, help="Trial list (enrollment, utterance, target or nontarget)."),
        click.option("--utt2spk", type=FILE, help="Kaldi utt2spk: who speaks in each trial utterance."),
        click.option("--spk2gender", type=FILE, help="Kaldi spk2gender: adds the label 'sex' to every trial."),
        click.option(
            "--allow-missing", is_flag=True, help="Go on without trials that have no score; the result says so."
        ),
    )(function)


@click.command("assess", cls=Command)
@click.argument("scores", type=click.Path())
@score_options
@click.option("--original", type=FILE, help="Scores of the same trials before anonymization: the ceiling.")
@click.option(
    "--by", multiple=True, metavar="LABEL", help="Results per 'speaker', 'sex' or any column; may be repeated."
)
@resamples_option(
    None,
    "Bootstrap resamples behind the 95 % intervals. Default: 1000, 200 above 200,000 trials, 0 above 2 million.",
)
@click.option(
    "--llr", is_flag=True, help="The scores claim to be natural-log likelihood ratios: judge their calibration."
)
@click.option("--name", help="Name of the system in tables and figures. Default: the name of the file.")
@click.option(
    "--label",
    "labels",
    type=Pair("KEY=VALUE", "dataset=librispeech"),
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
@click.option(
    "--attacker",
    default="",
    help="Who made the scores: ignorant, lazy-informed, semi-informed, or original (no protection), which the verdict takes "
    "into account; or a name of your own, which is shown and no more.",
)
@click.option(
    "--people",
    type=click.IntRange(min=2),
    metavar="N",
    help="How many people the scores are of, where the files name nobody. Without it the verdict assumes two.",
)
@margin_option
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
    people: int | None,
    margin: float | None,
    output: Output,
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
    title, attacker = name or Path(scores).name, attacker_named(attacker)
    output.check(summary, folders=(on_disk,))
    if on_disk is not None:
        refuse_with_on_disk(
            trials=trials, utt2spk=utt2spk, spk2gender=spk2gender, allow_missing=allow_missing, original=original, by=by,
            resamples=resamples, people=people, margin=margin,
        )  # fmt: skip
        from stripeless.assessment.files import assess_files

        sorted_ = assess_files(scores, folder=on_disk, name=title, attacker=attacker, llr=llr)
        sorted_ = replace(sorted_, labels=parse_labels(labels), seed=seed)
        write_summary(summary, sorted_)
        output.show(sorted_)
        return
    from stripeless.assessment.assess import assess_scores, held_against
    from stripeless.assessment.groups import assess_groups
    from stripeless.results.evaluation import Evaluation
    from stripeless.scores.files import read_scores

    check_inputs(original)

    def read(path: str) -> TrialScores:
        return read_scores(path, trials, utt2spk=utt2spk, spk2gender=spk2gender, allow_missing=allow_missing)

    read_trials = read(scores)
    original_trials = None if original is None else read(original)  # a wrong file is found before hours of resampling
    draws = default_resamples(read_trials) if resamples is None else resamples
    result = assess_scores(
        read_trials, resamples=draws, seed=seed, name=title, attacker=attacker, llr=llr, people=people, margin=margin
    )
    groups = {}
    for label in dict.fromkeys(by):
        # Intervals for every single speaker would cost as much as all the rest, and say little with so few trials.
        group_draws = 0 if label == "speaker" else draws
        groups[label] = assess_groups(read_trials, label, resamples=group_draws, seed=seed)
    result = replace(result, groups=groups, labels=parse_labels(labels))
    ceiling = None
    if original is not None and original_trials is not None:
        called = Path(original).name
        ceiling = assess_scores(
            original_trials, resamples=draws, seed=seed, name=called, attacker="original", people=people
        )
        result = held_against(result, ceiling)
    page = (
        None if ceiling is None else Evaluation(title, (replace(result, original=None),), original=ceiling, seed=seed)
    )
    write_summary(summary, page or result)
    output.show(result, page=page)


def attacker_named(name: str) -> str:
    """An attacker that verdicts know, or a name of one's own; one that is nearly known would be ignored, and is refused."""
    from difflib import get_close_matches

    from stripeless.verdicts.words import WHO, known_attacker

    known = known_attacker(name)
    near = [] if known in WHO else get_close_matches(name.strip().lower(), WHO, cutoff=0.7)
    if near:
        raise click.UsageError(
            f"--attacker {name!r}: did you mean {' or '.join(near)}? The verdict would not know this one."
        )
    return known


def refuse_with_on_disk(**given: object) -> None:
    """--on-disk reads scores and labels alone: what else was asked for cannot be done, and is named."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if named:
        raise click.UsageError(f"--on-disk reads scores and labels only, so leave out {', '.join(named)}.")


def write_summary(path: str | None, result: Assessment | Evaluation) -> None:
    """The page for a data-protection review, where it is asked for."""
    if path is None:
        return
    from stripeless.report.summary import render_summary

    write_whole(path, render_summary(result.to_dict()))
    say(f"Summary: {path}")


def parse_labels(labels: tuple[str, ...]) -> dict[str, str]:
    """KEY=VALUE pairs."""
    pairs = (label.partition("=") for label in labels)
    return {key.strip(): value.strip() for key, _, value in pairs}


def default_resamples(scores: TrialScores) -> int:
    """As many as take a moment; a very large file gets none unless asked for, and is told so."""
    trials = scores.target.size + scores.nontarget.size
    if trials <= 200_000:
        return 1000
    if trials <= 2_000_000:
        return 200
    say(f"{trials:,} trials: no intervals without --resamples, they would take a while.")
    return 0
