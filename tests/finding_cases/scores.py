"""Findings about scores, trials, people and calibration, from `assess`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from simulated_trials import NONTARGET, TARGET, corpus

from finding_cases.case import Producer, case
from stripeless.assessment.assess import assess_scores
from stripeless.scores.calibration import fit_logistic_calibration
from stripeless.scores.trials import MissingTrials, TrialScores
from stripeless.verdicts.finding import Finding


def of(scores: TrialScores, *, llr: bool = False, resamples: int = 0) -> Iterable[Finding]:
    return assess_scores(scores, llr=llr, resamples=resamples).warnings


def of_arrays(target: object, nontarget: object) -> Iterable[Finding]:
    return of(TrialScores(np.asarray(target, dtype=float), np.asarray(nontarget, dtype=float)))


def normal(shift: float, targets: int, nontargets: int, *, resamples: int = 0) -> Iterable[Finding]:
    rng = np.random.default_rng(0)
    return of(TrialScores(rng.normal(shift, 1, targets), rng.normal(0, 1, nontargets)), resamples=resamples)


def with_a_tail(recognized: int) -> Iterable[Finding]:
    """So many of 1,000 targets stand out; nobody else can be told from strangers."""
    rng = np.random.default_rng(0)
    target = np.concatenate([rng.normal(8, 0.5, recognized), rng.normal(-0.1, 1, 1000 - recognized)])
    return of_arrays(target, rng.normal(0, 1, 20_000))


def missing(targets: int, nontargets: int) -> Iterable[Finding]:
    return of(replace(corpus(), missing=MissingTrials(targets, nontargets)))


def mirrored() -> Iterable[Finding]:
    scores = corpus()
    return of(TrialScores(-scores.target, -scores.nontarget))


def calibrated() -> Iterable[Finding]:
    learned = fit_logistic_calibration(20 * TARGET, 20 * NONTARGET)
    return of(TrialScores(learned.apply(20 * TARGET), learned.apply(20 * NONTARGET)), llr=True)


def scaled(llr: bool) -> Producer:
    return lambda: of(TrialScores(20 * TARGET, 20 * NONTARGET), llr=llr)


CASES = {
    "constant": case(lambda: of_arrays([2.0] * 200, [2.0] * 200), lambda: of_arrays([2.0] * 199 + [3.0], [2.0] * 200)),
    "signs_swapped": case(
        (mirrored, lambda: normal(-0.2, 2000, 8000, resamples=100)), lambda: normal(0.2, 2000, 8000, resamples=100)
    ),
    "tail_leak": case(lambda: with_a_tail(100), lambda: with_a_tail(0)),
    "chance": case(lambda: of(corpus(shift=0.0, spread=0.0)), lambda: of(corpus())),
    "category_at_reach": case(
        (lambda: of_arrays(np.arange(100.0) + 500, np.arange(100.0)), lambda: normal(4.0, 3000, 60_000)),
        lambda: normal(1.0, 3000, 60_000),
    ),
    "missing": case(lambda: missing(30, 690), lambda: missing(0, 0)),
    "missing_unbalanced": case(lambda: missing(30, 0), lambda: missing(30, 690)),
    "few_trials": case(lambda: normal(1.0, 99, 5000), lambda: normal(1.0, 100, 5000)),
    "few_errors": case(lambda: normal(3.0, 300, 5000), lambda: normal(1.0, 300, 5000)),
    "speakers_unknown": case(lambda: normal(1.0, 300, 5000), lambda: of(corpus())),
    "few_speakers": case(lambda: of(corpus(speakers=19, utterances=8)), lambda: of(corpus(speakers=20, utterances=8))),
    "not_llr": case((scaled(True), scaled(False)), calibrated),
}
