"""The verdict on scores asserts a leak where there is one, and only there: hidden tails, noise, tiny tests, masked attackers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_results import scores_of, simulated

from stripeless.assessment.assess import assess, assess_scores
from stripeless.errors import InputError
from stripeless.report import render_html, render_text, verdict
from stripeless.results.evaluation import Evaluation
from stripeless.scores.trials import Factor, TrialScores

ASSERTS = ("leaking", "exposed")
PEOPLE, EACH = 25, 40


def named(target: np.ndarray[Any, Any], seed: int = 0, people: int = PEOPLE) -> TrialScores:
    """These target scores, the first ones those of the first person, beside noise of everybody against everybody else."""
    rng = np.random.default_rng([seed, 1])
    names = tuple(f"s{k:02d}" for k in range(people))
    who = np.repeat(np.arange(people, dtype=np.int32), len(target) // people)
    first = np.tile(np.arange(people, dtype=np.int32), 20 * len(target) // people)
    second = ((first + rng.integers(1, people, first.size)) % people).astype(np.int32)
    return TrialScores(target, rng.normal(size=first.size), Factor(names, who, first), Factor(names, who, second))


def some_are_recognized(people: int, center: float = 0.0) -> TrialScores:
    """All trials of the first people are recognized for certain, nobody else's are."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(PEOPLE), EACH)
    return named(np.where(who < people, rng.normal(6, 0.5, who.size), rng.normal(center, 1, who.size)))


@pytest.mark.parametrize("center", [0.0, -0.3])
def test_a_recognized_tail_is_a_leak_though_the_eer_is_that_of_guessing(center: float) -> None:
    result = assess_scores(some_are_recognized(4, center), attacker="semi-informed")
    assert result["eer"] > 0.4  # type: ignore[operator]
    said = verdict(Evaluation("B1", (result,), simulated(3.5, attacker="original")))
    assert said.level == "leaking"
    recognizes = (
        "An attacker who uses the same anonymizer and retrains on its output recognizes the speaker in 16 of 100"
    )
    assert (said.headline, said.sentences[0])[center == 0.0].startswith(recognizes), (
        "where the mean shows nothing, hits lead"
    )
    assert "No leak" not in render_text(result.to_dict())


def test_four_people_of_25_who_are_always_recognized_are_a_leak() -> None:
    """40 hits in 1,000 at 1 % false alarms are far beyond chance, were they not all of one person."""
    few, more = (assess_scores(some_are_recognized(count)).evidence for count in (1, 4))
    assert few is not None
    assert more is not None
    assert more.p == pytest.approx(0.001, abs=1e-3)
    assert (few.p or 0) > 1.5 * (more.p or 0)


def test_targets_of_small_spread_are_a_leak_that_no_threshold_sees() -> None:
    result = assess_scores(named(0.3 * np.random.default_rng(5).normal(size=PEOPLE * EACH)))
    assert result["eer"] == pytest.approx(0.5, abs=0.05)
    said = verdict(result)
    assert said.label == "Leak"
    assert "how far a score lies from the middle" in said.headline


def noise(n_target: int, n_nontarget: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=n_target), rng.normal(size=n_nontarget)


@pytest.mark.parametrize("resamples", [0, 1000])
@pytest.mark.parametrize(
    "scores",
    [([0.4], [0.5]), ([0.5], [0.4]), ([1.0, 2.0], [0.1, 0.2]), ([1.0, 0.1], [0.5, 0.2]), ([3, 4, 5], [0, 1, 2])],
)
def test_a_handful_of_trials_shows_nothing(scores: Any, resamples: int) -> None:
    result = assess(*scores, resamples=resamples).to_dict()
    assert verdict(result).level in ("unclear", "invalid")
    assert "Leak." not in render_text(result)
    assert render_html(result)


def test_noise_is_hardly_ever_called_a_leak() -> None:
    sizes = [(2, 2), (10, 10), (40, 400), (150, 1500)]
    unnamed = [verdict(assess(*noise(*sizes[k % 4], k))).level in ASSERTS for k in range(48)]
    assert sum(unnamed) <= 1
    people = [
        verdict(assess_scores(named(np.random.default_rng(k).normal(size=200), k, 20), seed=k)).level in ASSERTS
        for k in range(40)
    ]
    assert sum(people) <= 5


def test_one_enrollment_model_with_noise_is_no_leak() -> None:
    target, nontarget = noise(200, 200, 1)
    names = ("a", *(f"s{k}" for k in range(20)))
    talkers = np.arange(200, dtype=np.int32) % 20 + 1
    zeros = np.zeros(200, dtype=np.int32)
    scores = TrialScores(
        target,
        nontarget,
        enrollment_speakers=Factor(names, zeros, zeros),
        trial_speakers=Factor(names, zeros, talkers),
    )
    said = verdict(assess_scores(scores, resamples=200).to_dict())
    assert said.label == "Cannot tell"
    assert said.headline.startswith("There was no test for a leak")


def test_scores_that_point_the_wrong_way_get_no_verdict() -> None:
    result = assess_scores(named(np.random.default_rng(0).normal(-1, 1, PEOPLE * EACH)))
    assert result["eer"] > 0.6  # type: ignore[operator]
    assert "signs_swapped" in {finding.code for finding in result.warnings}
    assert verdict(result).label == "No verdict"


def test_the_order_of_rows_and_the_number_of_resamples_do_not_act() -> None:
    scores = some_are_recognized(2)
    order = np.random.default_rng(0).permutation(scores.target.size)
    mixed = replace(
        scores,
        target=scores.target[order],
        enrollment_speakers=replace(scores.enrollment_speakers, target=scores.enrollment_speakers.target[order]),  # type: ignore[type-var, union-attr]
        trial_speakers=replace(scores.trial_speakers, target=scores.trial_speakers.target[order]),  # type: ignore[type-var, union-attr]
    )
    evidence = assess_scores(scores).evidence
    assert assess_scores(mixed).evidence == evidence
    assert assess_scores(scores, resamples=100).evidence == evidence
    assert assess_scores(scores, seed=1).evidence != evidence


def test_wrong_numbers_of_people_and_margins_are_refused() -> None:
    with pytest.raises(InputError, match="people: expected 2 or more, got 1"):
        assess([1.0, 2.0], [0.0], people=1)
    with pytest.raises(InputError, match="these trials name their speakers"):
        assess_scores(some_are_recognized(1), people=10)
    with pytest.raises(InputError, match="margin: expected an EER from 30 to 45, in percent, got 50"):
        verdict(scores_of(1.0), margin=50)
    with pytest.raises(InputError, match="permutations: expected 0"):
        assess_scores(some_are_recognized(1), permutations=10)


def test_stated_people_make_a_leak_of_what_two_could_be_by_luck() -> None:
    target, nontarget = np.random.default_rng(0).normal(1, 1, 400), np.random.default_rng(1).normal(size=4000)
    assert verdict(assess(target, nontarget)).label == "Cannot tell"
    assert verdict(assess(target, nontarget, people=40)).label == "Leak"
    assert verdict(assess(target + 4, nontarget)).label == "Leak", "beyond what two people explain"


# --- several attackers ----------------------------------------------------------------------------------------------


def masked() -> Evaluation:
    few = simulated(0.0, seed=2, targets=40, nontargets=900, attacker="lazy-informed")
    many = simulated(0.5, seed=3, targets=900, nontargets=9000, attacker="semi-informed")
    return Evaluation("B1", (few, many), simulated(3.5, attacker="original"))


def test_an_attacker_with_few_trials_does_not_mask_a_significant_one() -> None:
    result = masked()
    assert result.strongest().attacker == "semi-informed"
    said = verdict(result.to_dict())
    assert said.level == "leaking"
    assert said.headline.startswith("An attacker who uses the same anonymizer and retrains")
    stored = result.to_dict() | {"strongest": "lazy-informed"}  # as older files say
    assert verdict(stored) == said


def test_strongest_ranks_by_what_is_sure() -> None:
    sure, unsure = scores_of(1.5), simulated(1.6, seed=5, targets=30, nontargets=300, attacker="unsure")
    low, high = (attacker.measures["d_ece"].low for attacker in (unsure, sure))
    assert unsure["d_ece"] > sure["d_ece"]  # type: ignore[operator]
    assert low < high  # type: ignore[operator]
    assert Evaluation("x", (replace(unsure, evidence=None), replace(sure, evidence=None))).strongest().name == sure.name
    assert Evaluation("x", (unsure, sure)).strongest("eer") is sure
