"""The three criteria of the data-protection authorities, answered from every result that bears on them.

Article 29 Working Party, Opinion 05/2014: data are anonymous only if nobody can be singled out, linked, or have something
inferred about them. Scores answer linkability, `attack` and `rank` singling out, `protect` inference.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from stripeless.errors import InputError
from stripeless.measures.shown import percent
from stripeless.measures.singling_out import Rate
from stripeless.results.assessment import Assessment
from stripeless.results.attack import AttackStudy
from stripeless.results.attribute import AttributeProof
from stripeless.results.evaluation import Evaluation
from stripeless.results.judged import verdict
from stripeless.results.kinds import ResultLike, as_results
from stripeless.results.ranks import RankReport
from stripeless.results.summary import Criterion, Joined, Summary
from stripeless.results.voices import VoiceEvaluation
from stripeless.verdicts.leak import LEVEL, leaks

LEAKS = ("Leak", "Strong leak")
MAIN = ("assessment", "evaluation")
MORE = ("attack", "rank", "attribute")


COMMAND_OF = {
    "assessment": "the scores", "evaluation": "the scores", "attack": "attack", "rank": "rank", "attribute": "protect",
}  # fmt: skip
OTHERS = (AttackStudy, RankReport, AttributeProof)


def summarize_results(results: Sequence[ResultLike]) -> Summary:
    """One result of scores and any number of attacks, rankings and attribute proofs, summed up.

    >>> from stripeless.assessment.assess import assess
    >>> summary = summarize_results([assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5], name="X")])
    >>> summary.name, [c.answer for c in summary.criteria if c.criterion == "inference"]
    ('X', [])
    """
    every = as_results(results)
    main = [result for result in every if isinstance(result, (Assessment, Evaluation))]
    others = [result for result in every if isinstance(result, OTHERS)]
    strange = [result.KIND for result in every if not isinstance(result, (Assessment, Evaluation, *OTHERS))]
    if strange:
        raise InputError(f"a result of kind {strange[0]!r} answers none of the three criteria; leave it out")
    if len(main) != 1:
        named = ", ".join(repr(result.name) for result in main)
        raise InputError(
            f"a summary is of one system: give exactly one assessment or evaluation, got {len(main)}"
            + (f" ({named})" if main else "")
        )
    return Summary(
        main[0].name,
        main[0],
        tuple(criteria_of(main[0], others)),
        tuple(Joined(other.KIND, other.name) for other in others),  # type: ignore[arg-type]
        tuple(file for other in others for file in getattr(other, "inputs", ())),
        notes=_unlike(main[0], others),
    )


def _unlike(
    main: Assessment | Evaluation, others: Sequence[AttackStudy | RankReport | AttributeProof]
) -> tuple[str, ...]:
    """What in the results themselves shows that they are of different people or data."""
    scores = main.strongest() if isinstance(main, Evaluation) else main
    counts = {main.KIND: scores.n_speakers or 0} | {other.KIND: _people(other) for other in others}
    known = {kind: count for kind, count in counts.items() if count}
    said = []
    if len(set(known.values())) > 1:
        each = ", ".join(f"{count:,} in {COMMAND_OF[kind]}" for kind, count in known.items())
        said.append(f"These results count different numbers of people ({each}).")
    read = {other.KIND: {file.sha256 for file in getattr(other, "inputs", ())} for other in others}
    for one, two in combinations((kind for kind, files in read.items() if files), 2):
        if not read[one] & read[two]:
            said.append(f"{COMMAND_OF[one].capitalize()} and {COMMAND_OF[two]} read no file in common.")
    if said:
        said.append("Are all of one system and one data set? This sheet takes them to be; it cannot know.")
    return (" ".join(said),) if said else ()


def _people(result: AttackStudy | RankReport | AttributeProof) -> int:
    """How many people a result is about; 0 where it does not say."""
    if isinstance(result, AttackStudy):
        return result.speakers
    if isinstance(result, RankReport):
        return max((feature.speakers for feature in result.features), default=0)
    return sum(result.speakers.values())


def criteria_of(main: ResultLike, others: Sequence[ResultLike] = ()) -> list[Criterion]:
    """What the results say to each criterion."""
    first, *rest = as_results([main, *others])
    found = _voice_ranks(first) if isinstance(first, VoiceEvaluation) else []
    for other in rest:
        if isinstance(other, AttackStudy):
            found += _attack(other)
        elif isinstance(other, RankReport):
            found += _rank(other)
        elif isinstance(other, AttributeProof):
            found += _attribute(other)
    return found


def _attack(result: AttackStudy) -> list[Criterion]:
    """The rates among as many people as there were, at the number of utterances that helps the attacker most."""
    criteria = []
    words: dict[str, tuple[Literal["singling out", "linkability"], str]] = {
        "singling_out": ("singling out", "exactly one of {n:,} people is picked out"),
        "one_to_n_linkability": ("linkability", "a recording is linked to the right one of {n:,} people"),
    }
    for name, (criterion, what) in words.items():
        rates = [rate for rate in result.identification.rates if rate.name == name]
        most = max((rate.speakers for rate in rates), default=0)
        rates = [rate for rate in rates if rate.speakers == most]
        if not rates:
            continue
        best = max(rates, key=lambda rate: (rate.low - rate.chance, -rate.utterances))
        heard = "one utterance" if best.utterances == 1 else f"{best.utterances} utterances"
        heard += f" (the most telling of {len(rates)} lengths)" if len(rates) > 1 else ""
        ground = (
            f"From {heard}, {what.format(n=most)} in {percent(best.rate)} of the tries "
            f"({_between(best.low, best.high)}; guessing: {percent(best.chance)}), "
            f"with the attack {result.identification.attack}."
        )
        criteria.append(Criterion(criterion, _shown(result, best), ground, "attack"))
    lookup = result.verdicts().get("pseudonym_lookup")
    if lookup is not None and lookup.label in LEAKS:
        criteria.append(Criterion("linkability", "possible", f"Pseudonyms return. {lookup.headline}", "attack"))
    return criteria


def _shown(result: AttackStudy, rate: Rate) -> Literal["possible", "not shown"]:
    """Whether chance is ruled out: by exchanging people where that was done, by the interval in results of 0.1.

    The attack is the strongest of several, so its rates count only where the test that pays for the choice found a leak.
    """
    tested = result.evidence.get("unlinkability")
    if rate.p is None or tested is None:
        return "possible" if rate.low > rate.chance else "not shown"
    return "possible" if leaks(tested) and rate.p <= LEVEL else "not shown"


def _rank(result: RankReport) -> list[Criterion]:
    criteria = []
    for feature in result.features:
        rate, n = feature.measures["id_rate"], feature.n
        by = f" by {feature.name}" if feature.name else ""
        low, high = rate.low, rate.high
        known = isinstance(low, float) and isinstance(high, float)
        between = f"{_between(low, high)}; " if known else "no interval; "  # type: ignore[arg-type]
        ground = (
            f"Ranked{by}, the most similar of {n:,} people is the right one in {percent(rate.number)} of the cases "
            f"({between}guessing: {percent(1 / n)}); {feature.model.mean_disclosure:.1f} bit on average."
        )
        answer: Literal["possible", "unclear", "not shown"] = "unclear"
        if isinstance(low, float) and known:
            answer = "possible" if low > 1 / n else "not shown"
        criteria.append(Criterion("singling out", answer, ground, "rank"))
    return criteria


def _attribute(result: AttributeProof) -> list[Criterion]:
    """By the verdict on everything of a speaker; one that holds no test says nothing."""
    what = " or ".join(result.classes)
    said = verdict(result)
    answers: dict[str, Literal["possible", "not shown"]] = {
        "Leak": "possible", "Strong leak": "possible", "No leak seen": "not shown",
    }  # fmt: skip
    ground = f"Whether a person is {what}: {said.label}. {said.headline}"
    return [Criterion("inference", answers.get(said.label, "unclear"), ground, "protect")]


def _voice_ranks(main: VoiceEvaluation) -> list[Criterion]:
    """Rates that an evaluation of recordings holds itself; they come without interval."""
    ranks = {} if main.voices is None else main.voices.ranks
    hidden = {attacker: found for attacker, found in ranks.items() if attacker != "original"}
    if not hidden:
        return []
    attacker, best = max(hidden.items(), key=lambda pair: pair[1].id_rate)
    ground = (
        f"The {attacker} attacker ranks the right one of {best.templates:,} people first in {percent(best.id_rate)} "
        f"of the cases (guessing: {percent(1 / best.templates)}; no interval, run stripeless rank for one)."
    )
    return [Criterion("singling out", "unclear", ground, "evaluate")]


def _between(low: float, high: float) -> str:
    return f"95 %: {100 * low:.1f} to {100 * high:.1f}"
