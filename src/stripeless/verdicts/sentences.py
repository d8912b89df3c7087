"""Sentences about the numbers of one attacker, beside those of unprotected data."""

from __future__ import annotations

from stripeless.measures.catalog import FALSE_ALARM_RATES, MEASURES
from stripeless.measures.shown import shown, shown_interval
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.judged import Judged, limits, number
from stripeless.verdicts.leak import codes
from stripeless.verdicts.strongest import learns_more
from stripeless.verdicts.words import ANYONE, CATEGORIES, WHO, of_100

MOST_ODDS = 12.0  # powers of ten: no data that fit into a computer show more


def telling_hits(subject: Judged) -> str:
    """The hit rate that lies farthest above chance."""
    rates = [(name, number(subject, name)) for name in FALSE_ALARM_RATES]
    above = [(value / FALSE_ALARM_RATES[name], name) for name, value in rates if value]
    ratio, name = max(above, default=(0.0, ""))
    return name if ratio > 1 else ""


def hit_sentence(subject: Judged, name: str) -> str:
    strangers = f"1 stranger in {round(1 / FALSE_ALARM_RATES[name]):,}"
    found = f"{who_of(subject)} recognizes the speaker in"
    return f"{found} {of_100(value_of(subject, name))} recordings, while mistaking {strangers}."


def hit_company(subject: Judged, ceiling: Judged | None, name: str) -> str:
    unprotected = ""
    if ceiling is not None and known(ceiling, name):
        unprotected = f", unprotected speech {of_100(value_of(ceiling, name))}"
    guessing = f"1 of {round(1 / FALSE_ALARM_RATES[name]):,}"
    hidden = ""
    if {"chance", "tail_leak", "signs_swapped"} & codes(subject) or value_of(subject, "eer") >= 0.5:
        hidden = " The equal error rate hides this: most people cannot be told from strangers, but these can."
    return f"{_hundredths(subject, name)}Guessing would find {guessing}{unprotected}.{hidden}"


def accuracy_company(subject: Judged, ceiling: Judged | None) -> str:
    unprotected = "" if ceiling is None else f", unprotected speech gives {of_100(1 - value_of(ceiling, 'eer'))}"
    right = of_100(1 - value_of(subject, "eer"))
    who = who_of(subject)
    return (
        f"Asked whether two recordings are of the same person, {who[0].lower()}{who[1:]} is right {right} times (guessing "
        f"yes or no: 50{unprotected})."
    )


def _hundredths(subject: Judged, name: str) -> str:
    """The interval as counts of a hundred, with its name; empty where there is none."""
    low, high = limits(subject, name)
    if low is None or high is None:
        return ""
    return f"95 % interval: {100 * low:.0f} to {100 * high:.0f} of 100. "


def share_sentence(subject: Judged, ceiling: Judged | None) -> str:
    """Expected disclosure as a share of what unprotected speech discloses, or of the most there is."""
    most = value_of(ceiling, "d_ece") if ceiling is not None else float(MEASURES["d_ece"].exposed or 1.0)
    share = value_of(subject, "d_ece") / most if most > 0 else float("inf")
    numbers = f"D_ECE {value_of(subject, 'd_ece'):.2f} of {most:.2f} bit"
    if share > 1 and ceiling is not None and not learns_more(subject, ceiling):
        return f"That is as much evidence as unprotected speech gives, as far as these trials can tell ({numbers})."
    if share > 1 and ceiling is not None:
        return (
            f"That is more evidence than unprotected speech gives ({numbers}), so the ceiling is none: check that it is "
            "of the same trials and that the recognizer works on original speech."
        )
    of = "unprotected speech gives" if ceiling is not None else "an attacker who is never wrong would get"
    return f"On average that is {100 * share:.0f} % of the evidence that {of} ({numbers})."


def worst_sentence(subject: Judged) -> str:
    category = subject.measures.get("category")
    tag = None if category is None or category.value is None else str(category.value)
    if tag is None or not known(subject, "log10_lr"):
        return ""
    odds = 10.0 ** min(value_of(subject, "log10_lr"), MOST_ODDS)
    about = f"{float(f'{odds:.2g}'):,.0f}" if odds >= 10 else f"{odds:.1f}"
    return f"The strongest single piece of evidence is about {about} to 1: category {tag}, {CATEGORIES.get(tag, '')}."


def who_of(subject: Judged) -> str:
    return WHO.get(subject.attacker, ANYONE)


def found_planted(evidence: Evidence) -> str:
    """Whether leaks of known size were found."""
    planted = evidence.planted
    if planted is None or not planted.plants:
        return "Whether this attack could have found a leak was not tested."
    return (
        f"A leak planted so that an ideal listener has an EER of {planted.eer:g} % was found {planted.found} of "
        f"{planted.plants} times."
    )


def by_luck(p: float | None) -> str:
    """What a p-value says, without the full stop.

    >>> by_luck(0.02)
    'Without a leak, so clear a sign would come up by luck with probability 0.02'
    """
    return f"Without a leak, so clear a sign would come up by luck with probability {shown_p(p)}"


def counted_in(attackers: int) -> str:
    """That the more are tried, the more often luck shows something, and that this is part of the probability."""
    return f"; that {attackers} attackers were tried is counted in" if attackers > 1 else ""


def luck_of_the_best(attackers: int, auc: float, corrected: float) -> str:
    """What the best of several owes to being the best."""
    return (
        f"The best of {attackers} attackers was in part lucky: AUC {auc:.3f} as measured, {max(0.5, corrected):.3f} with that "
        "luck taken off."
    )


def shown_p(p: float | None) -> str:
    """A chance with two digits, never as zero.

    >>> shown_p(0.0123), shown_p(0.5), shown_p(0.00001)
    ('0.012', '0.50', 'less than 0.001')
    """
    if p is None:
        return "unknown"
    if p < 0.001:
        return "less than 0.001"
    return f"{p:.2f}" if p >= 0.1 else f"{p:.2g}"


def known(subject: Judged, name: str) -> bool:
    """Whether a measure has a value."""
    return number(subject, name) is not None


def value_of(subject: Judged, name: str) -> float:
    """The value of a measure that is known to have one."""
    value = number(subject, name)
    return float("nan") if value is None else value


def with_interval(subject: Judged, name: str) -> str:
    """A measure with its interval, for a sentence."""
    measure = subject.measures[name]
    between = shown_interval(name, measure)
    return shown(name, measure.value) + (f" ({between})" if between else "")
