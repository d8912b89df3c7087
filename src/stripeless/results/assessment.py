"""An assessment: what an attacker who holds these scores learns, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stripeless.measures.measure import Measure
from stripeless.measures.uncertainty.interval import LEVEL
from stripeless.results.versions import SCHEMA, versions
from stripeless.scores.trials import InputFile, MissingTrials
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class IntervalMethod:
    """How the intervals came about: what was drawn, how many there are, how often they were drawn."""

    unit: str
    units: int
    resamples: int
    level: float = LEVEL


@dataclass(frozen=True, eq=False)
class Assessment:
    """What an attacker who holds these scores learns, and how sure that is."""

    measures: Mapping[str, Measure]
    n_target: int
    n_nontarget: int
    n_speakers: int | None
    category_counts: Mapping[str, int]
    eer_by_tool: Mapping[str, float]
    name: str = ""
    attacker: str = ""
    intervals: IntervalMethod | None = None
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    missing: MissingTrials = MissingTrials()
    inputs: tuple[InputFile, ...] = ()
    trial_digest: str = ""
    seed: int = 0
    curves: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float | str | None:
        """The value of a measure by its name."""
        return self.measures[name].value

    def to_dict(self) -> dict[str, Any]:
        """Plain values only: the one truth that command line, report and web page render."""
        method = self.intervals
        return {
            "kind": "assessment",
            "schema": SCHEMA,
            "name": self.name,
            "attacker": self.attacker,
            "labels": dict(self.labels),
            "measures": {name: measure.to_dict() for name, measure in self.measures.items()},
            "category_counts": dict(self.category_counts),
            "eer_by_tool": dict(self.eer_by_tool),
            "counts": {"target": self.n_target, "nontarget": self.n_nontarget, "speakers": self.n_speakers},
            "missing": {
                "targets": self.missing.targets,
                "nontargets": self.missing.nontargets,
                "scores": self.missing.scores,
            },
            "intervals": None if method is None else dict(vars(method)),
            "warnings": [finding.to_dict() for finding in self.warnings],
            "notes": list(self.notes),
            "groups": {column: dict(rows) for column, rows in self.groups.items()},
            "curves": dict(self.curves),
            "seed": self.seed,
            "versions": versions(),
            "inputs": [{"path": file.path, "sha256": file.sha256} for file in self.inputs],
            "trial_digest": self.trial_digest,
        }
