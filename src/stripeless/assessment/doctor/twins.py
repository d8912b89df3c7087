"""Two results that are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stripeless.results.assessment import Assessment
from stripeless.verdicts.finding import Finding


def find_twins(results: Sequence[Assessment]) -> list[Finding]:
    """Two results that come from the same file, or whose every number is the same: one file given twice?"""
    findings = []
    for i, first in enumerate(results):
        for second in results[i + 1 :]:
            files = [{file.sha256 for file in result.inputs[:1]} for result in (first, second)]
            same_file = bool(files[0]) and files[0] == files[1]
            same_numbers = _numbers(first) == _numbers(second)
            if same_file or same_numbers:
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


def _numbers(result: Assessment) -> tuple[Any, ...]:
    """Everything that is the same where one file was given twice."""
    measures = {name: measure.to_dict() for name, measure in result.measures.items()}
    return measures, result.n_target, result.n_nontarget, result.n_speakers
