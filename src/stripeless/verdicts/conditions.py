"""When "No leak seen" may be said: conditions on the evidence, each with the sentence that says why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from stripeless.verdicts.evidence import Evidence, Reached
from stripeless.verdicts.judged import Judged
from stripeless.verdicts.leak import broken
from stripeless.verdicts.margins import LEAST_PEOPLE, STRONG, margin_auc, margin_eer, margin_for
from stripeless.verdicts.words import of_100

FOUND = 0.8  # share of the planted leaks that must be found
AGAINST = frozenset(  # codes of such findings
    {"tail_leak", "exposed_group", "few_distinct_scores", "failed_scores", "filler_score"}
)
GUESSING = 0.505  # a lower limit below it reads "50 of 100" or less: nothing is sure then
MOST_PEOPLE = 100_000  # beyond which a number of people is no help to the reader


def failed_conditions(evidence: Evidence, original: Judged | None) -> list[str]:
    """What stands between this evidence and "No leak seen", the most telling first; empty where nothing does."""
    return [
        sentence
        for sentence in (
            too_few(evidence),
            no_original(evidence, original),
            beyond_margin(evidence),
            not_planted(evidence),
        )
        if sentence
    ]


def contradicted(attackers: Sequence[Judged]) -> str:
    """A finding about the scores that speaks against "No leak seen", in its own words; empty where there is none."""
    for attacker in attackers:
        for finding in attacker.warnings:
            if finding.code in AGAINST:
                return f"A finding about these scores speaks against it. {finding.message}"
    return ""


def too_few(evidence: Evidence) -> str:
    """Fewer people than any limit can stand on."""
    if evidence.people >= LEAST_PEOPLE:
        return ""
    people = "1 person is" if evidence.people == 1 else f"{evidence.people} people are"
    return f"{people} too few to say that no leak is seen; it takes at least {LEAST_PEOPLE}."


def no_original(evidence: Evidence, original: Judged | None) -> str:
    """The same attackers must recognize unprotected data: else their failure says nothing."""
    control = evidence.original
    if control is None or control.auc is None:
        return (
            "There is no control on original data: a badly trained attacker guesses too, so show that the same attackers "
            "recognize unprotected speech of the same trials."
        )
    if original is not None and broken(original.warnings):
        return "The control on original data has a serious finding, so it shows nothing."
    if control.low is not None and control.low > STRONG:
        return ""
    if control.auc > STRONG:
        return unsure_control("speech", control, evidence.people)
    return (
        f"The attackers hardly recognize unprotected speech (the person's recording {of_100(control.auc)} times; needed: more "
        f"than {of_100(STRONG)}), so their failure here says nothing. Repair or retrain the recognizer."
    )


def unsure_control(what: str, control: Reached, people: int) -> str:
    """A control that looks good, on so few people that it may be luck; `what` is unprotected: speech, or vectors."""
    seems = f"On unprotected {what} the same attackers seem right {of_100(control.auc or 0.5)} times, but with {people} people"
    if control.low is None or control.low < GUESSING:
        return f"{seems} that can be luck. More than {of_100(STRONG)} must be sure: judge more people."
    return f"{seems} only {of_100(control.low)} are sure. More than {of_100(STRONG)} must be sure: judge more people."


def beyond_margin(evidence: Evidence) -> str:
    """The upper limit of every attacker must lie below the margin."""
    percent = margin_for(evidence.people, evidence.margin)
    limit = margin_auc(percent)
    worst = largest(evidence)
    if worst is None:
        return "There are no limits for every attacker, so nothing bounds what they learn."
    turned = next(
        (one for one in evidence.attackers if one.high is not None and one.high < 0.5 and 1 - (one.low or 0) >= limit),
        None,
    )
    if turned is not None:
        return (
            f"For {_name(turned)}, scores are lower where the person speaks ({of_100(turned.auc or 0.5)} right choices; "
            "guessing: 50): signs may be swapped, and who turns them round may be right too often for the margin."
        )
    if worst.high is not None and worst.high < limit:
        return ""
    said = (
        f"It may be that {_name(worst)} is right {of_100(worst.high or 1.0)} times when choosing between the person and a "
        f"stranger (upper 95 % limit), and the margin, EER {percent:g} %, allows {of_100(limit)}."
    )
    return f"{said} {more_people(worst, evidence.people, limit)}"


def not_planted(evidence: Evidence) -> str:
    """Planted leaks must be found, where there are vectors to plant them in."""
    planted = evidence.planted
    if planted is None:
        return ""
    if planted.reason:
        return f"Whether these attackers would find a leak could not be tested: {planted.reason}."
    if planted.found >= FOUND * planted.plants:
        return ""
    return (
        f"Leaks planted so that an ideal listener has an EER of {planted.eer:g} % were found {planted.found} of "
        f"{planted.plants} times only: these attackers would have missed a leak. Give them more to learn from."
    )


def largest(evidence: Evidence) -> Reached | None:
    """The attacker with the largest upper limit; None where one has none."""
    if any(one.high is None for one in evidence.attackers):
        return None
    return max(evidence.attackers, key=lambda one: one.high or 0.0, default=None)


def more_people(worst: Reached, people: int, limit: float) -> str:
    """What more people would do for a limit that lies beyond the margin, with two digits at most."""
    needed = people_needed(worst, people, limit)
    if needed is None:
        return "What was seen lies beyond the margin, by luck or not: more people would tell."
    return f"It would take about {float(f'{needed:.2g}'):,.0f} people such as these."


def people_needed(worst: Reached, people: int, limit: float) -> int | None:
    """From how many people on the limit would lie below the margin, if all else stayed; None where that is no help."""
    center = max(0.5, worst.auc or 0.5)
    if worst.high is None or center >= limit:
        return None
    needed = max(people + 1, ceil(people * ((worst.high - center) / (limit - center)) ** 2))
    return needed if needed <= MOST_PEOPLE else None


def finest_margin(evidence: Evidence) -> float | None:
    """The EER in percent of the finest margin that the limits would have passed, cut to a tenth."""
    worst = largest(evidence)
    return None if worst is None or worst.high is None else int(10 * margin_eer(max(worst.high, 0.5))) / 10


def _name(reached: Reached) -> str:
    who = " ".join(filter(None, (reached.attacker, f"({reached.name})" if reached.name else "")))
    return f"the attacker {who}" if who else "this attacker"
