"""`examine` asks every family of findings about one result, and puts the serious ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stripeless.assessment.doctor.calibration import not_calibrated
from stripeless.assessment.doctor.composition import uneven_composition
from stripeless.assessment.doctor.exposed import exposed_group
from stripeless.assessment.doctor.fillers import failed_scores, far_ends, filler_score, infinite_scores
from stripeless.assessment.doctor.listed import few_distinct_scores, repeated_trials
from stripeless.assessment.doctor.middle import narrow_targets
from stripeless.assessment.doctor.order import clustered_trials
from stripeless.assessment.doctor.people import few_speakers
from stripeless.assessment.doctor.pooled import cross_sex_nontargets, pooled_groups
from stripeless.assessment.doctor.runs import Finite, few_values, finite_part
from stripeless.assessment.doctor.scores import constant_scores, direction, worst_at_reach
from stripeless.assessment.doctor.themselves import self_comparison
from stripeless.assessment.doctor.trials import few_trials, missing_trials
from stripeless.assessment.doctor.values import number
from stripeless.measures.one_pass import ScorePass
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.score_columns import labels_alone

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment


def examine(
    result: Assessment, scores: ScorePass, *, llr: bool, trials: TrialScores | None = None
) -> tuple[Finding, ...]:
    """Every finding about one result, the serious ones first.

    `llr`: the scores claim to be log-likelihood ratios. `trials`: who and what each score is of; without them nothing is
    found about people, their sex, or groups.
    """
    finite = finite_part(scores)
    with np.errstate(over="ignore", invalid="ignore"):  # differences of scores near 1e308: nothing is found there
        looked = about_values(finite)
        sound = not any(looked)  # what is no score lies at any distance from the middle
        looked += [
            repeated_trials(finite, trials),
            narrow_targets(finite, number(result, "eer"), trials) if sound else None,
            clustered_trials(finite, trials) if sound else None,
            *about_labels(result, finite, trials),
        ]
    found = [
        constant_scores(scores),
        direction(result, scores),
        missing_trials(result.missing, result.n_target, result.n_nontarget),
        infinite_scores(finite),
        *looked,
        not_calibrated(result, llr),
        few_trials(result),
        few_speakers(result),
        worst_at_reach(result),
    ]
    return serious_first(finding for finding in found if finding is not None)


def about_values(scores: Finite) -> list[Finding | None]:
    """What exact values say: fillers, marks of failure, copies, decisions. Too few trials say nothing."""
    if not scores.enough:
        return []
    if few_values(scores) is not None:
        return [few_distinct_scores(scores)]
    themselves = self_comparison(scores)
    ends = far_ends(scores, above=themselves is None)
    told = [end.value for end in ends] + ([] if themselves is None else [themselves[1]])
    return [
        None if themselves is None else themselves[0],
        failed_scores(scores, ends),
        filler_score(scores, told),
    ]


def about_labels(result: Assessment, scores: Finite, trials: TrialScores | None) -> list[Finding | None]:
    """What labels of the trials say; scores without trials have none."""
    if trials is None:
        return []
    trials = labels_alone(trials)
    alone = None if result.evidence is None or result.evidence.joint else result.evidence  # together: `with_exposed`
    return [
        cross_sex_nontargets(trials),
        uneven_composition(trials),
        exposed_group(trials, alone),
        *pooled_groups(number(result, "eer"), scores, trials),
    ]
