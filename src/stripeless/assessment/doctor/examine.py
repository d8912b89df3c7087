"""The doctor: looks at a result as a suspicious colleague would, and speaks up in plain words."""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, sqrt
from typing import TYPE_CHECKING

from stripeless.measures.catalog import FALSE_ALARM_RATES
from stripeless.measures.low_false_alarm import low_false_alarm_of
from stripeless.measures.one_pass import ScorePass
from stripeless.measures.zebra import category_of
from stripeless.scores.trials import MissingTrials
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import SURE

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment

FEW_TRIALS = 100
FEW_SPEAKERS = 20
FEW_ERRORS = 30  # Doddington's rule: with 30 errors the rate is within 30 % with 90 % confidence
VERY_FEW = 10  # trials of a class below which nothing is said about direction or chance
CLEARLY_SWAPPED = 0.6  # an EER that no likeness of a speaker's trials explains


def examine(result: Assessment, scores: ScorePass, *, llr: bool) -> tuple[Finding, ...]:
    """Every finding about one result, the serious ones first."""
    checks: tuple[Callable[[], Finding | None], ...] = (
        lambda: _constant(scores),
        lambda: _direction(result, scores),
        lambda: _missing(result.missing, result.n_target, result.n_nontarget),
        lambda: _not_llr(result, llr),
        lambda: _few_trials(result),
        lambda: _few_speakers(result),
        lambda: _at_reach(result),
    )
    findings = [finding for check in checks if (finding := check()) is not None]
    order = {"serious": 0, "caution": 1, "remark": 2}
    return tuple(sorted(findings, key=lambda finding: order[finding.severity]))


def _value(result: Assessment, name: str) -> float:
    value = result.measures[name].value
    return float(value) if isinstance(value, float) else float("nan")


def _constant(scores: ScorePass) -> Finding | None:
    first = scores.target[0]
    if not (scores.target[-1] == first == scores.nontarget[0] == scores.nontarget[-1]):
        return None
    return Finding(
        "constant",
        "serious",
        f"Every score is {first:g}. The attacker did not run, or the file holds no scores: this is silence, not privacy.",
    )


def rank_p_value(scores: ScorePass) -> tuple[float, float]:
    """Share of pairs in the right order (AUC), and a two-sided p-value of its being one half by chance."""
    x, y = scores.stairs.shares
    below = y.cumsum() - y / 2
    auc = float(x @ below)
    n_t, n_n = scores.stairs.n_target, scores.stairs.n_nontarget
    spread = sqrt((n_t + n_n + 1) / (12 * n_t * n_n))
    return auc, erfc(abs(auc - 0.5) / spread / sqrt(2))


def _direction(result: Assessment, scores: ScorePass) -> Finding | None:
    """Do the scores point the right way, the wrong way, or nowhere; and does the EER hide that some are recognized?"""
    if scores.target[0] == scores.target[-1] == scores.nontarget[0] == scores.nontarget[-1]:
        return None  # constant scores are said elsewhere
    measure, value = result.measures["eer"], _value(result, "eer")
    auc, p = rank_p_value(scores)
    low, high = measure.low, measure.high
    if isinstance(low, float) and isinstance(high, float):
        above, level = low > 0.5, low <= 0.5 <= high
    else:
        above, level = auc < 0.5 and p < SURE and value > 0.5, p >= SURE
    tail = recognized_tail(result, scores)
    if tail is not None and (above or level):
        return Finding(
            "tail_leak",
            "caution",
            f"The EER ({_percent(value)}) hides a leak: {tail}. Most targets cannot be told from strangers, but these can.",
        )
    if above:
        return _swapped(result, value)
    if level and min(result.n_target, result.n_nontarget) >= VERY_FEW:
        return Finding(
            "chance",
            "caution",
            f"This attacker cannot be told from one who guesses (EER {_percent(value)}). That is privacy only if the attacker "
            "is good: check that original speech is recognized, and that the attacker knows the anonymizer.",
        )
    return None


def _swapped(result: Assessment, value: float) -> Finding:
    over_people = result.intervals is not None and result.intervals.unit == "speakers"
    surely = over_people or value > CLEARLY_SWAPPED
    doubt = (
        "" if surely else " If trials of one speaker are alike, chance may do that too: name the speakers to be sure."
    )
    return Finding(
        "signs_swapped",
        "serious" if surely else "caution",
        f"The EER is {_percent(value)}, above 50 % by more than chance: targets score lower than nontargets. Swapped labels or "
        f"a distance in place of a similarity would do that; an attacker need only turn the sign to profit.{doubt}",
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
            return f"{_percent(measure.value)} of the targets are recognized at {100 * rate:g} % false alarms"
    return None


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _missing(missing: MissingTrials, n_target: int, n_nontarget: int) -> Finding | None:
    if not missing.any:
        return None
    from scipy.stats import fisher_exact

    lost = f"{missing.targets:,} target and {missing.nontargets:,} nontarget trials have no score"
    if missing.scores:
        lost += f", {missing.scores:,} scores have no trial"
    p = float(fisher_exact([[missing.targets, n_target], [missing.nontargets, n_nontarget]]).pvalue)
    if p < SURE:
        more = "target" if missing.targets * n_nontarget > missing.nontargets * n_target else "nontarget"
        return Finding(
            "missing_unbalanced",
            "serious",
            f"{lost}, and {more} trials are missing more often than chance explains (p = {p:.1g}): what failed is related "
            "to who speaks, so the result is biased. Score the missing trials before believing it.",
        )
    return Finding("missing", "caution", f"{lost}; they were left out on request.")


def _not_llr(result: Assessment, llr: bool) -> Finding | None:
    cost, least = _value(result, "cllr"), _value(result, "cllr_min")
    if not cost - least > 0.1:
        return None
    return Finding(
        "not_llr",
        "serious" if llr else "remark",
        f"Cllr is {cost:.3g} bit where {least:.3g} is possible: these scores are not calibrated log-likelihood ratios. "
        "Read Cllr_min instead, or calibrate on other speakers first (fit_logistic_calibration).",
    )


def _few_trials(result: Assessment) -> Finding | None:
    fewest = min(result.n_target, result.n_nontarget)
    which = "target" if result.n_target <= result.n_nontarget else "nontarget"
    errors = _value(result, "eer") * fewest
    if fewest < FEW_TRIALS:
        return Finding(
            "few_trials",
            "caution",
            f"Only {fewest} {which} trials: no claim of privacy stands on so few. {FEW_TRIALS} are a start.",
        )
    if errors < FEW_ERRORS:
        return Finding(
            "few_errors",
            "remark",
            f"The EER rests on about {errors:.0f} errors among the {which} trials; below {FEW_ERRORS} its size is uncertain.",
        )
    return None


def _few_speakers(result: Assessment) -> Finding | None:
    if result.n_speakers is None:
        return Finding(
            "speakers_unknown",
            "remark",
            "No speakers are named, so intervals draw trials and are too short where few speakers make up many trials. "
            "Name them (--utt2spk, or a file with speaker columns).",
        )
    if result.n_speakers < FEW_SPEAKERS:
        return Finding(
            "few_speakers",
            "caution",
            f"Only {result.n_speakers} speakers: what holds for them need not hold for the next one. "
            f"{FEW_SPEAKERS} are a start.",
        )
    return None


def _at_reach(result: Assessment) -> Finding | None:
    worst, reach = _value(result, "log10_lr"), result.measures["log10_lr"].reach
    if reach is None or worst <= 0 or category_of(worst) != category_of(reach):
        return None
    return Finding(
        "category_at_reach",
        "caution" if category_of(reach) in "0AB" or worst > reach - 0.1 else "remark",
        f"Category {category_of(worst)} is the worst that {result.n_target:,} target and {result.n_nontarget:,} nontarget trials "
        f"could show (log10 LR {worst:.2f} of at most {reach:.2f}): a larger test may find a worse one.",
    )
