"""What an inverted set of trials is compared with, and what a front end does, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.attackers.inversion.linear_map import LinearMap, fit_pca
from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.attackers.inversion.protocol import FrontEnd, Sets, evaluate_inversion, fit_front_end, random_attacks
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import length_normalized
from stripeless.errors import InputError

RNG = np.random.default_rng(3)
ENROLLED = Embeddings(np.array([[2.0, 0], [0, 2.0], [1, 1.0]]), ("e1", "e2", "e3"), ("a", "a", "b"), ("f", "f", "f"))
TRIALS = Embeddings(np.array([[1.0, 0], [0, 3.0]]), ("t1", "t2"), ("a", "b"), ("f", "f"))
TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])
HIDDEN = Embeddings((TRIALS.vectors @ TURN.T)[::-1], ("t2", "t1"))


def test_trials_are_paired_by_name_and_take_the_speakers_of_the_originals() -> None:
    sets = Sets.of(ENROLLED, HIDDEN, TRIALS)
    assert sets.anonymized_trials.utterances == TRIALS.utterances
    assert sets.anonymized_trials.speakers == TRIALS.speakers
    assert sets.anonymized_trials.sex == TRIALS.sex
    np.testing.assert_array_equal(sets.anonymized_trials.vectors, HIDDEN.vectors[::-1])
    assert len(sets.trial_list.target) == 4
    named = Embeddings(HIDDEN.vectors, HIDDEN.utterances, ("x", "y"))
    assert Sets.of(ENROLLED, named, TRIALS, sets.trial_list).anonymized_trials.speakers == ("y", "x")
    assert Sets.of(ENROLLED, named, TRIALS, sets.trial_list).trial_list is sets.trial_list
    with pytest.raises(InputError, match="original trials: the speakers"):
        Sets.of(ENROLLED, named, Embeddings(TRIALS.vectors, TRIALS.utterances))


def test_inverted_trials_meet_means_of_enrollment_and_their_own_originals() -> None:
    sets = Sets.of(ENROLLED, HIDDEN, TRIALS)
    plain = FrontEnd(LinearMap(np.eye(2)), LinearMap(np.eye(2)))
    undone = evaluate_inversion(plain, LinearMap(TURN), sets, top=(1, 2))
    root = np.sqrt(0.5)  # both models, (1, 1), stand between both trials
    assert sorted(np.r_[undone.scores.target, undone.scores.nontarget]) == pytest.approx([root] * 4)
    assert (undone.scores.target.size, undone.scores.nontarget.size) == (2, 2)
    assert undone.top_k == {1: (1.0, 1.0), 2: (1.0, 1.0)}
    assert undone.chance_top_k == {1: 0.5, 2: 1.0}
    left = evaluate_inversion(plain, LinearMap(np.eye(2)), sets)
    assert list(left.top_k) == [1]
    assert left.top_k[1] != (1.0, 1.0)
    scaled = FrontEnd(LinearMap(TURN), LinearMap(np.diag([1.0, 5.0])))
    other = evaluate_inversion(scaled, LinearMap(np.eye(2)), sets)
    wanted = np.array([1.0, 5.0]) / np.sqrt(26)
    assert sorted(np.r_[other.scores.target, other.scores.nontarget]) == pytest.approx(sorted([*wanted, *wanted]))


def test_which_side_is_looked_up_from_which() -> None:
    """Three originals point one way, so that both inverted trials of a find an original of a, but not the other way."""
    originals = Embeddings(
        np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]]), ("t1", "t2", "t3"), ("a", "a", "b"), ("f",) * 3
    )
    inverted = Embeddings(np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0]]), ("t1", "t2", "t3"))
    sets = Sets.of(ENROLLED, inverted, originals)
    plain = FrontEnd(LinearMap(np.eye(2)), LinearMap(np.eye(2)))
    there, back = evaluate_inversion(plain, LinearMap(np.eye(2)), sets).top_k[1]
    assert (there, back) == (0.0, 0.0)
    some = Embeddings(np.array([[1.0, 0.05], [0.5, 1.0], [0.4, 1.0]]), ("t1", "t2", "t3"))
    there, back = evaluate_inversion(plain, LinearMap(np.eye(2)), Sets.of(ENROLLED, some, originals)).top_k[1]
    assert (there, back) == (pytest.approx(1.0), pytest.approx(2 / 3))


def test_a_front_end_is_learned_on_each_side_by_itself() -> None:
    left, right = (Embeddings(RNG.normal(size=(30, 5)) + shift, tuple(map(str, range(30)))) for shift in (1.0, 4.0))
    front = fit_front_end(left, right, 3)
    for side, map_of in ((left, front.anonymized), (right, front.original)):
        np.testing.assert_allclose(
            map_of.apply(side.vectors), length_normalized(fit_pca(side.vectors, 3).apply(side.vectors))
        )
    none = fit_front_end(left, right, None)
    np.testing.assert_allclose(none.original.apply(right.vectors), length_normalized(right.vectors))


def test_random_attacks_are_rotations_of_one_seed() -> None:
    found = random_attacks(4, 3, 7)
    rng = np.random.default_rng([7, 4])
    assert len(found) == 3
    for one in found:
        np.testing.assert_array_equal(one.matrix, random_rotation(4, rng))
        np.testing.assert_allclose(one.matrix @ one.matrix.T, np.eye(4), atol=1e-12)
