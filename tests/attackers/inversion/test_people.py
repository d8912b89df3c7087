"""Who teaches and who is judged; leaks of known size; tests of groups that teach each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stripeless.attackers.inversion.attacks import Attack, Learned
from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.matches import match_test
from stripeless.attackers.inversion.people import group_of_people, other_people, same_people
from stripeless.attackers.inversion.planted import plant
from stripeless.attackers.inversion.protocol import fit_front_end
from stripeless.attackers.inversion.taught import NEARLY, WIDER, taught_by_each_other
from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.evidence import evidence_of


def voices(people: int = 16, each: int = 4, seed: int = 0, size: int = 5) -> Embeddings:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), each)
    vectors = rng.normal(size=(people, size))[who] + 0.3 * rng.normal(size=(who.size, size))
    labels = tuple(f"p{p:02d}" for p in who.tolist()), tuple("fm"[p % 2] for p in who.tolist())
    return Embeddings(vectors, tuple(f"u{k:03d}" for k in range(who.size)), *labels)


@pytest.mark.parametrize(
    ("women", "men", "sizes"),
    [
        (20, 20, {(0, 5): 8}),  # four groups of five women and five men
        (8, 32, {}),
        (4, 16, {}),
        (6, 6, {(0, 3): 4}),  # two groups of three and three
        (4, 4, {}),
    ],
)
def test_groups_hold_people_who_can_be_exchanged(women: int, men: int, sizes: dict[tuple[int, int], int]) -> None:
    names = [f"p{k:02d}" for k in range(women + men)]
    sexes = ["f"] * women + ["m"] * men
    found = group_of_people(names, sexes, [True] * len(names), 0)
    assert set(found) == set(names)
    cells: dict[tuple[int, str], int] = {}
    for name, sex in zip(names, sexes, strict=True):
        cells[found[name], sex] = cells.get((found[name], sex), 0) + 1
    groups = {group for group, _ in cells}
    assert -1 not in groups
    assert min(cells.values()) >= 2
    assert len(groups) == {(20, 20): 4, (8, 32): 2, (4, 16): 4, (6, 6): 2, (4, 4): 2}[women, men]
    if (women, men) == (4, 4):
        assert cells == {(0, "f"): 4, (1, "m"): 4}, "two of a sex can hardly be exchanged, so each sex is a group"
    for (_, size), count in sizes.items():
        assert list(cells.values()) == [size] * count


def test_who_cannot_be_compared_is_in_no_group() -> None:
    found = group_of_people(["a", "b", "c", "d", "e"], ["f", "f", "f", "f", "m"], [True] * 5, 0)
    assert found["e"] == -1
    assert sorted(found[name] for name in "abcd") == [0, 0, 1, 1]


def test_nobody_is_judged_by_who_learned_from_them() -> None:
    original = voices()
    parts = other_people(original, original, seed=3)
    judged = [name for part in parts for name in part.people]
    assert sorted(judged) == sorted(set(original.speakers or ()))
    for part in parts:
        assert not set(part.people) & set(part.training[1].speakers or ())
        assert not set(part.sets.enrollment.utterances) & set(part.sets.original_trials.utterances)
    same = same_people(original, original, 3)
    assert set(same.people) == set(same.training[1].speakers or ())


# Planted leaks


def test_a_plant_is_one_shift_for_each_person_and_comes_back_by_a_rotation() -> None:
    original = voices()
    nothing = replace(original, vectors=np.random.default_rng(1).normal(size=original.vectors.shape))
    (part,) = [same_people(nothing, original, 0)]
    (made,) = plant([part], 0)
    added = made.training[0].vectors - part.training[0].vectors
    tried = made.sets.anonymized_trials.vectors - part.sets.anonymized_trials.vectors
    who = part.training[1].speakers or ()
    for name in set(who):
        rows = [k for k, one in enumerate(who) if one == name]
        assert np.allclose(added[rows], added[rows[0]])
        column = (part.sets.anonymized_trials.speakers or ()).index(name)
        assert np.allclose(tried[column], added[rows[0]])
    assert np.array_equal(made.training[1].vectors, part.training[1].vectors)
    again = plant([part], 0)[0].training[0].vectors
    assert np.array_equal(again, made.training[0].vectors)
    other = plant([part], 1)[0].training[0].vectors - part.training[0].vectors
    assert not np.allclose(other, added)
    lengths = [np.linalg.norm(one, axis=1) for one in (other, added)]
    assert np.allclose(lengths[0] / lengths[1], (lengths[0] / lengths[1])[0], rtol=0.05), "turned, not stretched"


def test_what_has_no_voice_or_no_size_cannot_be_planted() -> None:
    original = voices()
    alike = replace(original, vectors=np.ones_like(original.vectors))
    with pytest.raises(InputError, match="no voice can be planted"):
        plant([same_people(original, alike, 0)], 0)
    with pytest.raises(InputError, match="has no size"):
        plant([same_people(alike, original, 0)], 0)


# Tests


def scored(shift: float, seed: int = 0, people: int = 8) -> TrialScores:
    rng = np.random.default_rng(seed)
    enrolled, spoken = (side.ravel() for side in np.meshgrid(np.arange(people), np.arange(people), indexing="ij"))
    enrolled, spoken = np.repeat(enrolled, 3).astype(np.int32), np.repeat(spoken, 3).astype(np.int32)
    same = enrolled == spoken
    values = rng.normal(size=same.size) + shift * same
    names = tuple(f"p{k}" for k in range(people))
    sides = (Factor(names, one[same], one[~same]) for one in (enrolled, spoken))
    return TrialScores(values[same], values[~same], *sides)


def test_groups_that_teach_each_other_need_a_clearer_sign_and_have_wider_limits() -> None:
    scores = [scored(0.5), scored(0.6, 1)]
    plain = evidence_of([("a", scores[0]), ("b", scores[1])])
    strict = taught_by_each_other(plain, scores)
    assert plain.p is not None
    assert strict.p is not None
    assert strict.p > plain.p
    assert [one.auc for one in strict.attackers] == [one.auc for one in plain.attackers]
    for one, other in zip(strict.attackers, plain.attackers, strict=True):
        assert one.auc is not None
        assert one.high is not None
        assert other.high is not None
        assert one.high - one.auc == pytest.approx(min(WIDER * (other.high - one.auc), 1 - one.auc))
    assert 1 < NEARLY < WIDER < np.sqrt(2)
    nothing = replace(plain, p=None)
    assert taught_by_each_other(nothing, scores) is nothing


def test_a_map_that_brings_everybody_back_is_found_and_one_sex_is_not_enough() -> None:
    """The nearest original is of the right sex, and of the right person only where the map is right."""
    original = voices()
    sexes = np.array([sex == "f" for sex in original.sex or ()], dtype=float)
    by_sex = replace(original, vectors=original.vectors + 20 * sexes[:, None])
    parts = other_people(by_sex, by_sex, seed=0)
    learned = [Learned(part, None, fit_front_end(*part.training, None)) for part in parts]
    right = Attack("right", "", tuple(LinearMap(np.eye(5)) for _ in parts))
    found = match_test(learned, [right])
    assert found is not None
    assert found.share > 0.9
    assert found.p < 0.05
    assert found.chance == pytest.approx(0.25, abs=0.05), "four of a sex are in a group"
    assert found.corrected <= found.share
