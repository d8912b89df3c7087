"""All attackers tested at once: refits, controls and planted leaks, in worlds whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, CORPUS, ORIGINAL

from stripeless.attackers import joint
from stripeless.attackers.battery import CONDITIONS, Battery, exchange_order, exchanged
from stripeless.attackers.joint import ATTACKERS, joint_evidence, of_attacker, played_by
from stripeless.attackers.planted import centered, ideal_eer, shrunk, voices_of, with_plant
from stripeless.attackers.play import play_attackers
from stripeless.attackers.voices import Encoded, battery_of
from stripeless.embeddings.embeddings import Embeddings
from stripeless.results.judged import verdict
from stripeless.scores.pairs import generate_trials
from stripeless.verdicts.evidence import Evidence, Planted, Reached, Refit
from stripeless.worlds.vectors import VectorWorld, simulate_vectors


def battery(world: VectorWorld, seed: int = 0) -> Battery:
    drawn = simulate_vectors(world, seed=seed)
    return Battery(
        "x", drawn.original, drawn.anonymized, generate_trials(drawn.original.enrollment, drawn.original.trials)
    )


SMALL = VectorWorld(people=24, recordings=4, dimension=16, training="none")


# Exchanged enrollments


def test_exchanged_enrollments_stay_within_a_sex_and_take_their_recordings_along() -> None:
    before = battery(SMALL)
    order = exchange_order(before.people, sorted(before.both), np.random.default_rng(0))
    assert sorted(order) == sorted(order.values()) == sorted(before.both)
    assert all(before.people[one] == before.people[other] for one, other in order.items())
    after = exchanged(before, order)
    for side in ("original", "anonymized"):
        was, now = getattr(before, side), getattr(after, side)
        assert now.trials is was.trials
        assert now.enrollment.speakers == tuple(order[name] for name in was.enrollment.speakers)
        assert now.enrollment.vectors is was.enrollment.vectors
    assert after.people == before.people
    assert after.folds == before.folds


def test_an_exchange_that_changes_nothing_gives_the_same_scores() -> None:
    one = battery(SMALL)
    same = exchanged(one, {name: name for name in one.both})
    for first, second in zip(one.play(), same.play(), strict=True):
        assert np.array_equal(first.scores.target, second.scores.target)


@pytest.mark.parametrize(("p", "refitted"), [(0.005, False), (0.0051, True), (0.10, True), (0.101, False)])
def test_attackers_learn_anew_where_the_quick_test_is_close(
    monkeypatch: pytest.MonkeyPatch, p: float, refitted: bool
) -> None:
    one = battery(SMALL)
    tests = iter([p, 0.9])

    def evidence_of(rows: list[object], **asked: object) -> Evidence:
        return Evidence("exchange", next(tests), (Reached("x, cosine", "lazy-informed", 0.5, 0.4, 0.6, p),), 24)

    monkeypatch.setattr(joint, "evidence_of", evidence_of)
    monkeypatch.setattr(joint, "_refit", lambda *given: Refit(0.03, 99))
    found = joint_evidence([one], played_by([one], CONDITIONS))
    assert (found.refit is not None) == refitted
    assert found.final_p == (0.03 if refitted else p)


def test_attackers_who_learned_from_others_are_not_refitted(monkeypatch: pytest.MonkeyPatch) -> None:
    one = replace(battery(SMALL), conditions=("ignorant", "lazy-informed"))
    monkeypatch.setattr(joint, "_refit", lambda *given: pytest.fail("nobody learned from the people judged"))
    monkeypatch.setattr(joint, "evidence_of", lambda rows, **asked: Evidence("exchange", 0.05, (), 24))
    assert joint_evidence([one], played_by([one], CONDITIONS)).refit is None


def test_a_refit_counts_exchanges_that_show_as_much_and_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    one, said = battery(SMALL), []
    found = iter([0.5, 0.04, 0.05, 0.6, 0.01, 0.02, 0.05])
    monkeypatch.setattr(joint, "_p_of", lambda *given: next(found))
    assert joint._refit([one], 0.05, 999, 0, 1.0, said.append) == Refit(5 / 7, 7)
    assert said == [
        "The sign of a leak is close to the limit (p = 0.05): enrollments are exchanged and attackers learn anew, at most 99 "
        "times; 5 minutes or so"
    ]
    monkeypatch.setattr(joint, "_p_of", lambda *given: 0.9)
    assert joint._refit([one], 0.05, 999, 0, 1.0, said.append) == Refit(1 / 100, 99)


def test_refits_play_the_same_attackers_as_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    one = battery(SMALL)
    rows = [each.row.name for each in played_by([one], ATTACKERS)]
    seen: list[list[str]] = []
    monkeypatch.setattr(
        joint, "evidence_of", lambda some, **asked: seen.append([row.name for row in some]) or Evidence(p=0.5)
    )
    joint._p_of([one], 999, 0)
    assert seen == [rows]


# The control and the plants


def test_the_control_is_the_best_on_original_data_less_its_luck() -> None:
    one = battery(SMALL)
    found = joint_evidence([one], played_by([one], CONDITIONS))
    assert found.original is not None
    assert found.original.attacker == "original"
    assert (found.original.low or 0) > 0.707
    assert {row.attacker for row in found.attackers} == set(ATTACKERS), "the control is no attacker"
    shuffled = np.random.default_rng(0).permutation(len(one.original.trials))
    wrong = replace(one.original.trials, vectors=one.original.trials.vectors[shuffled])
    broken = replace(one, original=replace(one.original, trials=wrong))
    control = joint_evidence([broken], played_by([broken], CONDITIONS)).original
    assert control is not None
    assert (control.low or 0) < 0.707


def test_leaks_are_planted_only_where_everything_else_allows_no_leak_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    one = battery(SMALL)
    monkeypatch.setattr(joint, "no_original", lambda *given: "no")
    found = joint_evidence([one], played_by([one], CONDITIONS))
    assert found.planted == Planted(reason="other conditions fail already")


def test_plants_are_found_and_what_hides_them_is_not() -> None:
    one = battery(replace(SMALL, people=40))
    found = joint_evidence([one], played_by([one], CONDITIONS))
    assert found.planted is not None
    assert (found.planted.plants, found.planted.eer) == (5, 20.0)
    assert found.planted.found >= 4
    deaf = replace(one, conditions=("original", "ignorant"))
    missed = joint_evidence([deaf], played_by([deaf], CONDITIONS)).planted
    assert missed is not None
    assert missed.found <= 1, "who compares with original enrollment cannot find a voice that was turned"


def test_an_ideal_listener_errs_in_one_of_five_on_a_plant() -> None:
    """On 4,000 planted people, told every covariance."""
    rng = np.random.default_rng(0)
    one = battery(VectorWorld(people=40, recordings=8, dimension=32, training="none"))
    planted = with_plant(one, voices_of(one), rng)
    added = planted.anonymized.trials.vectors - one.anonymized.trials.vectors
    people = np.array(one.anonymized.trials.speakers)
    voices = np.stack([added[people == name][0] for name in dict.fromkeys(people.tolist())])
    assert np.allclose([added[people == name].std(axis=0).max() for name in set(people.tolist())], 0, atol=1e-9)
    between = voices.T @ voices / len(voices)
    gains = np.linalg.eigvals(np.linalg.solve(np.cov(one.anonymized.trials.vectors.T), between)).real
    gains = gains[gains > 1e-6]
    models = 1 / 4  # the mean of four recordings varies a quarter as much as one
    assert ideal_eer(gains, models, rng.normal(size=(4, 4000, gains.size))) == pytest.approx(0.2, abs=0.04)


def test_a_plant_moves_both_sides_of_a_person_alike_and_others_too() -> None:
    one = battery(SMALL)
    others = Embeddings(np.zeros((6, 16)), tuple("abcdef"), ("p", "p", "q", "q", "r", "r"))
    taught = replace(one, others=others, learn=lambda data: {})
    planted = with_plant(taught, voices_of(one), np.random.default_rng(1))
    assert planted.original is one.original
    moves = {}
    for name in ("enrollment", "trials"):
        before, after = getattr(one.anonymized, name), getattr(planted.anonymized, name)
        for speaker, move in zip(before.speakers, after.vectors - before.vectors, strict=True):
            np.testing.assert_allclose(moves.setdefault(speaker, move), move, atol=1e-9)
    assert planted.others is not None
    assert np.allclose(planted.others.vectors[0], planted.others.vectors[1])
    assert not np.allclose(planted.others.vectors[1], planted.others.vectors[2])
    again = with_plant(taught, voices_of(one), np.random.default_rng(2))
    assert not np.allclose(again.anonymized.trials.vectors, planted.anonymized.trials.vectors), "turned anew each time"


def test_covariance_of_few_rows_is_pulled_towards_the_identity() -> None:
    rng = np.random.default_rng(0)
    many, few = rng.normal(size=(20_000, 8)), rng.normal(size=(6, 8))
    np.testing.assert_allclose(shrunk(many), np.eye(8), atol=0.05)
    sample = few.T @ few / 6
    assert np.linalg.eigvalsh(shrunk(few))[0] > 0.05 > np.linalg.eigvalsh(sample)[0]
    assert np.trace(shrunk(few)) == pytest.approx(np.trace(sample))
    rows = centered(np.array([[1.0], [3.0], [10.0]]), ["f", "f", "m"])
    assert rows.ravel().tolist() == [-1.0, 1.0, 0.0]


# What it says of each attacker


def test_each_attacker_carries_its_own_part_and_a_refit_that_found_nothing_clears_all() -> None:
    rows = (Reached("a", "lazy-informed", 0.6, 0.5, 0.7, 0.02), Reached("b", "semi-informed", 0.5, 0.4, 0.6, 0.3))
    whole = Evidence("exchange", 0.02, rows, 20)
    assert of_attacker(whole, "lazy-informed", "a").p == 0.02
    assert of_attacker(whole, "semi-informed", "b").attackers == rows[1:]
    cleared = of_attacker(replace(whole, refit=Refit(0.2, 25)), "lazy-informed", "a")
    assert (cleared.p, cleared.final_p) == (0.2, 0.2)
    assert of_attacker(whole, "ignorant", "a").p is None


def test_people_whom_nobody_could_judge_are_named() -> None:
    world = simulate_vectors(VectorWorld(people=24, recordings=4, dimension=16, training="none"), seed=0)

    def fewer(data: Embeddings) -> Embeddings:
        women = sorted({name for name, sex in zip(data.speakers or (), data.sex or (), strict=True) if sex == "f"})[:5]
        kept = [
            k
            for k, (name, sex) in enumerate(zip(data.speakers or (), data.sex or (), strict=True))
            if sex == "m" or name in women
        ]
        return Embeddings(
            data.vectors[kept],
            tuple(data.utterances[k] for k in kept),
            tuple((data.speakers or ())[k] for k in kept),
            tuple((data.sex or ())[k] for k in kept),
        )

    sides = [
        replace(side, enrollment=fewer(side.enrollment), trials=fewer(side.trials))
        for side in (world.original, world.anonymized)
    ]
    result = play_attackers(*sides, resamples=0)
    assert result.evidence is not None
    assert any(
        s.startswith("5 people were not judged by an attacker who learned from the others")
        for s in result.evidence.said
    )
    assert result.evidence.people == 12


def test_the_verdict_of_a_perfect_system_and_of_a_leak() -> None:
    for world, label in (
        (VectorWorld(dimension=32, training="none"), "No leak seen"),
        (VectorWorld(dimension=32, kept=0.6), "Strong leak"),
    ):
        drawn = simulate_vectors(world, seed=1)
        result = play_attackers(drawn.original, drawn.anonymized, training=drawn.training, resamples=0, seed=1)
        assert verdict(result).label == label
        assert result.evidence is not None
        assert result.evidence.people == 40


def test_rows_in_another_order_give_the_same_evidence() -> None:
    drawn = simulate_vectors(SMALL, seed=3)

    def mixed(data: Embeddings) -> Embeddings:
        order = np.random.default_rng(0).permutation(len(data))
        return Embeddings(
            data.vectors[order],
            tuple(data.utterances[k] for k in order),
            tuple((data.speakers or ())[k] for k in order),
            tuple((data.sex or ())[k] for k in order),
        )

    sides = [
        replace(side, enrollment=mixed(side.enrollment), trials=mixed(side.trials))
        for side in (drawn.original, drawn.anonymized)
    ]
    one = play_attackers(drawn.original, drawn.anonymized, resamples=0).evidence
    two = play_attackers(*sides, resamples=0).evidence
    assert one is not None
    assert two is not None
    assert [row.auc for row in one.attackers] == pytest.approx([row.auc for row in two.attackers], abs=1e-6)
    assert one.p == pytest.approx(two.p, abs=2e-3)


def test_standardized_vectors_can_be_planted_too() -> None:
    one = replace(battery_of(Encoded("x", ORIGINAL, ANONYMIZED, standardize=True), CORPUS), conditions=CONDITIONS)
    planted = with_plant(one, voices_of(one), np.random.default_rng(0))
    assert len(list(planted.play())) == len(list(one.play()))


def test_the_control_pays_for_the_choice_of_its_best(monkeypatch: pytest.MonkeyPatch) -> None:
    best = Reached("x, cosine", "original", 0.80, 0.75, 0.85, 0.001, "rank", 0.72)
    monkeypatch.setattr(joint, "evidence_of", lambda rows, **asked: Evidence("exchange", 0.001, (best,), 24))
    found = joint._control([object()], 999, 0)  # type: ignore[list-item]
    assert found is not None
    assert found.low == pytest.approx(0.75 - (0.80 - 0.72)), "the limit less what the best of several gains by luck"
