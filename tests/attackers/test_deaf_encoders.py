"""Of several encoders, those who do not hear the originals are named: the control was met by the others."""

from __future__ import annotations

import numpy as np

from stripeless.attackers.voice_checks import deaf_encoders
from stripeless.scores.trials import TrialScores
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores


def control(eer: float, seed: int = 0) -> TrialScores:
    return simulate_scores(ScoreWorld(people=16, recordings=4, eer=eer), seed=seed).scores


def test_a_deaf_encoder_is_named_beside_a_good_one() -> None:
    (finding,) = deaf_encoders([("good", control(0.02)), ("deaf", control(0.5))])
    assert (finding.code, finding.severity) == ("deaf_encoder", "caution")
    assert "deaf (right " in finding.message
    assert "needed: more than 71 of 100" in finding.message
    assert "met through good alone" in finding.message


def test_the_best_comparison_of_an_encoder_counts() -> None:
    assert deaf_encoders([("good", control(0.02)), ("both", control(0.5)), ("both", control(0.05, seed=1))]) == []


def test_where_all_hear_or_nobody_does_there_is_nothing_to_name() -> None:
    """The verdict itself says that nobody met the control."""
    assert deaf_encoders([("one", control(0.05)), ("other", control(0.02))]) == []
    assert deaf_encoders([("one", control(0.5)), ("other", control(0.5, seed=1))]) == []
    assert deaf_encoders([]) == []


def test_scores_without_people_say_nothing() -> None:
    unnamed = TrialScores(np.arange(5.0), np.arange(5.0))
    assert deaf_encoders([("good", control(0.02)), ("unnamed", unnamed)]) == []
