"""A group in the open is named where the average hides it, and sound groups are left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.doctor.exposed import RARE, Looked, exposed_group, groups_of, own_effect, with_exposed
from stripeless.attackers.play import play_attackers
from stripeless.embeddings.embeddings import Embeddings
from stripeless.results.judged import verdict
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.cells import cells_of
from stripeless.verdicts.evidence import Evidence, Reached, Row, evidence_of
from stripeless.verdicts.leak import leaks
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld
from stripeless.worlds.scores import simulate_scores
from stripeless.worlds.vectors import VectorWorld, simulate_vectors

WOMEN = ScoreLabel("sex", "group", (0.0, 0.0), (4, 36))
ACCENT = ScoreLabel("accent", "group", (0.0,) * 4, (10,) * 4, 0.0)
FOUR_OF_FORTY = ScoreWorld(eer=0.1, labels=(WOMEN,), leaking_label="sex")
SOUND = (ScoreWorld(labels=(WOMEN,)), ScoreWorld(labels=(ACCENT,), pair_share=0.9))


def quiet(scores: TrialScores) -> Evidence:
    """The evidence of these scores, without a leak whatever they show: what is said of groups is asked by itself."""
    return replace(evidence_of([Row("", "", scores)]), p=1.0)


def test_four_women_of_forty_people_are_named() -> None:
    result = assess_scores(simulate_scores(FOUR_OF_FORTY, seed=5).scores)
    assert not leaks(result.evidence)
    (finding,) = [one for one in result.warnings if one.code == "exposed_group"]
    assert finding.severity == "caution"
    assert "sex 'sex 0', 4 people: right 9" in finding.message
    assert "p counts 2 looks" in finding.message
    assert "--by sex" in finding.message
    assert "sex 1" not in finding.message


def test_no_leak_seen_is_not_said_beside_it() -> None:
    drawn = simulate_scores(FOUR_OF_FORTY, seed=7)
    result = assess_scores(drawn.scores, original=drawn.original)
    assert "exposed_group" in {finding.code for finding in result.warnings}
    said = verdict(result)
    assert said.label == "Cannot tell"
    assert "a group of them does" in said.headline
    others = tuple(one for one in result.warnings if one.code != "exposed_group")
    assert verdict(replace(result, warnings=others)).label == "No leak seen", "nothing else stands against it"


def test_it_is_found_nearly_always_and_wrong_in_one_of_a_hundred() -> None:
    """20 files each: at most 1 wrong one of 40 at half a percent (p = 0.02 otherwise), and none missed."""
    wrong = sum(
        exposed_group(scores, quiet(scores)) is not None
        for world in SOUND
        for scores in (simulate_scores(world, seed=300 + seed).scores for seed in range(20))
    )
    drawn = [simulate_scores(FOUR_OF_FORTY, seed=300 + seed).scores for seed in range(20)]
    assert wrong <= 1
    assert all(exposed_group(scores, quiet(scores)) is not None for scores in drawn)


def test_all_groups_and_all_attackers_share_the_level() -> None:
    scores = simulate_scores(ScoreWorld(eer=0.34, labels=(WOMEN,), leaking_label="sex"), seed=7).scores
    (women, men) = groups_of(scores)
    assert (women.label, women.value, women.people, men.people) == ("sex", "sex 0", 4, 36)
    assert RARE / 20 < women.p < RARE / 2
    alone = quiet(scores)
    assert exposed_group(scores, alone) is not None
    assert exposed_group(scores, replace(alone, attackers=(Reached(),) * 10)) is None


def test_where_all_leak_or_nobody_is_named_nothing_is_said_of_groups() -> None:
    scores = simulate_scores(FOUR_OF_FORTY, seed=5).scores
    everybody = simulate_scores(replace(FOUR_OF_FORTY, leaking_label=""), seed=5).scores
    assert exposed_group(everybody, replace(quiet(everybody), p=0.01)) is None
    assert exposed_group(scores, None) is None
    assert exposed_group(scores, Evidence("clusters", 1.0)) is None
    assert list(groups_of(replace(scores, enrollment_speakers=None, trial_speakers=None))) == []


def test_a_leak_in_one_group_is_named_after_it() -> None:
    """Eight women leak, so all together do; the men are spared."""
    women = ScoreLabel("sex", "group", (0.0, 0.0), (8, 32))
    result = assess_scores(simulate_scores(replace(FOUR_OF_FORTY, labels=(women,)), seed=5).scores)
    assert leaks(result.evidence)
    (finding,) = [one for one in result.warnings if one.code == "exposed_group"]
    assert "The leak is in a group of people" in finding.message
    assert "sex 'sex 0', 8 people: right 9" in finding.message
    assert "not seen in others (sex 'sex 1'" in finding.message


def test_folds_single_values_and_few_people_are_no_groups() -> None:
    scores = simulate_scores(FOUR_OF_FORTY, seed=5).scores
    sex = scores.columns["sex"]
    assert list(groups_of(replace(scores, columns={"fold": sex}))) == []
    one = Factor(("all",), 0 * sex.target, 0 * sex.nontarget)
    assert list(groups_of(replace(scores, columns={"one": one}))) == []
    three = ScoreLabel("sex", "group", (0.0, 0.0), (3, 37))
    few = simulate_scores(replace(FOUR_OF_FORTY, labels=(three,)), seed=5).scores
    assert [one.people for one in groups_of(few)] == [37], "three are too few to be tested"


def test_one_group_among_many_small_ones_and_the_largest_of_many_are_looked_at() -> None:
    """A column of 60 values, of which one is shared by eight people; a column that names one group and nobody else."""
    scores = simulate_scores(FOUR_OF_FORTY, seed=5).scores
    speakers = scores.trial_speakers
    assert speakers is not None

    def labeled(value: dict[str, str]) -> TrialScores:
        names = tuple(dict.fromkeys(value.values()))
        code = np.array(
            [names.index(value[name]) if value.get(name) else -1 for name in speakers.names], dtype=np.int32
        )
        return replace(scores, columns={"accent": Factor(names, code[speakers.target], code[speakers.nontarget])})

    many = labeled({name: "shared" if k < 8 else f"own {k}" for k, name in enumerate(speakers.names)})
    assert [(one.value, one.people) for one in groups_of(many)] == [("shared", 8)]
    some = labeled(dict.fromkeys(speakers.names[:8], "vip"))
    assert [(one.value, one.people) for one in groups_of(some)] == [("vip", 8)]
    assert list(groups_of(labeled(dict.fromkeys(speakers.names, "all")))) == []


def test_an_effect_of_known_size_over_squares() -> None:
    """Least squares by hand: rows and columns fit, and the diagonal is what is left."""
    rng = np.random.default_rng(1)
    n = 6
    names = tuple(f"s{k}" for k in range(n))
    first, second = (side.ravel().astype(np.int32) for side in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    same = first == second
    values = rng.normal(size=n * n)
    sides = [Factor(names, side[same], side[~same]) for side in (first, second)]
    cells = cells_of(TrialScores(values[same], values[~same], *sides))
    assert cells is not None
    auc, p = own_effect(cells)
    design = np.column_stack([same, *(first == k for k in range(n)), *(second == k for k in range(n))]).astype(float)
    ranks = np.empty(n * n)
    ranks[cells.enrolled * n + cells.judged] = cells.rank
    fitted, _, rank, _ = np.linalg.lstsq(design, ranks, rcond=None)
    left = ranks - design @ fitted
    from scipy.stats import t

    own = same - design[:, 1:] @ np.linalg.lstsq(design[:, 1:], same.astype(float), rcond=None)[0]
    error = np.sqrt(left @ left / (n * n - rank) / (own @ own))
    effect = float(own @ ranks / (own @ own))
    assert auc == pytest.approx(0.5 + effect)
    assert p == pytest.approx(t.sf(effect / error, n * n - rank))


def test_lists_with_holes_are_looked_at_too() -> None:
    drawn = simulate_scores(replace(FOUR_OF_FORTY, others=20), seed=5).scores
    assert [one.people for one in groups_of(drawn)] == [4, 36]
    assert all(isinstance(one, Looked) and 0 <= one.p <= 1 for one in groups_of(drawn))


def test_an_attacker_among_several_carries_it() -> None:
    scores = simulate_scores(FOUR_OF_FORTY, seed=5).scores
    evidence = quiet(scores)
    bare = assess_scores(scores, evidence=replace(evidence, joint=True))
    assert "exposed_group" not in {finding.code for finding in bare.warnings}
    told = with_exposed(bare, scores, evidence)
    assert "exposed_group" in {finding.code for finding in told.warnings}
    everybody = simulate_scores(replace(FOUR_OF_FORTY, leaking_label=""), seed=5).scores
    leaking = replace(quiet(everybody), p=0.01)
    assert "exposed_group" not in {one.code for one in with_exposed(bare, everybody, leaking).warnings}


def test_players_of_attackers_look_at_groups() -> None:
    """Every voice is hidden but those of four women."""
    hidden, open_ = (simulate_vectors(VectorWorld(people=24, kept=kept), seed=2) for kept in (0.0, 1.0))
    women = {f"p{k:03d}" for k in (0, 2, 4, 6)}

    def mixed(part: str) -> Embeddings:
        one, other = getattr(hidden.anonymized, part), getattr(open_.anonymized, part)
        known = np.array([name in women for name in one.speakers])
        sex = tuple("w" if name in women else letter for name, letter in zip(one.speakers, one.sex, strict=True))
        return replace(one, vectors=np.where(known[:, None], other.vectors, one.vectors), sex=sex)

    anonymized = replace(hidden.anonymized, enrollment=mixed("enrollment"), trials=mixed("trials"))
    original = replace(
        hidden.original,
        enrollment=replace(hidden.original.enrollment, sex=anonymized.enrollment.sex),
        trials=replace(hidden.original.trials, sex=anonymized.trials.sex),
    )
    played = play_attackers(original, anonymized, resamples=0)
    found = {one.attacker for one in played.attackers for f in one.warnings if f.code == "exposed_group"}
    assert not leaks(played.evidence)
    assert found == {"lazy-informed"}
