"""What stands in place of a score: infinity, a mark of failure, a filler."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

import numpy as np

from stripeless.assessment.doctor.runs import Finite, Spike, next_value, spike_at, spikes
from stripeless.measures.shown import percent
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import SURE

FILLED = 0.1  # share of a class at one exact value from which it is a filler
FAILED = 3  # trials at one far value: once or twice may be an accident
UNREADABLE = 0.2  # share of a class that failed, more than chance allows, from which the other class decides nothing


def infinite_scores(scores: Finite) -> Finding | None:
    """Infinite scores: legal, and certain; a caution where certainty is on the wrong side."""
    (low_t, low_n), (high_t, high_n) = scores.lowest, scores.highest
    if not (low_t or low_n or high_t or high_n):
        return None
    wrong = low_t or high_n
    told = "; ".join(
        f"{sign} infinity in {targets:,} target and {nontargets:,} nontarget trials"
        for sign, targets, nontargets in (("minus", low_t, low_n), ("plus", high_t, high_n))
        if targets or nontargets
    )
    meaning = (
        "Targets at minus infinity and nontargets at plus infinity are certain and wrong: did a comparison fail there?"
        if wrong
        else "They rank below or above all others, and are as good as any score if the comparison meant it."
    )
    return Finding("infinite_scores", "caution" if wrong else "remark", f"Scores are infinite: {told}. {meaning}")


def failed_scores(scores: Finite, ends: tuple[Spike, ...]) -> Finding | None:
    """A value that several trials share, far from all others: what a program writes where a comparison failed."""
    if not ends:
        return None
    targets, nontargets = sum(end.targets for end in ends), sum(end.nontargets for end in ends)
    failed = targets / scores.target.size, nontargets / scores.nontarget.size
    values = " or ".join(f"{end.value:g}" for end in ends)
    unreadable = max(failed) >= UNREADABLE and _uneven(scores, targets, nontargets)
    return Finding(
        "failed_scores",
        "serious" if unreadable else "caution",
        f"{targets:,} target and {nontargets:,} nontarget trials score {values}, far from all others: probably a mark for a "
        f"comparison that failed ({percent(failed[0])} of the targets, {percent(failed[1])} of the nontargets). A failure is "
        "no evidence of privacy. Score these trials, or leave them out of trials and scores and count them (--allow-missing).",
    )


def _uneven(scores: Finite, targets: int, nontargets: int) -> bool:
    """Whether one class has more of them than chance explains."""
    from scipy.stats import fisher_exact

    table = [[targets, scores.target.size - targets], [nontargets, scores.nontarget.size - nontargets]]
    return float(fisher_exact(table).pvalue) < SURE


def far_ends(scores: Finite, above: bool) -> tuple[Spike, ...]:
    """The lowest and, where asked for, the highest value, if several trials share it and it lies far from all others."""
    both = np.concatenate([values[[0, -1]] for values in (scores.target, scores.nontarget)])
    ends = [(spike_at(scores, float(both.min())), True)]
    if above:
        ends.append((spike_at(scores, float(both.max())), False))
    return tuple(end for end, lowest in ends if end.trials >= FAILED and _is_far(scores, end, lowest))


def _is_far(scores: Finite, end: Spike, lowest: bool) -> bool:
    """Further from the next value than nearly all other scores spread."""
    nearest = next_value(scores, end.value, lowest)
    return nearest is not None and abs(nearest - end.value) > range_without(scores, end, lowest)


def range_without(scores: Finite, end: Spike, lowest: bool) -> float:
    """From the lowest to the highest score of either class, one in a hundred left out at both ends, without an end value."""
    low, high = np.inf, -np.inf
    for values, same in ((scores.target, end.targets), (scores.nontarget, end.nontargets)):
        rest = values[same:] if lowest else values[: values.size - same]
        if rest.size:
            low = min(low, float(rest[rest.size // 100]))
            high = max(high, float(rest[rest.size - 1 - rest.size // 100]))
    return max(0.0, high - low)


def filler_score(scores: Finite, told: Sequence[float]) -> Finding | None:
    """One exact value in a large share of a class while the others are continuous; not a value that was told of."""
    found = [
        one for one in spikes(scores, FILLED) if not any(isclose(one.value, value, rel_tol=1e-6) for value in told)
    ]
    if not found:
        return None
    spike = found[0]
    shares = spike.targets / scores.target.size, spike.nontargets / scores.nontarget.size
    return Finding(
        "filler_score",
        "caution",
        f"{percent(shares[0])} of the targets and {percent(shares[1])} of the nontargets score exactly {spike.value:.6g}, while "
        "the other scores are continuous: a filler for trials that were never compared, or the end of a scale that was cut. "
        "Such trials tell nobody apart, and look like privacy.",
    )
