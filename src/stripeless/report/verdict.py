"""The verdict: one sentence that a layperson understands and an expert cannot fault.

It says what an attacker reached, never that something is private: a failed attack shows a failed attack. Evidence of a
leak stands even where another attacker's run was broken; absence of evidence does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from stripeless.metrics.catalog import MEASURES
from stripeless.metrics.shown import shown, shown_interval
from stripeless.plots.series import Result, Series, series_of, strongest
from stripeless.report.words import ANYONE, BEST_INFORMED, CATEGORIES, WHO

Level = Literal["invalid", "unclear", "exposed", "leaking", "quiet", "compared"]
LABELS: dict[Level, str] = {
    "invalid": "No verdict: the data need attention",
    "unclear": "Cannot tell",
    "exposed": "Strong leak",
    "leaking": "Leak",
    "quiet": "No leak seen",
    "compared": "Comparison",
}
_HARMLESS = frozenset({"not_llr"})  # serious for Cllr alone; everything by rank order still stands


@dataclass(frozen=True)
class Verdict:
    """`headline` is the one sentence, `sentences` its evidence, `basis` the measure and trials it stands on."""

    level: Level
    headline: str
    sentences: tuple[str, ...]
    basis: str

    @property
    def label(self) -> str:
        return LABELS[self.level]


def verdict(result: Result) -> Verdict:
    """The verdict on one assessment or evaluation."""
    if result["kind"] == "evaluation":
        return _judge(strongest(result), tuple(result["attackers"]), result.get("original"), result.get("warnings", ()))
    return _judge(result, (result,), result.get("original"), ())


def codes(result: Result) -> set[str]:
    """What the doctor found, by code."""
    return {finding["code"] for finding in result.get("warnings", ())}


def broken(findings: Any) -> bool:
    """Whether a finding forbids reading the numbers as privacy."""
    return any(f["severity"] == "serious" and f["code"] not in _HARMLESS for f in findings)


def of_100(share: float) -> str:
    """A share as a count of a hundred.

    >>> of_100(0.513), of_100(0.001), of_100(0.999), of_100(0.0), of_100(1.0)
    ('51 of 100', 'fewer than 1 of 100', 'more than 99 of 100', 'none of 100', 'all of 100')
    """
    if share in (0.0, 1.0):
        return "all of 100" if share else "none of 100"
    if share < 0.005:
        return "fewer than 1 of 100"
    return "more than 99 of 100" if share > 0.995 else f"{share * 100:.0f} of 100"


def _judge(subject: Result, attackers: tuple[Result, ...], ceiling: Result | None, warnings: Any) -> Verdict:
    found = codes(subject)
    failed = broken(warnings) or any(broken(attacker.get("warnings", ())) for attacker in attackers)
    if broken(subject.get("warnings", ())) or (failed and "chance" in found):
        return _invalid(subject)
    if "chance" in found:
        return _at_chance(subject, attackers, ceiling)
    return _leak(subject, attackers, ceiling, failed)


def _invalid(subject: Result) -> Verdict:
    return Verdict(
        "invalid",
        "These numbers must not be read as privacy until the problem named above is solved.",
        (f"For the record: the equal error rate of these scores is {_with_interval(subject, 'eer')}.",),
        _basis("the warnings of this report", subject),
    )


def _at_chance(subject: Result, attackers: tuple[Result, ...], ceiling: Result | None) -> Verdict:
    basis = _basis("the equal error rate", subject)
    most = _upper_accuracy(subject)
    could = (
        ()
        if most is None
        else (
            f"With these trials, up to {of_100(most)} right answers cannot be excluded (95 % interval; guessing: 50).",
        )
    )
    if "few_trials" in codes(subject):
        few = min(subject["counts"]["target"], subject["counts"]["nontarget"])
        return Verdict(
            "unclear", f"With {few:,} trials in the smaller class nothing can be said about privacy yet.", could, basis
        )
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
    if "chance" in codes(ceiling) or broken(ceiling.get("warnings", ())):
        return Verdict(
            "invalid",
            "The attackers fail even on unprotected speech, so their failure here says nothing about privacy.",
            (*could, "Repair or retrain the recognizer until it works on the original recordings."),
            basis,
        )
    before = f"On unprotected speech the same test is answered right {of_100(1 - _value(ceiling, 'eer'))} times."
    if not _best_informed_played(attackers):
        return Verdict(
            "unclear",
            f"{_who(subject)} did no better than guessing, but a better informed one was not tried.",
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


def _leak(subject: Result, attackers: tuple[Result, ...], ceiling: Result | None, failed: bool) -> Verdict:
    by_hits = _hits_stand(subject)
    headline, basis = (
        (_hit_sentence(subject), "the hit rate at 1 % false alarms")
        if by_hits
        else (_accuracy_sentence(subject), "the equal error rate")
    )
    sentences = (
        [_hit_company(subject, ceiling), _accuracy_company(subject, ceiling)]
        if by_hits
        else [_accuracy_company(subject, ceiling, own=True)]
    )
    share = _share(subject, ceiling)
    sentences += [_share_sentence(subject, ceiling, share), _worst_sentence(subject)]
    if failed:
        sentences.append(
            "Another attacker's run is broken (see above), so this is the least that can be learned, not the most."
        )
    elif subject.get("attacker") != "original" and not _best_informed_played(attackers):
        sentences.append("An attacker who retrains on anonymized speech was not tried; he may learn more.")
    if "few_trials" in codes(subject):
        sentences.append("The trials are few, so the size of the leak is uncertain; that there is one is not.")
    return Verdict(
        "exposed" if share >= 0.5 else "leaking", headline, tuple(filter(None, sentences)), _basis(basis, subject)
    )


def _hits_stand(subject: Result) -> bool:
    """Whether the hit rate at 1 % false alarms is known and clearly above guessing."""
    measure = subject["measures"].get("hit_rate_1pct") or {}
    value, low = measure.get("value"), measure.get("low")
    if value is None:
        return False
    return bool(low > 0.01) if low is not None else bool(value >= 0.05)


def _hit_sentence(subject: Result) -> str:
    hits = of_100(_value(subject, "hit_rate_1pct"))
    return f"{_who(subject)} recognizes the speaker in {hits} recordings, while mistaking 1 stranger in 100."


def _hit_company(subject: Result, ceiling: Result | None) -> str:
    between = _hundredths(subject, "hit_rate_1pct")
    unprotected = ""
    if ceiling is not None and _known(ceiling, "hit_rate_1pct"):
        unprotected = f", unprotected speech {of_100(_value(ceiling, 'hit_rate_1pct'))}"
    return f"{between}Guessing would find 1 of 100{unprotected}."


def _accuracy_sentence(subject: Result) -> str:
    right = of_100(1 - _value(subject, "eer"))
    return f"{_who(subject)} tells whether two recordings are of the same person and is right {right} times."


def _accuracy_company(subject: Result, ceiling: Result | None, own: bool = False) -> str:
    unprotected = "" if ceiling is None else f", unprotected speech gives {of_100(1 - _value(ceiling, 'eer'))}"
    if own:
        return f"{_hundredths(subject, 'eer', flip=True)}Guessing is right 50 of 100 times{unprotected}."
    right = of_100(1 - _value(subject, "eer"))
    return (
        f"Asked whether two recordings are of the same person, he is right {right} times (guessing: 50{unprotected})."
    )


def _hundredths(subject: Result, name: str, flip: bool = False) -> str:
    """The interval as counts of a hundred, with its name; empty where there is none."""
    measure = subject["measures"][name]
    if measure.get("low") is None or measure.get("high") is None:
        return ""
    ends = sorted(100 * (1 - end if flip else end) for end in (measure["low"], measure["high"]))
    return f"95 % interval: {ends[0]:.0f} to {ends[1]:.0f} of 100. "


def _share(subject: Result, ceiling: Result | None) -> float:
    """Expected disclosure as a share of what unprotected speech discloses, or of the most there is."""
    most = _value(ceiling, "d_ece") if ceiling is not None else float(MEASURES["d_ece"].exposed or 1.0)
    return min(1.0, _value(subject, "d_ece") / most) if most > 0 else 1.0


def _share_sentence(subject: Result, ceiling: Result | None, share: float) -> str:
    most = "unprotected speech gives" if ceiling is not None else "an attacker who is never wrong would get"
    least = _value(ceiling, "d_ece") if ceiling is not None else float(MEASURES["d_ece"].exposed or 1.0)
    return (
        f"On average he gets {100 * share:.0f} % of the evidence that {most} "
        f"(D_ECE {_value(subject, 'd_ece'):.2f} of {least:.2f} bit)."
    )


def _worst_sentence(subject: Result) -> str:
    tag = subject["measures"]["category"]["value"]
    if tag is None or not _known(subject, "log10_lr"):
        return ""
    odds = 10 ** _value(subject, "log10_lr")
    about = f"{float(f'{odds:.2g}'):,.0f}" if odds >= 10 else f"{odds:.1f}"
    return f"The strongest single piece of evidence is about {about} to 1: category {tag}, {CATEGORIES.get(tag, '')}."


def _basis(measure: str, subject: Result) -> str:
    counts = subject["counts"]
    people = f", {counts['speakers']:,} speakers" if counts.get("speakers") else ", speakers unknown"
    who = (
        f" of the {subject['attacker']} attacker"
        if subject.get("attacker") in WHO and subject["attacker"] != "original"
        else ""
    )
    return f"Basis: {measure}{who}; {counts['target']:,} target and {counts['nontarget']:,} nontarget trials{people}."


def _best_informed_played(attackers: tuple[Result, ...]) -> bool:
    return any(attacker.get("attacker") == BEST_INFORMED for attacker in attackers)


def _who(subject: Result) -> str:
    return WHO.get(subject.get("attacker", ""), ANYONE)


def _known(result: Result, name: str) -> bool:
    return (result["measures"].get(name) or {}).get("value") is not None


def _value(result: Result, name: str) -> float:
    return float(result["measures"][name]["value"])


def _upper_accuracy(subject: Result) -> float | None:
    low = subject["measures"]["eer"].get("low")
    return None if low is None else 1 - float(low)


def _with_interval(subject: Result, name: str) -> str:
    measure = subject["measures"][name]
    between = shown_interval(name, measure)
    return shown(name, measure["value"]) + (f" ({between})" if between else "")


def compare_verdict(results: Any) -> Verdict:
    """Which of several gives least away, by expected disclosure, and whether the intervals can tell."""
    series = [one for one in series_of(results) if not one.ceiling]
    usable = [one for one in series if not broken(one.result.get("warnings", ())) and _known(one.result, "d_ece")]
    basis = "Basis: expected disclosure D_ECE with its 95 % interval."
    dropped = tuple(
        f"{one.label} is left out of this sentence: its numbers need attention first."
        for one in series
        if one not in usable
    )
    if isinstance(results, Mapping) and broken(results.get("warnings", ())):
        return Verdict(
            "invalid", "These results cannot be compared until the problem named above is solved.", dropped, basis
        )
    if len(usable) < 2:
        return Verdict("unclear", "There are not two results here that can be compared.", dropped, basis)
    order = sorted(usable, key=lambda one: _value(one.result, "d_ece"))
    least, most = order[0], order[-1]
    apart = _apart(least, most)
    text = f'"{least.label}" gives away least and "{most.label}" most'
    if not apart:
        text = f'"{least.label}" and "{most.label}" differ most, but not clearly'
    numbers = (
        f"Expected disclosure: {_with_interval(least.result, 'd_ece')} bit against "
        f"{_with_interval(most.result, 'd_ece')} bit.",
    )
    digests = {one.result.get("trial_digest") for one in usable}
    unequal = (
        ()
        if len(digests) == 1 and "" not in digests
        else (
            "The trials are not known to be the same, so part of the difference may lie in the test and not in the systems.",
        )
    )
    same = (
        ()
        if apart
        else ("Their intervals overlap or are missing: a paired comparison on the same trials can tell more.",)
    )
    return Verdict(
        "compared" if apart else "unclear",
        f"Of these {len(usable)}, {text}.",
        numbers + same + unequal + dropped,
        basis,
    )


def _apart(least: Series, most: Series) -> bool:
    high, low = least.result["measures"]["d_ece"].get("high"), most.result["measures"]["d_ece"].get("low")
    return high is not None and low is not None and high < low
