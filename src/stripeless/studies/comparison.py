"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stripeless.assessment.doctor.twins import find_twins
from stripeless.errors import InputError, TrialMismatch
from stripeless.measures.uncertainty.paired import Difference, compare_scores
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import ResultLike, as_results
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
    results: Sequence[ResultLike],
    differences: Mapping[str, Mapping[str, Difference]] | None = None,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """Put assessments and evaluations side by side; an evaluation counts once per attacker."""
    flat = [part for result in as_results(results) for part in flatten(result)]
    return Comparison(tuple(flat), differences or {}, (*find_twins(flat), *findings))


def flatten(result: Result) -> list[Assessment]:
    """The assessments inside a result, each under a name that says where it came from."""
    if isinstance(result, Comparison):
        return list(result.results)
    if isinstance(result, Evaluation):
        parts = [] if result.original is None else [replace(result.original, name=f"{result.name}: original")]
        return parts + [replace(part, name=f"{result.name}: {part.attacker}") for part in result.attackers]
    if isinstance(result, Assessment):
        return [result]
    raise InputError(f"a result of kind {result.KIND!r} cannot stand beside scores; leave it out")
