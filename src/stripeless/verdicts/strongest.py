"""Who learns most: the attacker that a system is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stripeless.verdicts.leak import broken, codes, shows_leak


def strongest_of(results: Sequence[Mapping[str, Any]], by: str = "d_ece") -> int:
    """Place of the attacker who learns most for sure.

    Who shows a leak comes before who does not, and among the latter enough trials before few; then the private end of
    the interval decides, because pool adjacent violators flatters small samples.
    """

    def rank(result: Mapping[str, Any]) -> tuple[bool, bool, float, float]:
        measure = result["measures"][by]
        sign = -1.0 if measure.get("private_end") == "high" else 1.0
        value = measure.get("value")
        end = measure.get("high" if sign < 0 else "low")
        leaks = not broken(result.get("warnings", ())) and shows_leak(result)
        known = float("-inf") if value is None else sign * value
        enough = leaks or "few_trials" not in codes(result)
        return leaks, enough, known if end is None else sign * end, known

    return max(range(len(results)), key=lambda k: rank(results[k]))


def strongest_in(evaluation: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attacker who learns most, as the evaluation itself says, unless that one shows no leak and another does."""
    attackers: list[Mapping[str, Any]] = list(evaluation["attackers"])
    named = [a for a in attackers if a.get("attacker") == evaluation.get("strongest")]
    if named and shows_leak(named[0]):
        return named[0]
    leaking = [a for a in attackers if shows_leak(a) and not broken(a.get("warnings", ()))]
    if leaking:
        return leaking[strongest_of(leaking)]
    return named[0] if named else attackers[strongest_of(attackers)]
