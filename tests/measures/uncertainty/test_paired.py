"""Two systems on the same trials: real differences are found, and only trials that are the same are paired."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_trials import corpus

import stripeless as s
from stripeless.errors import TrialMismatch
from stripeless.scores.trials import Factor, TrialScores


def test_a_real_difference_is_found_and_points_the_right_way() -> None:
    weak, strong = corpus(shift=1.0), corpus(shift=3.0)
    found = s.compare_scores(weak, strong, resamples=200)
    assert found["eer"].difference == s.eer(weak.target, weak.nontarget) - s.eer(strong.target, strong.nontarget)
    assert all(d.p_value < 0.05 and d.more_private == 1 for d in found.values())
    back = s.compare_scores(strong, weak, resamples=200)
    assert all(d.more_private == 2 for d in back.values())
    assert back["eer"].difference == -found["eer"].difference


def test_the_same_system_twice_does_not_differ() -> None:
    scores = corpus()
    found = s.compare_scores(scores, scores, resamples=100)
    assert all((d.difference, d.low, d.high, d.p_value, d.more_private) == (0, 0, 0, 1.0, 0) for d in found.values())


def test_pairing_cancels_what_both_systems_find_hard() -> None:
    """Two noisy copies of one system: the paired interval is far shorter than the difference of two single ones."""
    scores = corpus(spread=1.5)
    rng = np.random.default_rng(0)
    noisy = replace(
        scores,
        target=scores.target + rng.normal(0, 0.1, scores.target.size),
        nontarget=scores.nontarget + rng.normal(0, 0.1, scores.nontarget.size),
    )
    paired = s.compare_scores(scores, noisy, resamples=200)["eer"]
    single = s.assess_scores(scores, resamples=200).measures["eer"]
    assert (paired.high - paired.low) < 0.5 * (float(single.high) - float(single.low))  # type: ignore[arg-type]


def test_other_trials_are_refused() -> None:
    with pytest.raises(TrialMismatch, match="same trial list"):
        s.compare_scores(corpus(), corpus(speakers=20))
    with pytest.raises(TrialMismatch, match="same trial list"):
        s.compare_scores(corpus(), replace(corpus(), trial_digest="other"))


def test_pairing_refuses_rows_whose_speakers_differ() -> None:
    rng = np.random.default_rng(0)
    names = ("a", "b", "c")
    own, other = rng.integers(0, 3, 60).astype(np.int32), rng.integers(0, 3, 90).astype(np.int32)

    def system(order: np.ndarray) -> TrialScores:
        factor = Factor(names, own, other[order])
        return TrialScores(rng.normal(1, 1, 60), rng.normal(0, 1, 90), factor, factor)

    same, mixed = np.arange(90), rng.permutation(90)
    assert s.compare_scores(system(same), system(same), resamples=100)["eer"].unit == "speakers"
    with pytest.raises(TrialMismatch, match="differ from row to row"):
        s.compare_scores(system(same), system(mixed), resamples=100)
