"""Two results that are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stripeless.verdicts.finding import Finding


def find_twins(results: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """Two results that come from the same file, or whose every number is the same: one file given twice?"""
    findings = []
    for i, first in enumerate(results):
        for second in results[i + 1 :]:
            files = [{file["sha256"] for file in result["inputs"][:1]} for result in (first, second)]
            same_file = bool(files[0]) and files[0] == files[1]
            same_numbers = first["measures"] == second["measures"] and first["counts"] == second["counts"]
            if same_file or same_numbers:
                what = "were read from the same scores" if same_file else "agree in every number"
                findings.append(
                    Finding(
                        "identical",
                        "serious",
                        f"{first['name'] or 'a result'} and {second['name'] or 'another'} {what}: one of the two is "
                        "probably not the file it should be.",
                    )
                )
    return findings
