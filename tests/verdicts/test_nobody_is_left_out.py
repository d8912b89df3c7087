"""Whoever a label, a hole or a broken file could take out of the test: they are in it, or the verdict says why it cannot tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.attackers.embedded import Training
from stripeless.attackers.play import play_attackers
from stripeless.embeddings.embeddings import Embeddings
from stripeless.results.evaluation import Evaluation
from stripeless.results.judged import verdict
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.finding import Finding
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld
from stripeless.worlds.scores import SimulatedScores, simulate_scores
from stripeless.worlds.vectors import VectorWorld, simulate_vectors

LEAKS = ("Leak", "Strong leak")
SEXES = ScoreLabel("sex", "group", (0.0, 0.0), (20, 20), across=-1.0)


def drawn(seed: int = 3, **world: object) -> SimulatedScores:
    return simulate_scores(ScoreWorld(people=40, **world), seed=seed)  # type: ignore[arg-type]


def label(scores: TrialScores, original: TrialScores | None = None) -> str:
    return verdict(assess_scores(scores, original=original, curves=False)).label


def test_trials_without_a_session_take_part() -> None:
    """Three of eight recordings of everybody are recognized without error, and these are the ones that no session is known of."""
    one = drawn()
    places = [np.arange(side.size) % 8 for side in (one.scores.target, one.scores.nontarget)]
    sessions = Factor(("a", "b"), *(np.where(place < 5, 0, -1).astype(np.int32) for place in places))
    target = one.scores.target + 20.0 * (places[0] >= 5)
    assert label(replace(one.scores, target=target, columns={"session": sessions}), one.original) in LEAKS
    odd = Factor(("a", "b"), *(np.where(place < 7, 0, 1).astype(np.int32) for place in places))
    assert label(replace(one.scores, columns={"session": odd}), one.original) not in LEAKS


def test_people_of_unknown_sex_take_part() -> None:
    one = drawn(labels=(replace(SEXES, across=None),))
    sex, spoken = one.scores.columns["sex"], one.scores.trial_speakers
    assert spoken is not None
    hidden = {spoken.names.index(name) for name in sorted(spoken.names)[:15]}
    unknown = [np.isin(side, list(hidden)) for side in (spoken.target, spoken.nontarget)]
    columns = {"sex": Factor(sex.names, np.where(unknown[0], -1, sex.target), np.where(unknown[1], -1, sex.nontarget))}
    target = one.scores.target + 20.0 * unknown[0]
    result = assess_scores(replace(one.scores, target=target, columns=columns), original=one.original, curves=False)
    assert verdict(result).label in LEAKS
    assert result.evidence is not None
    assert result.evidence.people == 40


def test_one_trial_without_a_sex_is_no_second_sex_of_the_person() -> None:
    said = []
    for seed in range(10):
        one = drawn(seed, labels=(SEXES,))
        sex = one.scores.columns["sex"]
        target = sex.target.copy()
        target[0] = -1
        said.append(label(replace(one.scores, columns={"sex": replace(sex, target=target)}), one.original))
    assert sum(one in LEAKS for one in said) <= 2


def test_columns_of_many_values_do_not_pull_a_leak_towards_guessing() -> None:
    one, rng = drawn(eer=0.2), np.random.default_rng(0)
    many = {
        name: Factor(
            tuple(f"v{k}" for k in range(100)),
            *(rng.integers(0, 100, side.size).astype(np.int32) for side in (one.scores.target, one.scores.nontarget)),
        )
        for name in ("take", "room")
    }
    plain, cut = (assess_scores(s, curves=False).evidence for s in (one.scores, replace(one.scores, columns=many)))
    assert plain is not None
    assert cut is not None
    assert (cut.attackers[0].auc or 0) > (plain.attackers[0].auc or 0) - 0.03


def test_lists_within_unnamed_groups_are_tested_by_exchange() -> None:
    """A list within the sexes, which nobody named: two parts of people who never meet."""
    one = drawn(labels=(replace(SEXES, across=None),), dispersion=0.5)
    result = assess_scores(replace(one.scores, columns={}), curves=False)
    assert result.evidence is not None
    assert (result.evidence.method, sorted(result.evidence.groups.values())) == ("exchange", [20, 20])
    assert verdict(result).label in LEAKS


def test_a_list_across_the_sexes_alone_ends_in_a_sentence() -> None:
    names, codes = ("a", "b", "c", "d"), np.arange(4, dtype=np.int32)
    scores = TrialScores(
        np.zeros(4), np.ones(4), Factor(names, codes, codes), Factor(names, codes, codes[::-1].copy()),
        {"sex": Factor(("f", "m"), codes % 2, codes[::-1].copy() % 2)},
    )  # fmt: skip
    assert label(scores) in ("Cannot tell", "No verdict")


def with_names(people: Factor | None) -> Factor:
    """The same under other names."""
    assert people is not None
    return replace(people, names=tuple(f"x{name}" for name in people.names))


def test_a_control_on_other_people_is_none() -> None:
    others = simulate_scores(ScoreWorld(people=12), seed=77).original
    one = drawn()
    assert label(one.scores, one.original) == "No leak seen"
    said = verdict(assess_scores(one.scores, original=others, curves=False))
    assert said.label == "Cannot tell"
    assert said.headline.startswith("The control on original data names other people")
    renamed = replace(
        one.original,
        enrollment_speakers=with_names(one.original.enrollment_speakers),
        trial_speakers=with_names(one.original.trial_speakers),
    )
    assert label(one.scores, renamed) == "Cannot tell", "as many trials, of as many people"
    fewer = simulate_scores(ScoreWorld(recordings=4), seed=77).original
    said = verdict(assess_scores(one.scores, original=fewer, curves=False))
    assert said.headline.startswith("The control on original data is of other trials (160 target and 6,240 nontarget")


def test_an_attacker_that_could_not_be_tested_does_not_vanish() -> None:
    one, leak = drawn(), drawn(4, eer=0.05).scores
    spoken = leak.trial_speakers
    assert spoken is not None
    target = spoken.target.copy()
    target[0] = -1
    tested = assess_scores(one.scores, attacker="semi-informed", curves=False)
    untested = assess_scores(
        replace(leak, trial_speakers=replace(spoken, target=target)), attacker="lazy-informed", curves=False
    )
    control = assess_scores(one.original, attacker="original", curves=False)
    said = verdict(Evaluation("x", (tested, untested), control))
    assert said.label == "Cannot tell"
    assert any("One attacker was not tested: some trials do not name both speakers" in s for s in said.sentences)


def test_scores_that_point_the_wrong_way_pass_no_margin() -> None:
    one = drawn(1, eer=0.38)
    turned = replace(one.scores, target=-one.scores.target, nontarget=-one.scores.nontarget)
    said = verdict(assess_scores(turned, original=one.original, curves=False))
    assert said.label in ("Cannot tell", "No verdict")


def test_attackers_of_a_joint_test_say_nothing_on_their_own_account() -> None:
    one = simulate_vectors(VectorWorld(training="none", hides="utterance", kept=0.5), seed=1)
    result = play_attackers(one.original, one.anonymized, resamples=0, seed=1)
    assert verdict(result).label in LEAKS
    for attacker in result.attackers:
        said = verdict(attacker)
        assert said.label != "No leak seen"
        assert "was not tried" not in said.headline


def test_few_training_people_do_not_switch_off_learning_fold_by_fold() -> None:
    world = VectorWorld(people=40, kept=0.5, training="sound", training_people=6)
    one = simulate_vectors(world, seed=1)
    names = {
        row.name
        for row in play_attackers(one.original, one.anonymized, training=one.training, resamples=0).evidence.attackers
    }  # type: ignore[union-attr]
    assert {"PLDA", "WCCN 0.3", "PLDA, cross-fitted", "WCCN 0.3, cross-fitted"} <= names
    deaf = one.anonymized
    noise = replace(
        deaf,
        enrollment=noisy(deaf.enrollment),
        trials=noisy(deaf.trials),
    )
    plain = play_attackers(one.original, one.anonymized, training=Training(), resamples=0)
    helped = play_attackers(one.original, one.anonymized, retrained=noise, resamples=0)
    assert verdict(plain).label in LEAKS
    assert verdict(helped).label in LEAKS


def noisy(data: Embeddings) -> Embeddings:
    return replace(data, vectors=np.random.default_rng(len(data)).normal(size=data.vectors.shape))


@pytest.mark.parametrize("broken", [0, 1])
def test_what_a_broken_attacker_shows_is_not_said_of_a_sound_one(broken: int) -> None:
    rows = [drawn(5).scores, drawn(5, eer=0.1).scores]
    several = [
        assess_scores(s, name=n, attacker="semi-informed", curves=False) for s, n in zip(rows, ("A", "B"), strict=True)
    ]
    several[broken] = replace(several[broken], warnings=(Finding("constant", "serious", ""),))
    said = verdict(Evaluation("x", tuple(several)))
    assert said.label == ("Strong leak" if broken == 0 else "No verdict")


@pytest.mark.parametrize("across", [-1.0, -2.0])
def test_composition_is_no_leak_of_unnamed_people_whose_sex_is_known(across: float) -> None:
    world = ScoreWorld(people=40, labels=(replace(SEXES, across=across),))
    said = []
    for seed in range(6):
        scores = replace(simulate_scores(world, seed=seed).scores, enrollment_speakers=None, trial_speakers=None)
        said.append(verdict(assess_scores(scores, people=40, curves=False)).label)
    assert not set(said) & set(LEAKS)
    leak = simulate_scores(replace(world, eer=0.05), seed=0).scores
    bare = replace(leak, enrollment_speakers=None, trial_speakers=None)
    assert verdict(assess_scores(bare, people=40, curves=False)).label in LEAKS, "more than composition can do"
