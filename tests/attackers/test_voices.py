"""Attackers who listen: what each of them may have heard, and on which scale vectors are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, CORPUS, EACH, ENROLLS, ORIGINAL, PEOPLE, SIZE, TRAINING, heard

from stripeless.attackers.voices import Encoded, on_scale_of, score_matrix
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take


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
    usual = score_matrix(encoded, CORPUS, condition, 0, relearn)[0]
    for source, change in SOURCES.items():
        if source == "training" and not training:
            continue
        other = score_matrix(replace(encoded, **change), CORPUS, condition, 0, relearn)[0]  # type: ignore[arg-type]
        assert np.allclose(usual, other) == (source not in hears), source


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
    found = score_matrix(Encoded("x", ORIGINAL, ANONYMIZED, standardize=True), CORPUS, condition, 0, False)[0]
    np.testing.assert_allclose(found, cosines, atol=1e-6)


def test_training_vectors_are_put_on_the_scale_of_the_enrollment() -> None:
    """What the back-end learns from is moved as the trials are, or it would learn of another place."""
    scale = take(ANONYMIZED, ENROLLS)
    by_hand = Encoded("x", ORIGINAL, on_scale_of(ANONYMIZED, scale), on_scale_of(TRAINING, scale))
    wanted = score_matrix(by_hand, CORPUS, "semi-informed", 0, True)
    found = score_matrix(Encoded("x", ORIGINAL, ANONYMIZED, TRAINING, True), CORPUS, "semi-informed", 0, True)
    assert found[1] == wanted[1]
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-6, atol=1e-6)


def test_standardized_by_hand() -> None:
    scale = Embeddings([[0.0, 10.0], [2.0, 30.0]], ("a", "b"), ("a", "b"))
    moved = on_scale_of(Embeddings([[5.0, 20.0]], ("c",), ("c",)), scale)
    np.testing.assert_allclose(moved.vectors, [[4.0, 0.0]], atol=1e-6)
