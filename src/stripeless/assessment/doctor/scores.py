"""What the scores themselves say: silence, the wrong way round, guessing, a hidden tail, a worst case at its reach."""

from __future__ import annotations

from math import erfc, sqrt
from typing import TYPE_CHECKING

from stripeless.assessment.doctor.values import number
from stripeless.measures.catalog import FALSE_ALARM_RATES
from stripeless.measures.low_false_alarm import low_false_alarm_of
from stripeless.measures.one_pass import ScorePass
from stripeless.measures.shown import percent
from stripeless.measures.zebra import category_of
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import SURE

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment

VERY_FEW = 10  # trials of a class below which nothing is said about direction or chance
CLEARLY_SWAPPED = 0.6  # an EER that no likeness of a speaker's trials explains
PEOPLE_APART = 2.0  # times the distance of the limit over people: about three standard errors


def constant_scores(scores: ScorePass) -> Finding | None:
    """Every score is the same: nobody attacked."""
    if not _is_constant(scores):
        return None
    return Finding(
        "constant",
        "serious",
        f"Every score is {scores.target[0]:g}. The attacker did not run, or the file holds no scores: this is silence, "
        "not privacy.",
    )


def _is_constant(scores: ScorePass) -> bool:
    return bool(scores.target[0] == scores.target[-1] == scores.nontarget[0] == scores.nontarget[-1])


def direction(result: Assessment, scores: ScorePass) -> Finding | None:
    """Do the scores point the right way, the wrong way, or nowhere; and does the EER hide that some are recognized?"""
    if _is_constant(scores):
        return None  # which is said elsewhere
    above, level = _above_or_level(result, scores)
    value = number(result, "eer")
    tail = recognized_tail(result, scores)
    if tail is not None and (above or level):
        return Finding(
            "tail_leak",
            "caution",
            f"The EER ({percent(value)}) hides a leak: {tail}. Most targets cannot be told from strangers, but these can.",
        )
    if above:
        return _swapped(result, value)
    if level and min(result.n_target, result.n_nontarget) >= VERY_FEW:
        return Finding(
            "chance",
            "caution",
            f"This attacker cannot be told from one who guesses (EER {percent(value)}). That is privacy only if the attacker "
            "is good: check that original speech is recognized, and that the attacker knows the anonymizer.",
        )
    return None


def _above_or_level(result: Assessment, scores: ScorePass) -> tuple[bool, bool]:
    """Whether the EER is above one half beyond chance, and whether it cannot be told from one half."""
    low, high = result.measures["eer"].low, result.measures["eer"].high
    if isinstance(low, float) and isinstance(high, float):
        return low > 0.5, low <= 0.5 <= high
    auc, p = rank_p_value(scores)
    return auc < 0.5 and p < SURE and number(result, "eer") > 0.5, p >= SURE


def rank_p_value(scores: ScorePass) -> tuple[float, float]:
    """Share of pairs in the right order (AUC), and a two-sided p-value of its being one half by chance."""
    x, y = scores.stairs.shares
    below = y.cumsum() - y / 2
    auc = float(x @ below)
    n_t, n_n = scores.stairs.n_target, scores.stairs.n_nontarget
    spread = sqrt((n_t + n_n + 1) / (12 * n_t * n_n))
    return auc, erfc(abs(auc - 0.5) / spread / sqrt(2))


def _swapped(result: Assessment, value: float) -> Finding:
    over_people = result.intervals is not None and result.intervals.unit == "speakers"
    surely = (over_people or value > CLEARLY_SWAPPED) and _people_agree(result)
    doubt = (
        "" if surely else " If trials of one speaker are alike, chance may do that too: name the speakers to be sure."
    )
    return Finding(
        "signs_swapped",
        "serious" if surely else "caution",
        f"The EER is {percent(value)}, above 50 % by more than chance: targets score lower than nontargets. Swapped labels or "
        f"a distance in place of a similarity would do that; an attacker need only turn the sign to profit.{doubt}",
    )


def _people_agree(result: Assessment) -> bool:
    """Whether, where people are named, the limit over them lies below guessing by twice its distance from the value."""
    if result.evidence is None or result.evidence.method == "clusters":
        return True  # nobody is named
    return all(
        one.auc is None or one.high is None or one.auc + PEOPLE_APART * (one.high - one.auc) < 0.5
        for one in result.evidence.attackers
    )


def recognized_tail(result: Assessment, scores: ScorePass) -> str | None:
    """A hit rate that is above chance beyond doubt, in words, or None."""
    for name, rate in FALSE_ALARM_RATES.items():
        measure = result.measures[name]
        if not isinstance(measure.value, float):
            continue
        low = measure.low
        if not isinstance(low, float):
            low = low_false_alarm_of(scores.stairs, rate, level=1 - SURE).hit_rate_low
        if low > 2 * rate:  # twice chance, so that nothing hangs on the last trial
            return f"{percent(measure.value)} of the targets are recognized at {100 * rate:g} % false alarms"
    return None


def worst_at_reach(result: Assessment) -> Finding | None:
    """The worst case is as bad as so many trials can show: the true one may be worse."""
    worst, reach = number(result, "log10_lr"), result.measures["log10_lr"].reach
    if reach is None or worst <= 0 or category_of(worst) != category_of(reach):
        return None
    return Finding(
        "category_at_reach",
        "caution" if category_of(reach) in "0AB" or worst > reach - 0.1 else "remark",
        f"Category {category_of(worst)} is the worst that {result.n_target:,} target and {result.n_nontarget:,} nontarget trials "
        f"could show (log10 LR {worst:.2f} of at most {reach:.2f}): a larger test may find a worse one.",
    )
