"""The bootstrap draws speakers where they are known, trials otherwise, and a resample is what repeating would give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_trials import NONTARGET, TARGET, corpus

import stripeless as s
from stripeless.errors import InputError
from stripeless.measures.catalog import MEASURES, numbers_of_scores
from stripeless.measures.one_pass import score_pass
from stripeless.measures.uncertainty.bootstrap import Resampler, people_in
from stripeless.scores.trials import Factor, TrialScores


def test_a_resample_equals_repeating_the_trials() -> None:
    """Every measure of re-weighted scores is the measure of scores that are written out as often as drawn."""
    scores = corpus()
    resampler = Resampler(scores.target, scores.nontarget, people_in(scores))
    draw = resampler.draw(np.random.default_rng(1))
    assert draw.people is not None
    times = draw.people.astype(int)
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    model, talker = scores.enrollment_speakers, scores.trial_speakers
    target = np.repeat(scores.target, times[model.target])
    nontarget = np.repeat(scores.nontarget, times[model.nontarget] * times[talker.nontarget])
    weighted, repeated = resampler.resample(draw), score_pass(target, nontarget)
    for name in numbers_of_scores():
        measure = MEASURES[name].of
        try:
            expected = measure(repeated)
        except InputError:
            continue
        assert measure(weighted) == pytest.approx(expected, abs=1e-12), name


def test_drawing_trials_repeats_trials() -> None:
    resampler = Resampler(TARGET, NONTARGET, None)
    draw = resampler.draw(np.random.default_rng(1))
    assert draw.target is not None
    assert draw.nontarget is not None
    assert draw.target.sum() == TARGET.size
    times = draw.target.astype(int), draw.nontarget.astype(int)  # from the lowest score to the highest
    repeated = score_pass(np.repeat(np.sort(TARGET), times[0]), np.repeat(np.sort(NONTARGET), times[1]))
    for name in ("eer", "cllr", "cllr_min", "linkability_binned", "eer_kaldi"):
        assert MEASURES[name].of(resampler.resample(draw)) == pytest.approx(MEASURES[name].of(repeated), abs=1e-12), (
            name
        )


def test_the_result_says_what_was_drawn() -> None:
    known = s.assess_scores(corpus(), resamples=100).intervals
    unknown = s.assess(TARGET, NONTARGET, resamples=100).intervals
    assert known is not None
    assert unknown is not None
    assert (known.unit, known.units) == ("speakers", 24)
    assert (unknown.unit, unknown.units) == ("trials", 300)


def test_one_nameless_trial_makes_trials_the_unit() -> None:
    scores = corpus()
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    nobody = [np.array(side.nontarget) for side in (scores.enrollment_speakers, scores.trial_speakers)]
    for codes in nobody:
        codes[5] = -1
    names = scores.enrollment_speakers.names
    scores = replace(
        scores,
        enrollment_speakers=Factor(names, scores.enrollment_speakers.target, nobody[0]),
        trial_speakers=Factor(names, scores.trial_speakers.target, nobody[1]),
    )
    assert people_in(scores) is None


def test_speakers_who_differ_widen_the_interval() -> None:
    """Intervals over trials are too short where few speakers make up many trials."""
    scores = corpus(spread=1.5)
    by_speaker = s.assess_scores(scores, resamples=200).measures["eer"]
    by_trial = s.assess(scores.target, scores.nontarget, resamples=200).measures["eer"]
    widths = [float(m.high) - float(m.low) for m in (by_speaker, by_trial)]  # type: ignore[arg-type]
    assert widths[0] > 1.5 * widths[1]


@pytest.mark.parametrize("named", [True, False])
def test_the_order_of_rows_and_of_names_shows_in_no_interval(named: bool) -> None:
    rng = np.random.default_rng(3)
    target, nontarget = rng.normal(1, 1, 60), rng.normal(0, 1, 400)
    names = tuple(f"s{k:02d}" for k in range(12))
    own = rng.integers(0, 12, 60).astype(np.int32)
    one = rng.integers(0, 12, 400).astype(np.int32)
    two = ((one + rng.integers(1, 12, 400)) % 12).astype(np.int32)
    p, q, shuffled = rng.permutation(60), rng.permutation(400), rng.permutation(12)
    code = np.argsort(shuffled).astype(np.int32)
    other = tuple(names[k] for k in shuffled)
    factors = (Factor(names, own, one), Factor(names, own, two)) if named else (None, None)
    turned = (
        (Factor(other, code[own[p]], code[one[q]]), Factor(other, code[own[p]], code[two[q]]))
        if named
        else (None, None)
    )
    first = s.assess_scores(TrialScores(target, nontarget, *factors), resamples=100)
    second = s.assess_scores(TrialScores(target[p], nontarget[q], *turned), resamples=100)
    assert first.intervals == second.intervals
    for name, measure in first.measures.items():
        assert (measure.low, measure.high) == (second.measures[name].low, second.measures[name].high), name


def test_the_order_of_rows_shows_in_no_paired_difference() -> None:
    rng = np.random.default_rng(4)
    target, nontarget = rng.normal(1, 1, 60), rng.normal(0, 1, 400)
    target, nontarget = np.round(target), np.round(nontarget)  # ties in the first are broken by the second
    more = rng.normal(0.5, 1, 60), rng.normal(0, 1, 400)
    p, q = rng.permutation(60), rng.permutation(400)
    first = s.compare_scores(TrialScores(target, nontarget), TrialScores(*more), resamples=100)
    second = s.compare_scores(TrialScores(target[p], nontarget[q]), TrialScores(more[0][p], more[1][q]), resamples=100)
    assert first["eer"] == second["eer"]
