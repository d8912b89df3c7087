"""Singling out and 1:N linkability against their chance, closed forms and brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError, TooFewTrials
from stripeless.measures.lineup import Lineup
from stripeless.measures.singling_out import _successes, one_to_n_linkability, singling_out, sweep, sweep_groups


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
    """Pure noise lies below the formula, which takes recordings to fire independently, and at the chance that is measured."""
    enrolled, tested = noise(40, 5, 1), noise(40, 5, 2)
    isolated = singling_out(enrolled, tested, rounds=60)
    assert isolated.formula == pytest.approx((39 / 40) ** 39)
    assert isolated.rate < 0.35 < isolated.formula  # type: ignore[operator]
    assert isolated.rate == pytest.approx(isolated.chance, abs=0.012)
    linked = one_to_n_linkability(enrolled, tested, speakers=10)
    assert linked.rate == pytest.approx(0.1, abs=0.03)
    assert (linked.chance, linked.formula) == (0.1, None)
    assert linked.low < linked.rate < linked.high


def pseudonyms(seed: int, people: int = 40, each: int = 5) -> tuple[Embeddings, Embeddings]:
    """Each person's recordings resemble each other, and nobody enrolled."""
    rng = np.random.default_rng(seed)
    enrolled, tested = noise(people, each, seed + 1), noise(people, each, seed + 2)
    vectors = np.repeat(rng.normal(size=(people, 30)), each, axis=0) + 0.3 * tested.vectors
    return enrolled, Embeddings(vectors, tested.utterances, tested.speakers)


def test_unrelated_pseudonyms_are_singled_out_no_more_than_without_the_own_person() -> None:
    """The measure answers to recordings that link among themselves; its chance does too."""
    rates = [singling_out(*pseudonyms(seed), seed=seed) for seed in range(0, 60, 3)]
    assert min(rate.rate for rate in rates) > 0.42
    assert np.mean([rate.rate - rate.chance for rate in rates]) == pytest.approx(0, abs=0.01)
    assert sum(rate.p <= 0.05 for rate in rates) <= 4  # type: ignore[operator]
    assert sum(rate.chance_low <= rate.rate <= rate.chance_high for rate in rates) >= 16  # type: ignore[operator]


def test_without_information_p_is_small_as_often_as_it_says() -> None:
    for measure in (singling_out, one_to_n_linkability):
        found = [measure(noise(20, 3, seed), noise(20, 4, 1000 + seed), speakers=10).p for seed in range(40)]
        assert sum(p <= 0.05 for p in found) <= 6  # type: ignore[operator]
        assert np.mean(found) == pytest.approx(0.5, abs=0.17)  # type: ignore[arg-type]


def test_chance_of_singling_out_is_the_rate_without_the_own_person() -> None:
    """Clear voices: whoever is there is singled out; who is not there is told from nobody."""
    enrolled, tested = voices(0.1, seed=1, prefix="e"), voices(0.1, seed=2)
    found = singling_out(enrolled, tested)
    assert found.rate > 0.95
    assert found.p == pytest.approx(0.001)
    assert found.chance < 0.75
    absent = singling_out(
        Embeddings(enrolled.vectors[:12], enrolled.utterances[:12], enrolled.speakers[:12]),  # type: ignore[index]
        Embeddings(tested.vectors[12:], tested.utterances[12:], tested.speakers[12:]),  # type: ignore[index]
    )
    assert absent.rate == absent.chance, "nobody enrolled is there"
    assert absent.p is None


def test_exchanged_models_link_by_chance_exactly() -> None:
    """Over all ways to take one model for another, a recording is linked to one of N in 1/N of the cases."""
    enrolled, tested = voices(1.5, 6, 3, seed=1, prefix="e"), voices(1.5, 6, 4, seed=2)
    table = _successes(tested.vectors @ enrolled.vectors[::3].T, 4)
    np.testing.assert_allclose(table.mean(axis=1), 1 / 4)
    found = one_to_n_linkability(enrolled, tested, speakers=4)
    assert found.p is not None
    assert found.chance_low < 1 / 4 < found.chance_high  # type: ignore[operator]


def test_what_sex_alone_gives_away_is_no_knowledge_of_a_person() -> None:
    """Sexes far apart and nothing else: the rate lies above 1/N, as it does for exchanged models of the same sex."""
    shift = np.zeros(30)
    shift[0] = 6.0
    sexes = tuple("fm"[k % 2] for k in range(20))

    def of(embeddings: Embeddings, each: int) -> Embeddings:
        sex = tuple(np.repeat(sexes, each).tolist())
        moved = embeddings.vectors + np.array([one == "f" for one in sex])[:, None] * shift
        return Embeddings(moved, embeddings.utterances, embeddings.speakers, sex)

    found = [
        one_to_n_linkability(of(noise(20, 3, seed), 3), of(noise(20, 4, 500 + seed), 4), speakers=10)
        for seed in range(20)
    ]
    assert np.mean([rate.rate for rate in found]) > 0.15
    assert sum(rate.p <= 0.05 for rate in found) <= 4  # type: ignore[operator]


def test_several_groups_of_people_are_judged_together() -> None:
    """Two groups: candidates come from one group, people of both make the rate, and both are exchanged within."""
    first, second = (voices(0.8, 12, 4, seed=seed, prefix="e") for seed in (1, 2))
    trials = [voices(0.8, 12, 4, seed=seed) for seed in (3, 4)]
    names = tuple(f"t{name}" for name in second.speakers)  # type: ignore[union-attr]
    second = Embeddings(second.vectors, second.utterances, names)
    trials[1] = Embeddings(trials[1].vectors, trials[1].utterances, names)
    found = sweep_groups([(first, trials[0]), (second, trials[1])], speakers=(12,), utterances=(1,))
    alone = [one_to_n_linkability(first, trials[0]), one_to_n_linkability(second, trials[1], seed=1)]
    assert [rate.name for rate in found] == ["one_to_n_linkability", "singling_out"]
    assert found[0].rate == pytest.approx(np.mean([rate.rate for rate in alone]))
    assert found[0].per_speaker == {**alone[0].per_speaker, **alone[1].per_speaker}
    assert found[0].p == pytest.approx(0.001)
    assert len(found[1].per_speaker) == 24


def test_after_a_swap_it_fires_as_if_dealt_so_from_the_start() -> None:
    """Brute force: every model, every person brought in or taken out."""
    rng = np.random.default_rng(3)
    tests, calibration = rng.normal(size=(4, 6)), rng.normal(size=(4, 6, 9))
    order, own = rng.permutation(6), np.arange(4)

    def fires(model: int, people: list[int]) -> float:
        known = np.sort(calibration[model, people].ravel())[::-1]
        return float((tests[model, people] > (known[8] + known[9]) / 2).sum() == 1)

    for size in (3, 6):
        lineup = Lineup(tests, calibration, order, size)
        chosen = order[:size].tolist()
        np.testing.assert_array_equal(lineup.base(), [fires(m, chosen) for m in own])
        there, gone = lineup.both(own, np.arange(6), lineup.base())
        for model in own:
            for who in range(6):
                rest = [p for p in order.tolist() if p != who]
                assert there[model, who] == fires(model, [*rest[: size - 1], who])
                assert gone[model, who] == fires(model, rest[:size])


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
