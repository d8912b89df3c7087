"""Back-ends that an attacker relearns: known answers of each step, and that nobody is judged by what has seen them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, ENROLLS, ORIGINAL, PEOPLE

from stripeless.attackers import backends as module
from stripeless.attackers.backends import (
    PldaBackend,
    backends,
    choose_backend,
    cross_fitted_scores,
    fit_backend,
    fit_plda_backend,
    fit_whitened_cosine,
    share_in_order,
    speaker_folds,
)
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import fit_plda
from stripeless.embeddings.vectors import length_normalized, speaker_means, take
from stripeless.errors import InputError

RNG = np.random.default_rng(5)
WHO = tuple(f"s{k // 5}" for k in range(60))
VOICES = np.repeat(RNG.normal(size=(12, 4)), 5, axis=0)
VECTORS = VOICES + RNG.normal(size=(60, 4)) * [0.1, 0.5, 1.0, 2.0]


def within(vectors: np.ndarray) -> np.ndarray:
    """Covariance of a speaker's own utterances, by the book."""
    inner = vectors - np.repeat(vectors.reshape(12, 5, -1).mean(axis=1), 5, axis=0)
    return np.asarray(inner.T @ inner / (60 - 12))


@pytest.mark.parametrize("shrinkage", [0.05, 0.3, 1.0])
def test_whitening_makes_the_shrunken_covariance_the_identity(shrinkage: float) -> None:
    found = fit_whitened_cosine(VECTORS, WHO, shrinkage)
    covariance = within(VECTORS)
    shrunken = (1 - shrinkage) * covariance + shrinkage * np.trace(covariance) / 4 * np.eye(4)
    np.testing.assert_allclose(found.whiten.T @ shrunken @ found.whiten, np.eye(4), atol=1e-9)


def test_the_mean_of_the_speakers_is_subtracted_only_where_it_is_long() -> None:
    """Against the spread of the speakers, each of whom counts once however often they speak."""
    unequal = np.r_[0:60, np.repeat(0, 40)]
    shifted = (VECTORS - VECTORS.mean(axis=0) + 3.0)[unequal]
    who = tuple(WHO[k] for k in unequal)
    means = np.array([shifted[np.array(who) == name].mean(axis=0) for name in dict.fromkeys(who)])
    np.testing.assert_allclose(fit_whitened_cosine(shifted, who, 0.3).mean, means.mean(axis=0), atol=1e-12)
    near = VECTORS - VECTORS.mean(axis=0) + 0.05
    assert not fit_whitened_cosine(near, WHO, 0.3).mean.any()


def test_scores_are_cosines_of_whitened_vectors() -> None:
    found = fit_whitened_cosine(VECTORS + 3, WHO, 0.3)
    models, trials = VECTORS[:3] + 3, VECTORS[3:9] + 3
    left, right = ((each - found.mean) @ found.whiten for each in (models, trials))
    wanted = [[a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in right] for a in left]
    np.testing.assert_allclose(found.scores(models, trials, np.ones(3)), wanted, atol=1e-12)


def test_plda_keeps_at_most_100_dimensions_and_is_told_how_many_utterances_enrolled() -> None:
    wide = np.random.default_rng(0).normal(size=(330, 120)) + np.repeat(2 * RNG.normal(size=(110, 120)), 3, axis=0)
    found = fit_plda_backend(wide, tuple(str(k // 3) for k in range(330)))
    assert isinstance(found, PldaBackend)
    assert found.plda.lda.shape == (120, 100)
    counts = np.array([1.0, 3.0])
    small = fit_plda_backend(VECTORS, WHO)
    wanted = fit_plda(VECTORS, WHO, lda_dimensions=100).scores(VECTORS[:2], VECTORS[7:9], counts)
    assert np.array_equal(small.scores(VECTORS[:2], VECTORS[7:9], counts), wanted)


@dataclass
class Told:
    """A back-end whose scores are written down."""

    matrix: Any

    def scores(self, models: np.ndarray, trials: np.ndarray, counts: np.ndarray) -> np.ndarray:
        assert len(models) == len(trials) == len(counts)
        assert (counts == 1).all()
        return np.asarray(self.matrix, dtype=float)


SYMMETRIC = [[9, 5, 3, 7], [5, 9, 4, 1], [3, 4, 9, 4], [7, 1, 4, 9]]  # pairs: aa 5, ab 3 7 4 1, bb 4


@pytest.mark.parametrize(
    ("sex", "share"),
    [
        ("ffff", (3 / 4 + (2 + 1 / 2) / 4) / 2),  # 5 beats 3 4 1; 4 beats 3 1 and ties with 4
        ("ffmm", 0.0),  # nobody to be mixed up with
        ("fffm", (1 / 1 + 1 / 1) / 2),  # 5 against 3 and 4
    ],
)
def test_share_of_pairs_in_the_right_order_within_a_sex(sex: str, share: float) -> None:
    found = share_in_order(Told(SYMMETRIC), np.zeros((4, 2)), ("a", "a", "b", "b"), np.array(list(sex)))
    assert found == pytest.approx(share)


def test_nothing_to_put_in_order_is_no_share() -> None:
    sexes = np.array(["f"] * 4)
    assert share_in_order(Told(SYMMETRIC), np.zeros((4, 2)), ("a", "b", "c", "d"), sexes) == 0.0
    assert share_in_order(Told(SYMMETRIC), np.zeros((4, 2)), ("a",) * 4, sexes) == 0.0


def test_the_best_on_held_out_speakers_is_chosen_from_both_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, list[set[str]]] = {"good": [], "few": []}

    class Blind:
        def __init__(self, sign: float) -> None:
            self.sign = sign

        def scores(self, models: np.ndarray, trials: np.ndarray, counts: np.ndarray) -> np.ndarray:
            return self.sign * (length_normalized(models) @ length_normalized(trials).T)

    def good(vectors: np.ndarray, speakers: tuple[str, ...]) -> Blind:
        seen["good"].append(set(speakers))
        return Blind(1.0)

    def too_few(vectors: np.ndarray, speakers: tuple[str, ...]) -> Blind:
        seen["few"].append(set(speakers))
        raise InputError("speakers: too few")

    monkeypatch.setattr(module, "backends", lambda: {"bad": lambda v, s: Blind(-1.0), "few": too_few, "good": good})
    clear = VOICES + 0.01 * VECTORS
    assert choose_backend(clear, WHO) == "good"
    assert len(seen["good"]) == len(seen["few"]) == 2
    assert seen["good"][0] | seen["good"][1] == set(WHO)
    assert not seen["good"][0] & seen["good"][1]
    backend, name = fit_backend(clear, WHO)
    assert name == "good"
    assert seen["good"][-1] == set(WHO), "the chosen one learns from everybody"
    assert isinstance(backend, Blind)


def test_a_back_end_learns_from_six_people() -> None:
    assert choose_backend(VECTORS[:30], WHO[:30]) in backends()
    with pytest.raises(InputError, match="at least 6 people, got 5"):
        choose_backend(VECTORS[:25], WHO[:25])
    assert list(backends()) == ["WCCN 0.05", "WCCN 0.3", "WCCN 1", "PLDA"]


def test_sex_decides_who_can_be_mixed_up() -> None:
    """Within a sex only the second number tells people apart, across sexes the first: told the sexes, whitening wins."""
    rng = np.random.default_rng(1)
    sexes = ["f" if k // 5 % 2 else "m" for k in range(60)]
    strong = np.array([[20.0 if sex == "f" else -20.0] for sex in sexes])
    vectors = np.hstack([strong + 6 * rng.normal(size=(60, 1)), VOICES[:, :3] + 0.2 * rng.normal(size=(60, 3))])
    assert choose_backend(vectors, WHO, sexes) != "WCCN 1"


def test_folds_are_of_equal_size_in_each_sex_and_overall() -> None:
    speakers = [f"p{k}" for k in range(14)]
    sexes = ["f"] * 6 + ["m"] * 8
    fold = speaker_folds(speakers, sexes, 4, seed=0)
    assert sorted(np.bincount(list(fold.values()))) == [3, 3, 4, 4]
    for sex, sizes in (("f", [1, 1, 2, 2]), ("m", [2, 2, 2, 2])):
        assert sorted(np.bincount([fold[s] for s, own in zip(speakers, sexes, strict=True) if own == sex])) == sizes
    twice = speaker_folds([*reversed(speakers), *speakers], [*reversed(sexes), *sexes], 4, seed=0)
    assert twice == fold, "neither order nor number of utterances matters"
    assert speaker_folds(speakers, sexes, 4, seed=1) != fold


def test_each_cell_is_scored_by_a_back_end_that_has_seen_neither_speaker() -> None:
    models, trials = speaker_means(take(ORIGINAL, ENROLLS)), take(ORIGINAL, ~ENROLLS)
    counts = np.array([1.0, 2.0] * (PEOPLE // 2))
    fold = {name: k % 4 for k, name in enumerate(models.utterances)}
    scores, name = cross_fitted_scores(models, counts, trials, ANONYMIZED, fold)
    assert np.isfinite(scores).all()
    assert scores.shape == (PEOPLE, len(trials))
    who = np.array(ANONYMIZED.speakers)
    for row, column in ((0, 0), (0, 9), (5, 2), (7, 20), (15, 30), (3, 31)):
        left, right = fold[models.utterances[row]], fold[(trials.speakers or ())[column]]
        unseen = np.array([fold[speaker] not in (left, right) for speaker in who])
        backend = backends()[name](ANONYMIZED.vectors[unseen], tuple(who[unseen]))
        alone = backend.scores(models.vectors[[row]], trials.vectors[[column]], counts[[row]])
        assert scores[row, column] == pytest.approx(alone[0, 0], abs=1e-9)


def test_the_kind_of_back_end_is_put_to_the_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = iter(["PLDA", "WCCN 1", "PLDA", "WCCN 1", "WCCN 1", "WCCN 0.3"])
    told: list[tuple[str, ...]] = []

    def vote(vectors: np.ndarray, speakers: tuple[str, ...], sexes: tuple[str, ...], seed: int) -> str:
        told.append(sexes)
        assert seed == 8
        return next(votes)

    monkeypatch.setattr(module, "choose_backend", vote)
    models, trials = speaker_means(take(ORIGINAL, ENROLLS)), take(ORIGINAL, ~ENROLLS)
    fold = {name: k % 3 for k, name in enumerate(models.utterances)}
    sexed = Embeddings(
        ANONYMIZED.vectors, ANONYMIZED.utterances, ANONYMIZED.speakers, tuple("fm" * (len(ANONYMIZED) // 2))
    )
    assert cross_fitted_scores(models, np.ones(PEOPLE), trials, sexed, fold, 8)[1] == "WCCN 1"
    assert len(told) == 6, "one vote for each pair of folds"
    assert set(told[0]) == {"f", "m"}
