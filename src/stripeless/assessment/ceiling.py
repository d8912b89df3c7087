"""Is the ceiling one? What a result says about the original speech it is held against."""

from __future__ import annotations

from stripeless.assessment.doctor.twins import find_twins
from stripeless.results.assessment import Assessment
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import shows_leak
from stripeless.verdicts.strongest import learns_more


def examine_ceiling(result: Assessment, ceiling: Assessment) -> tuple[Finding, ...]:
    """Everything that speaks against this ceiling: the same file, other trials, or less disclosed than by the result."""
    twins = find_twins([result, ceiling])
    if twins:
        return tuple(twins)
    return tuple(
        finding for finding in (_other_trials(result, ceiling), _below(result, ceiling)) if finding is not None
    )


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


def _below(result: Assessment, ceiling: Assessment) -> Finding | None:
    mine, theirs = (float(part["d_ece"] or 0.0) for part in (result, ceiling))
    if not learns_more(result, ceiling) or not shows_leak(result):
        return None
    return Finding(
        "ceiling_below",
        "caution",
        f"The original discloses less (D_ECE {theirs:.3f} bit) than the result that is held against it ({mine:.3f} bit): no "
        "ceiling. Were the files exchanged, or does the recognizer fail on original speech?",
    )
