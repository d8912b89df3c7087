"""Attackers who listen: what each of them may have heard, and on which scale vectors are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, CORPUS, EACH, ENROLLS, ORIGINAL, PEOPLE, SIZE, TRAINING, heard

from stripeless.attackers.battery import on_scale_of
from stripeless.attackers.voices import Encoded, battery_of
from stripeless.audio.corpus import Corpus
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take


def scores_of(encoded: Encoded, corpus: Corpus, condition: str, relearn: bool) -> dict[str, np.ndarray]:
    """All scores of the attackers of this name who compare, or relearn how to compare, by back-end."""
    return {
        one.backend: np.concatenate([one.scores.target, one.scores.nontarget])
        for one in battery_of(encoded, corpus).play((condition,))
        if (one.backend != "cosine") == relearn
    }


def retold(data: Embeddings, rows: np.ndarray | slice) -> Embeddings:
    """The same with other vectors in these rows."""
    vectors = data.vectors.copy()
    vectors[rows] = heard(99).vectors[rows]
    return replace(data, vectors=vectors)


SOURCES = {
    "original enrollment": {"original": retold(ORIGINAL, ENROLLS)},
    "original trials": {"original": retold(ORIGINAL, ~ENROLLS)},
    "anonymized enrollment": {"anonymized": retold(ANONYMIZED, ENROLLS)},
    "anonymized trials": {"anonymized": retold(ANONYMIZED, ~ENROLLS)},
    "training": {"training": retold(TRAINING, slice(None))},
}
BEFORE = {"original enrollment", "original trials"}
AFTER = {"anonymized enrollment", "anonymized trials"}


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize(
    ("condition", "relearn", "training", "hears"),
    [
        ("original", False, True, BEFORE),
        ("original", True, True, BEFORE),  # the ceiling's back-end must not learn from anonymized speech
        ("ignorant", False, True, {"original enrollment", "anonymized trials"}),
        ("lazy-informed", False, True, AFTER),
        ("semi-informed", True, False, AFTER),
        ("semi-informed", True, True, {*AFTER, "training"}),
    ],
)
def test_each_attacker_hears_what_its_name_says_and_nothing_else(
    condition: str, relearn: bool, training: bool, hears: set[str], standardize: bool
) -> None:
    encoded = Encoded("x", ORIGINAL, ANONYMIZED, TRAINING if training else None, standardize)
    usual = scores_of(encoded, CORPUS, condition, relearn)
    assert len(usual) == (1 if not relearn else 5 if training and condition != "original" else 4)
    for source, change in SOURCES.items():
        if source == "training" and not training:
            continue
        other = scores_of(replace(encoded, **change), CORPUS, condition, relearn)  # type: ignore[arg-type]
        assert len(other) == len(usual)
        for name, scores in other.items():
            # beside what learned from training speech, back-ends that learned fold by fold never hear it
            deaf = source not in hears or (source == "training" and name.endswith("cross-fitted"))
            assert (name in usual and np.allclose(usual[name], scores)) == deaf, (source, name)


@pytest.mark.parametrize(
    ("condition", "enrolled", "tried"),
    [
        ("original", ORIGINAL, ORIGINAL),
        ("ignorant", ORIGINAL, ANONYMIZED),
        ("lazy-informed", ANONYMIZED, ANONYMIZED),
    ],
)
def test_vectors_are_standardized_by_the_enrollment_alone(
    condition: str, enrolled: Embeddings, tried: Embeddings
) -> None:
    """By hand. Standardized by their own mean, trials that an anonymizer moved would seem not to have moved."""
    known = enrolled.vectors[ENROLLS]
    mean, deviation = known.mean(axis=0), known.std(axis=0)
    models = ((known - mean) / deviation).reshape(PEOPLE, EACH // 2, SIZE).mean(axis=1)
    tests = (tried.vectors[~ENROLLS] - mean) / deviation
    cosines = models @ tests.T / np.linalg.norm(models, axis=1)[:, None] / np.linalg.norm(tests, axis=1)
    found = scores_of(Encoded("x", ORIGINAL, ANONYMIZED, standardize=True), CORPUS, condition, False)["cosine"]
    np.testing.assert_allclose(np.sort(found), np.sort(cosines.ravel()), atol=1e-6)


def test_training_vectors_are_put_on_the_scale_of_the_enrollment() -> None:
    """What the back-end learns from is moved as the trials are, or it would learn of another place."""
    scale = take(ANONYMIZED, ENROLLS)
    by_hand = Encoded("x", ORIGINAL, on_scale_of(ANONYMIZED, scale), on_scale_of(TRAINING, scale))
    wanted = scores_of(by_hand, CORPUS, "semi-informed", True)
    found = scores_of(Encoded("x", ORIGINAL, ANONYMIZED, TRAINING, True), CORPUS, "semi-informed", True)
    assert list(found) == list(wanted)
    for name, scores in wanted.items():
        np.testing.assert_allclose(found[name], scores, rtol=1e-6, atol=1e-6)


def test_standardized_by_hand() -> None:
    scale = Embeddings([[0.0, 10.0], [2.0, 30.0]], ("a", "b"), ("a", "b"))
    moved = on_scale_of(Embeddings([[5.0, 20.0]], ("c",), ("c",)), scale)
    np.testing.assert_allclose(moved.vectors, [[4.0, 0.0]], atol=1e-6)
