"""Recordings compared with themselves: one exact top value in a part of the targets."""

from __future__ import annotations

import numpy as np

from stripeless.assessment.doctor.fillers import far_ends, range_without
from stripeless.assessment.doctor.runs import Finite, Spike, count, next_value, spike_at, towering
from stripeless.measures.shown import percent
from stripeless.verdicts.finding import Finding

SOME = 4  # targets at the top value, and their share
SHARE = 0.02
MOST = 0.5  # from which the figures are about nothing else
SAME = 1e-6  # by which the similarity of a recording with itself may differ from one
STANDS_OUT = 0.5  # of the standard deviation of the other targets: how far below the top the next one lies
CUT = 5  # trials at the lowest value: then the scale was cut at both ends, and the top means "very sure"
ABSURD = 100  # times the range of all other scores is no similarity, but a mark of failure


def self_comparison(scores: Finite) -> tuple[Finding, float] | None:
    """Targets that all have the top score, which no nontarget reaches; with that score."""
    top = _top_of_targets(scores)
    if top is None:
        return None
    share = top.targets / scores.target.size
    so = "So the figures are about copies" if share >= MOST else "They are recognized whatever was done to the speech"
    finding = Finding(
        "self_comparison",
        "serious",
        f"{top.targets:,} target trials ({percent(share)}) score {top.value:.6g}, which no nontarget reaches, and the next "
        f"target lies well below: a recording was probably compared with itself, or with a copy. {so}: leave them out.",
    )
    return finding, top.value


def _top_of_targets(scores: Finite) -> Spike | None:
    value = float(scores.target[-1])
    reach = SAME * max(1.0, abs(value))
    top = Spike(value, count(scores.target, value, reach), count(scores.nontarget, value, reach))
    if top.targets < max(SOME, SHARE * scores.target.size) or top.nontargets or value < scores.nontarget[-1]:
        return None
    if not towering(scores, top, reach) or not _stands_out(scores, top) or _cut_below(scores):
        return None
    below = next_value(scores, value - reach, False)
    absurd = below is not None and value - below > ABSURD * range_without(scores, top, lowest=False)
    return None if absurd else top


def _stands_out(scores: Finite, top: Spike) -> bool:
    """Is there a gap below the top? The next score of the same class tells; where there is none, of the other."""
    others = scores.target[: scores.target.size - top.targets]
    others = others if others.size > 1 else scores.nontarget
    return bool(top.value - others[-1] > STANDS_OUT * np.std(others[:: max(1, others.size // 4096)]))


def _cut_below(scores: Finite) -> bool:
    """Many trials share the lowest value, near the others: rounded probabilities, sure at either end."""
    lowest = spike_at(scores, float(min(scores.target[0], scores.nontarget[0])))
    return lowest.trials >= CUT and lowest not in far_ends(scores, above=False)
