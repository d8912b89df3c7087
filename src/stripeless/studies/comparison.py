"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stripeless.assessment.doctor.twins import find_twins
from stripeless.errors import TrialMismatch
from stripeless.measures.uncertainty.paired import Difference, compare_scores
from stripeless.results.comparison import Comparison
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True, eq=False)
class Pairs:
    """Paired differences of the first system from the others, and why some pairs have none."""

    differences: Mapping[str, Mapping[str, Difference]]
    findings: tuple[Finding, ...] = ()


def compare_pairs(systems: Mapping[str, TrialScores], *, resamples: int, seed: int = 0) -> Pairs:
    """Compare the first system with each other one over the people they share; 0 resamples compare nothing, and say so."""
    if len(systems) < 2:
        return Pairs({})
    if resamples == 0:
        message = (
            "No paired comparison was made, because no resamples were asked for; give --resamples 1000 to get one."
        )
        return Pairs({}, (Finding("not_paired", "remark", message),))
    (first, mine), *others = systems.items()
    differences, findings = {}, []
    for other, theirs in others:
        try:
            differences[f"{first} - {other}"] = compare_scores(mine, theirs, resamples=resamples, seed=seed)
        except TrialMismatch as error:
            message = f"{first} and {other} could not be compared pair by pair: {error}."
            findings.append(Finding("not_paired", "remark", message))
    return Pairs(differences, tuple(findings))


def compare_results(
    results: Sequence[Mapping[str, Any]],
    differences: Mapping[str, Mapping[str, Difference]] | None = None,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """Put assessments and evaluations (as dicts) side by side; an evaluation counts once per attacker."""
    flat: list[Mapping[str, Any]] = []
    for result in results:
        flat.extend(flatten(result))
    return Comparison(tuple(flat), differences or {}, (*find_twins(flat), *findings))


def flatten(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The assessments inside a result, each under a name that says where it came from."""
    if result["kind"] == "comparison":
        return [inner for part in result["results"] for inner in flatten(part)]
    if result["kind"] != "evaluation":
        return [result]
    parts = [] if result["original"] is None else [{**result["original"], "name": f"{result['name']}: original"}]
    return parts + [{**part, "name": f"{result['name']}: {part['attacker']}"} for part in result["attackers"]]
