"""An evaluation: several attackers against one system, beside what the same recordings give away unprotected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from stripeless.results.assessment import Assessment
from stripeless.results.versions import SCHEMA, versions
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.strongest import strongest_of

ATTACKERS: dict[str, str] = {
    "ignorant": "compares original enrollment with anonymized trials; does not know that anything was anonymized",
    "lazy-informed": "anonymizes the enrollment data too, but keeps a recognizer trained on original speech",
    "semi-informed": "anonymizes the enrollment data and retrains the recognizer on anonymized speech",
}

StrongestBy = Literal["d_ece", "eer", "linkability", "cllr_min"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Attackers from the weakest to the best informed, each with all measures of what they learn.

    `original` is the ceiling: the same trials before anonymization. `truth` holds, for a simulation, what the best
    possible attacker would reach.
    """

    name: str
    attackers: tuple[Assessment, ...]
    original: Assessment | None = None
    description: str = ""
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    truth: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def strongest(self, by: StrongestBy = "d_ece") -> Assessment:
        """The attacker who learns most for sure; a system is as private as this one lets it be.

        Who shows a leak beyond doubt comes first, then the lower limit of the disclosure decides where there are
        intervals: a raw maximum would favor attackers with few trials.
        """
        return self.attackers[strongest_of([attacker.to_dict() for attacker in self.attackers], by)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, as for an assessment."""
        return {
            "kind": "evaluation",
            "schema": SCHEMA,
            "name": self.name,
            "description": self.description,
            "attackers": [attacker.to_dict() for attacker in self.attackers],
            "original": None if self.original is None else self.original.to_dict(),
            "strongest": self.strongest().attacker,
            "warnings": [finding.to_dict() for finding in self.warnings],
            "notes": list(self.notes),
            "truth": dict(self.truth),
            "seed": self.seed,
            "versions": versions(),
        }
