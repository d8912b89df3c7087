"""What an attacker reaches who must almost never be wrong: the hit rate at low false-alarm rates.

An EER of 0.4 can hide that one target in ten is recognized with near certainty. The hit rate at a false-alarm rate of
1, 0.1 or 0.01 % shows it, and bounds from below the privacy loss epsilon that any (epsilon, delta) promise would have
to admit: hit rate <= e^epsilon * false-alarm rate + delta. Both are 0 at best for privacy.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError, TooFewTrials
from stripeless.scores.check import check_scores
from stripeless.scores.staircase import Staircase, staircase

if TYPE_CHECKING:
    from stripeless.measures.one_pass import ScorePass

TRIALS_PER_FALSE_ALARM = 10  # a rate is shown only where this many false alarms are expected


@dataclass(frozen=True)
class LowFalseAlarm:
    """What is reached at the lowest threshold that keeps false alarms at or below the rate asked for.

    The limits (Clopper-Pearson, 95 %) take trials as independent: where a few speakers make up many trials, trust the
    bootstrap over speakers instead.

    Attributes:
        hit_rate: share of targets accepted, 0 to 1.
        hit_rate_low, hit_rate_high: limits of the hit rate.
        false_alarm_rate: share of nontargets accepted, at most the rate asked for.
        false_alarm_rate_high: upper limit of the false-alarm rate.
        epsilon: the privacy loss that the limits prove, in nats; 0 where they prove nothing.
    """

    hit_rate: float
    hit_rate_low: float
    hit_rate_high: float
    false_alarm_rate: float
    false_alarm_rate_high: float
    epsilon: float


def hit_rate(target: ArrayLike, nontarget: ArrayLike, *, false_alarm_rate: float) -> float:
    """Share of targets above the lowest threshold whose false-alarm rate does not exceed the one given.

    Needs ten nontargets per expected false alarm: 1,000 for 1 %.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
        false_alarm_rate: share of nontargets that may be accepted, between 0 and 1; 0.01 is 1 %.
    Returns:
        The share of targets accepted, 0 to 1; guessing reaches `false_alarm_rate`.

    >>> hit_rate(np.arange(100.0), np.arange(-950.0, 50.0), false_alarm_rate=0.01)
    0.6
    """
    return low_false_alarm(target, nontarget, false_alarm_rate=false_alarm_rate).hit_rate


def low_false_alarm(
    target: ArrayLike, nontarget: ArrayLike, *, false_alarm_rate: float, delta: float = 0.0
) -> LowFalseAlarm:
    """Hit rate at this false-alarm rate, and the privacy loss that it proves.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
        false_alarm_rate: share of nontargets that may be accepted, between 0 and 1; ten must be expected, so 0.01 takes
            1,000 nontargets.
        delta: the delta of an (epsilon, delta) promise, 0 to 1; 0 asks for pure epsilon.
    Returns:
        A `LowFalseAlarm`: both rates with their limits (95 %, trials taken as independent), and `epsilon` in nats.
    """
    if not 0 < false_alarm_rate < 1:
        raise InputError(f"false_alarm_rate: expected a number between 0 and 1, got {false_alarm_rate}")
    return low_false_alarm_of(staircase(*check_scores(target, nontarget)), false_alarm_rate, delta)


def check_enough(n_nontarget: float, rate: float) -> None:
    """Refuse a rate at which fewer than ten false alarms are expected."""
    needed = TRIALS_PER_FALSE_ALARM / rate
    if n_nontarget < needed * (1 - 1e-12):
        raise TooFewTrials(
            f"hit rate at {100 * rate:g} % false alarms: {n_nontarget:.0f} nontarget trials are too few; "
            f"{needed:.0f} are needed for ten expected false alarms"
        )


def hits_and_false_alarms(stairs: Staircase, rate: float) -> tuple[float, float]:
    """Targets and nontargets accepted at the lowest threshold that keeps false alarms at or below the rate."""
    accepted = stairs.n_nontarget - stairs.nontarget
    k = int(np.searchsorted(-accepted, -rate * stairs.n_nontarget * (1 + 1e-12)))
    return stairs.n_target - float(stairs.target[k]), float(accepted[k])


def hit_rate_of(rate: float, scores: ScorePass) -> float:
    """The hit rate of one pass at this false-alarm rate."""
    check_enough(scores.nontarget.size, rate)  # of the real trials; how many a resample drew is luck
    return hits_and_false_alarms(scores.stairs, rate)[0] / scores.stairs.n_target


def low_false_alarm_of(stairs: Staircase, rate: float, delta: float = 0.0, level: float = 0.95) -> LowFalseAlarm:
    """The same from a staircase. Thresholds inside a run of one class change nothing that helps the attacker."""
    check_enough(stairs.n_nontarget, rate)
    hits, alarms = hits_and_false_alarms(stairs, rate)
    low, high = clopper_pearson(hits, stairs.n_target, level)
    # The threshold follows the nontargets: the rate beyond it is that of an order statistic, whose limit is this one.
    _, alarm_high = clopper_pearson(alarms, stairs.n_nontarget, level)
    return LowFalseAlarm(
        hit_rate=hits / stairs.n_target,
        hit_rate_low=low,
        hit_rate_high=high,
        false_alarm_rate=alarms / stairs.n_nontarget,
        false_alarm_rate_high=alarm_high,
        epsilon=_epsilon(low, alarm_high, delta),
    )


def _epsilon(hit_rate_low: float, false_alarm_rate_high: float, delta: float = 0.0) -> float:
    """The privacy loss that these limits prove; 0 where they prove nothing."""
    return log(max(1.0, (hit_rate_low - delta) / false_alarm_rate_high))


def proven_epsilon(stairs: Staircase, rates: Collection[float], nontargets: int | None = None) -> float:
    """The largest privacy loss proven at any of these rates; the limits share 5 % among the rates that can be shown.

    `nontargets` decides which rates those are; by default the nontargets of the staircase.
    """
    enough = stairs.n_nontarget if nontargets is None else nontargets
    shown = [rate for rate in rates if enough >= TRIALS_PER_FALSE_ALARM / rate * (1 - 1e-12)]
    if not shown:
        check_enough(enough, max(rates))
    proven = []
    for rate in shown:
        hits, alarms = hits_and_false_alarms(stairs, rate)
        low, _ = clopper_pearson(hits, stairs.n_target, 1 - 0.05 / len(shown))
        _, high = clopper_pearson(alarms, stairs.n_nontarget, 1 - 0.05 / len(shown))
        proven.append(_epsilon(low, high))
    return max(proven)


def clopper_pearson(successes: float, trials: float, level: float = 0.95) -> tuple[float, float]:
    """Exact two-sided limits of a proportion.

    >>> [round(x, 4) for x in clopper_pearson(0, 30)]
    [0.0, 0.1157]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if successes <= 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes >= trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return low, high
