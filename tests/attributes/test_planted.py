"""Leaks of known size among speakers: as large as they should be, and found by classifiers that learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="judging needs pip install 'stripeless[classifiers]'")

from stripeless import judge_protection, verdict
from stripeless.attributes import planted
from stripeless.attributes.levels import means_of
from stripeless.attributes.planted import found_in, move_of, moved, planted_leaks
from stripeless.attributes.tested import tested_on as on_all_levels
from stripeless.measures.eer import eer
from stripeless.protections.labels import LabeledVectors, check_labeled
from stripeless.verdicts.evidence import Planted


def noise(people: int, dimensions: int, seed: int, each: int = 4) -> LabeledVectors:
    """Voices of people, half of them of each class, that say nothing of the class; every dimension has its own size."""
    rng = np.random.default_rng(seed)
    whose = np.repeat(np.arange(people), each)
    vectors = rng.normal(size=(people, dimensions))[whose] + rng.normal(size=(whose.size, dimensions))
    scale = np.exp(rng.normal(size=dimensions))
    return check_labeled(vectors * scale, ["fm"[one % 2] for one in whose], whose.tolist())


@pytest.mark.parametrize("dimensions", [1, 3, 10])
def test_the_ideal_listener_errs_for_one_of_five(dimensions: int) -> None:
    data = noise(2000, dimensions, dimensions)
    move = move_of(data, np.random.default_rng(1))
    assert move is not None
    means = means_of(moved(data, move, 0).vectors, data.speakers)
    own = data.speaker_classes == 0
    covariance = np.cov(
        np.concatenate([means[own] - means[own].mean(axis=0), means[~own] - means[~own].mean(axis=0)]).T
    )
    scores = means @ np.linalg.solve(np.atleast_2d(covariance), move)
    assert eer(scores[own], scores[~own]) == pytest.approx(0.2, abs=0.02)


def test_one_class_moves_and_the_classes_take_turns() -> None:
    data = noise(40, 3, 0)
    for number in (0, 1, 2):
        changed = (moved(data, np.ones(3), number).vectors != data.vectors).all(axis=1)
        assert (changed == (data.codes == number % 2)).all()


def test_classifiers_that_learn_find_them() -> None:
    data = noise(160, 8, 2)
    folds = np.repeat(np.arange(160) // 2 % 5, 4)
    assert planted_leaks(on_all_levels(data, data.vectors, folds, ("logistic",), 0, None), 0).found == 5


def test_where_nothing_is_planted_nothing_is_found() -> None:
    found = 0
    for seed in range(6):
        data = noise(60, 4, 10 + seed)
        test = on_all_levels(data, data.vectors, np.repeat(np.arange(60) // 2 % 5, 4), ("logistic",), seed, None)
        found += found_in(test, data)
    assert found <= 2  # 0.3 expected


def test_vectors_without_spread_hold_no_plant() -> None:
    data = replace(noise(40, 4, 3), vectors=np.ones((160, 4)))
    assert move_of(data, np.random.default_rng(0)) is None


def judged(seed: int = 0) -> dict[str, object]:
    """A system that keeps nothing, tried on many people; before it, everybody was told apart."""
    data = noise(400, 4, seed)
    before = data.vectors.copy()
    before[:, 0] += 40 * before[:, 0].std() * (data.codes == 0)
    labels = [data.classes[code] for code in data.codes]
    proof = judge_protection(
        data.vectors, labels, data.speakers.tolist(), original=before, classifiers=["logistic"], seed=seed
    )
    return {"proof": proof, "verdict": verdict(proof)}


def test_no_leak_seen_stands_on_planted_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged()
    assert found["proof"].evidence.planted == Planted(5, 5, 20.0)
    assert found["verdict"].label == "No leak seen"
    assert any("was found 5 of 5 times" in sentence for sentence in found["verdict"].sentences)
    monkeypatch.setattr(planted, "found_in", lambda test, data: False)
    missed = judged()["verdict"]
    assert missed.label == "Cannot tell"
    assert "would have missed a leak" in missed.headline
