"""Singling out and 1:N linkability against their chance, closed forms and brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError, TooFewTrials
from stripeless.measures.singling_out import one_to_n_linkability, singling_out, sweep


def voices(spread: float, speakers: int = 20, each: int = 12, seed: int = 0, prefix: str = "u") -> Embeddings:
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(5).normal(size=(speakers, 30))
    vectors = np.repeat(centers, each, axis=0) + spread * rng.normal(size=(speakers * each, 30))
    names = tuple(f"s{i}" for i in range(speakers) for _ in range(each))
    return Embeddings(vectors, tuple(f"{prefix}{i}" for i in range(len(names))), names)


def noise(speakers: int, each: int, seed: int) -> Embeddings:
    rng = np.random.default_rng(seed)
    names = tuple(f"s{i}" for i in range(speakers) for _ in range(each))
    return Embeddings(rng.normal(size=(len(names), 30)), tuple(f"{seed}-{i}" for i in range(len(names))), names)


def test_without_information_both_sit_at_chance() -> None:
    enrolled, tested = noise(40, 5, 1), noise(40, 30, 2)
    isolated = singling_out(enrolled, tested, rounds=60)
    assert isolated.chance == pytest.approx((39 / 40) ** 39)
    assert isolated.rate == pytest.approx(np.exp(-1), abs=0.04)
    linked = one_to_n_linkability(enrolled, tested, speakers=10)
    assert linked.rate == pytest.approx(0.1, abs=0.03)
    assert linked.low < linked.rate < linked.high


def test_clear_voices_are_singled_out_and_linked() -> None:
    enrolled, tested = voices(0.1, seed=1, prefix="e"), voices(0.1, seed=2)
    assert singling_out(enrolled, tested).rate > 0.95
    assert one_to_n_linkability(enrolled, tested).rate == 1.0


def test_linkability_equals_all_candidate_sets() -> None:
    """Brute force over every set of candidates."""
    enrolled, tested = voices(2.5, 6, 3, seed=1, prefix="e"), voices(2.5, 6, 4, seed=2)
    found = one_to_n_linkability(enrolled, tested, speakers=3)
    models = np.array([enrolled.vectors[3 * i : 3 * i + 3].mean(axis=0) for i in range(6)])
    models /= np.linalg.norm(models, axis=1, keepdims=True)
    rates = []
    for row, vector in enumerate(tested.vectors):
        scores, own = models @ vector, row // 4
        sets = list(combinations([i for i in range(6) if i != own], 2))
        rates.append(np.mean([all(scores[i] < scores[own] for i in s) for s in sets]))
    assert found.rate == pytest.approx(np.mean(rates), abs=1e-12)
    assert found.per_speaker["s0"] == pytest.approx(np.mean(rates[:4]), abs=1e-12)


def test_more_people_hide_better_and_more_utterances_worse() -> None:
    enrolled, tested = voices(2.5, seed=1, prefix="e"), voices(2.5, seed=2)
    by_size = [one_to_n_linkability(enrolled, tested, speakers=n).rate for n in (2, 5, 20)]
    assert by_size[0] > by_size[1] > by_size[2]
    by_length = [one_to_n_linkability(enrolled, tested, utterances=n).rate for n in (1, 4)]
    assert by_length[0] < by_length[1]


def test_ties_are_no_success() -> None:
    same = Embeddings(np.ones((4, 2)), ("a", "b", "c", "d"), ("s0", "s1", "s2", "s3"))
    assert one_to_n_linkability(same, same, speakers=2).rate < 0.6


def test_sweep_leaves_out_what_the_data_cannot_fill() -> None:
    enrolled, tested = voices(2.0, 6, 4, seed=1, prefix="e"), voices(2.0, 6, 4, seed=2)
    found = sweep(enrolled, tested, utterances=(1, 3))
    assert {(r.name, r.utterances) for r in found} == {
        ("one_to_n_linkability", 1),
        ("one_to_n_linkability", 3),
        ("singling_out", 1),
    }


def test_bad_input() -> None:
    enrolled, tested = voices(1.0, 4, 3, prefix="e"), voices(1.0, 4, 3)
    with pytest.raises(InputError, match="2 to 4"):
        one_to_n_linkability(enrolled, tested, speakers=9)
    with pytest.raises(TooFewTrials, match="4 utterances"):
        singling_out(enrolled, tested, utterances=2)
    strangers = Embeddings(tested.vectors, tested.utterances, ("x",) * 12)
    with pytest.raises(InputError, match="no trial speaker is enrolled"):
        one_to_n_linkability(enrolled, strangers)
    with pytest.raises(InputError, match="30 and 2"):
        one_to_n_linkability(enrolled, Embeddings(tested.vectors[:, :2], tested.utterances, tested.speakers))
