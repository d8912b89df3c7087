"""What the trials say: too few of them, too few errors among them, or some that have no score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripeless.assessment.doctor.values import number
from stripeless.scores.trials import MissingTrials
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import SURE

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment

FEW_TRIALS = 100
FEW_ERRORS = 30  # Doddington's rule: with 30 errors the rate is within 30 % with 90 % confidence


def missing_trials(missing: MissingTrials, n_target: int, n_nontarget: int) -> Finding | None:
    """Trials without a score; serious where those of one class are missing more often than chance explains."""
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


def few_trials(result: Assessment) -> Finding | None:
    """Too few trials for any claim, or too few errors for the size of the EER."""
    fewest = min(result.n_target, result.n_nontarget)
    which = "target" if result.n_target <= result.n_nontarget else "nontarget"
    errors = number(result, "eer") * fewest
    if fewest < FEW_TRIALS:
        return Finding(
            "few_trials",
            "caution",
            f"Only {fewest} {which} trials: rates and worst cases are uncertain with so few. {FEW_TRIALS} are a start.",
        )
    if errors < FEW_ERRORS:
        return Finding(
            "few_errors",
            "remark",
            f"The EER rests on about {errors:.0f} errors among the {which} trials; below {FEW_ERRORS} its size is uncertain.",
        )
    return None
