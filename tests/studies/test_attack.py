"""The study of attacks: who gets what, which space is chosen, the curve, chance, and what may be concluded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stripeless.attackers.inversion import attacks
from stripeless.attackers.inversion.attacks import attackers_half_or_any, choose_dimensions, half_of_people
from stripeless.attackers.inversion.people import attackers_half
from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.attackers.inversion.protocol import FrontEnd
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take
from stripeless.errors import InputError, TooFewTrials
from stripeless.results.attack import AttackStudy
from stripeless.studies.attack import attack_study
from stripeless.studies.attack_played import strongest_row

D = 12


def people(speakers: int, each: int, noise: float = 0.3, seed: int = 1) -> Embeddings:
    rng = np.random.default_rng(seed)
    who = tuple(f"s{k // each:02d}" for k in range(speakers * each))
    vectors = np.repeat(rng.normal(size=(speakers, D)), each, axis=0) + noise * rng.normal(size=(len(who), D))
    return Embeddings(vectors, tuple(f"{name}-{k}" for k, name in enumerate(who)), who)


def turned(original: Embeddings, noise: float = 0.3) -> Embeddings:
    rng = np.random.default_rng(4)
    vectors = original.vectors @ random_rotation(D, rng) + noise * rng.normal(size=original.vectors.shape)
    return Embeddings(vectors, original.utterances)


ORIGINAL = people(10, 4)


@pytest.fixture(scope="module")
def study() -> AttackStudy:
    return attack_study(turned(ORIGINAL), ORIGINAL, resamples=100, seed=2, name="turned")


def test_rows_say_what_each_attack_knows_and_found(study: AttackStudy) -> None:
    knows = {row.name: row.knows for row in study.rows}
    assert list(knows) == [
        "original", "none", "procrustes", "affine", "ridge", "cca", "unpaired", "unpaired, other utterances",
    ]  # fmt: skip
    assert {knows[name] for name in ("procrustes", "affine", "ridge", "cca")} == {"the pairs"}
    rows = {row.name: row for row in study.rows}
    assert {name: set(row.chosen) for name, row in rows.items() if row.chosen} == {
        "affine": {"shrinkage_anonymized", "shrinkage_original"}, "ridge": {"ridge"}, "cca": {"directions"},
    }  # fmt: skip
    assert [name for name, row in rows.items() if row.notes] == ["unpaired", "unpaired, other utterances"]
    assert (study.training, study.judged, study.speakers, study.seed, study.name) == (20, 20, 10, 2, "turned")
    assert (study.groups, study.known, study.taught, study.protocol) == (2, 0, 0, "other people")
    assert not rows["original"].top_k
    for row in study.rows:
        assert row.assessment is not None
        assert (row.assessment.name, row.assessment.attacker) == (row.name, row.name)
        assert row.assessment.intervals is not None
        assert row.assessment.intervals.resamples == 100
        assert row.assessment.seed == 2
        assert not row.assessment.curves


def test_measures_of_a_row_are_those_of_its_scores_and_both_ways_of_top_k(study: AttackStudy) -> None:
    row = next(row for row in study.rows if row.name == "procrustes")
    assert set(row.top_k) == {1, 5}
    there, back = row.top_k[1]
    assert row.measures["top1_original_to_inverted"].value == there
    assert row.measures["top1_inverted_to_original"].value == back
    assert row.measures["top1_original_to_inverted"].info.label == "Top-1, nearest inverted of each original"
    assert row.measures["top5_inverted_to_original"].info.label == "Top-5, nearest original of each inverted"
    assert list(row.measures)[:4] == ["eer", "cllr_min", "d_ece", "linkability"]
    assert row.assessment is not None
    assert all(row.measures[name] == row.assessment.measures[name] for name in ("eer", "linkability"))
    none = next(row for row in study.rows if row.name == "none")
    assert row.measures["eer"].value < 0.1 < none.measures["eer"].value  # type: ignore[operator]


def test_the_curve_ends_with_all_pairs_and_names_each_number_once(study: AttackStudy) -> None:
    assert [point["pairs"] for point in study.curve] == [5, 10, 20]
    last, row = study.curve[-1], next(row for row in study.rows if row.name == "procrustes")
    assert last["eer"] == pytest.approx(row.measures["eer"].value)
    assert last["top1_original_to_inverted"] == pytest.approx(row.top_k[1][0])
    assert last["top1_inverted_to_original"] == pytest.approx(row.top_k[1][1])
    assert study.curve[0]["eer"] > last["eer"]


def test_chance_is_that_of_ten_rotations(study: AttackStudy) -> None:
    assert set(study.chance) == {"eer", "top1_original_to_inverted", "top1_inverted_to_original"}
    assert study.chance["eer"].mean == pytest.approx(0.5, abs=0.15)
    assert 0 < study.chance["eer"].deviation < 0.2
    assert study.chance["top1_inverted_to_original"].mean < 0.35
    assert study.chance == attack_study(turned(ORIGINAL), ORIGINAL, resamples=0, seed=2).chance


def test_people_are_identified_by_the_strongest_attack(study: AttackStudy) -> None:
    assert study.identification.attack == study.tests["unlinkability"].attack
    assert study.identification.attack not in ("none", "original")
    assert study.identification.tried == 7
    assert max(rate.rate for rate in study.identification.rates) > 0.8


def test_the_ceiling_is_no_attack(study: AttackStudy) -> None:
    best = strongest_row(study.rows)
    assert best.name != "original"
    assert best.measures["eer"].value == min(row.measures["eer"].number for row in study.rows[1:])


def test_who_is_given_what_is_checked() -> None:
    with pytest.raises(InputError, match="as many dimensions"):
        attack_study(replace(turned(ORIGINAL), vectors=ORIGINAL.vectors[:, :5]), ORIGINAL)
    with pytest.raises(InputError, match="original: the speakers"):
        attack_study(turned(ORIGINAL), Embeddings(ORIGINAL.vectors, ORIGINAL.utterances))


# Halves and dimensions


def test_half_of_each_speaker_rounded_down_is_the_attackers() -> None:
    who = ("a",) * 5 + ("b",) * 2 + ("a",)
    mine = attackers_half(who, 0)
    assert [int(mine[[k for k, name in enumerate(who) if name == one]].sum()) for one in "ab"] == [3, 1]
    assert not np.array_equal(attackers_half(who, 0), attackers_half(who, 3))
    with pytest.raises(TooFewTrials, match="'c' has one utterance"):
        attackers_half((*who, "c"), 0)
    any_half = attackers_half_or_any(("a", "b", "c", "d", "e"), 0)
    assert (any_half.dtype, int(any_half.sum())) == (np.bool_, 2)
    assert np.array_equal(attackers_half_or_any(who, 3), attackers_half(who, 3))


def test_the_space_in_which_most_speakers_are_found_is_chosen() -> None:
    """Ten directions tell speakers apart on both sides; fifty others, different on each side, only disturb."""
    rng = np.random.default_rng(0)
    voices = np.repeat(3 * rng.normal(size=(30, 10)), 6, axis=0)
    who = tuple(f"s{k // 6}" for k in range(180))
    names = tuple(str(k) for k in range(180))

    def beside(noise: float) -> np.ndarray:
        inner = voices + 0.1 * rng.normal(size=voices.shape)
        return np.hstack([inner, noise * rng.normal(size=(180, 50))])

    original, anonymized = (Embeddings(beside(2.0), names, who) for _ in range(2))
    assert choose_dimensions(anonymized, original) == 10
    clean = [Embeddings(beside(1e-6)[:, :10], names, who) for _ in range(2)]
    assert choose_dimensions(*clean) is None, "of equals the first"
    few = [take(side, np.arange(0, 180, 9)) for side in (anonymized, original)]
    assert choose_dimensions(*few) is None, "half of 20 rows have 9 directions at most"


def test_eight_spaces_are_tried_as_far_as_the_rows_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int | None] = []
    front = attacks.fit_front_end

    def noted(anonymized: Embeddings, original: Embeddings, dimensions: int | None) -> FrontEnd:
        tried.append(dimensions)
        return front(anonymized, original, None)

    monkeypatch.setattr(attacks, "fit_front_end", noted)
    rng = np.random.default_rng(0)
    who = tuple(f"s{k // 2}" for k in range(404))
    both = [Embeddings(rng.normal(size=(404, 200)), tuple(map(str, range(404))), who) for _ in range(2)]
    choose_dimensions(*both)
    assert tried == [None, 10, 20, 40, 70, 100, 150, 200]
    tried.clear()
    choose_dimensions(*(take(side, np.arange(400)) for side in both))
    assert tried == [None, 10, 20, 40, 70, 100, 150], "half of 400 rows have 199 directions"


def test_the_space_is_chosen_on_other_people_than_it_was_learned_from() -> None:
    who = tuple(f"s{k // 5}" for k in range(50))
    half = half_of_people(who, 0)
    inside = {who[k] for k in range(50) if half[k]}
    assert len(inside) == 5
    assert not inside & {who[k] for k in range(50) if not half[k]}
    assert int(half_of_people(("a", "a", "b", "b"), 0).sum()) == 2, "of three people and fewer, utterances are dealt"
