"""What the list of trials does to the scores: trials listed several times, and decisions in place of scores."""

from __future__ import annotations

from typing import Literal

import numpy as np

from stripeless.assessment.doctor.runs import Finite, few_values
from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.finding import Finding

Side = Literal["target", "nontarget"]
PER_VALUE = 10  # trials for each different value: fewer are a small test, not decisions
WINDOWS, WINDOW = 8, 1 << 14  # stretches of ascending scores that are looked at where there are many
DIFFERENT = 30  # different values that a class must show before anything is said about how often each occurs
ALIKE = 0.6  # share of them with one multiplicity; rounding, whose multiplicities are Poisson, reaches 0.33
DIVISIBLE = 0.9  # share of them whose multiplicity is a multiple; rounding reaches 0.5
MOST = 0.5  # share of the trials
STEEP = 5  # a multiplicity this many times as frequent as those beside it is no rounding either


def few_distinct_scores(scores: Finite) -> Finding | None:
    """A handful of different values: decisions, not scores. One single value is another finding."""
    several = few_values(scores)
    if several is None or several < 2 or scores.target.size + scores.nontarget.size < PER_VALUE * several:
        return None
    what = "two values: a decision, not a score" if several == 2 else f"{several} different values"
    return Finding(
        "few_distinct_scores",
        "caution",
        f"The scores hold only {what}. What an attacker knew beyond that was thrown away, so every measure understates the "
        "leak, and the equal error rate lies between the values. Write the scores before the decision.",
    )


def repeated_trials(scores: Finite, trials: TrialScores | None) -> Finding | None:
    """Most trials of a class are listed several times: by how often exact values occur, or values of one pair of people."""
    if not scores.enough:
        return None
    found: dict[Side, int] = {}
    sides: tuple[Side, ...] = ("target", "nontarget")
    for side in sides:
        values = scores.target if side == "target" else scores.nontarget
        times = multiplicities(values)
        often = listed_times(times) or listed_times(_of_pairs(values, times, trials, side))
        if often is not None:
            found[side] = often
    if not found:
        return None
    told = " and ".join(f"most {side} trials {often} times" for side, often in found.items())
    return Finding(
        "repeated_trials",
        "caution",
        f"By their exact scores, {told} are listed. Copies add no evidence: counts, the reach, and intervals and tests that "
        "take trials one by one promise too much. List each trial once; of a symmetric comparison, one direction.",
    )


def multiplicities(values: FloatArray) -> IntArray:
    """How often each different value occurs; of many scores, those in a few stretches, their cut ends left out."""
    if values.size <= WINDOWS * WINDOW:
        return _lengths(values)
    starts = np.linspace(0, values.size - WINDOW, WINDOWS).astype(np.int64)
    return np.concatenate([_lengths(values[start : start + WINDOW])[1:-1] for start in starts])


def _lengths(values: FloatArray) -> IntArray:
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    return np.asarray(np.diff(ends, prepend=-1), dtype=np.int64)


def listed_times(times: IntArray | None) -> int | None:
    """How often trials are listed, if these multiplicities say so beyond what rounding does; else None."""
    if times is None or times.size < DIFFERENT or times.max() < 2:
        return None
    most = int(times.max())
    counts = np.bincount(np.minimum(times, WINDOW))
    often = int(np.argmax(counts[2:])) + 2
    beside = int(counts[often - 1]) + int(counts[often + 1 : often + 2].sum())
    steep = counts[often] >= STEEP * max(1, beside) and often * counts[often] >= MOST * times.sum()
    if counts[often] >= ALIKE * times.size or steep:
        return often
    whole = [k for k in range(2, min(most, 200) + 1) if np.count_nonzero(times % k == 0) >= DIVISIBLE * times.size]
    return max(whole, default=None)


def _of_pairs(values: FloatArray, times: IntArray, trials: TrialScores | None, side: Side) -> IntArray | None:
    """How often one pair of people has one score, where rounding alone makes scores equal; None where nobody is named."""
    named = None if trials is None else (trials.enrollment_speakers, trials.trial_speakers)
    if trials is None or named is None or named[0] is None or named[1] is None:
        return None
    if times.size < DIFFERENT or np.count_nonzero(times > 1) < MOST * times.size:
        return None
    scores = trials.target if side == "target" else trials.nontarget
    first, second = (getattr(factor, side) for factor in named)
    if values.size > WINDOWS * WINDOW:  # the middle stretch, with all trials of each of its values
        middle = (values.size - WINDOWS * WINDOW) // 2
        inside = (scores >= values[middle]) & (scores <= values[middle + WINDOWS * WINDOW - 1])
        scores, first, second = scores[inside], first[inside], second[inside]
    order = np.lexsort((scores, second, first))
    rows = [part[order] for part in (first, second, scores)]
    new = np.logical_or.reduce([part[1:] != part[:-1] for part in rows])
    ends = np.flatnonzero(np.append(new, True))
    return np.asarray(np.diff(ends, prepend=-1), dtype=np.int64)
