"""What calibration says: scores that are not the log-likelihood ratios Cllr takes them for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripeless.assessment.doctor.values import number
from stripeless.verdicts.finding import Finding

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment

WASTED = 0.1  # bits that recalibration would save, above which the scores are not log-likelihood ratios


def not_calibrated(result: Assessment, llr: bool) -> Finding | None:
    """Serious only where the scores claim to be log-likelihood ratios (`llr`); cosines never are."""
    cost, least = number(result, "cllr"), number(result, "cllr_min")
    if not cost - least > WASTED:
        return None
    return Finding(
        "not_llr",
        "serious" if llr else "remark",
        f"Cllr is {cost:.3g} bit where {least:.3g} is possible: these scores are not calibrated log-likelihood ratios. "
        "Read Cllr_min instead, or calibrate on other speakers first (fit_logistic_calibration).",
    )
