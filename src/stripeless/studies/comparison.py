"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stripeless.assessment.doctor.twins import ORIGINAL, find_twins, same_numbers
from stripeless.errors import InputError, TrialMismatch
from stripeless.measures.uncertainty.paired import Difference, compare_scores
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result
from stripeless.results.comparison import Comparison, Stated
from stripeless.results.evaluation import Evaluation
from stripeless.results.judged import verdict
from stripeless.results.kinds import ResultLike, as_results
from stripeless.scores.trials import TrialScores
from stripeless.studies.by_person import compare_by_person
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.margins import margin_for
from stripeless.verdicts.verdict import evidence_behind

SHARED = "original speech"  # what the ceiling of several systems is called
LABELS = ("dataset", "split", "sex")  # what a result says of itself, besides its system


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
    """Put assessments and evaluations side by side, each with its verdict; an evaluation counts once per attacker.

    Results without `differences` that hold values per speaker of the same trials are compared over these speakers.
    """
    flat: list[Assessment] = []
    verdicts: list[Stated] = []
    for result in as_results(results):
        places = tuple(_place(part, flat) for part in flatten(result))
        if isinstance(result, Comparison):
            said = [replace(one, places=tuple(places[k] for k in one.places)) for one in result.verdicts]
        else:
            said = [replace(stated(result), places=places)] if isinstance(result, (Assessment, Evaluation)) else []
        known = {one.places for one in verdicts}  # the ceiling that several share is judged once
        verdicts += [one for one in said if not one.places or one.places not in known]
    pairs, found = Pairs(differences or {}), (*find_twins(flat), *findings)
    if not pairs.differences and not found:
        pairs = Pairs(*compare_by_person(flat, verdicts))
    return Comparison(tuple(flat), pairs.differences, (*found, *pairs.findings), tuple(verdicts))


def _place(part: Assessment, flat: list[Assessment]) -> int:
    """Where a result stands among these; the ceiling that several systems share stands there once."""
    for k, other in enumerate(flat):
        if part.attacker == other.attacker == ORIGINAL and same_numbers(part, other):
            flat[k] = replace(other, name=SHARED)
            return k
    flat.append(part)
    return len(flat) - 1


def stated(result: Assessment | Evaluation) -> Stated:
    """The verdict of one result, for a place beside others."""
    said, evidence = verdict(result), evidence_behind(result)
    tested = evidence is not None and evidence.p is not None and evidence.method != "clusters"
    attackers = result.attackers if isinstance(result, Evaluation) else (result,)
    labels = {} if isinstance(result, Evaluation) else dict(result.labels)
    return Stated(
        labels.get("system") or result.name,
        said.label,
        said.headline,
        margin_for(evidence.people, evidence.margin) if tested and evidence is not None else None,
        evidence.people if tested and evidence is not None else 0,
        tuple(dict.fromkeys(one.attacker for one in attackers if one.attacker)),
        ", ".join(labels[label] for label in LABELS if labels.get(label)),
    )


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
