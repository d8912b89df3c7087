"""`assess`: every measure of a set of scores from one sort, with intervals, warnings and the curves to draw."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import log
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from stripeless._log import clock
from stripeless.assessment.ceiling import examine_ceiling
from stripeless.assessment.doctor.examine import examine
from stripeless.errors import InputError
from stripeless.measures.catalog import FALSE_ALARM_RATES, MEASURES, numbers_of_scores
from stripeless.measures.curves import curves_of
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.measures.one_pass import ScorePass, score_pass
from stripeless.measures.other_tools import tools_sorted
from stripeless.measures.uncertainty.bootstrap import Resampler, people_in, resampled_values
from stripeless.measures.uncertainty.interval import interval
from stripeless.measures.zebra import zebra_of
from stripeless.results.assessment import Assessment, IntervalMethod
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.evidence import Evidence, Row, evidence_of
from stripeless.verdicts.exchange import PERMUTATIONS
from stripeless.verdicts.margins import check_margin

LOG = logging.getLogger(__name__)

NO_PEOPLE_DRAWN = (
    "epsilon: this limit is found by drawing people, and none were drawn (resamples); trials of one person do not count as "
    "independent"
)


def assess(
    target: ArrayLike,
    nontarget: ArrayLike,
    *,
    resamples: int = 0,
    people: int | None = None,
    seed: int = 0,
    name: str = "",
) -> Assessment:
    """Every measure of these scores, from one sort.

    Plain arrays name no speakers, so intervals come from drawing trials, and the verdict rests on the worst case for so many
    people; use `assess_scores` where speakers are known.

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
        resamples: how often trials are drawn for 95 % intervals: 100 or more, or 0 for no intervals.
        people: how many people the scores are of, 2 or more; None where nobody knows.
        seed: start of the random draws; the same seed gives the same result.
        name: what the result is called in reports; empty for no name.
    Returns:
        An `Assessment`; `result["eer"]` is the value of a measure.

    >>> result = assess([2.0, 3.0, 4.0], [-1.0, 0.0, 1.0])
    >>> result["eer"], result["category"]
    (0.0, 'A')
    """
    scores = TrialScores(cast(FloatArray, target), cast(FloatArray, nontarget))  # which checks them
    return assess_scores(scores, resamples=resamples, people=people, seed=seed, name=name)


def assess_scores(
    scores: TrialScores,
    *,
    resamples: int = 0,
    seed: int = 0,
    name: str = "",
    attacker: str = "",
    llr: bool = False,
    curves: bool = True,
    original: TrialScores | None = None,
    people: int | None = None,
    margin: float | None = None,
    permutations: int = PERMUTATIONS,
    evidence: Evidence | None = None,
    progress: Callable[[float], None] | None = None,
) -> Assessment:
    """Every measure of these trials, from one sort, and what a verdict rests on.

    Intervals come from drawing speakers where every trial names one, trials otherwise.

    Parameters:
        scores: both classes of scores, with what is known of each trial.
        resamples: how often people (or, where nobody is named, trials) are drawn for 95 % intervals: 100 or more, or 0
            for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        name: what the system is called in reports.
        attacker: what the attacker is called in reports, such as "lazy-informed".
        llr: whether the scores claim to be natural-log likelihood ratios, so that Cllr is to be believed and their
            calibration is examined.
        curves: keep what figures are drawn from; without them the result is some kilobytes.
        original: scores of the same trials on unprotected data: the ceiling, and the control without which nothing can be
            called "No leak seen".
        people: how many people the scores are of, where nobody is named; None where nobody knows.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with
            fewer than 20 people.
        permutations: how often it is exchanged who is enrolled as whom, to test for a leak: 999 or more, or 0 for no test
            (the verdict is then "Cannot tell").
        evidence: what a test of these and other attackers together showed; None tests these scores by themselves.
        progress: called with the share of resamples done, 0 to 1.
    Returns:
        An `Assessment` with all measures, their reach and reasons, and what the doctor found.
    """
    if resamples < 0 or (0 < resamples < 100):
        raise InputError(f"resamples: expected 0 (no intervals) or at least 100, got {resamples}")
    if permutations < 0 or (0 < permutations < PERMUTATIONS):
        raise InputError(f"permutations: expected 0 (no test) or at least {PERMUTATIONS}, got {permutations}")
    check_margin(margin)
    seconds = clock()
    test = evidence
    if permutations and evidence is None:
        test = tested(scores, name, attacker, people, margin, permutations, seed)
    one_pass = score_pass(scores.target, scores.nontarget)
    crowd = people_in(scores)
    measures = measure_pass(one_pass)
    method = None
    if resamples:
        resampler = Resampler(scores.target, scores.nontarget, crowd)
        units = min(scores.target.size, scores.nontarget.size) if crowd is None else crowd.count
        method = IntervalMethod(resampler.unit, units, resamples)
        drawn = tuple(name for name in numbers_of_scores() if MEASURES[name].interval != "none")
        values = resampled_values(resampler, drawn, resamples, seed, progress)
        measures = with_intervals(measures, values, units)
        if crowd is not None:
            measures["epsilon"] = epsilon_over_people(measures, values, units)
    elif crowd is not None and measures["epsilon"].value is not None:
        measures["epsilon"] = replace(measures["epsilon"], value=None, reason=NO_PEOPLE_DRAWN)
    sizes = scores.target.size, scores.nontarget.size
    LOG.info("assessed %s: %d + %d trials, %d resamples, in %.1f s", name or "scores", *sizes, resamples, seconds())
    result = replace(
        assessment_of(one_pass, measures, curves=curves),
        n_speakers=None if crowd is None else crowd.count,
        name=name,
        attacker=attacker,
        intervals=method,
        notes=scores.notes,
        missing=scores.missing,
        inputs=scores.inputs,
        trial_digest=scores.trial_digest,
        seed=seed,
        evidence=test,
    )
    result = replace(result, warnings=examine(result, one_pass, llr=llr, trials=scores))
    if original is None:
        return result
    common = {"resamples": resamples, "seed": seed, "permutations": permutations, "curves": curves}
    return held_against(result, assess_scores(original, attacker="original", people=people, **common))  # type: ignore[arg-type]


def tested(
    scores: TrialScores,
    name: str,
    attacker: str,
    people: int | None,
    margin: float | None,
    permutations: int,
    seed: int,
) -> Evidence:
    """The test for a leak in these trials, where it can be made."""
    if people is not None and people < 2:
        raise InputError(f"people: expected 2 or more, got {people}")
    if people is not None and people > scores.target.size:
        raise InputError(f"people: {people:,} cannot have spoken in {scores.target.size:,} target trials")
    row = Row(name, attacker, scores)
    found = evidence_of([row], people=people, permutations=permutations, margin=margin, seed=seed)
    if people is not None and found.method not in ("clusters", "none"):
        raise InputError("people: these trials name their speakers, who are counted; leave it out")
    return found


def held_against(result: Assessment, ceiling: Assessment) -> Assessment:
    """The result beside the same test on unprotected data, and what speaks against that ceiling."""
    return replace(result, original=ceiling, warnings=(*examine_ceiling(result, ceiling), *result.warnings))


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
    return {name: _measured(info, scores) for name, info in MEASURES.items()}


def _measured(info: MeasureInfo, scores: ScorePass) -> Measure:
    try:
        if info.in_words is not None:
            return Measure(info, info.in_words(MEASURES[info.reads].of(scores)))
        return Measure(info, info.of(scores), reach=None if info.reach is None else info.reach(scores))
    except InputError as error:
        return Measure(info, None, reason=str(error))


def with_intervals(
    measures: Mapping[str, Measure], values: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]], units: int
) -> dict[str, Measure]:
    """The same measures with their intervals; what is read off another measure has that one's, in words."""
    wide = dict(measures)
    for name, resampled in values.items():
        value = measures[name].value
        if not isinstance(value, float):
            continue
        ends = interval(name, value, resampled, units)
        if ends is not None:
            wide[name] = replace(measures[name], low=ends[0], high=ends[1])
    return {name: _with_words(measure, wide) for name, measure in wide.items()}


def _with_words(measure: Measure, others: Mapping[str, Measure]) -> Measure:
    """A measure that is read off another one, with that one's interval in words; any other as it is."""
    say, of = measure.info.in_words, others.get(measure.info.reads)
    if say is None or of is None or not isinstance(of.low, float) or not isinstance(of.high, float):
        return measure
    return replace(measure, low=say(of.low), high=say(of.high))


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
