"""The verdict: one sentence that a layperson understands and an expert cannot fault.

It says what an attacker reached, never that something is private: a failed attack shows a failed attack. Evidence of a
leak stands even where another attacker's run was broken; absence of evidence does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stripeless.measures.catalog import FALSE_ALARM_RATES, MEASURES
from stripeless.measures.shown import shown, shown_interval
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.judged import Judged, JudgedTogether, limits, number
from stripeless.verdicts.leak import broken, codes, recognized_at, shows_leak
from stripeless.verdicts.strongest import learns_more, strongest_of
from stripeless.verdicts.words import ANYONE, BEST_INFORMED, CATEGORIES, WHO

Level = Literal["invalid", "unclear", "exposed", "leaking", "quiet", "compared"]
LABELS: dict[Level, str] = {
    "invalid": "No verdict: the data need attention",
    "unclear": "Cannot tell",
    "exposed": "Strong leak",
    "leaking": "Leak",
    "quiet": "No leak seen",
    "compared": "Comparison",
}


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


def judge(subject: Judged) -> Verdict:
    """The verdict on one set of scores, held against its original where it has one."""
    return _judge(subject, (subject,), subject.original, ())


def judge_together(evaluation: JudgedTogether) -> Verdict:
    """The verdict on a system that several attackers were tried on: the strongest of them decides."""
    attackers = tuple(evaluation.attackers)
    return _judge(attackers[strongest_of(attackers)], attackers, evaluation.original, evaluation.warnings)


def of_100(share: float) -> str:
    """A share as a count of a hundred.

    >>> of_100(0.513), of_100(0.001), of_100(0.999), of_100(0.0), of_100(1.0)
    ('51 of 100', 'fewer than 1 of 100', 'more than 99 of 100', 'none of 100', 'all of 100')
    """
    if share in (0.0, 1.0):
        return "all of 100" if share else "none of 100"
    if share <= 0.005:
        return "fewer than 1 of 100"
    return "more than 99 of 100" if share >= 0.995 else f"{share * 100:.0f} of 100"


def _judge(
    subject: Judged, attackers: tuple[Judged, ...], ceiling: Judged | None, warnings: Sequence[Finding]
) -> Verdict:
    failed = broken(warnings) or any(broken(attacker.warnings) for attacker in attackers)
    if broken(_not_refuted(subject)):
        return _invalid(subject)
    if shows_leak(subject):
        return _leak(subject, attackers, ceiling, failed)
    return _invalid(subject) if failed else _at_chance(subject, attackers, ceiling)


def _not_refuted(subject: Judged) -> list[Finding]:
    """The findings, less swapped signs where targets are recognized all the same: swapped ones would not be."""
    refuted = {"signs_swapped"} if recognized_at(subject) else set()
    return [finding for finding in subject.warnings if finding.code not in refuted]


def _invalid(subject: Judged) -> Verdict:
    return Verdict(
        "invalid",
        "These numbers must not be read as privacy until the problem named above is solved.",
        (f"For the record: the equal error rate of these scores is {with_interval(subject, 'eer')}.",),
        _basis("the warnings of this report", subject),
    )


def _at_chance(subject: Judged, attackers: tuple[Judged, ...], ceiling: Judged | None) -> Verdict:
    basis = _basis("the equal error rate", subject)
    could = _bound(subject)
    if "few_trials" in codes(subject):
        few = min(subject.n_target, subject.n_nontarget)
        said = f"With {few:,} {'trial' if few == 1 else 'trials'} in the smaller class nothing can be said about privacy yet."
        return Verdict("unclear", said, could, basis)
    if not _intervals_stand(subject):
        said = "There is no interval for the equal error rate, so nothing can be said about privacy yet."
        why = "The trials come from too few people to draw from: test with more."
        return Verdict("unclear", said, (why,), basis)
    if any("narrow_targets" in codes(attacker) for attacker in attackers):
        said = f"{_who(subject)} did no better than guessing by a higher score, but the scores tell more than that."
        why = "An attacker who takes the distance from the middle of the nontargets does better: see the findings."
        return Verdict("unclear", said, (why,), basis)
    attackers = tuple(attacker for attacker in attackers if "few_trials" not in codes(attacker))
    if ceiling is None:
        return Verdict(
            "unclear",
            f"{_who(subject)} did no better than guessing, which by itself does not show privacy.",
            (
                *could,
                "A badly trained attacker guesses too. Show that the same attacker recognizes unprotected speech, and let "
                "one who knows the anonymizer try.",
            ),
            basis,
        )
    if not shows_leak(ceiling) or broken(ceiling.warnings):
        return Verdict(
            "invalid",
            "The attackers fail even on unprotected speech, so their failure here says nothing about privacy.",
            (*could, "Repair or retrain the recognizer until it works on the original recordings."),
            basis,
        )
    before = f"On unprotected speech the same test is answered right {of_100(1 - value_of(ceiling, 'eer'))} times."
    if not _best_informed_played(attackers):
        absent = "not tried enough" if _all_named(attackers) else "not named"
        return Verdict(
            "unclear",
            f"{_who(subject)} did no better than guessing, but a better informed one was {absent}.",
            (before, *could, "An attacker who retrains on anonymized speech usually finds much more."),
            basis,
        )
    number = "The attacker" if len(attackers) == 1 else f"None of the {len(attackers)} attackers"
    did = "did no better" if len(attackers) == 1 else "did better"
    return Verdict(
        "quiet",
        f"{number} tried here {did} than guessing, though unprotected speech is recognized.",
        (before, *could),
        basis,
    )


def _intervals_stand(subject: Judged) -> bool:
    """Whether the EER has its interval, where intervals were asked for."""
    return not subject.intervals or limits(subject, "eer")[1] is not None


def _leak(subject: Judged, attackers: tuple[Judged, ...], ceiling: Judged | None, failed: bool) -> Verdict:
    hits = recognized_at(subject)
    headline, basis = (
        (_hit_sentence(subject, hits), f"the {_rate_words(hits)}")
        if hits
        else (_accuracy_sentence(subject), "the equal error rate")
    )
    sentences = (
        [_hit_company(subject, ceiling, hits), _accuracy_company(subject, ceiling), _hidden(subject)]
        if hits
        else [_accuracy_company(subject, ceiling, own=True)]
    )
    share = _share_of_most(subject, ceiling)
    sentences += [_share_sentence(subject, ceiling, share), _worst_sentence(subject)]
    if failed:
        sentences.append(
            "Another attacker's run is broken (see above), so this is the least that can be learned, not the most."
        )
    elif subject.attacker != "original" and not _best_informed_played(attackers):
        absent = "not tried" if _all_named(attackers) else "not named"
        sentences.append(f"An attacker who retrains on anonymized speech was {absent} and may learn more.")
    if "few_trials" in codes(subject):
        sentences.append("The trials are few, so the size of the leak is uncertain.")
    return Verdict(
        "exposed" if share >= 0.5 else "leaking", headline, tuple(filter(None, sentences)), _basis(basis, subject)
    )


def _rate_words(name: str) -> str:
    return MEASURES[name].label.replace("Hit rate", "hit rate")


def _hit_sentence(subject: Judged, name: str) -> str:
    strangers = f"1 stranger in {round(1 / FALSE_ALARM_RATES[name]):,}"
    found = f"{_who(subject)} recognizes the speaker in"
    return f"{found} {of_100(value_of(subject, name))} recordings, while mistaking {strangers}."


def _hit_company(subject: Judged, ceiling: Judged | None, name: str) -> str:
    between = _hundredths(subject, name)
    unprotected = ""
    if ceiling is not None and known(ceiling, name):
        unprotected = f", unprotected speech {of_100(value_of(ceiling, name))}"
    guessing = f"1 of {round(1 / FALSE_ALARM_RATES[name]):,}"
    return f"{between}Guessing would find {guessing}{unprotected}."


def _hidden(subject: Judged) -> str:
    """Said where the usual number looks private while some people are recognized."""
    if {"chance", "tail_leak", "signs_swapped"} & codes(subject) or value_of(subject, "eer") >= 0.5:
        return "The equal error rate hides this: most people cannot be told from strangers, but these can."
    return ""


def _accuracy_sentence(subject: Judged) -> str:
    right = of_100(1 - value_of(subject, "eer"))
    return f"{_who(subject)} tells whether two recordings are of the same person and is right {right} times."


def _accuracy_company(subject: Judged, ceiling: Judged | None, own: bool = False) -> str:
    unprotected = "" if ceiling is None else f", unprotected speech gives {of_100(1 - value_of(ceiling, 'eer'))}"
    if own:
        return f"{_hundredths(subject, 'eer', flip=True)}Guessing is right 50 of 100 times{unprotected}."
    right = of_100(1 - value_of(subject, "eer"))
    return (
        f"Asked whether two recordings are of the same person, this attacker is right {right} times "
        f"(guessing: 50{unprotected})."
    )


def _hundredths(subject: Judged, name: str, flip: bool = False) -> str:
    """The interval as counts of a hundred, with its name; empty where there is none."""
    low, high = limits(subject, name)
    if low is None or high is None:
        return ""
    ends = sorted(100 * (1 - end if flip else end) for end in (low, high))
    return f"95 % interval: {ends[0]:.0f} to {ends[1]:.0f} of 100. "


def _share_of_most(subject: Judged, ceiling: Judged | None) -> float:
    """Expected disclosure as a share of what unprotected speech discloses, or of the most there is; may exceed 1."""
    most = _most(ceiling)
    return value_of(subject, "d_ece") / most if most > 0 else float("inf")


def _most(ceiling: Judged | None) -> float:
    return value_of(ceiling, "d_ece") if ceiling is not None else float(MEASURES["d_ece"].exposed or 1.0)


def _share_sentence(subject: Judged, ceiling: Judged | None, share: float) -> str:
    numbers = f"D_ECE {value_of(subject, 'd_ece'):.2f} of {_most(ceiling):.2f} bit"
    if share > 1 and ceiling is not None and not learns_more(subject, ceiling):
        return f"That is as much evidence as unprotected speech gives, as far as these trials can tell ({numbers})."
    if share > 1 and ceiling is not None:
        return (
            f"That is more evidence than unprotected speech gives ({numbers}), so the ceiling is none: check that it is "
            "of the same trials and that the recognizer works on original speech."
        )
    most = "unprotected speech gives" if ceiling is not None else "an attacker who is never wrong would get"
    return f"On average that is {100 * share:.0f} % of the evidence that {most} ({numbers})."


def _worst_sentence(subject: Judged) -> str:
    category = subject.measures.get("category")
    tag = None if category is None or category.value is None else str(category.value)
    if tag is None or not known(subject, "log10_lr"):
        return ""
    odds = 10 ** value_of(subject, "log10_lr")
    about = f"{float(f'{odds:.2g}'):,.0f}" if odds >= 10 else f"{odds:.1f}"
    return f"The strongest single piece of evidence is about {about} to 1: category {tag}, {CATEGORIES.get(tag, '')}."


def _basis(measure: str, subject: Judged) -> str:
    people = f", {subject.n_speakers:,} speakers" if subject.n_speakers else ", speakers unknown"
    who = ""
    if subject.attacker in WHO and subject.attacker != "original":
        who = f" of the {subject.attacker} attacker"
    return f"Basis: {measure}{who}; {subject.n_target:,} target and {subject.n_nontarget:,} nontarget trials{people}."


def _best_informed_played(attackers: tuple[Judged, ...]) -> bool:
    return any(attacker.attacker == BEST_INFORMED for attacker in attackers)


def _all_named(attackers: tuple[Judged, ...]) -> bool:
    """Whether each attacker has one of the known names: one without may have retrained, too."""
    return all(attacker.attacker in WHO for attacker in attackers)


def _who(subject: Judged) -> str:
    return WHO.get(subject.attacker, ANYONE)


def known(subject: Judged, name: str) -> bool:
    """Whether a measure has a value."""
    return number(subject, name) is not None


def value_of(subject: Judged, name: str) -> float:
    """The value of a measure that is known to have one."""
    value = number(subject, name)
    return float("nan") if value is None else value


def _bound(subject: Judged) -> tuple[str, ...]:
    """What an attacker by the score may still reach; nothing where that bounds nobody, or where the score is not all."""
    low, _ = limits(subject, "eer")
    if low is None or low > 0.5 or "narrow_targets" in codes(subject):
        return ()
    return (
        f"By an attacker who takes a higher score for more alike, up to {of_100(1 - low)} right answers cannot be excluded with "
        "these trials (95 % interval; guessing: 50).",
    )


def with_interval(subject: Judged, name: str) -> str:
    """A measure with its interval, for a sentence."""
    measure = subject.measures[name]
    between = shown_interval(name, {"low": measure.low, "high": measure.high})
    return shown(name, measure.value) + (f" ({between})" if between else "")
