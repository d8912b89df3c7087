"""The test that a verdict on an attribute rests on: what it must find, and what it must not."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="classifiers need pip install 'stripeless[classifiers]'")

from stripeless import verdict
from stripeless.attributes import tested as tested_module
from stripeless.attributes.cost import affordable, expected_seconds, seconds_of
from stripeless.attributes.exchange import exchanged_codes, refit_p, signs, standard_deviation
from stripeless.attributes.levels import Attack, People, averaged, levels_of, ranks_of
from stripeless.attributes.limits import reach_of
from stripeless.attributes.proof import judge_protection
from stripeless.errors import InputError
from stripeless.protections.labels import LabeledVectors
from stripeless.results.attribute import AttributeProof
from stripeless.results.attribute_rules import NOT_TESTED, UNTESTED

RNG = np.random.default_rng(3)
PEOPLE = People(np.array([0, 1, 0, 1, 0, 0, 1, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1]))


def world(
    seed: int, *, people: int = 40, each: int = 4, size: int = 8, shift: float = 0.0, scatter: float = 1.0
) -> tuple[np.ndarray, np.ndarray, list[str], list[int]]:
    """Vectors before and after, labels and speakers; before, the sex shows."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), each)
    female = who % 2 == 0
    after = (
        rng.normal(size=(people, size))[who]
        + rng.normal(size=(who.size, size)) * np.where(female, scatter, 1.0)[:, None]
    )
    after[:, 0] += shift * female
    before = rng.normal(size=(people, size))[who] + rng.normal(size=(who.size, size))
    before[:, 0] += 6.0 * female
    return before, after, ["f" if one else "m" for one in female], who.tolist()


def judged(drawn: Any, **more: Any) -> AttributeProof:
    before, after, labels, who = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge_protection(after, labels, who, original=before, classifiers=("logistic", "neighbors"), **more)


def labeled(vectors: Any, speakers: list[int]) -> LabeledVectors:
    who = np.array(speakers)
    return LabeledVectors(np.asarray(vectors, dtype=float), ("f", "m"), who % 2, who)


@cache
def usual(seed: int, shift: float = 0.0) -> AttributeProof:
    """The verdict on a world as it is."""
    return judged(world(seed, shift=shift))


# The statistic


def test_ranks_are_those_within_a_fold() -> None:
    llr = np.array([4.0, 1.0, 3.0, 2.0, 100.0, 400.0, 300.0, 200.0])
    ranks = ranks_of(Attack("vectors", "x", 0, llr, np.arange(8)), PEOPLE)
    np.testing.assert_allclose(ranks, np.array([3, 0, 2, 1, 0, 3, 2, 1]) / 4 - 0.375)


def test_exchanges_stay_within_folds_and_have_the_deviation_that_is_claimed() -> None:
    labels = exchanged_codes(PEOPLE, np.random.default_rng(0), 4000)
    for fold in (0, 1):
        assert (labels[:, PEOPLE.folds == fold].sum(axis=1) == 2).all()
    attack = Attack("vectors", "x", 0, RNG.normal(size=8), np.arange(8))
    ranks = ranks_of(attack, PEOPLE)
    sums = (labels == 0) @ ranks
    assert sums.std() == pytest.approx(standard_deviation(ranks, PEOPLE, 0), rel=0.05)
    np.testing.assert_allclose(signs([attack], PEOPLE, labels)[:, 0], sums / standard_deviation(ranks, PEOPLE, 0))


def test_an_attacker_who_says_the_same_of_all_gives_no_sign() -> None:
    flat = Attack("vectors", "x", 0, np.zeros(8), np.arange(8))
    assert signs([flat], PEOPLE, PEOPLE.classes[None]).tolist() == [[0.0]]


def test_training_anew_ends_when_the_answer_is_known() -> None:
    assert refit_p(iter([5.0] * 99), 2.0) == (1.0, 5)
    assert refit_p(iter([5.0] * 4 + [1.0] * 95), 2.0) == (0.05, 99)
    told: list[int] = []
    assert refit_p(iter([5.0, 1.0] * 50), 2.0, told.append, 0.04) == (4 / 7, 7)
    assert told == [1, 2, 3, 4, 5, 6, 7]


def test_limits_are_of_the_chance_to_tell_two_speakers_apart() -> None:
    llr = np.array([4.0, 1.0, 3.0, 2.0, 8.0, 9.0, 7.0, 6.0])  # every woman above every man of her fold
    reach = reach_of(Attack("vectors", "x", 0, llr, np.arange(8)), PEOPLE, 0.0)
    assert reach.auc == 1.0
    assert reach.low < 1.0 < reach.high
    assert reach_of(Attack("vectors", "x", 0, -llr, np.arange(8)), PEOPLE, 0.0).auc == 0.0
    one = np.array([4.0, 3.0, 2.0, 1.0, 8.0, 9.0, 7.0, 6.0])  # fold 0: three of four pairs in order
    assert reach_of(Attack("vectors", "x", 0, one, np.arange(8)), PEOPLE, 0.0).auc == pytest.approx((0.75 + 1) / 2)


# Everything of a speaker


def test_a_spread_needs_several_utterances_of_everybody() -> None:
    assert levels_of(labeled(np.zeros((6, 2)), [0, 0, 0, 1, 1, 1])) == ("utterance", "evidence", "vectors", "spread")
    assert "spread" not in levels_of(labeled(np.zeros((5, 2)), [0, 0, 0, 1, 1]))


def test_averages_and_spreads_of_speakers() -> None:
    data = labeled([[0, 0], [2, 4], [1, 2], [5, 5], [5, 5], [5, 8]], [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(averaged(data).vectors, [[1, 2], [5, 6]])
    wide = averaged(data, "spread").vectors
    assert wide[0, 0] == pytest.approx(0.5 * np.log(2 / 3), abs=1e-6)
    assert wide[0, 1] - wide[1, 1] == pytest.approx(0.5 * np.log((8 / 3) / 2), abs=1e-6)


def test_what_is_trained_anew_depends_on_sizes_alone() -> None:
    small = labeled(np.zeros((80, 4)), np.repeat(np.arange(20), 4).tolist())
    every = ("perceptron", "logistic", "neighbors", "angles", "boosting", "svm")
    assert len(affordable(small, 5, every)) == 12
    large = labeled(np.zeros((1440, 512)), np.repeat(np.arange(40), 36).tolist())
    chosen = affordable(large, 5, every)
    assert ("logistic", "rows") in chosen
    assert ("boosting", "rows") not in chosen
    assert affordable(replace(large, codes=1 - large.codes), 5, every) == chosen
    first, again = expected_seconds(large, 5, every, sets=2)
    assert 10 < first < 60
    assert 99 * again / 2 < 150
    assert seconds_of("boosting", 1440, 512, 5) > 20 * seconds_of("logistic", 1440, 512, 5)


# The verdict


def test_nothing_to_find_among_few_people_is_cannot_tell() -> None:
    said = verdict(usual(1))
    assert said.label == "Cannot tell"
    assert "people such as these" in said.headline
    assert NOT_TESTED in said.sentences


def test_a_leak_is_found_and_its_sentences_name_attackers_people_and_limits() -> None:
    proof = usual(2, 6.0)
    said = verdict(proof)
    assert said.label == "Strong leak"
    assert "Whether a speaker is f or m still shows" in said.headline
    text = " ".join(said.sentences)
    for part in (
        "Over 40 people",
        "95 % limits",
        "8 attackers",
        "From one utterance D_ECE is",
        "Attackers: logistic, neighbors",
    ):
        assert part in text
    assert proof.evidence is not None
    assert proof.evidence.groups == {"f": 20, "m": 20}
    assert AttributeProof.from_dict(proof.to_dict()).evidence == proof.evidence


def test_a_spread_between_utterances_alone_is_found() -> None:
    """Voices lie so far apart that a single utterance says nothing."""
    before, after, labels, who = world(3, scatter=3.0, each=10)
    after = after + 30 * np.random.default_rng(0).normal(size=(40, 8))[who]
    proof = judged((before, after, labels, who))
    assert verdict(proof).label in ("Leak", "Strong leak")
    assert proof.evidence is not None
    clear = min(proof.evidence.attackers, key=lambda one: (one.p, -(one.low or 0)))  # type: ignore[type-var,operator]
    assert clear.by == "spread"


def test_many_people_and_nothing_left_is_no_leak_seen() -> None:
    proof = judged(world(5, people=300, each=3, size=8), margin=35.0)
    said = verdict(proof)
    assert said.label == "No leak seen", said
    assert said.headline == "No leak beyond EER 35 % seen, with 8 attackers on 300 people."
    alone = replace(proof, evidence=replace(proof.evidence, original=None))  # type: ignore[type-var]
    assert verdict(alone).label == "Cannot tell"
    assert "no control on unprotected vectors" in verdict(alone).headline
    weak = replace(proof.evidence.original, low=0.6)  # type: ignore[union-attr,type-var]
    hardly = verdict(replace(proof, evidence=replace(proof.evidence, original=weak)))  # type: ignore[type-var]
    assert hardly.headline.startswith(
        "On unprotected vectors the same attackers seem right more than 99 of 100 times, but with 300 people only 60 of 100 are"
    )
    few = verdict(replace(proof, evidence=replace(proof.evidence, people=11)))  # type: ignore[type-var]
    assert few.headline.startswith("11 people are too few")


def test_what_is_not_clear_is_trained_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(tested_module, "clear", lambda quick: False)
    proof = judged(world(1), watch=lambda done, most: told.append((done, most)))
    assert proof.evidence is not None
    refit = proof.evidence.refit
    assert refit is not None
    assert told == [(k + 1, 99) for k in range(refit.times)]
    assert proof.evidence.final_p == refit.p > 0.05
    two = judged(world(1), workers=2)
    assert two.evidence == proof.evidence


def test_who_cannot_be_afforded_pays_with_a_cautious_p(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested_module, "clear", lambda quick: False)
    monkeypatch.setattr(tested_module, "affordable", lambda *args: (("logistic", "averages"),))
    strong = judged(world(2, shift=6.0)).evidence
    assert strong is not None
    assert strong.refit is not None
    assert strong.refit.p <= 0.0125
    monkeypatch.setattr(tested_module, "affordable", lambda *args: ())
    alone = judged(world(2, shift=6.0)).evidence
    assert alone is not None
    assert alone.refit is not None
    assert (alone.refit.times, alone.refit.p <= 0.005) == (0, True)


def test_wrong_data_end_in_no_verdict() -> None:
    before, after, labels, who = world(6)
    twice = [k for k, person in enumerate(who) if person < 10]
    copied = judged(
        (
            np.concatenate([before, before[twice]]),
            np.concatenate([after, after[twice]]),
            labels + [labels[k] for k in twice],
            who + [who[k] + 1000 for k in twice],
        )
    )
    assert "shared_content" in {finding.code for finding in copied.warnings}
    assert verdict(copied).label == "No verdict"
    assert "shared_content" not in {finding.code for finding in usual(6).warnings}
    assert verdict(judged(world(6), trained_on="original")).label == "No verdict"
    with pytest.raises(InputError, match="more than one label"):
        judged((before, after, ["m", *labels[1:]], who))
    with pytest.raises(InputError, match="margin"):
        judged(world(6), margin=20.0)


def test_a_result_without_a_test_says_so() -> None:
    proof = replace(usual(1), evidence=None)
    assert (verdict(proof).label, verdict(proof).headline) == ("Cannot tell", UNTESTED)
    assert "evidence" not in proof.to_dict()
    assert verdict(proof.to_dict()).headline == UNTESTED


def test_the_order_of_rows_does_not_matter() -> None:
    before, after, labels, who = world(7, shift=1.0)
    order = np.random.default_rng(0).permutation(len(who))
    mixed = judged((before[order], after[order], [labels[k] for k in order], [who[k] for k in order]))
    one = judged((before, after, labels, who))
    assert one.evidence is not None
    assert mixed.evidence is not None
    assert (one.evidence.p, one.evidence.refit) == (mixed.evidence.p, mixed.evidence.refit)
