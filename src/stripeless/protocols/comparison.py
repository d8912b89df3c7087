"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stripeless.metrics.assessment import SCHEMA, versions
from stripeless.metrics.compare import Difference
from stripeless.metrics.doctor import Finding


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results as dicts (assessments), in the order given, and paired differences from the first where trials allow."""

    results: tuple[Mapping[str, Any], ...]
    differences: Mapping[str, Mapping[str, Difference]]
    warnings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "comparison",
            "schema": SCHEMA,
            "results": [dict(result) for result in self.results],
            "differences": {
                name: {measure: d.to_dict() for measure, d in rows.items()} for name, rows in self.differences.items()
            },
            "warnings": [finding.to_dict() for finding in self.warnings],
            "versions": versions(),
        }


def compare_results(
    results: Sequence[Mapping[str, Any]], differences: Mapping[str, Mapping[str, Difference]] | None = None
) -> Comparison:
    """Put assessments and evaluations (as dicts) side by side; an evaluation counts once per attacker."""
    flat: list[Mapping[str, Any]] = []
    for result in results:
        flat.extend(flatten(result))
    return Comparison(tuple(flat), differences or {}, tuple(find_twins(flat)))


def flatten(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The assessments inside a result, each under a name that says where it came from."""
    if result["kind"] == "comparison":
        return [inner for part in result["results"] for inner in flatten(part)]
    if result["kind"] != "evaluation":
        return [result]
    parts = [] if result["original"] is None else [{**result["original"], "name": f"{result['name']}: original"}]
    return parts + [{**part, "name": f"{result['name']}: {part['attacker']}"} for part in result["attackers"]]


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
