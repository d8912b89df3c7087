"""What the rules look at: the parts of an assessment that decide. Any type that has them can be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from stripeless.measures.measure import Measure
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding


class Judged(Protocol):
    """One set of scores with its measures, as `results.assessment.Assessment` holds it."""

    @property
    def name(self) -> str: ...
    @property
    def attacker(self) -> str: ...
    @property
    def measures(self) -> Mapping[str, Measure]: ...
    @property
    def n_target(self) -> int: ...
    @property
    def n_nontarget(self) -> int: ...
    @property
    def n_speakers(self) -> int | None: ...
    @property
    def intervals(self) -> Any: ...
    @property
    def warnings(self) -> Sequence[Finding]: ...
    @property
    def original(self) -> Judged | None: ...
    @property
    def evidence(self) -> Evidence | None: ...


class JudgedTogether(Protocol):
    """Several attackers on one system, as `results.evaluation.Evaluation` holds them."""

    @property
    def attackers(self) -> Sequence[Judged]: ...
    @property
    def original(self) -> Judged | None: ...
    @property
    def warnings(self) -> Sequence[Finding]: ...
    @property
    def evidence(self) -> Evidence | None: ...


def number(subject: Judged, name: str) -> float | None:
    """The value of a measure, or None where it has none or is unknown."""
    measure = subject.measures.get(name)
    return None if measure is None or not isinstance(measure.value, (int, float)) else float(measure.value)


def limits(subject: Judged, name: str) -> tuple[float | None, float | None]:
    """The interval of a measure; None at an end that is not known."""
    measure = subject.measures.get(name)
    ends = (None, None) if measure is None else (measure.low, measure.high)
    low, high = (float(end) if isinstance(end, (int, float)) else None for end in ends)
    return low, high
