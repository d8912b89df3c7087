"""Does a result show a leak? The only rule for it.

A leak is asserted on positive evidence only: an interval that leaves chance out, and an exact test that does not rely on the
interval. Few trials, failed intervals or a missing warning are no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor

from stripeless.measures.catalog import FALSE_ALARM_RATES
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.judged import Judged, limits, number

SURE = 0.001  # a p-value below which chance is no longer an excuse; strict, because trials share speakers
TAIL = 0.025  # what a 95 % interval leaves on one side
_EDGE = 1e-9  # counts come from shares; rounding must not lose a trial
_HARMLESS = frozenset({"not_llr"})  # serious for Cllr alone; everything by rank order still stands


def codes(subject: Judged) -> set[str]:
    """What the doctor found, by code."""
    return {finding.code for finding in subject.warnings}


def broken(findings: Iterable[Finding]) -> bool:
    """Whether a finding forbids reading the numbers as privacy."""
    return any(f.severity == "serious" and f.code not in _HARMLESS for f in findings)


def eer_p_value(eer: float, n_target: int, n_nontarget: int) -> float:
    """Chance of an EER this low or lower if every order of the scores were equally likely.

    The ROC passes above (eer, 1 - eer) exactly when the best (1 - eer) n_target + eer n_nontarget scores hold at least
    (1 - eer) n_target targets, which is hypergeometric.

    >>> round(eer_p_value(0.0, 2, 2), 4)
    0.1667
    """
    best = round((1 - eer) * n_target + eer * n_nontarget)
    return _at_least(ceil((1 - eer) * n_target - _EDGE), best, n_target, n_nontarget)


def hit_p_value(hit_rate: float, false_alarm_rate: float, n_target: int, n_nontarget: int) -> float:
    """Chance of this many targets above the threshold of this false-alarm rate, if every order were equally likely.

    >>> round(hit_p_value(0.1, 0.01, 100, 1000), 6)
    2e-06
    """
    hits = ceil(hit_rate * n_target - _EDGE)
    return _at_least(hits, hits + floor(false_alarm_rate * n_nontarget + _EDGE), n_target, n_nontarget)


def _at_least(targets: int, best: int, n_target: int, n_nontarget: int) -> float:
    """Chance that the `best` scores of all hold at least so many targets."""
    from scipy.stats import hypergeom

    return float(hypergeom.sf(targets - 1, n_target + n_nontarget, n_target, best))


def recognized_at(subject: Judged) -> str:
    """The hit rate that is above chance beyond doubt, the mildest first; an empty text where there is none."""
    known = [name for name in FALSE_ALARM_RATES if number(subject, name) is not None]
    sure = next((name for name in known if _hits_stand(subject, name)), "")
    if sure or "tail_leak" not in codes(subject) or not known:
        return sure
    return max(known, key=lambda name: (number(subject, name) or 0.0) / FALSE_ALARM_RATES[name])


def _hits_stand(subject: Judged, name: str) -> bool:
    """Whether both the interval and the exact test exclude chance."""
    value, rate = number(subject, name), FALSE_ALARM_RATES[name]
    low, _ = limits(subject, name)
    if value is None or (low is None and subject.intervals):
        return False
    p = hit_p_value(value, rate, subject.n_target, subject.n_nontarget)
    return p < SURE and (low is None or low > rate)


def below_chance(subject: Judged) -> bool:
    """Whether the EER is below 50 % by more than chance."""
    eer, (_, high), found = number(subject, "eer"), limits(subject, "eer"), codes(subject)
    if eer is None or eer >= 0.5 or "chance" in found:
        return False
    if subject.intervals and (high is None or high >= 0.5):
        return False
    loose = high is not None and "few_trials" not in found
    return eer_p_value(eer, subject.n_target, subject.n_nontarget) < (TAIL if loose else SURE)


def shows_leak(subject: Judged) -> bool:
    """Whether an attacker does better than guessing beyond doubt, on average or for some targets."""
    return bool(recognized_at(subject)) or below_chance(subject)
