"""Findings about scores, trials, people and calibration, from `assess`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from simulated_trials import NONTARGET, TARGET, corpus

from finding_cases.case import Producer, case
from stripeless.assessment.assess import assess_scores
from stripeless.scores.calibration import fit_logistic_calibration
from stripeless.scores.trials import Factor, MissingTrials, TrialScores
from stripeless.verdicts.finding import Finding
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld
from stripeless.worlds.scores import simulate_scores


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


def drawn(shift: float = 1.5) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sound scores of 500 + 5,000 trials, to be spoiled."""
    rng = np.random.default_rng(0)
    return rng.normal(shift, 1, 500), rng.normal(0, 1, 5000)


def with_value(value: float, targets: int, nontargets: int, *, digits: int = 15) -> Iterable[Finding]:
    """So many trials of each class have this value; the others are rounded."""
    target, nontarget = (np.round(part, digits) for part in drawn())
    target[:targets], nontarget[:nontargets] = value, value
    return of_arrays(target, nontarget)


def cosines(themselves: int, *, digits: int = 15) -> Iterable[Finding]:
    """So many of 500 targets compare a recording with itself."""
    target, nontarget = (np.round(np.tanh(part / 4), digits) for part in drawn(0.5))
    target[:themselves] = 1.0
    return of_arrays(target, nontarget)


def listed(times: int, *, digits: int = 15) -> Iterable[Finding]:
    target, nontarget = (np.round(part, digits) for part in drawn())
    return of_arrays(np.repeat(target, times), np.repeat(nontarget, times))


def rounded(digits: int) -> Iterable[Finding]:
    return of_arrays(*(np.round(part, digits) for part in drawn()))


def spread(targets: float) -> Iterable[Finding]:
    """Targets that vary so much around the middle of the nontargets."""
    rng = np.random.default_rng(0)
    return of_arrays(targets * rng.normal(size=500), rng.normal(size=5000))


def two_sexes(across: float, offset: float = 0.0) -> Iterable[Finding]:
    """This share of the nontargets is across the sexes; where it is not, women score higher than men by the offset."""
    rng = np.random.default_rng(0)
    women = np.array([True] * 8 + [False] * 32)
    own = rng.integers(0, 40, 2000)
    pairs = rng.integers(0, 40, (2, 40_000))
    differ = women[pairs[0]] != women[pairs[1]]
    first, second = pairs[:, (rng.random(differ.size) < np.where(differ, across, 1 - across)) & (pairs[0] != pairs[1])]
    target, nontarget = rng.normal(size=own.size), rng.normal(size=first.size)
    target += offset * women[own]
    nontarget += offset * np.where(women[first] == women[second], women[first], -1)
    names, sexes = tuple(f"s{k:02d}" for k in range(40)), ("m", "f")
    sides = [Factor(names, own.astype(np.int32), side.astype(np.int32)) for side in (first, second)]
    sex = Factor(sexes, women[own].astype(np.int32), women[second].astype(np.int32))
    return of(TrialScores(target, nontarget, sides[0], sides[1], {"sex": sex}))


def of_two_sets(first: float) -> Iterable[Finding]:
    """A tenth of the targets is of the first data set, and this share of the nontargets. Nothing else differs."""
    rng = np.random.default_rng(0)
    target, nontarget = (rng.random(size) >= share for size, share in ((500, 0.1), (5000, first)))
    data = Factor(("read", "free"), target.astype(np.int32), nontarget.astype(np.int32))
    return of(TrialScores(rng.normal(1, 1, 500), rng.normal(size=5000), columns={"data set": data}))


def by_people(spread: float, *, ordered: bool = True, named: bool = False) -> Iterable[Finding]:
    """Forty people in order, twenty trials each; whose scores are so much alike."""
    rng, who = np.random.default_rng(0), np.repeat(np.arange(40), 20)
    target, nontarget = (spread * rng.normal(size=40)[who] + rng.normal(size=who.size) for _ in range(2))
    if not ordered:
        target, nontarget = np.sort(target), np.sort(nontarget)[::-1]
    codes = who.astype(np.int32)
    people = Factor(tuple(f"s{k}" for k in range(40)), codes, codes) if named else None
    return of(TrialScores(target, nontarget, people, people))


def four_women(eer: float) -> Iterable[Finding]:
    """Four women among forty people, recognized at this EER, and nobody else."""
    sex = ScoreLabel("sex", "group", (0.0, 0.0), (4, 36))
    return of(simulate_scores(ScoreWorld(eer=eer, labels=(sex,), leaking_label="sex"), seed=5).scores)


CASES = {
    "exposed_group": case(lambda: four_women(0.1), lambda: four_women(0.5)),
    "uneven_composition": case(lambda: of_two_sets(0.9), lambda: of_two_sets(0.5)),
    "clustered_trials": case(
        lambda: by_people(1.0),
        (lambda: by_people(0.0), lambda: by_people(1.0, ordered=False), lambda: by_people(1.0, named=True)),
    ),
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
    "infinite_scores": case(
        (lambda: with_value(np.inf, 3, 0), lambda: with_value(-np.inf, 3, 0)), lambda: with_value(9.0, 3, 0)
    ),
    "failed_scores": case(
        (lambda: with_value(-999.0, 10, 0), lambda: with_value(-999.0, 150, 0)),
        (lambda: with_value(-999.0, 1, 1), lambda: with_value(-4.0, 10, 10)),
    ),
    "filler_score": case(lambda: with_value(0.0, 300, 3000), (lambda: with_value(0.0, 10, 10), lambda: rounded(1))),
    "self_comparison": case(
        (lambda: cosines(50), lambda: cosines(300)), (lambda: cosines(0), lambda: cosines(0, digits=2))
    ),
    "few_distinct_scores": case(lambda: rounded(0), lambda: rounded(1)),
    "repeated_trials": case(
        (lambda: listed(2), lambda: listed(20), lambda: listed(3, digits=2)),
        (lambda: listed(1), lambda: listed(1, digits=2)),
    ),
    "narrow_targets": case((lambda: spread(0.2), lambda: spread(3.0)), lambda: spread(1.0)),
    "cross_sex_nontargets": case(lambda: two_sexes(0.9), lambda: two_sexes(0.5)),
    "pooled_groups": case(lambda: two_sexes(0.5, offset=1.0), (lambda: two_sexes(0.5), lambda: two_sexes(0.0))),
}
