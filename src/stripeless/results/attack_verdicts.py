"""The verdicts on attacks: one for each question, by the rules of every verdict, in words about vectors.

*Unlinkability* and *non-invertibility* are about people from whom the attacker did not learn. The *pseudonym lookup* is
about people of whom the attacker has pairs. A failed attack proves nothing; "No leak seen" asks for limits and controls.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod
from typing import TYPE_CHECKING

from stripeless.measures.shown import percent
from stripeless.verdicts.conditions import failed_conditions, finest_margin, largest
from stripeless.verdicts.evidence import Evidence, Reached, best_of
from stripeless.verdicts.leak import LEVEL, broken, leaks
from stripeless.verdicts.margins import ENOUGH_PEOPLE, STRONG, check_margin, margin_auc, margin_for
from stripeless.verdicts.sentences import by_luck, counted_in, found_planted, luck_of_the_best, shown_p
from stripeless.verdicts.verdict import Verdict, strong_low
from stripeless.verdicts.words import of_100

if TYPE_CHECKING:
    from stripeless.results.attack import AttackStudy, Tested

QUESTIONS = ("unlinkability", "non_invertibility", "pseudonym_lookup")
OTHERS, SAME = "people it did not learn from", "other utterances of the people it learned from"
OF_WAY = {
    "top1_inverted_to_original": "of the inverted utterances are nearest to an original of their own speaker",
    "top1_original_to_inverted": "of the originals are nearest to an inverted utterance of their own speaker",
}
LIMIT_OF_MAPS = "That is no proof: only linear maps were tried, and a stronger attacker may exist."


def verdicts_of(study: AttackStudy, margin: float | None = None) -> dict[str, Verdict]:
    """The verdict on each question that was put; empty for a result of 0.1, which holds no test."""
    check_margin(margin)
    return {question: _verdict(study, question, margin) for question in QUESTIONS if question in study.evidence}


def _verdict(study: AttackStudy, question: str, margin: float | None) -> Verdict:
    evidence, tested = study.evidence[question], study.tests[question]
    if margin is not None:
        evidence = _with_margin(evidence, margin)
    basis = _basis(study, question, evidence)
    if broken(study.warnings):
        said = "These attacks must not be read as privacy until the problem named above is solved."
        return Verdict("invalid", said, (), basis)
    if evidence.p is None:
        return Verdict("unclear", f"It could not be tested: {evidence.reason}.", evidence.said, basis)
    if leaks(evidence):
        return _leak(question, evidence, tested, basis)
    failed = [*_contradicted(study, question), *failed_conditions(evidence, None)]
    if failed:
        seen = f"No sign of it was found (p = {shown_p(evidence.final_p)}), but that alone is no evidence for privacy."
        more = (*failed[1:], *filter(None, (_too_few_exchanges(evidence),)), *evidence.said)
        return Verdict("unclear", failed[0], (seen, *more), basis)
    return _quiet(question, evidence, basis)


def _with_margin(evidence: Evidence, margin: float) -> Evidence:
    from dataclasses import replace

    return replace(evidence, margin=margin)


def _contradicted(study: AttackStudy, question: str) -> list[str]:
    """An attack that links people has found something of their vectors."""
    if question == "non_invertibility" and leaks(study.evidence.get("unlinkability")):
        return ["Inverted vectors link to their people (see unlinkability), so something of the originals comes back."]
    return []


def _leak(question: str, evidence: Evidence, tested: Tested, basis: str) -> Verdict:
    best = best_of(evidence)
    strong = best is not None and strong_low(best) > STRONG
    clear = next((one for one in evidence.attackers if one.name == tested.attack), evidence.attackers[0])
    shown_by = best if strong and best is not None else clear
    said = [_test_sentence(evidence), *_limit_sentences(shown_by, evidence)]
    if question == "non_invertibility":
        headline = _found_sentence(tested)
        said.append("The recordings themselves were not reconstructed.")
    else:
        headline = _choice_sentence(shown_by, OTHERS if question == "unlinkability" else SAME)
        said.append(
            "Anonymized and original data can be linked."
            if question == "unlinkability"
            else "A table of pseudonyms is enough for that; it says nothing about inverting."
        )
    return Verdict("exposed" if strong else "leaking", headline, (*said, *evidence.said), basis)


def _quiet(question: str, evidence: Evidence, basis: str) -> Verdict:
    percent_ = margin_for(evidence.people, evidence.margin)
    whom = "who taught none of them" if question != "pseudonym_lookup" else "who taught them"
    worst = largest(evidence)
    high = worst.high if worst is not None and worst.high is not None else 1.0
    tried = f"{len(evidence.attackers)} attacks on {evidence.people} people {whom}"
    headline = f"No leak beyond EER {percent_:g} % seen, with {tried}."
    said = [
        f"Given a recording of the person and one of a stranger, no attack picks the person's more than {of_100(high)} times "
        f"(95 % limit; guessing: 50; the margin allows {of_100(margin_auc(percent_))}). The finest margin these limits pass is "
        f"EER {finest_margin(evidence):g} %."
    ]
    if evidence.original is not None and evidence.original.low is not None:
        said.append(
            f"On unprotected vectors the same test finds the person's at least {of_100(evidence.original.low)} times."
        )
    said.append(found_planted(evidence))
    if evidence.people < ENOUGH_PEOPLE and evidence.margin is None:
        said.append(f"With fewer than {ENOUGH_PEOPLE} people, the margin is EER {percent_:g} %.")
    return Verdict("quiet", headline, (*said, LIMIT_OF_MAPS, *evidence.said), basis)


# Sentences


def _choice_sentence(reached: Reached, whom: str) -> str:
    if reached.by == "spread":
        return f"The attack {reached.name} learns, on {whom}, who speaks from how far a score lies from the middle."
    return (
        f"The attack {reached.name}, given an utterance of the person and one of a stranger, picks the person's "
        f"{of_100(reached.auc or 0.5)} times on {whom}; guessing gives 50."
    )


def _found_sentence(tested: Tested) -> str:
    return (
        f"With the attack {tested.attack}, {percent(tested.value or 0.0)} {OF_WAY[tested.measure]}, on {OTHERS} (by chance "
        f"{percent(tested.chance or 0.0)}; {percent(tested.corrected or 0.0)} with the luck of being the best of {tested.tried} "
        "taken off)."
    )


def _test_sentence(evidence: Evidence) -> str:
    return f"{by_luck(evidence.final_p)} ({evidence.permutations:,} exchanges of people{counted_in(len(evidence.attackers))})."


def _limit_sentences(reached: Reached, evidence: Evidence) -> list[str]:
    if reached.low is None or reached.high is None or reached.auc is None:
        return ["There are too few people for limits."]
    said = [
        f"Over {evidence.people:,} people, at least {of_100(reached.low)} and at most {of_100(reached.high)} right choices (95 % "
        f"limits, {reached.name})."
    ]
    if reached.corrected is not None and len(evidence.attackers) > 1:
        said.append(luck_of_the_best(len(evidence.attackers), reached.auc, reached.corrected))
    return said


def _too_few_exchanges(evidence: Evidence) -> str:
    """Where even the clearest sign could not have passed the test."""
    sizes: Sequence[int] = tuple(evidence.groups.values())
    possible = prod(factorial(min(size, 20)) for size in sizes)
    if not sizes or possible * LEVEL >= 1:
        return ""
    return f"These people can be exchanged in {possible} ways only, so no sign could have been clear enough to be called a leak."


def _basis(study: AttackStudy, question: str, evidence: Evidence) -> str:
    taught = (
        "on the people who taught the attacker"
        if question == "pseudonym_lookup"
        else "on people who taught no attacker"
    )
    return f"Basis: exchange of people, {taught}; {study.judged:,} utterances of {evidence.people:,} people."
