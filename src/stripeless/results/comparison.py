"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from stripeless.measures.uncertainty.paired import Difference
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result
from stripeless.results.versions import versions
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Assessments in the order given, and paired differences from the first where trials allow.

    Attributes:
        results: one assessment per system or attacker, at least one.
        differences: first minus other, by the names of both ("A - B") and by measure; empty where trials differ.
        warnings: what to know before believing the numbers.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "comparison"

    results: tuple[Assessment, ...] = field(metadata={"at_least": 1})
    differences: Mapping[str, Mapping[str, Difference]] = field(default_factory=dict)
    warnings: tuple[Finding, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
