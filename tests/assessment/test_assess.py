"""assess: every measure equals its own function, what cannot be measured has a reason, and the dict is JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from simulated_trials import NONTARGET, TARGET, corpus

import stripeless as s
from stripeless.errors import InputError


def test_every_measure_equals_its_own_function() -> None:
    result = s.assess(TARGET, NONTARGET)
    z = s.zebra(TARGET, NONTARGET)
    assert result["eer"] == s.eer(TARGET, NONTARGET)
    assert result["eer_rocch"] == s.eer_rocch(TARGET, NONTARGET)
    assert result["eer_kaldi"] == s.eer_kaldi(TARGET, NONTARGET)
    assert result["cllr"] == s.cllr(TARGET, NONTARGET)
    assert result["cllr_min"] == s.cllr_min(TARGET, NONTARGET)
    assert result["d_ece"] == z.d_ece
    assert result["log10_lr"] == z.log10_lr
    assert result["category"] == z.category
    assert result["linkability"] == s.linkability(TARGET, NONTARGET)
    assert result["linkability_binned"] == s.linkability_binned(TARGET, NONTARGET)
    assert result["key_length"] == s.key_length(TARGET, NONTARGET)
    assert result["hit_rate_1pct"] == s.hit_rate(TARGET, NONTARGET, false_alarm_rate=0.01)
    assert result.measures["log10_lr"].reach == z.log10_lr_limit
    assert dict(result.category_counts) == z.category_counts
    assert dict(result.eer_by_tool) == s.eer_by_tool(TARGET, NONTARGET)


def test_what_cannot_be_measured_has_a_reason() -> None:
    measure = s.assess(TARGET, NONTARGET).measures["hit_rate_0_1pct"]
    assert measure.value is None
    assert "10000 are needed" in measure.reason


def test_the_dict_is_json_even_with_infinities() -> None:
    result = s.assess([np.inf, -np.inf, *[1.0] * 30], [0.0, -np.inf, np.inf]).to_dict()
    text = json.dumps(result, allow_nan=False)
    assert json.loads(text)["measures"]["cllr"] == {**result["measures"]["cllr"], "value": None}
    assert "infinite" in result["measures"]["cllr"]["reason"]
    assert "infinite scores" in result["measures"]["linkability_binned"]["reason"]


def test_same_seed_same_bytes() -> None:
    first, second = (json.dumps(s.assess_scores(corpus(), resamples=100, seed=3).to_dict()) for _ in range(2))
    assert first == second
    assert first != json.dumps(s.assess_scores(corpus(), resamples=100, seed=4).to_dict())


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(InputError, match="at least 100"):
        s.assess(TARGET, NONTARGET, resamples=10)


@pytest.mark.parametrize(
    "scores",
    [
        ([1e20] * 30, [1e20] * 30),
        ([1e17] * 30, [1e17] * 29 + [1e17 + 16]),
        ([1.7e308] * 30, [-1.7e308] * 30),
        ([5e-324] * 30, [0.0] * 30),
    ],
)
def test_finite_scores_of_any_size_give_json(scores: tuple[list[float], list[float]]) -> None:
    result = s.assess(*scores).to_dict()
    json.dumps(result, allow_nan=False)
    assert np.diff(result["curves"]["histogram"]["edges"]).min() >= 0
    binned = result["measures"]["linkability_binned"]
    assert binned["value"] is not None or "too close together" in binned["reason"]
