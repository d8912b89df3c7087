"""`examine` asks every family of findings about one result, and puts the serious ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripeless.assessment.doctor.calibration import not_calibrated
from stripeless.assessment.doctor.people import few_speakers
from stripeless.assessment.doctor.scores import constant_scores, direction, worst_at_reach
from stripeless.assessment.doctor.trials import few_trials, missing_trials
from stripeless.measures.one_pass import ScorePass
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.finding import Finding

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment


def examine(result: Assessment, scores: ScorePass, *, llr: bool) -> tuple[Finding, ...]:
    """Every finding about one result, the serious ones first. `llr`: the scores claim to be log-likelihood ratios."""
    found = (
        constant_scores(scores),
        direction(result, scores),
        missing_trials(result.missing, result.n_target, result.n_nontarget),
        not_calibrated(result, llr),
        few_trials(result),
        few_speakers(result),
        worst_at_reach(result),
    )
    return serious_first(finding for finding in found if finding is not None)
