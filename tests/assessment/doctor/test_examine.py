"""The doctor: what is found about the scores, the trials, the people and the calibration of one result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from simulated_trials import NONTARGET, TARGET, corpus

import stripeless as s
from stripeless.measures.uncertainty.bootstrap import people_in
from stripeless.scores.trials import Factor, MissingTrials, TrialScores
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores


def codes_of(result: s.Assessment) -> dict[str, str]:
    return {finding.code: finding.severity for finding in result.warnings}


def codes(scores: TrialScores, **options: object) -> dict[str, str]:
    return codes_of(s.assess_scores(scores, **options))  # type: ignore[arg-type]


def test_swapped_signs() -> None:
    scores = corpus()
    swapped = TrialScores(-scores.target, -scores.nontarget)
    assert codes(swapped)["signs_swapped"] == "serious"
    assert codes(swapped, resamples=100)["signs_swapped"] == "serious"
    assert "signs_swapped" not in codes(scores)


def test_chance() -> None:
    guessing = corpus(shift=0.0, spread=0.0)
    assert codes(guessing)["chance"] == "caution"
    assert codes(guessing, resamples=100)["chance"] == "caution"
    assert "chance" not in codes(corpus(), resamples=100)


def test_constant_scores_are_silence_not_privacy() -> None:
    found = s.assess([2.0] * 200, [2.0] * 200).warnings
    assert found[0].code == "constant"
    assert "silence, not privacy" in found[0].message
    assert "chance" not in {finding.code for finding in found}


def test_missing_trials_of_one_class_are_worse_than_of_both() -> None:
    scores = corpus()
    share = round(30 * scores.nontarget.size / scores.target.size)
    assert codes(replace(scores, missing=MissingTrials(30, share)))["missing"] == "caution"
    assert codes(replace(scores, missing=MissingTrials(30, 0)))["missing_unbalanced"] == "serious"
    assert "missing" not in codes(scores)


def test_scores_that_are_no_llrs() -> None:
    cosine = corpus()
    scaled = TrialScores(cosine.target * 20, cosine.nontarget * 20)
    assert codes(scaled, llr=True)["not_llr"] == "serious"
    assert codes(scaled)["not_llr"] == "remark"
    calibration = s.fit_logistic_calibration(scaled.target, scaled.nontarget)
    calibrated = TrialScores(calibration.apply(scaled.target), calibration.apply(scaled.nontarget))
    assert "not_llr" not in codes(calibrated, llr=True)


def test_few_trials_and_few_speakers() -> None:
    assert codes(TrialScores(TARGET[:30], NONTARGET))["few_trials"] == "caution"
    assert codes(corpus(speakers=8, utterances=20))["few_speakers"] == "caution"
    assert "speakers_unknown" in codes(TrialScores(TARGET, NONTARGET))
    assert not {"few_trials", "few_speakers", "speakers_unknown"} & set(codes(corpus()))


def test_a_category_at_its_reach() -> None:
    separated = TrialScores(np.arange(100.0) + 500, np.arange(100.0))
    assert codes(separated)["category_at_reach"] == "caution"
    assert "category_at_reach" not in codes(TrialScores(TARGET, np.random.default_rng(8).normal(1.4, 1, 9000)))


def test_the_serious_come_first() -> None:
    found = s.assess_scores(TrialScores(-TARGET[:50], -NONTARGET)).warnings
    order = ["serious", "caution", "remark"]
    assert [order.index(f.severity) for f in found] == sorted(order.index(f.severity) for f in found)
    assert found[0].severity == "serious"


def test_an_eer_at_chance_does_not_hide_a_recognized_tail() -> None:
    """A tenth of the targets stand out; the rest lie a little below the nontargets."""
    rng = np.random.default_rng(0)
    for below in (-0.14, -0.26):
        target = np.concatenate([rng.normal(8, 0.5, 100), rng.normal(below, 1, 900)])
        for resamples in (0, 200):
            result = s.assess(target, rng.normal(0, 1, 20_000), resamples=resamples)
            assert float(result["eer"]) > 0.49  # type: ignore[arg-type]
            assert codes_of(result).get("tail_leak") == "caution", (below, resamples)
            assert not {"chance", "signs_swapped"} & set(codes_of(result))


def test_swapped_signs_are_less_sure_where_nobody_is_named() -> None:
    """A slightly reversed test: serious over speakers who agree on it, a caution where trials may be alike."""
    rng = np.random.default_rng(0)
    target, nontarget = rng.normal(-0.2, 1, 2000), rng.normal(0, 1, 8000)
    people = Factor(tuple(f"s{k}" for k in range(100)), rng.integers(0, 100, 2000).astype(np.int32),
                    rng.integers(0, 100, 8000).astype(np.int32))  # fmt: skip
    named = TrialScores(target, nontarget, people, people)
    assert people_in(named) is not None
    assert codes(named, resamples=100)["signs_swapped"] == "serious"
    assert codes_of(s.assess(target, nontarget, resamples=100))["signs_swapped"] == "caution"


def test_swapped_signs_are_less_sure_where_people_differ_too_much() -> None:
    """Eight people whose pairs differ by luck are no proof of swapped labels, however many trials there are."""
    world = ScoreWorld(people=8, pair_share=0.9, heavy=True)
    serious = [
        finding.code
        for seed in range(60)
        for finding in s.assess_scores(simulate_scores(world, seed=seed).scores, curves=False).warnings
        if finding.severity == "serious"
    ]
    assert serious.count("signs_swapped") <= 1
