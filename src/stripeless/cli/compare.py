"""stripeless compare: several results side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from stripeless.cli.assess import default_resamples, score_options
from stripeless.cli.common import output_options
from stripeless.cli.show import figure_options, show
from stripeless.errors import FileError, InputError, TrialMismatch

KINDS = ("assessment", "evaluation", "comparison")


@click.command("compare")
@click.argument("results", nargs=-1, required=True, type=click.Path(dir_okay=False))
@score_options
@click.option("--resamples", type=int, help="Bootstrap resamples for score files; as for assess.")
@figure_options
@output_options
def command(
    results: tuple[str, ...],
    trials: str | None,
    utt2spk: str | None,
    spk2gender: str | None,
    allow_missing: bool,
    resamples: int | None,
    figures: str | None,
    figure_format: str,
    as_json: bool,
    html: str | None,
    seed: int,
) -> None:
    """Put RESULTS side by side.

    Each is a result that another command wrote with --json, or a score file, which is assessed first. Score files of the same
    trials are also compared pair by pair with the first: the same speakers are drawn for both, so the p-value tells a
    real difference from luck with these speakers.

    \b
    Examples:
      stripeless compare b1.json b2.json --html side-by-side.html
      stripeless compare original.txt b1.txt b2.txt --trials trials.txt
    """
    from stripeless.metrics.assessment import assess_scores
    from stripeless.metrics.compare import compare_scores
    from stripeless.protocols.comparison import compare_results
    from stripeless.scores.files import read_scores

    if len(results) < 2:
        raise click.UsageError("compare needs at least two results or score files.")
    loaded: list[dict[str, Any]] = []
    read = {}
    for path in results:
        known = read_result(path)
        if known is not None:
            loaded.append(known)
            continue
        scores = read_scores(path, trials, utt2spk=utt2spk, spk2gender=spk2gender, allow_missing=allow_missing)
        draws = default_resamples(scores) if resamples is None else resamples
        loaded.append(assess_scores(scores, resamples=draws, seed=seed, name=path).to_dict())
        read[path] = (scores, draws)
    differences = {}
    for other in list(read)[1:]:
        first = next(iter(read))
        try:
            differences[f"{first} - {other}"] = compare_scores(
                read[first][0], read[other][0], resamples=max(100, read[other][1]), seed=seed
            )
        except TrialMismatch:
            continue  # side by side all the same; only systems on the same trials can be paired
    show(
        compare_results(loaded, differences).to_dict(),
        as_json=as_json,
        html=html,
        figures=figures,
        figure_format=figure_format,
    )


def read_result(path: str) -> dict[str, Any] | None:
    """A result that was written as JSON, or None where the file is something else (scores, say)."""
    try:
        with open(path, "rb") as file:
            start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror}); check the path") from error
    if not start.startswith(b"{"):
        return None
    try:
        result = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise FileError(path, f"is not valid JSON ({error}); write it again with --json") from error
    check_result(path, result)
    return dict(result)


def check_result(path: str, result: Any) -> None:
    """Refuse JSON that no command of ours wrote."""
    from stripeless.metrics.assessment import SCHEMA

    if not isinstance(result, dict) or result.get("kind") not in KINDS:
        raise FileError(path, "is JSON, but not a result of assess, evaluate or compare; write one with --json")
    if not isinstance(result.get("schema"), int) or result["schema"] > SCHEMA:
        raise FileError(path, f"was written by a newer version (schema {result.get('schema')}); update stripeless")
    try:
        from stripeless.protocols.comparison import flatten

        for part in flatten(result):
            _ = part["measures"]["eer"]["value"], part["name"], part["inputs"], part["counts"]["target"]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: the result lacks {error}; write it again with --json") from error
