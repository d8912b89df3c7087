"""`assess` for more scores than memory holds: the same measures to the last bit, sorted on disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stripeless._files import folder_for
from stripeless.assessment.assess import assessment_of, measure_pass
from stripeless.assessment.doctor.examine import examine
from stripeless.errors import FileError
from stripeless.measures.catalog import FALSE_ALARM_RATES
from stripeless.measures.one_pass import ScorePass
from stripeless.parallel.executors import Executor, open_workers
from stripeless.results.assessment import Assessment
from stripeless.scores.external import sort_scores
from stripeless.tables.inputs import InputFile, sha256_of
from stripeless.verdicts.evidence import Evidence

SUFFIXES = (".parquet", ".csv", ".tsv", ".txt", ".scores", ".npz", ".h5", ".hdf5", ".gz")


def assess_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    folder: str | os.PathLike[str] | None = None,
    executor: Executor | int | str | None = None,
    name: str = "",
    attacker: str = "",
    llr: bool = False,
    digests: bool = True,
) -> Assessment:
    """Every measure of the scores in these files together, in bounded memory.

    Values equal those of `assess` to the last bit; curves are drawn from fewer points; there are no intervals, since
    speakers are left behind. Findings about people, their sex and groups of trials need what is left behind, too; those
    about exact values, repeated trials and spread are the same.

    Parameters:
        paths: score files with labels (parquet, CSV, text ..), or directories of them; their order does not matter.
        folder: where the scores are sorted, 8 bytes each; None takes a temporary folder, and only that one is removed.
        executor: who does the work, as for `true_ranks`; workers of a cluster must see files and folder under the same
            names.
        name: what the system is called in reports.
        attacker: what the attacker is called in reports.
        llr: whether the scores claim to be natural-log likelihood ratios.
        digests: record the SHA-256 of the inputs; False saves reading them once more.
    Returns:
        An `Assessment` without intervals.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as where:
    ...     path = pathlib.Path(where) / "scores.txt"
    ...     _ = path.write_text("2.0 target\\n3.0 target\\n-1.0 nontarget\\n0.5 nontarget\\n")
    ...     result = assess_files(path)
    >>> result["eer"], result.n_target
    (0.0, 2)
    """
    files = score_files(paths)
    with folder_for(folder) as where, open_workers(executor) as workers:
        ordered = sort_scores(files, where, _decides_more_than_the_hull, workers.run)
        one_pass = ScorePass(ordered.target, ordered.nontarget, ordered.stairs)
        result = assessment_of(one_pass, measure_pass(one_pass))
        inputs = (
            [InputFile(p, d) for p, d in zip(files, workers.run(sha256_of, [(p,) for p in files]), strict=True)]
            if digests
            else []
        )
        result = replace(
            result,
            name=name,
            attacker=attacker,
            inputs=tuple(inputs),
            notes=(f"{len(files)} files, sorted on disk; speakers were not read, so there are no intervals",),
            evidence=Evidence(
                reason="scores sorted on disk come without their speakers, and without people there is no test"
            ),
        )
        return replace(result, warnings=examine(result, one_pass, llr=llr))


def score_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files named, and for a directory those in it that can hold scores, in the order of their names."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files: list[str] = []
    for path in map(Path, given):
        if not path.is_dir():
            files.append(str(path))
            continue
        inside = sorted(p for p in path.iterdir() if p.is_file() and p.suffix.lower() in SUFFIXES)
        if not inside:
            raise FileError(path, f"no score file in this directory; expected names that end in {', '.join(SUFFIXES)}")
        files.extend(str(p) for p in inside)
    return files


def _decides_more_than_the_hull(before: tuple[int, int], after: tuple[int, int], whole: tuple[int, int]) -> bool:
    """Does this range of scores hold the crossing of the error rates, or a threshold of a hit rate?"""
    miss = before[0] / whole[0], after[0] / whole[0]
    false_alarm = 1 - before[1] / whole[1], 1 - after[1] / whole[1]
    crossing = miss[0] - false_alarm[0] <= 0 <= miss[1] - false_alarm[1]
    return crossing or any(
        false_alarm[1] <= rate * (1 + 1e-9) and rate * (1 - 1e-9) <= false_alarm[0]
        for rate in FALSE_ALARM_RATES.values()
    )
