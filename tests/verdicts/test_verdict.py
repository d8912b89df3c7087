"""The verdict asserts a leak where there is one, and only there: hidden tails, noise, tiny tests, masked attackers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_results import scores_of, simulated

from stripeless.assessment.assess import assess, assess_scores
from stripeless.report import render_html, render_text, verdict
from stripeless.results.evaluation import Evaluation
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.leak import eer_p_value, hit_p_value, shows_leak

ASSERTS = ("leaking", "exposed")


def tail(center: float, resamples: int = 200) -> dict[str, Any]:
    """One target in ten is recognized for certain, the others are not at all."""
    rng = np.random.default_rng(0)
    target = np.concatenate([rng.normal(8, 0.5, 100), rng.normal(center, 1, 900)])
    result = assess_scores(TrialScores(target, rng.normal(0, 1, 20000)), resamples=resamples, attacker="semi-informed")
    ceiling = simulated(3.5, attacker="original")
    return Evaluation("B1", (result,), ceiling).to_dict()


@pytest.mark.parametrize("resamples", [0, 200])
def test_a_recognized_tail_is_a_leak_though_the_eer_is_that_of_guessing(resamples: int) -> None:
    result = tail(-0.14, resamples)
    assert result["attackers"][0]["measures"]["eer"]["value"] > 0.5
    said = verdict(result)
    assert said.level == "leaking"
    hits = result["attackers"][0]["measures"]["hit_rate_1pct"]["value"]
    assert f"recognizes the speaker in {100 * hits:.0f} of 100 recordings" in said.headline
    assert any("hides" in sentence for sentence in said.sentences)
    assert "No leak" not in render_text(result)


def test_a_leak_that_shows_only_at_the_strictest_rate_is_named_by_it() -> None:
    rng = np.random.default_rng(3)
    target = np.concatenate([np.full(8, 9.0), rng.normal(-0.05, 1, 992)])
    result = assess(target, rng.normal(0, 1, 20000), resamples=200).to_dict()
    said = verdict(result)
    assert said.level == "leaking"
    assert "1 stranger in 1,000" in said.headline
    assert "hit rate at 0.1 % false alarms" in said.basis


def test_a_recognized_tail_is_a_leak_though_most_targets_score_low() -> None:
    assert verdict(tail(-0.26)).level == "leaking"


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
    said = verdict(result)
    assert said.level in ("unclear", "invalid")
    assert "Leak." not in render_text(result)
    assert render_html(result)


def test_noise_is_hardly_ever_called_a_leak() -> None:
    sizes = [(2, 2), (10, 10), (40, 400), (150, 1500)]
    called = [
        verdict(assess(*noise(*sizes[k % 4], k), resamples=100 if k % 2 else 0).to_dict()).level in ASSERTS
        for k in range(48)
    ]
    assert sum(called) <= 2


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
    assert verdict(assess_scores(scores, resamples=200).to_dict()).level not in ASSERTS


def test_an_eer_above_one_half_is_never_a_leak_by_itself() -> None:
    result = scores_of(0.0)
    eer = replace(result.measures["eer"], value=0.62, low=None, high=None)
    hits = {name: replace(m, value=None, low=None) for name, m in result.measures.items() if "hit" in name}
    assert not shows_leak(replace(result, warnings=(), measures={**result.measures, "eer": eer, **hits}))


def test_intervals_that_failed_assert_nothing() -> None:
    result = scores_of(1.5)
    eer = replace(result.measures["eer"], low=None, high=None)
    hits = {name: replace(m, low=None) for name, m in result.measures.items() if "hit" in name}
    without = replace(result, measures={**result.measures, "eer": eer, **hits})
    assert not shows_leak(without)
    assert shows_leak(replace(without, intervals=None))  # none were asked for: the exact test decides
    assert verdict(without).level == "unclear"


def test_exact_p_values() -> None:
    assert eer_p_value(0.0, 2, 2) == pytest.approx(1 / 6)
    assert eer_p_value(0.0, 1, 1) == pytest.approx(1 / 2)
    assert eer_p_value(0.5, 100, 100) > 0.4
    assert hit_p_value(1.0, 0.0, 2, 2) == pytest.approx(1 / 6)
    assert hit_p_value(0.0, 0.01, 100, 1000) == 1.0


def test_exact_p_values_match_random_orders() -> None:
    from stripeless.measures.eer import eer

    rng = np.random.default_rng(0)
    values = np.array([eer(rng.random(15), rng.random(25)) for _ in range(4000)])
    for limit in (0.3, 0.4, 0.5):
        assert np.mean(values <= limit) == pytest.approx(eer_p_value(limit, 15, 25), abs=0.04)


# --- several attackers ----------------------------------------------------------------------------------------------


def masked() -> Evaluation:
    few = simulated(0.0, seed=2, targets=40, nontargets=400, attacker="lazy-informed")
    rng = np.random.default_rng(3)
    many = assess_scores(
        TrialScores(rng.normal(0.2, 1, 1000), rng.normal(0, 1, 10000)), resamples=100, attacker="semi-informed"
    )
    return Evaluation("B1", (few, many), simulated(3.5, attacker="original"))


def test_an_attacker_with_few_trials_does_not_mask_a_significant_one() -> None:
    result = masked()
    d_ece = [attacker["d_ece"] for attacker in result.attackers]
    assert d_ece[0] > d_ece[1]  # pool adjacent violators flatters small samples
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
    assert Evaluation("x", (unsure, sure)).strongest() is sure
    assert Evaluation("x", (unsure, sure)).strongest("eer") is sure


def test_few_trials_of_the_best_informed_are_no_proof_of_quiet() -> None:
    few = simulated(0.0, seed=2, targets=40, nontargets=400, attacker="semi-informed")
    many = simulated(0.0, seed=4, attacker="lazy-informed")
    said = verdict(Evaluation("B1", (many, few), simulated(3.5, attacker="original")).to_dict())
    assert said.level == "unclear"
    assert "better informed" in said.headline
