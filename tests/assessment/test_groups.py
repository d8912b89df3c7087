"""Results by sex, by speaker, by any label: each group on its own trials."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_trials import NONTARGET, TARGET, corpus

import stripeless as s
from stripeless.errors import InputError
from stripeless.scores.trials import Factor, TrialScores


def test_each_group_is_assessed_on_its_own_trials() -> None:
    scores = corpus()
    sex = scores.columns["sex"]
    found = s.assess_groups(scores, "sex")
    assert list(found) == ["female", "male"]
    for code, name in enumerate(("female", "male")):
        expected = s.eer(scores.target[sex.target == code], scores.nontarget[sex.nontarget == code])
        assert found[name]["measures"]["eer"]["value"] == expected


def test_a_speaker_takes_part_on_either_side() -> None:
    scores = corpus()
    model, talker = scores.enrollment_speakers, scores.trial_speakers
    assert model is not None
    assert talker is not None
    found = s.assess_groups(scores, "speaker")
    assert len(found) == 24
    involved = (model.nontarget == 3) | (talker.nontarget == 3)
    expected = s.cllr_min(scores.target[model.target == 3], scores.nontarget[involved])
    assert found["s03"]["measures"]["cllr_min"]["value"] == expected
    assert found["s03"]["counts"] == {"target": 6, "nontarget": int(involved.sum())}


def test_a_group_that_is_too_small_gets_a_reason() -> None:
    found = s.assess_groups(corpus(utterances=3), "speaker")["s00"]
    assert found["measures"] == {}
    assert "fewer than 5" in found["reason"]


def test_an_unknown_label_names_those_there_are() -> None:
    with pytest.raises(InputError, match=r"cannot group by 'age': these trials are labeled by speaker, sex"):
        s.assess_groups(corpus(), "age")
    with pytest.raises(InputError, match="name no speakers"):
        s.assess_groups(TrialScores(TARGET, NONTARGET), "speaker")


def test_more_than_fifty_groups_get_no_intervals() -> None:
    rng = np.random.default_rng(0)
    group = Factor(tuple(f"g{k:02d}" for k in range(60)), np.repeat(np.arange(60), 6).astype(np.int32),
                   np.repeat(np.arange(60), 6).astype(np.int32))  # fmt: skip
    scores = TrialScores(rng.normal(1, 1, 360), rng.normal(0, 1, 360), columns={"g": group})
    found = s.assess_groups(scores, "g", resamples=100)
    assert len(found) == 60
    assert found["g00"]["measures"]["eer"]["low"] is None
