"""Does a result show a leak? The only rule for it: a test that is right about no leak in 95 of 100 cases."""

from __future__ import annotations

from collections.abc import Iterable

from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.judged import Judged

LEVEL = 0.05
SURE = 0.001  # a p-value below which a finding is sure of itself; strict, because trials share speakers
_HARMLESS = frozenset({"not_llr"})  # serious for Cllr alone; everything by rank order still stands


def codes(subject: Judged) -> set[str]:
    """What the doctor found, by code."""
    return {finding.code for finding in subject.warnings}


def broken(findings: Iterable[Finding]) -> bool:
    """Whether a finding forbids reading the numbers as privacy."""
    return any(f.severity == "serious" and f.code not in _HARMLESS for f in findings)


def leaks(evidence: Evidence | None) -> bool:
    """Whether chance is ruled out, by the refit where the attackers learned from the people judged."""
    p = None if evidence is None else evidence.final_p
    return p is not None and p <= LEVEL


def shows_leak(subject: Judged) -> bool:
    """Whether this attacker does better than guessing beyond chance, on average, for some targets, or by the spread."""
    return leaks(subject.evidence)
