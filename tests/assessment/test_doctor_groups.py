"""What the doctor says of groups: pooled against within, across the sexes, and where labels do not tell."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sound_scores import across, offset, sound

import stripeless as s
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.finding import Finding


def findings(scores: TrialScores, code: str) -> list[Finding]:
    return [one for one in s.assess_scores(scores, curves=False).warnings if one.code == code]


def test_pooled_and_within_are_those_of_each_group_by_itself() -> None:
    scores = offset(1, 1.0)
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    woman = np.arange(40) < 8
    sex = scores.columns["sex"].target
    first, second = scores.enrollment_speakers.nontarget, scores.trial_speakers.nontarget
    rates = [
        s.eer(scores.target[sex == code], scores.nontarget[(woman[first] == code) & (woman[second] == code)])
        for code in (0, 1)
    ]
    within = 0.8 * rates[0] + 0.2 * rates[1]  # 32 men and 8 women speak as much
    found = findings(scores, "pooled_groups")
    assert len(found) == 1
    said = [float(number) for number in re.findall(r"([\d.]+) %", found[0].message)]
    assert said == pytest.approx([100 * s.eer(scores.target, scores.nontarget), 100 * within], abs=0.15)
    assert "groups of 'sex'" in found[0].message
    assert found[0].message.endswith("--by sex.")


def test_a_difference_that_few_people_make_by_chance_is_none() -> None:
    """Eight people, of whom each is like the others to a degree of its own: the sexes differ by chance alone."""
    for seed in range(30):
        rng = np.random.default_rng([5, seed])
        alike = 1.5 * rng.normal(size=(8, 8))
        who = np.arange(400, dtype=np.int32) % 8
        first = rng.integers(0, 8, 8000).astype(np.int32)
        second = ((first + rng.integers(1, 8, 8000)) % 8).astype(np.int32)
        names = tuple(f"s{k}" for k in range(8))
        sex = Factor(("f", "m"), who % np.int32(2), second % np.int32(2))
        target = alike[who, who] + rng.normal(size=400)
        nontarget = alike[first, second] + rng.normal(size=8000)
        people = Factor(names, who, first), Factor(names, who, second)
        assert findings(TrialScores(target, nontarget, *people, {"sex": sex}), "pooled_groups") == []


def test_every_column_is_looked_at() -> None:
    rng = np.random.default_rng(0)
    place = Factor(("room", "street"), np.repeat([0, 1], [300, 100]), np.repeat([0, 1], [1000, 3000]))
    other = Factor(("a", "b"), np.arange(400) % 2, np.arange(4000) % 2)
    target, nontarget = rng.normal(size=400), rng.normal(size=4000)
    target[:300] += 1.5
    nontarget[:1000] += 1.5
    one = TrialScores(target, nontarget, columns={"place": place, "half": other})
    assert ["'place'" in found.message for found in findings(one, "pooled_groups")] == [True]
    both = replace(one, columns={"place": place, "again": place})
    assert len(findings(both, "pooled_groups")) == 2


def test_groups_that_hold_too_little_are_left_alone() -> None:
    scores = offset(1, 2.0)
    each = Factor(
        tuple(f"u{k}" for k in range(8000)), np.arange(scores.target.size), np.arange(scores.nontarget.size) % 8000
    )
    assert findings(replace(scores, columns={"utterance": each}), "pooled_groups") == []
    one = Factor(("x",), scores.columns["sex"].target * 0, scores.columns["sex"].nontarget * 0)
    assert findings(replace(scores, columns={"one": one}), "pooled_groups") == []


def test_who_is_not_named_or_has_no_label_is_left_out() -> None:
    scores = offset(1, 1.0)
    sex = scores.columns["sex"]
    target, nontarget = sex.target.copy(), sex.nontarget.copy()
    target[::10], nontarget[::10] = -1, -1
    holes = {"sex": Factor(sex.names, target, nontarget)}
    assert len(findings(replace(scores, columns=holes), "pooled_groups")) == 1
    assert len(findings(replace(scores, enrollment_speakers=None, trial_speakers=None), "pooled_groups")) <= 1
    people = scores.trial_speakers
    assert people is not None
    unnamed = Factor(people.names, people.target, np.where(people.nontarget % 3 == 0, -1, people.nontarget))
    assert len(findings(replace(scores, trial_speakers=unnamed), "pooled_groups")) == 1


def test_the_share_across_the_sexes_is_that_of_the_people_not_of_the_label() -> None:
    scores = across(1, 0.9)
    found = findings(scores, "cross_sex_nontargets")
    first, second = scores.enrollment_speakers, scores.trial_speakers
    assert first is not None
    assert second is not None
    share = 100 * np.mean(first.nontarget % 2 != second.nontarget % 2)
    assert found[0].message.startswith(f"{share:.1f} % of the nontargets")
    words = Factor(("f", "m", "mixed"), scores.columns["sex"].target, np.full(scores.nontarget.size, 2, dtype=np.int32))
    assert findings(replace(scores, columns={"Gender": words}), "cross_sex_nontargets") == [
        replace(found[0], message=found[0].message.replace("--by sex", "--by Gender"))
    ]
    assert findings(replace(scores, columns={"room": scores.columns["sex"]}), "cross_sex_nontargets") == []


def test_one_person_with_two_labels_has_none() -> None:
    scores = across(1, 0.9)
    sex = scores.columns["sex"]
    target = sex.target.copy()
    target[0] = 1 - target[0]
    assert (
        findings(replace(scores, columns={"sex": Factor(sex.names, target, sex.nontarget)}), "cross_sex_nontargets")
        == []
    )


def test_infinite_scores_do_not_stop_the_comparison() -> None:
    scores = offset(1, 1.0)
    target, nontarget = scores.target.copy(), scores.nontarget.copy()
    target[0], nontarget[0] = np.inf, -np.inf
    assert len(findings(replace(scores, target=target, nontarget=nontarget), "pooled_groups")) == 1
    assert findings(sound(1), "pooled_groups") == []
