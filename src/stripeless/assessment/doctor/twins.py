"""Two results that are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stripeless.results.assessment import Assessment
from stripeless.verdicts.finding import Finding

ORIGINAL = "original"  # the attacker on unprotected speech


def find_twins(results: Sequence[Assessment]) -> list[Finding]:
    """Two results that come from the same file, or whose every number is the same: one file given twice?

    Two systems may share their original recordings: those of both are rightly the same.
    """
    findings = []
    for i, first in enumerate(results):
        for second in results[i + 1 :]:
            if first.attacker == second.attacker == ORIGINAL:
                continue
            files = [{file.sha256 for file in result.inputs[:1]} for result in (first, second)]
            same_file = bool(files[0]) and files[0] == files[1]
            if same_file or same_numbers(first, second):
                what = "were read from the same scores" if same_file else "agree in every number"
                findings.append(
                    Finding(
                        "identical",
                        "serious",
                        f"{first.name or 'a result'} and {second.name or 'another'} {what}: one of the two is "
                        "probably not the file it should be.",
                    )
                )
    return findings


def same_numbers(first: Assessment, second: Assessment) -> bool:
    """Whether two results agree in everything that was measured."""
    return _numbers(first) == _numbers(second)


def _numbers(result: Assessment) -> tuple[Any, ...]:
    """Everything that is the same where one file was given twice."""
    measures = {name: measure.to_dict() for name, measure in result.measures.items()}
    return measures, result.n_target, result.n_nontarget, result.n_speakers
