"""Is the ceiling one? What a result says about the original speech it is held against."""

from __future__ import annotations

from math import sqrt

from stripeless.assessment.doctor.twins import find_twins
from stripeless.assessment.doctor.values import number
from stripeless.results.assessment import Assessment
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import shows_leak

CLEARLY = 0.02  # difference below which one is never called the ceiling of the other
BEYOND = 6.0  # standard errors of independent trials: three, doubled because trials of one person are alike


def examine_ceiling(result: Assessment, ceiling: Assessment) -> tuple[Finding, ...]:
    """Everything that speaks against this ceiling: the same file, other trials, or less disclosed than by the result."""
    twins = find_twins([result, ceiling])
    if twins:
        return tuple(twins)
    return tuple(finding for finding in (_other_trials(result, ceiling), below(result, ceiling)) if finding is not None)


def _other_trials(result: Assessment, ceiling: Assessment) -> Finding | None:
    sizes = [(part.n_target, part.n_nontarget) for part in (result, ceiling)]
    digests = [part.trial_digest for part in (result, ceiling)]
    if sizes[0] == sizes[1] and (not all(digests) or digests[0] == digests[1]):
        return None
    mine, theirs = (f"{target:,} + {nontarget:,}" for target, nontarget in sizes)
    how = f"{theirs} target + nontarget trials, not {mine}" if mine != theirs else "other names, or another order"
    return Finding(
        "other_trials",
        "caution",
        f"The original was not scored on the same trials ({how}): what separates the two may lie in the test. Read both with "
        "the same trial list.",
    )


def below(result: Assessment, ceiling: Assessment) -> Finding | None:
    """Says so where unprotected data disclose less than what should be protected."""
    if not discloses_less(ceiling, result):
        return None
    mine, theirs = (number(part, "d_ece") for part in (result, ceiling))
    return Finding(
        "ceiling_below",
        "caution",
        f"The original discloses less (D_ECE {theirs:.3f} bit) than the result that is held against it ({mine:.3f} bit), by more "
        "than chance explains: no ceiling. Were the files exchanged, or does the recognizer fail on original speech?",
    )


def discloses_less(ceiling: Assessment, result: Assessment) -> bool:
    """Whether chance is no excuse for the ceiling lying below the result.

    Where people were tested their limits decide. Where they were not, trials of one person may be alike: equal error rates
    must lie twice as far apart as independent trials would need.
    """
    mine, theirs = (_limits(part) for part in (result, ceiling))
    if mine is not None and theirs is not None:
        return shows_leak(result) and mine[0] > theirs[1]
    rates = number(result, "eer"), number(ceiling, "eer")
    gap, error = rates[1] - rates[0], sqrt(sum(variance_of_eer(part) for part in (result, ceiling)))
    return gap > max(CLEARLY, BEYOND * error) and 0.5 - rates[0] > BEYOND * sqrt(variance_of_eer(result))


def _limits(part: Assessment) -> tuple[float, float] | None:
    """95 % limits of how often the person scores above a stranger; None where people were not tested."""
    if part.evidence is None or part.evidence.method == "clusters" or not part.evidence.attackers:
        return None
    reached = part.evidence.attackers[0]
    return None if reached.low is None or reached.high is None else (reached.low, reached.high)


def variance_of_eer(part: Assessment) -> float:
    """Of the equal error rate, if trials were independent."""
    rate = number(part, "eer")
    return max(rate * (1 - rate), 1 / part.n_target) * (1 / part.n_target + 1 / part.n_nontarget)
