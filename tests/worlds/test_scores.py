"""Worlds of scores: what is planted is what is there, and nothing else is identity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.measures.eer import eer
from stripeless.scores.trials import TrialScores
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld, shaped
from stripeless.worlds.scores import simulate_scores

LARGE = ScoreWorld(people=150, recordings=12, pair_share=0.0, person_spread=0.0)


def auc(scores: TrialScores) -> float:
    nontarget = np.sort(scores.nontarget)
    return float(np.searchsorted(nontarget, scores.target).mean() / nontarget.size)


@pytest.mark.parametrize(
    "world",
    [
        LARGE,
        replace(LARGE, eer=0.4),
        replace(LARGE, eer=0.2, leaking=0.5),
        replace(LARGE, dispersion=0.5),
        replace(LARGE, eer=0.3, dispersion=1.5),
        replace(LARGE, eer=0.3, person_spread=0.5, people=300, recordings=4),
    ],
)
def test_a_large_draw_has_the_area_and_the_error_rate_that_are_stated(world: ScoreWorld) -> None:
    drawn = simulate_scores(world, seed=1)
    assert drawn.auc is not None
    assert drawn.eer is not None
    assert auc(drawn.scores) == pytest.approx(drawn.auc, abs=0.025)
    assert eer(drawn.scores.target, drawn.scores.nontarget) == pytest.approx(drawn.eer, abs=0.025)
    assert eer(drawn.original.target, drawn.original.nontarget) == pytest.approx(world.original_eer, abs=0.01)


def test_no_formula_no_number() -> None:
    assert ScoreWorld(eer=0.3, heavy=True).auc() is None
    assert ScoreWorld(eer=0.3, leaking=0.5, dispersion=2.0).true_eer() is None


def test_the_seed_decides() -> None:
    one, same, other = (simulate_scores(seed=seed).scores.target for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_everybody_meets_everybody_of_their_group() -> None:
    sex = ScoreLabel("sex", "group", (0.0, 0.0), (3, 5))
    drawn = simulate_scores(ScoreWorld(people=8, recordings=2, labels=(sex,)))
    assert drawn.scores.target.size == 16
    assert drawn.scores.nontarget.size == (9 + 25) * 2 - 16
    across = simulate_scores(ScoreWorld(people=8, recordings=2, labels=(replace(sex, across=0.0),)))
    assert across.scores.nontarget.size == 64 * 2 - 16


def test_holes_fewer_own_and_fewer_enrolled() -> None:
    drawn = simulate_scores(ScoreWorld(people=10, recordings=4, others=3, own=1)).scores
    assert drawn.target.size == 10
    assert drawn.nontarget.size == 10 * 3 * 4
    few = simulate_scores(ScoreWorld(people=10, recordings=4, enrolled=6)).scores
    assert few.enrollment_speakers is not None
    assert set(few.enrollment_speakers.target.tolist()) == set(range(6))
    assert few.trial_speakers is not None
    assert set(few.trial_speakers.nontarget.tolist()) == set(range(10))


def test_labels_move_scores_and_are_told() -> None:
    labels = (ScoreLabel("sex", "group", (3.0, 0.0), (20, 20)), ScoreLabel("room", "own", (1.0,), (2,)))
    scores = simulate_scores(ScoreWorld(labels=labels)).scores
    women = scores.columns["sex"].nontarget == 0
    assert scores.nontarget[women].mean() - scores.nontarget[~women].mean() > 2.5
    assert len(scores.columns["room"].names) == 80
    assert simulate_scores(ScoreWorld(labels=labels, named=False)).scores.columns == {}


def test_only_one_session_leaks() -> None:
    session = ScoreLabel("session", "recording", (0.0, 0.0))
    world = ScoreWorld(eer=0.1, labels=(session,), leaking_label="session", person_spread=0.0)
    scores = simulate_scores(world).scores
    first = scores.columns["session"].target == 0
    assert scores.target[first].mean() > 2.0
    assert abs(scores.target[~first].mean()) < 0.3


def test_a_share_of_variance_belongs_to_the_pair() -> None:
    scores = simulate_scores(ScoreWorld(people=60, recordings=8, pair_share=0.6, person_spread=0.0)).scores
    of_pair = scores.nontarget.reshape(60, -1, 8)
    between = of_pair.mean(axis=2).var() - of_pair.var(axis=2, ddof=1).mean() / 8
    assert between == pytest.approx(0.6, abs=0.05)


def test_attackers_share_what_they_shall() -> None:
    drawn = simulate_scores(ScoreWorld(people=60, attackers=2, shared=0.5))
    one, other = (attacker.nontarget for attacker in drawn.attackers)
    assert np.corrcoef(one, other)[0, 1] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("shape", ["normal", "skewed", "cosine", "plda"])
def test_shapes_keep_the_order(shape: str) -> None:
    values = np.linspace(-6, 6, 500)
    assert (np.diff(shaped(values, shape)) > 0).all()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"eer": 0.6}, "eer: expected a number from 0 to 0.5"),
        ({"pair_share": 1.5}, "pair_share: expected a number from 0 to 1"),
        ({"people": 1}, "2 or more people"),
        ({"leaking_label": "sex"}, "there is no label 'sex'"),
    ],
)
def test_impossible_worlds_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ScoreWorld(**changes)  # type: ignore[arg-type]


def test_a_label_of_no_kind_is_refused() -> None:
    with pytest.raises(InputError, match="group, recording, match or own"):
        ScoreLabel("room", "wall", (1.0,))  # type: ignore[arg-type]
