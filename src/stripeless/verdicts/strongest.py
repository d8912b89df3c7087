"""Who learns most: the attacker that a system is judged by. The only rule for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stripeless.verdicts.judged import Judged, limits, number
from stripeless.verdicts.leak import broken, codes, shows_leak

TOLERANCE = 1.1  # times another's expected disclosure, beyond which one is larger where no interval says so
StrongestBy = Literal["d_ece", "eer", "linkability", "cllr_min"]


def strongest_of(subjects: Sequence[Judged], by: StrongestBy = "d_ece") -> int:
    """Place of the attacker who learns most for sure.

    Who shows a leak comes before who does not, and among the latter enough trials before few; then the private end of
    the interval decides, because pool adjacent violators flatters small samples.
    """

    def rank(subject: Judged) -> tuple[bool, bool, float, float]:
        sign = -1.0 if by in subject.measures and subject.measures[by].info.private_end == "high" else 1.0
        value, (low, high) = number(subject, by), limits(subject, by)
        end = high if sign < 0 else low
        leaks = not broken(subject.warnings) and shows_leak(subject)
        known = float("-inf") if value is None else sign * value
        enough = leaks or "few_trials" not in codes(subject)
        return leaks, enough, known if end is None else sign * end, known

    return max(range(len(subjects)), key=lambda k: rank(subjects[k]))


def learns_more(subject: Judged, other: Judged) -> bool:
    """Whether one discloses more than the other for sure: intervals apart, or, without intervals, a tenth more."""
    mine, theirs = number(subject, "d_ece") or 0.0, number(other, "d_ece") or 0.0
    low, high = limits(subject, "d_ece")[0], limits(other, "d_ece")[1]
    return mine > theirs and (mine > TOLERANCE * theirs if low is None or high is None else low > high)
