"""Stored results compared over people: their values per speaker are as good as trials, where the trials are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stripeless.measures.more_private import how_private
from stripeless.measures.uncertainty.paired import Difference
from stripeless.measures.uncertainty.rank_tests import rank_sum, signed_rank
from stripeless.results.assessment import Assessment
from stripeless.results.comparison import Stated, names_of
from stripeless.scores.check import FloatArray
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import LEVEL
from stripeless.verdicts.strongest import strongest_of

SPEAKER = "speaker"  # the label by which results hold their values per person
LEAST = 6  # people from which signed ranks can show anything at 5 %
MEASURES = ("eer", "d_ece")
Differences = Mapping[str, Mapping[str, Difference]]


def compare_by_person(
    results: Sequence[Assessment], verdicts: Sequence[Stated]
) -> tuple[Differences, tuple[Finding, ...]]:
    """The first system against each other one, each by its strongest attacker, over the speakers of both.

    Returns:
        Differences as of `compare_pairs`, and a finding that says why there are none.
    """
    leaders = list(dict.fromkeys(leader for one in verdicts if (leader := leader_of(one, results)) is not None))
    names = names_of(results)
    if len(leaders) < 2:
        return {}, ()
    first, *others = leaders
    found: dict[str, Mapping[str, Difference]] = {}
    reasons = []
    for other in others:
        reason = why_not(results[first], results[other])
        if reason:
            reasons.append(f"{names[first]} and {names[other]}: {reason}")
            continue
        rows = {name: difference_of(name, results[first], results[other]) for name in MEASURES}
        found[f"{names[first]} - {names[other]}"] = {name: row for name, row in rows.items() if row is not None}
    if not reasons:
        return found, ()
    said = f"Not compared over speakers, so only their intervals can tell. {'; '.join(reasons)}."
    return found, (Finding("not_paired", "remark", said),)


def leader_of(one: Stated, results: Sequence[Assessment]) -> int | None:
    """The place of the strongest attacker on a system; None where a result holds unprotected speech only."""
    attackers = [k for k in one.places if results[k].attacker != "original"]
    return attackers[strongest_of([results[k] for k in attackers])] if attackers else None


def why_not(first: Assessment, second: Assessment) -> str:
    """Why two results cannot be compared over their speakers; empty where they can."""
    if not first.trial_digest or first.trial_digest != second.trial_digest:
        return "their trials are not known to be the same"
    shared = [shared_values(name, first, second)[0].size for name in MEASURES]
    if not max(shared):
        return "they hold no values per speaker (assess --by speaker, or give the score files)"
    if max(shared) < LEAST:
        return f"{max(shared)} speakers have values in both, and it takes {LEAST}"
    return ""


def values_by_person(result: Assessment, measure: str) -> dict[str, float]:
    """The value of a measure for each speaker who has one."""
    people = result.groups.get(SPEAKER, {})
    found = {name: group.measures.get(measure) for name, group in people.items()}
    return {name: one.number for name, one in found.items() if one is not None and one.value is not None}


def shared_values(measure: str, first: Assessment, second: Assessment) -> tuple[FloatArray, FloatArray]:
    """The values of both for the speakers who have one in both, in the order of their names."""
    mine, theirs = values_by_person(first, measure), values_by_person(second, measure)
    people = sorted(set(mine) & set(theirs))
    return np.array([mine[one] for one in people]), np.array([theirs[one] for one in people])


def difference_of(measure: str, first: Assessment, second: Assessment) -> Difference | None:
    """The mean difference over speakers with Student's interval, and p by Wilcoxon's signed ranks.

    A few people who differ much move the mean one way, and many who differ little the ranks another. So one of the two is
    the more private only where p is small, the interval leaves 0 out, and the ranks point to where the mean points.
    """
    from scipy.special import stdtrit

    mine, theirs = shared_values(measure, first, second)
    apart = mine - theirs
    if apart.size < LEAST:
        return None
    means = float(mine.mean()), float(theirs.mean())
    mean = float(apart.mean())
    reach = float(stdtrit(apart.size - 1, 1 - LEVEL / 2) * apart.std(ddof=1) / np.sqrt(apart.size))
    p = signed_rank(apart)
    told = p <= LEVEL and abs(mean) > reach and mean * rank_sum(apart) > 0
    private = [how_private(measure, value) or 0.0 for value in means]
    better = 0 if not told or private[0] == private[1] else 1 if private[0] > private[1] else 2
    return Difference(measure, *means, mean, mean - reach, mean + reach, p, better, "speakers", 0)
