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
    block_folds,
    block_scores,
    choose_backend,
    cross_fitted_scores,
    fit_backend,
    fit_plda_backend,
    fit_whitened_cosine,
    on_one_scale,
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


def test_a_fold_is_scored_by_what_learned_from_the_others_and_cells_between_folds_are_not_judged() -> None:
    models, trials = speaker_means(take(ORIGINAL, ENROLLS)), take(ORIGINAL, ~ENROLLS)
    counts = np.array([1.0, 2.0] * (PEOPLE // 2))
    fold = {name: k % 4 for k, name in enumerate(models.utterances)}
    scores, name = cross_fitted_scores(models, counts, trials, ANONYMIZED, fold)
    rows, columns = (np.array([fold[who] for who in side]) for side in (models.utterances, trials.speakers or ()))
    assert (np.isnan(scores) == (rows[:, None] != columns)).all()
    assert scores.shape == (PEOPLE, len(trials))
    who = np.array(ANONYMIZED.speakers)
    kinds = name.split(", ")
    for number in range(4):
        unseen = np.array([fold[speaker] != number for speaker in who])
        kind = choose_backend(ANONYMIZED.vectors[unseen], tuple(who[unseen]))
        assert kind in kinds, "each fold chooses on the people it learns from"
        backend = backends()[kind](ANONYMIZED.vectors[unseen].astype(float), tuple(who[unseen]))
        block = np.ix_(rows == number, columns == number)
        wanted = backend.scores(
            models.vectors[rows == number], trials.vectors[columns == number], counts[rows == number]
        )
        np.testing.assert_allclose(scores[block], wanted, atol=1e-9)


def test_who_is_in_no_fold_teaches_all_and_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    taught: list[set[str]] = []

    class Flat:
        def __init__(self, vectors: np.ndarray, speakers: tuple[str, ...]) -> None:
            taught.append(set(speakers))

        def scores(self, m: np.ndarray, t: np.ndarray, counts: np.ndarray) -> np.ndarray:
            return np.ones((len(m), len(t)))

    models, trials = speaker_means(take(ORIGINAL, ENROLLS)), take(ORIGINAL, ~ENROLLS)
    fold = {name: k % 3 - 1 for k, name in enumerate(models.utterances)}
    scores = block_scores(models, np.ones(PEOPLE), trials, ANONYMIZED, fold, {0: Flat, 1: Flat})
    for number, known in zip((0, 1), taught, strict=True):
        assert known == {name for name, own in fold.items() if own != number}
    nobody = np.array([fold[name] < 0 for name in models.utterances])
    assert np.isnan(scores[nobody]).all()


def test_each_fold_is_put_on_one_scale() -> None:
    scores = np.array([[1.0, 3.0, np.nan], [5.0, 7.0, np.nan], [np.nan, np.nan, 4.0], [9.0, 9.0, 9.0]])
    found = on_one_scale(scores, np.array([0, 0, 1, -1]))
    np.testing.assert_allclose(found[:2, :2], (scores[:2, :2] - 4) / np.sqrt(5))
    assert found[2, 2] == 0.0, "a fold of one score"
    assert (found[3] == 9.0).all()


def test_as_many_folds_as_leave_four_of_each_sex_and_at_least_two() -> None:
    def folds(women: int, men: int, bystanders: int = 0) -> dict[str, list[int]]:
        people = {f"w{k}": "f" for k in range(women)} | {f"m{k}": "m" for k in range(men)}
        judged = set(people)
        people |= {f"x{k}": "m" for k in range(bystanders)}
        found = block_folds(people, judged, 0)
        assert set(found) == set(people)
        return {
            sex: sorted(np.bincount(own).tolist())
            if (own := [found[n] for n in judged if people[n] == sex])[0] >= 0
            else []
            for sex in dict.fromkeys(people[n] for n in sorted(judged))
        }

    assert folds(8, 32) == {"f": [4, 4], "m": [8, 8, 8, 8]}
    assert folds(13, 16) == {"f": [4, 4, 5], "m": [4, 4, 4, 4]}
    assert folds(7, 20) == {"f": [], "m": [5, 5, 5, 5]}, "fewer than eight are judged by nobody who learned from them"
    assert folds(9, 8) == {"f": [4, 5], "m": [4, 4]}
    assert folds(8, 12, bystanders=3)["m"] == [4, 4, 4], "who is only enrolled does not take a place"
    people = {f"p{k}": "" for k in range(16)}
    assert block_folds(people, set(people), 0) == block_folds(dict(reversed(people.items())), set(people), 0)
    assert block_folds(people, set(people), 0) != block_folds(people, set(people), 1)


@pytest.mark.parametrize("kind", ["PLDA", "WCCN 0.05"])
def test_noise_gives_targets_no_lead_within_a_fold(kind: str) -> None:
    """With pairs of folds, PLDA on pure noise had an EER of 19 % on average (40 people x 8, d = 192)."""
    fit, lead = backends()[kind], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        who = tuple(f"p{k // 8:02d}" for k in range(160))
        data = Embeddings(rng.normal(size=(160, 48)), tuple(f"{name}-{k}" for k, name in enumerate(who)), who)
        odd = np.arange(160) % 2 == 1
        models, trials = speaker_means(take(data, odd)), take(data, ~odd)
        fold = block_folds(dict.fromkeys(who, ""), set(who), seed)
        scores = block_scores(models, np.full(20, 4.0), trials, data, fold, dict.fromkeys(range(4), fit))
        scores = on_one_scale(scores, np.array([fold[name] for name in models.utterances]))
        same = np.array(models.utterances)[:, None] == np.array(trials.speakers)
        lead.append(np.nanmean(scores[same]) - np.nanmean(scores[~same]))
    assert abs(np.mean(lead)) < 3 * np.std(lead) / np.sqrt(12) + 1e-9
    assert abs(np.mean(lead)) < 0.15
