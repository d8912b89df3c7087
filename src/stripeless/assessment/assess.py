"""`assess`: every measure of a set of scores from one sort, with intervals, warnings and the curves to draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import log
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from stripeless.assessment.doctor.examine import examine
from stripeless.errors import InputError
from stripeless.measures.catalog import FALSE_ALARM_RATES, MEASURES
from stripeless.measures.curves import curves_of
from stripeless.measures.measure import Measure
from stripeless.measures.one_pass import FUNCTIONS, ScorePass, score_pass
from stripeless.measures.other_tools import tools_sorted
from stripeless.measures.uncertainty.bootstrap import Resampler, people_in, resampled_values
from stripeless.measures.uncertainty.interval import interval
from stripeless.measures.zebra import category_of, zebra_of
from stripeless.results.assessment import Assessment, IntervalMethod
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import TrialScores


def assess(target: ArrayLike, nontarget: ArrayLike, *, resamples: int = 0, seed: int = 0, name: str = "") -> Assessment:
    """Every measure of these scores, from one sort; with `resamples`, a 95 % interval for each.

    Plain arrays name no speakers, so resamples draw trials; use `assess_scores` where speakers are known.

    >>> result = assess([2.0, 3.0, 4.0], [-1.0, 0.0, 1.0])
    >>> result["eer"], result["category"]
    (0.0, 'A')
    """
    scores = TrialScores(cast(FloatArray, target), cast(FloatArray, nontarget))  # which checks them
    return assess_scores(scores, resamples=resamples, seed=seed, name=name)


def assess_scores(
    scores: TrialScores,
    *,
    resamples: int = 0,
    seed: int = 0,
    name: str = "",
    attacker: str = "",
    llr: bool = False,
    curves: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Assessment:
    """Every measure of these trials. `llr` says that the scores claim to be log-likelihood ratios, so Cllr is meant.

    With `resamples`, intervals come from drawing speakers where every trial names one, trials otherwise.
    """
    if resamples < 0 or (0 < resamples < 100):
        raise InputError(f"resamples: expected 0 (no intervals) or at least 100, got {resamples}")
    one_pass = score_pass(scores.target, scores.nontarget)
    people = people_in(scores)
    measures = measure_pass(one_pass)
    method = None
    if resamples:
        resampler = Resampler(scores.target, scores.nontarget, people)
        units = min(scores.target.size, scores.nontarget.size) if people is None else people.count
        method = IntervalMethod(resampler.unit, units, resamples)
        values = resampled_values(resampler, tuple(FUNCTIONS), resamples, seed, progress)
        measures = with_intervals(measures, values, units)
        if people is not None:
            measures["epsilon"] = epsilon_over_people(measures, values, units)
    result = replace(
        assessment_of(one_pass, measures, curves=curves),
        n_speakers=None if people is None else people.count,
        name=name,
        attacker=attacker,
        intervals=method,
        notes=scores.notes,
        missing=scores.missing,
        inputs=scores.inputs,
        trial_digest=scores.trial_digest,
        seed=seed,
    )
    return replace(result, warnings=examine(result, one_pass, llr=llr))


def assessment_of(one_pass: ScorePass, measures: Mapping[str, Measure], *, curves: bool = True) -> Assessment:
    """What one sorted pass says; where the scores came from is for the caller to add."""
    return Assessment(
        measures=measures,
        n_target=one_pass.target.size,
        n_nontarget=one_pass.nontarget.size,
        n_speakers=None,
        category_counts=zebra_of(one_pass.hull).category_counts,
        eer_by_tool=tools_sorted(one_pass.target, one_pass.nontarget, one_pass.stairs),
        curves=curves_of(one_pass) if curves else {},
    )


def measure_pass(scores: ScorePass) -> dict[str, Measure]:
    """Every measure of one pass, or the reason why it has no value."""
    measures: dict[str, Measure] = {}
    evidence = zebra_of(scores.hull)
    for name, info in MEASURES.items():
        if name == "category":
            measures[name] = Measure(info, evidence.category)
            continue
        try:
            value = FUNCTIONS[name](scores)
        except InputError as error:
            measures[name] = Measure(info, None, reason=str(error))
            continue
        measures[name] = Measure(info, value, reach=evidence.log10_lr_limit if name == "log10_lr" else None)
    return measures


def with_intervals(
    measures: Mapping[str, Measure], values: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]], units: int
) -> dict[str, Measure]:
    """The same measures with their intervals; the category's are those of the worst case."""
    wide = dict(measures)
    for name, resampled in values.items():
        value = measures[name].value
        if not isinstance(value, float):
            continue
        ends = interval(name, value, resampled, units)
        if ends is not None:
            wide[name] = replace(measures[name], low=ends[0], high=ends[1])
    wide["epsilon"] = replace(measures["epsilon"], low=None, high=None)
    worst = wide["log10_lr"]
    if isinstance(worst.low, float) and isinstance(worst.high, float):
        wide["category"] = replace(wide["category"], low=category_of(worst.low), high=category_of(worst.high))
    return wide


def epsilon_over_people(
    measures: Mapping[str, Measure], values: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]], units: int
) -> Measure:
    """The privacy loss that the hit rates prove when people, not trials, are taken as independent.

    Each resample sets its own threshold, so the lower limit of the hit rate already allows for the false-alarm rate. The
    limits share 5 % among the rates shown.
    """
    shown = {name: rate for name, rate in FALSE_ALARM_RATES.items() if isinstance(measures[name].value, float)}
    if not shown:
        return measures["epsilon"]
    proven = 0.0
    for name, rate in shown.items():
        ends = interval(name, float(measures[name].value or 0.0), values[name], units, 1 - 0.05 / len(shown))
        if ends is not None:
            proven = max(proven, log(max(1.0, ends[0] / rate)))
    return replace(measures["epsilon"], value=proven, low=None, high=None)
