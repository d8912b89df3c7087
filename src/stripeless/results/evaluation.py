"""An evaluation: several attackers against one system, beside what the same recordings give away unprotected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, optional
from stripeless.results.versions import versions
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.strongest import StrongestBy, strongest_of

ATTACKERS: dict[str, str] = {
    "ignorant": "compares original enrollment with anonymized trials; does not know that anything was anonymized",
    "lazy-informed": "anonymizes the enrollment data too, but keeps a recognizer trained on original speech",
    "semi-informed": "anonymizes the enrollment data and retrains the recognizer on anonymized speech",
}


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """Attackers from the weakest to the best informed, each with all measures of what they learn.

    Attributes:
        name: what the system is called in reports.
        attackers: one assessment per attacker, at least one.
        original: the ceiling: the same trials before anonymization; None where they were not played.
        description: one sentence about the data.
        warnings: what to know before believing the numbers.
        notes: sentences about the data that a reader should see.
        truth: for a simulation, what the best possible attacker would reach, by the name of the measure.
        evidence: what the verdict rests on: all attackers tested together, limits, controls; None where nothing was tested.
        seed: start of the random draws.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "evaluation"

    name: str
    attackers: tuple[Assessment, ...] = field(metadata={"at_least": 1})
    original: Assessment | None = None
    description: str = ""
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    truth: Mapping[str, float] = field(default_factory=dict)
    evidence: Evidence | None = optional(default=None)
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=versions)

    def strongest(self, by: StrongestBy = "d_ece") -> Assessment:
        """The attacker who learns most for sure, judged by this measure; a system is as private as this one lets it be.

        Who shows a leak beyond doubt comes first, then the lower limit of the disclosure decides where there are
        intervals: a raw maximum would favor attackers with few trials.
        """
        return self.attackers[strongest_of(self.attackers, by)]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the name of the strongest attacker."""
        return {**super().to_dict(), "strongest": self.strongest().attacker}
