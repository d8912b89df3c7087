"""What follows the scores is no label: levels, decisions, second scores; what people and recordings carry is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from stripeless.assessment.assess import assess_scores
from stripeless.results.judged import verdict
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.score_columns import labels_alone, score_columns
from stripeless.verdicts.strata import strata_of
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld
from stripeless.worlds.scores import simulate_scores

LEAK = ScoreWorld(eer=0.3)


def with_column(scores: TrialScores, values: NDArray[np.generic], name: str = "more") -> TrialScores:
    """The same with a column; targets first."""
    texts = [str(value) for value in values.tolist()]
    names = tuple(dict.fromkeys(texts))
    codes = np.array([names.index(text) for text in texts], dtype=np.int32)
    size = scores.target.size
    return replace(scores, columns={**scores.columns, name: Factor(names, codes[:size], codes[size:])})


def all_of(scores: TrialScores) -> NDArray[np.float64]:
    return np.concatenate([scores.target, scores.nontarget])


FOLLOWING = {
    "levels": lambda s: np.floor(s * 2),
    "words for levels": lambda s: np.array(["low", "middle", "high"])[np.digitize(s, [-0.5, 0.8])],
    "decision": lambda s: np.where(s > 0.7, "accept", "reject"),
    "rounded": lambda s: s.round(1),
    "second score": lambda s: (s + np.random.default_rng(0).normal(size=s.size)).round(1),
    "distance": lambda s: np.round(-3 * s + np.random.default_rng(1).normal(size=s.size)),
}


@pytest.mark.parametrize("kind", FOLLOWING)
def test_a_leak_stays_a_leak_beside_a_column_that_follows_the_scores(kind: str) -> None:
    scores = simulate_scores(LEAK, seed=3).scores
    told = with_column(scores, FOLLOWING[kind](all_of(scores)))
    assert score_columns(told, ("more",)) == ("more",)
    assert "more" not in labels_alone(told).columns
    found, plain = strata_of(told), strata_of(scores)
    np.testing.assert_array_equal(found.trial_group, plain.trial_group)
    assert "'more' follow the scores" in " ".join(found.said)
    assert verdict(assess_scores(told)).label == verdict(assess_scores(scores)).label != "Cannot tell"


@pytest.mark.parametrize("seed", range(5))
def test_sessions_and_sexes_stay_labels_however_far_apart(seed: int) -> None:
    session = ScoreLabel("session", "recording", (0.0, 2.0))
    sex = ScoreLabel("sex", "group", (0.0, 3.0), (8, 32))
    scores = simulate_scores(ScoreWorld(labels=(session, sex)), seed=seed).scores
    assert score_columns(scores, tuple(scores.columns)) == ()
    numbers = with_column(scores, np.random.default_rng(seed).integers(0, 9, all_of(scores).size))
    assert score_columns(numbers, ("more",)) == ()


def test_one_value_and_constant_scores_follow_nothing() -> None:
    scores = simulate_scores(LEAK, seed=1).scores
    assert score_columns(with_column(scores, np.zeros(all_of(scores).size)), ("more",)) == ()
    same = replace(scores, target=0 * scores.target, nontarget=0 * scores.nontarget)
    half = np.arange(all_of(scores).size) % 2
    assert score_columns(with_column(same, half), ("more",)) == ()
