"""The verdict on a hidden attribute: the rules of `verdicts` on what attackers learn from everything of a speaker.

"Leak" is a test: labels exchanged among speakers, all attackers together. "No leak seen" is two other things: every
attacker's upper limit below a stated margin, and a control that the same attackers recognize the attribute in unprotected
vectors. All else is "Cannot tell", with the condition that failed.
"""

from __future__ import annotations

from dataclasses import replace

from stripeless.results.attribute import AttributeProof
from stripeless.verdicts.conditions import finest_margin, largest, more_people, not_planted, too_few, unsure_control
from stripeless.verdicts.evidence import Evidence, Reached, best_of, clearest_of
from stripeless.verdicts.leak import broken, leaks
from stripeless.verdicts.margins import LOOSEST, STRONG, check_margin, margin_auc, margin_for
from stripeless.verdicts.sentences import by_luck, counted_in, found_planted, shown_p
from stripeless.verdicts.verdict import Verdict
from stripeless.verdicts.words import of_100

UNTESTED = "This result holds no test for a leak: it was made by an earlier version. Judge the vectors again."
NOT_TESTED = (
    "Not tested: other classifiers, attackers with more people to learn from, people recorded otherwise, and leaks smaller "
    "than the margin."
)
HOW = {
    "utterance": "on single utterances",
    "evidence": "on what single utterances say, averaged",
    "vectors": "on the average vector",
    "spread": "on how much utterances differ",
}


def judge_attribute(proof: AttributeProof, margin: float | None = None) -> Verdict:
    """What attackers learn of the attribute, in words; never that it is gone."""
    check_margin(margin)
    evidence = proof.evidence
    if evidence is not None and margin is not None:
        evidence = replace(evidence, margin=margin)
    if broken(proof.warnings):
        return Verdict("invalid", _reason(proof), (), _basis(proof))
    if evidence is None or evidence.p is None:
        return Verdict("unclear", UNTESTED, (), _basis(proof))
    if leaks(evidence):
        return _leak(proof, evidence)
    failed = failed_conditions(proof, evidence)
    seen = f"No sign of a leak was found (p = {shown_p(evidence.final_p)}), but that alone is no evidence for privacy."
    if failed:
        said = (seen, *failed[1:], _single(proof), _tried(evidence), NOT_TESTED)
        return Verdict("unclear", failed[0], tuple(filter(None, said)), _basis(proof))
    return _quiet(proof, evidence)


def failed_conditions(proof: AttributeProof, evidence: Evidence) -> list[str]:
    """What stands between this evidence and "No leak seen", the most telling first."""
    several = too_few(evidence), _no_original(proof, evidence), _beyond(evidence), not_planted(evidence)
    return [each for each in several if each]


def may_be_quiet(proof: AttributeProof) -> bool:
    """Whether nothing but planted leaks stands between this result and "No leak seen", at the loosest margin."""
    evidence = proof.evidence
    if evidence is None or evidence.p is None or broken(proof.warnings) or leaks(evidence):
        return False
    return not failed_conditions(proof, replace(evidence, margin=LOOSEST))


def bounded(evidence: Evidence) -> Evidence:
    """The same with the attackers who hold everything of a speaker: they alone have limits."""
    return replace(evidence, attackers=tuple(one for one in evidence.attackers if one.high is not None))


def _reason(proof: AttributeProof) -> str:
    serious = [finding for finding in proof.warnings if broken([finding])]
    return f"These numbers must not be read as privacy. {serious[0].message}"


def _no_original(proof: AttributeProof, evidence: Evidence) -> str:
    control = evidence.original
    if control is None or control.auc is None or control.low is None:
        return (
            "There is no control on unprotected vectors: an attacker who cannot learn the attribute guesses too, so give the "
            "vectors of the same utterances before protection."
        )
    if control.low > STRONG:
        return ""
    if control.auc > STRONG:
        return unsure_control("vectors", control, evidence.people)
    return (
        f"In unprotected vectors the same attackers hardly recognize the attribute (right {of_100(control.auc)} times; needed: "
        f"more than {of_100(STRONG)}), so their failure here says nothing."
    )


def _beyond(evidence: Evidence) -> str:
    percent = margin_for(evidence.people, evidence.margin)
    limit, worst = margin_auc(percent), largest(bounded(evidence))
    if worst is None:
        return "There are no limits for every attacker, so nothing bounds what they learn."
    if worst.high is not None and worst.high < limit:
        return ""
    said = (
        f"It may be that {_who(worst)} is right {of_100(worst.high or 1.0)} times when choosing between two speakers of "
        f"different classes (upper 95 % limit), and the margin, EER {percent:g} %, allows {of_100(limit)}."
    )
    return f"{said} {more_people(worst, evidence.people, limit)}"


def _quiet(proof: AttributeProof, evidence: Evidence) -> Verdict:
    percent, known = margin_for(evidence.people, evidence.margin), bounded(evidence)
    worst, finest = largest(known), finest_margin(known)
    high = 1.0 if worst is None or worst.high is None else worst.high
    control = evidence.original
    sentences = [
        f"Given all utterances of a speaker of each class, no attacker tells them apart more than {of_100(high)} times (95 % "
        f"limit; guessing: 50; the margin allows {of_100(margin_auc(percent))}). The finest margin these limits pass is EER "
        f"{finest:g} %.",
        ""
        if control is None
        else f"In unprotected vectors the same attackers are right at least {of_100(control.low or 0.0)} times.",
        found_planted(evidence),
        _tried(evidence),
        NOT_TESTED,
    ]
    headline = f"No leak beyond EER {percent:g} % seen, with {_attackers(evidence)} on {evidence.people:,} people."
    return Verdict("quiet", headline, tuple(filter(None, sentences)), _basis(proof))


def _leak(proof: AttributeProof, evidence: Evidence) -> Verdict:
    clear, best = clearest_of(evidence), best_of(evidence)
    assert clear is not None
    strong = best is not None and (best.low or 0.0) > STRONG
    shown = best if strong and best is not None else clear
    headline = f"{_class(proof)} still shows: {_who(shown)} {_right(shown)}."
    sentences = (_test(evidence), _limits(best, evidence), _single(proof), _before(evidence), _tried(evidence))
    return Verdict("exposed" if strong else "leaking", headline, tuple(filter(None, sentences)), _basis(proof))


def _right(reached: Reached) -> str:
    if reached.auc is None:
        return "tells speakers of the classes apart"
    return f"tells apart two speakers of different classes {of_100(reached.auc)} times; guessing gives 50"


def _test(evidence: Evidence) -> str:
    refit = evidence.refit
    how = f"{evidence.permutations:,} exchanges of labels among speakers"
    if refit is not None and refit.times:
        how = f"labels exchanged among speakers and classifiers trained anew {refit.times} times"
    return f"{by_luck(evidence.final_p)} ({how}{counted_in(len(evidence.attackers))})."


def _limits(best: Reached | None, evidence: Evidence) -> str:
    if best is None or best.low is None or best.high is None:
        return "There are too few people for limits."
    between = f"at least {of_100(best.low)} and at most {of_100(best.high)}"
    return f"Over {evidence.people:,} people, {_who(best)}: {between} right choices (95 % limits)."


def _single(proof: AttributeProof) -> str:
    """What one utterance tells, beside what all of a speaker tell."""
    one, whole = proof.protected.measures.get("d_ece"), proof.protected.everything
    if whole is None or one is None or not isinstance(one.value, float):
        return ""
    return (
        f"From one utterance D_ECE is {one.value:.2f} bit, from all of a speaker {whole.d_ece:.2f} bit (chance: up to "
        f"{proof.protected.chance.high:.2f} and {whole.chance.high:.2f})."
    )


def _before(evidence: Evidence) -> str:
    before = evidence.original
    if before is None or before.auc is None:
        return ""
    return f"In unprotected vectors {_who(before)} is right {of_100(before.auc)} times."


def _tried(evidence: Evidence) -> str:
    names = dict.fromkeys(one.attacker for one in evidence.attackers)
    return f"Attackers: {', '.join(names)}, each on single utterances and on everything of a speaker."


def _attackers(evidence: Evidence) -> str:
    return "1 attacker" if len(evidence.attackers) == 1 else f"{len(evidence.attackers)} attackers"


def _who(reached: Reached) -> str:
    return f"{reached.name} ({HOW.get(reached.by, reached.by)})"


def _class(proof: AttributeProof) -> str:
    return f"Whether a speaker is {' or '.join(proof.classes)}"


def _basis(proof: AttributeProof) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in proof.speakers.items())
    people = sum(proof.speakers.values())
    return f"Basis: exchange of labels among speakers; {people:,} speakers ({counts}) in {proof.folds} folds."
