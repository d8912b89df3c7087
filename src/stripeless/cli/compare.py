"""stripeless compare: several results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stripeless.cli.assess import default_resamples, score_options
from stripeless.cli.common import write_whole
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import output_options, resamples_option
from stripeless.cli.shared.show import Output
from stripeless.errors import FileError, TrialMismatch

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment
    from stripeless.results.systems import Systems
    from stripeless.scores.trials import TrialScores

TABLES = (".md", ".tex", ".csv", ".json")


@click.command("compare", cls=Command)
@click.argument("results", nargs=-1, type=click.Path())
@score_options
@resamples_option(None, "Bootstrap resamples for score files; as for assess.")
@click.option(
    "--among",
    type=click.Choice(["voiceprivacy2020"]),
    help="Show the systems among the published ones: B1, B2, ... S2c1 of VoicePrivacy 2020.",
)
@click.option("--split", type=click.Choice(["dev", "test"]), help="Only this half of the published tables.")
@click.option(
    "--rank", is_flag=True, help="Rank systems; score files of the same trials by a paired bootstrap over speakers."
)
@click.option("--measure", default="d_ece", show_default=True, help="The privacy measure that ranks.")
@click.option(
    "--utility",
    default="gain_of_voice_distinctiveness",
    show_default=True,
    help="The utility measure of the Pareto front.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="Write the tables: .md, .tex, .csv or .json.",
)
@output_options
def command(
    results: tuple[str, ...],
    trials: str | None,
    utt2spk: str | None,
    spk2gender: str | None,
    allow_missing: bool,
    resamples: int | None,
    among: str | None,
    split: str | None,
    rank: bool,
    measure: str,
    utility: str,
    tables: tuple[str, ...],
    output: Output,
    seed: int,
) -> None:
    """Put RESULTS side by side.

    Each is a result that another command wrote with --json, or a score file, which is assessed first. Score files of the same
    trials are also compared pair by pair with the first: the same speakers are drawn for both, so the p-value tells a
    real difference from luck with these speakers.

    A folder stands for every result in it. With a folder, --among, --rank or --table, the results become tables of systems by
    data sets, sexes and attackers, found from what the results say of themselves (assess --label dataset=... --by sex).

    \b
    Examples:
      stripeless compare b1.json b2.json --html side-by-side.html
      stripeless compare original.txt b1.txt b2.txt --trials trials.txt
      stripeless compare a.txt b.txt c.txt --trials trials.txt --rank
      stripeless compare results/ --table tables.tex --figures figures/
      stripeless compare mine.json --among voiceprivacy2020 --split test --html mine.html
    """
    from stripeless.results.assessment import Assessment
    from stripeless.results.codec import Result
    from stripeless.results.comparison import Comparison
    from stripeless.results.evaluation import Evaluation
    from stripeless.results.stored import find_results, result_or_none
    from stripeless.results.systems import Systems
    from stripeless.scores.files import read_scores
    from stripeless.studies.comparison import compare_pairs, compare_results
    from stripeless.studies.systems import compare_systems

    many = bool(among or rank or tables) or any(Path(path).is_dir() for path in results)
    if len(results) < 2 and not many:
        raise click.UsageError("compare needs at least two results or score files, a folder of results, or --among.")
    for path in tables:
        if Path(path).suffix not in TABLES:
            raise click.UsageError(f"--table {path}: expected a name that ends in {', '.join(TABLES)}.")
    if split and not among:
        raise click.UsageError("--split is a half of the published tables: give --among too.")
    output.check(*tables)
    check_measures(results, measure, utility)
    scores_kinds = (Assessment, Evaluation, Comparison)
    loaded: list[Result | str] = []  # a text stands for scores, which are assessed when everything has been read
    read: dict[str, tuple[TrialScores, int]] = {}
    names = short_names(results)
    for path in results:
        if Path(path).is_dir():
            found, others = find_results(path)
            usable = [result for _, result in found if isinstance(result, (*scores_kinds, Systems))]
            loaded += usable
            left = len(found) - len(usable) + len(others)
            say(f"{path}: {len(usable)} results" + (f", {left} other JSON files left aside" if left else ""))
            continue
        known = result_or_none(path)
        if known is not None:
            if not isinstance(known, (*scores_kinds, *((Systems,) if many else ()))):
                raise FileError(
                    path, f"is a result of kind {known.KIND!r}, which cannot stand beside scores; leave it out"
                )
            loaded.append(known)
            continue
        scores = read_scores(path, trials, utt2spk=utt2spk, spk2gender=spk2gender, allow_missing=allow_missing)
        draws = default_resamples(scores) if resamples is None else resamples
        loaded.append(names[path])
        read[names[path]] = (scores, draws)
    everything = [one if not isinstance(one, str) else assessed(one, *read[one], seed) for one in loaded]
    if many:
        result = compare_systems(everything, among=among, split=split, privacy=measure, utility=utility)
        if len(read) > 1:
            result = _with_paired_ranking(result, read, measure, seed)
        files = {path: _cells_as(result, Path(path).suffix) for path in tables}
        for path, content in files.items():
            write_whole(path, content)
            say(f"Tables: {path}")
        output.show(result)
        return
    # The default of a small file is meant for all of them; 0 means none wherever it was asked for.
    draws = min((draws for _, draws in read.values()), default=0)
    pairs = compare_pairs({name: scores for name, (scores, _) in read.items()}, resamples=draws, seed=seed)
    output.show(compare_results(everything, pairs.differences, pairs.findings))


def assessed(name: str, scores: TrialScores, draws: int, seed: int) -> Assessment:
    """What `stripeless assess` says of these scores."""
    from stripeless.assessment.assess import assess_scores

    return assess_scores(scores, resamples=draws, seed=seed, name=name)


def check_measures(results: tuple[str, ...], measure: str, utility: str) -> None:
    """Refuse names of measures that nobody knows; a stored result may hold measures of its own."""
    from stripeless.measures.catalog import MEASURES, SIMILARITY_MEASURES
    from stripeless.measures.more_private import UTILITY

    if any(Path(path).is_dir() or Path(path).suffix == ".json" for path in results):
        return
    known = tuple(dict.fromkeys((*MEASURES, *SIMILARITY_MEASURES, *UTILITY)))
    for option, name in (("--measure", measure), ("--utility", utility)):
        if name not in known:
            raise click.UsageError(f"{option} {name}: no measure of that name; known are {', '.join(known)}.")


def short_names(paths: tuple[str, ...]) -> dict[str, str]:
    """The name of each file, with as much of its folder as it takes to tell it from the others.

    >>> short_names(("a/b1/f.txt", "a/b2/f.txt", "g.txt"))
    {'a/b1/f.txt': 'b1/f.txt', 'a/b2/f.txt': 'b2/f.txt', 'g.txt': 'g.txt'}
    """
    parts = {path: Path(path).parts for path in dict.fromkeys(paths)}
    longest = max(map(len, parts.values()), default=0)
    names = {path: path for path in parts}
    for keep in range(1, longest + 1):
        names = {path: str(Path(*own[-keep:])) for path, own in parts.items()}
        if len(set(names.values())) == len(names):
            break
    return names


def _with_paired_ranking(result: Any, read: dict[str, tuple[TrialScores, int]], measure: str, seed: int) -> Any:
    """Score files of the same trials are ranked over speakers, which says more than their means."""
    from dataclasses import replace

    from stripeless.measures.uncertainty.ordering import rank_systems
    from stripeless.results.systems import SystemsRanking

    broken = {one.system for one in result.verdicts if one.label == "No verdict"}
    read = {name: one for name, one in read.items() if name not in broken}
    if len(read) < 2:
        say("No paired ranking: fewer than two score files are without a serious finding.")
        return result
    draws = min(draws for _, draws in read.values())
    if draws == 0:
        say("No paired ranking: it needs --resamples of at least 100.")
        return result
    try:
        ranking = rank_systems(
            {path: scores for path, (scores, _) in read.items()}, measure=measure, resamples=draws, seed=seed
        )
    except TrialMismatch as error:
        say(f"No paired ranking: {error}")
        return result
    kept = tuple(one for one in result.rankings if one.attacker)
    return replace(result, rankings=(*kept, SystemsRanking("", ranking)))


def _cells_as(result: Systems, suffix: str) -> str:
    import json

    from stripeless.report.grids import as_csv, as_latex, as_markdown, grids_of
    from stripeless.results.codec import to_plain

    if suffix == ".csv":
        return as_csv(result.cells)
    if suffix == ".json":
        return json.dumps(to_plain(result.cells), indent=1, ensure_ascii=False) + "\n"
    grids = grids_of(result)
    return as_latex(grids) if suffix == ".tex" else as_markdown(grids)
