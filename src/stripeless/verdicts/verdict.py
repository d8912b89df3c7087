"""The verdict: one label and the sentences that defend it. One procedure for every result of scores.

"Leak" is a test (`exchange`). "No leak seen" is two other things: every attacker's upper limit below a stated margin, and
controls that show that the test could have found a leak. Everything else is "Cannot tell", with the condition that failed.
How often the verdict is wrong stands in docs/reference/verdict-error-rates.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from stripeless.verdicts.clusters import people_for
from stripeless.verdicts.conditions import contradicted, failed_conditions, finest_margin, largest
from stripeless.verdicts.evidence import Evidence, Reached, best_of, clearest_of, joined
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.judged import Judged, JudgedTogether
from stripeless.verdicts.leak import LEVEL, broken, leaks
from stripeless.verdicts.margins import ENOUGH_PEOPLE, STRONG, check_margin, margin_auc, margin_for
from stripeless.verdicts.sentences import (
    accuracy_company,
    by_luck,
    counted_in,
    found_planted,
    hit_company,
    hit_sentence,
    luck_of_the_best,
    share_sentence,
    shown_p,
    telling_hits,
    with_interval,
    worst_sentence,
)
from stripeless.verdicts.strongest import strongest_of
from stripeless.verdicts.words import ANYONE, BEST_INFORMED, WHO, of_100

Level = Literal["invalid", "unclear", "exposed", "leaking", "quiet", "compared"]
LABELS: dict[Level, str] = {
    "invalid": "No verdict",
    "unclear": "Cannot tell",
    "exposed": "Strong leak",
    "leaking": "Leak",
    "quiet": "No leak seen",
    "compared": "Comparison",
}
BARELY = 0.53  # AUC below which a leak is told by its hits, and unnamed scores show no sign of one
UNTESTED = (
    "This result holds no test for a leak: it was made by an earlier version, or without one. Assess the scores again."
)


@dataclass(frozen=True)
class Verdict:
    """What an attacker reached, in words; never that something is private.

    Attributes:
        level: "invalid", "unclear", "exposed", "leaking", "quiet" or "compared".
        headline: the one sentence.
        sentences: its evidence, a sentence each.
        basis: the measure and the trials it stands on.
    """

    level: Level
    headline: str
    sentences: tuple[str, ...]
    basis: str

    @property
    def label(self) -> str:
        """The level in words, such as "Strong leak"."""
        return LABELS[self.level]


def judge(subject: Judged, margin: float | None = None) -> Verdict:
    """The verdict on one set of scores, held against its original where it has one."""
    return _judge(subject, (subject,), subject.original, (), subject.evidence, margin)


def judge_together(evaluation: JudgedTogether, margin: float | None = None) -> Verdict:
    """The verdict on a system that several attackers were tried on: all of them together."""
    attackers = tuple(evaluation.attackers)
    subject = attackers[strongest_of(attackers)]
    return _judge(subject, attackers, evaluation.original, evaluation.warnings, _of_all(evaluation), margin)


def _of_all(evaluation: JudgedTogether) -> Evidence | None:
    """What all attackers show together, or one by one where they were not tested together."""
    single = [attacker.evidence for attacker in evaluation.attackers if attacker.evidence is not None]
    return evaluation.evidence or (joined(single) if len(single) == len(evaluation.attackers) else None)


def evidence_behind(result: Judged | JudgedTogether) -> Evidence | None:
    """Everything that the verdict on a result rests on, with the control on original data that stands beside it."""
    several = hasattr(result, "attackers")
    evidence = _of_all(cast(JudgedTogether, result)) if several else cast(Judged, result).evidence
    return _completed(evidence, result.original, None)


def _judge(
    subject: Judged,
    attackers: tuple[Judged, ...],
    ceiling: Judged | None,
    warnings: Sequence[Finding],
    evidence: Evidence | None,
    margin: float | None,
) -> Verdict:
    check_margin(margin)
    foreign = _foreign(subject, ceiling, evidence)
    evidence = _completed(evidence, ceiling, margin)
    sound = tuple(attacker for attacker in attackers if not broken(_not_refuted(attacker)))
    if broken(warnings) or not sound:
        return _invalid(subject, evidence)
    if len(sound) < len(attackers):
        # what a sound attacker shows stands, whatever is wrong with another one; what none of them shows does not
        if evidence is None or not leaks(evidence) or not any(_shows(evidence, one) for one in sound):
            return _invalid(subject, evidence)
        subject = sound[strongest_of(sound)]
        evidence = _of_sound(evidence, tuple(r for r in evidence.attackers if any(_is_of(r, one) for one in sound)))
    if evidence is None or evidence.p is None:
        return _untested(subject, evidence)
    if leaks(evidence):
        return _leak(subject, attackers, ceiling, evidence, failed=len(sound) < len(attackers))
    return _no_leak(subject, attackers, ceiling, evidence, foreign)


def _foreign(subject: Judged, ceiling: Judged | None, evidence: Evidence | None) -> str:
    """That the control, where it is a file beside the scores, is of other trials: then it says nothing of this test."""
    if ceiling is None or evidence is None or evidence.original is not None or ceiling.evidence is None:
        return ""
    if evidence.whose and ceiling.evidence.whose and evidence.whose != ceiling.evidence.whose:
        return (
            "The control on original data names other people, so it does not show that this attack can recognize those judged "
            "here. Give the scores of the same people before anonymization."
        )
    mine, theirs = ((one.n_target, one.n_nontarget) for one in (subject, ceiling))
    if mine == theirs and (ceiling.evidence.people, ceiling.evidence.groups) == (evidence.people, evidence.groups):
        return ""
    return (
        f"The control on original data is of other trials ({theirs[0]:,} target and {theirs[1]:,} nontarget, {mine[0]:,} and "
        f"{mine[1]:,} here), so it does not show that this attack can recognize anybody here."
    )


def _of_sound(evidence: Evidence, rows: tuple[Reached, ...]) -> Evidence:
    """The evidence of these attackers; how many were tried stays paid for."""
    return replace(
        evidence, attackers=rows, p=min((one.p for one in rows if one.p is not None), default=None), refit=None
    )


def _is_of(reached: Reached, attacker: Judged) -> bool:
    names = {"", attacker.name, getattr(attacker, "backend", "")}
    return reached.attacker == attacker.attacker and reached.name in names


def _shows(evidence: Evidence, attacker: Judged) -> bool:
    """Whether this attacker, for itself, shows a leak, all that were tried being paid for."""
    return any(_is_of(one, attacker) and one.p is not None and one.p <= LEVEL for one in evidence.attackers)


def _completed(evidence: Evidence | None, ceiling: Judged | None, margin: float | None) -> Evidence | None:
    """The evidence with the control on the original that stands beside it, and the margin that is asked for."""
    if evidence is None:
        return None
    original = evidence.original
    if original is None and ceiling is not None and ceiling.evidence is not None:
        original = best_of(ceiling.evidence)
    return replace(evidence, original=original, margin=evidence.margin if margin is None else margin)


def _not_refuted(subject: Judged) -> list[Finding]:
    """The findings, less swapped signs where some targets are recognized all the same: swapped ones would not be."""
    clear = None if subject.evidence is None or not leaks(subject.evidence) else clearest_of(subject.evidence)
    refuted = {"signs_swapped"} if clear is not None and clear.by == "top" else set()
    return [finding for finding in subject.warnings if finding.code not in refuted]


def _invalid(subject: Judged, evidence: Evidence | None) -> Verdict:
    return Verdict(
        "invalid",
        "These numbers must not be read as privacy until the problem named above is solved.",
        (f"For the record: the equal error rate of these scores is {with_interval(subject, 'eer')}.",),
        _basis("the findings of this report", subject, evidence),
    )


def _untested(subject: Judged, evidence: Evidence | None) -> Verdict:
    basis = _basis("no test", subject, evidence)
    if evidence is None:
        return Verdict("unclear", UNTESTED, (), basis)
    return Verdict("unclear", f"There was no test for a leak: {evidence.reason}.", evidence.said, basis)


def _no_leak(
    subject: Judged, attackers: tuple[Judged, ...], ceiling: Judged | None, evidence: Evidence, foreign: str
) -> Verdict:
    basis = _basis(_method(evidence), subject, evidence)
    if evidence.method == "clusters":
        return Verdict("unclear", _unnamed_sentence(evidence), evidence.said, basis)
    failed = [*filter(None, (foreign, contradicted(attackers))), *failed_conditions(evidence, ceiling)]
    if not evidence.joint and not _best_informed_played(attackers) and _all_named(attackers):
        failed.append("An attacker who retrains on anonymized speech was not tried, and usually finds much more.")
    seen = f"No sign of a leak was found (p = {shown_p(evidence.final_p)}), but that alone is no evidence for privacy."
    if failed:
        return Verdict("unclear", failed[0], (seen, *failed[1:], *evidence.said), basis)
    return _quiet(attackers, evidence, basis)


def _quiet(attackers: tuple[Judged, ...], evidence: Evidence, basis: str) -> Verdict:
    percent = margin_for(evidence.people, evidence.margin)
    count = len(evidence.attackers)
    worst, finest = largest(evidence), finest_margin(evidence)
    tried = "1 attacker" if count == 1 else f"{count} attackers"
    headline = f"No leak beyond EER {percent:g} % seen, with {tried} on {evidence.people} people."
    high = max(0.5, worst.high) if worst is not None and worst.high is not None else 1.0
    sentences = [
        f"Asked which of two recordings is the person's and which a stranger's, no attacker is right more than {of_100(high)} "
        f"times (95 % limit; guessing which of the two: 50; the margin allows {of_100(margin_auc(percent))}). The finest margin "
        f"that these limits pass is EER {finest:g} %.",
        *_control_sentences(evidence),
    ]
    if evidence.people < ENOUGH_PEOPLE and evidence.margin is None:
        sentences.append(f"With fewer than {ENOUGH_PEOPLE} people, the margin is EER {percent:g} %.")
    if not evidence.joint and not _best_informed_played(attackers):
        sentences.append("Nobody said whether the attacker retrained on anonymized speech; one who did may learn more.")
    sentences.append(f"Attackers: {_listed(evidence)}.")
    return Verdict("quiet", headline, (*sentences, *evidence.said), basis)


def _control_sentences(evidence: Evidence) -> list[str]:
    said = []
    if evidence.original is not None and evidence.original.low is not None:
        said.append(
            f"On unprotected speech the same attackers are right at least {of_100(evidence.original.low)} times."
        )
    return [*said, found_planted(evidence)]


def _unnamed_sentence(evidence: Evidence) -> str:
    best = best_of(evidence)
    needed = None if best is None or best.auc is None else people_for(best.auc)
    if needed is not None and needed <= evidence.people:
        return (
            "Nobody is named and the trials are few, so this result can come about by luck. Name the people, and give more "
            "trials."
        )
    known = f"If they are {evidence.people}, this" if evidence.people_stated else "Nobody is named, so this"
    if best is None or best.auc is None or best.auc < BARELY:
        return (
            "No sign of a leak was found, but without names nothing bounds what an attacker learns: name the people (speaker "
            "columns, utt2spk)."
        )
    said = f"{known} result can come about by who happens to speak, without a leak."
    if needed is None or needed > 100_000:
        return f"{said} Name the people (speaker columns, utt2spk), or nothing can be said."
    return (
        f"{said} It would be a leak from {needed:,} people on: name them (speaker columns, utt2spk), or state how many there are "
        "(--people)."
    )


def _leak(
    subject: Judged, attackers: tuple[Judged, ...], ceiling: Judged | None, evidence: Evidence, failed: bool = False
) -> Verdict:
    clear, best = clearest_of(evidence), best_of(evidence)
    assert clear is not None
    strong = best is not None and strong_low(best) > STRONG
    shown_by = best if strong and best is not None else clear
    hits = telling_hits(subject) if shown_by.by == "top" and not strong else ""
    headline = _spread_sentence(shown_by) if shown_by.by == "spread" and not strong else _choice_sentence(shown_by)
    sentences = [_test_sentence(evidence), _limit_sentence(shown_by, evidence)]
    if hits and (shown_by.auc or 0.5) < BARELY:
        headline, sentences = hit_sentence(subject, hits), [hit_company(subject, ceiling, hits), *sentences]
    elif hits:
        sentences = [hit_sentence(subject, hits), hit_company(subject, ceiling, hits), *sentences]
    sentences += [
        accuracy_company(subject, ceiling),
        share_sentence(subject, ceiling),
        worst_sentence(subject),
        _corrected_sentence(shown_by, evidence),
    ]
    if subject.attacker != "original" and not evidence.joint and not _best_informed_played(attackers):
        absent = "was not tried and" if _all_named(attackers) else "is not named among these and"
        sentences.append(f"An attacker who retrains on anonymized speech {absent} may learn more.")
    if failed:
        sentences.append(
            "The numbers of another attacker are broken (see above): this is the least that can be learned."
        )
    basis = _basis(_method(evidence), subject, evidence)
    return Verdict("exposed" if strong else "leaking", headline, (*filter(None, sentences), *evidence.said), basis)


def strong_low(best: Reached) -> float:
    """The lower limit, less what choosing the best of several gains by luck."""
    luck = 0.0 if best.corrected is None or best.auc is None else max(0.0, best.auc - best.corrected)
    return (best.low or 0.0) - luck


def _choice_sentence(reached: Reached) -> str:
    return (
        f"{WHO.get(reached.attacker, ANYONE)}, asked which of two recordings is the person's and which a stranger's, is right "
        f"{of_100(reached.auc or 0.5)} times (guessing which of the two: 50)."
    )


def _spread_sentence(reached: Reached) -> str:
    return (
        f"{WHO.get(reached.attacker, ANYONE)} learns who speaks from how far a score lies from the middle, though not by a "
        "higher score."
    )


def _test_sentence(evidence: Evidence) -> str:
    if evidence.method == "clusters":
        return (
            f"Without a leak, {evidence.people} people who speak about equally often show so much with probability "
            f"{shown_p(evidence.final_p)} at most, however alike the recordings of each are."
        )
    if evidence.refit is not None:
        how = f"enrollments exchanged and the attackers trained anew {evidence.refit.times} times"
    elif evidence.method == "regression":
        how = "least squares over pairs of people, since not all are compared with all"
    else:
        how = f"{evidence.permutations:,} exchanges of who is enrolled as whom"
    return f"{by_luck(evidence.final_p)} ({how}{counted_in(len(evidence.attackers))})."


def _limit_sentence(reached: Reached, evidence: Evidence) -> str:
    if reached.low is None or reached.high is None:
        return "There are too few people for limits."
    if evidence.method == "clusters" and not evidence.people_stated:
        return f"Nobody is named: whatever the number of people, at least {of_100(reached.low)} right choices (95 % limit)."
    names = dict.fromkeys(filter(None, (reached.attacker, reached.name)))
    who = f" of {', '.join(names)}" if len(evidence.attackers) > 1 else ""
    between = f"at least {of_100(reached.low)}"
    if reached.high < 0.995:
        between += f" and at most {of_100(reached.high)}"
    return f"Over {evidence.people:,} people, {between} right choices (95 % limits{who})."


def _corrected_sentence(reached: Reached, evidence: Evidence) -> str:
    if reached.corrected is None or reached.auc is None or len(evidence.attackers) < 2:
        return ""
    return luck_of_the_best(len(evidence.attackers), reached.auc, reached.corrected)


def _method(evidence: Evidence) -> str:
    return {
        "exchange": "exchange of enrollments",
        "regression": "least squares over pairs of people",
        "clusters": "the worst case for unnamed people",
        "none": "no test",
    }[evidence.method]


def _basis(measure: str, subject: Judged, evidence: Evidence | None) -> str:
    people = f", {subject.n_speakers:,} speakers" if subject.n_speakers else ", speakers unknown"
    if evidence is not None and evidence.method == "clusters" and evidence.people_stated:
        people = f", {evidence.people:,} speakers by your word"
    who = f" of the {subject.attacker} attacker" if subject.attacker in WHO and subject.attacker != "original" else ""
    return f"Basis: {measure}{who}; {subject.n_target:,} target and {subject.n_nontarget:,} nontarget trials{people}."


def _listed(evidence: Evidence) -> str:
    names = [
        " ".join(filter(None, (one.attacker, f"({one.name})" if one.name and one.attacker else one.name)))
        for one in evidence.attackers
    ]
    return ", ".join(dict.fromkeys(filter(None, names))) or "one, not named"


def _best_informed_played(attackers: tuple[Judged, ...]) -> bool:
    return any(attacker.attacker == BEST_INFORMED for attacker in attackers)


def _all_named(attackers: tuple[Judged, ...]) -> bool:
    """Whether each attacker has one of the known names: one without may have retrained, too."""
    return all(attacker.attacker in WHO for attacker in attackers)
