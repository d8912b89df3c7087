"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stripeless.measures.uncertainty.paired import Difference
from stripeless.results.versions import SCHEMA, versions
from stripeless.verdicts.finding import Finding


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
