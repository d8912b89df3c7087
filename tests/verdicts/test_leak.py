"""What is a leak: people who are recognized beyond doubt, and not one person whose trials are many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.report import render_text, verdict
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.leak import hit_p_value

PEOPLE, EACH = 25, 40
RARE = ("hit_rate_0_1pct", "hit_rate_0_01pct")


def some_are_recognized(people: int, resamples: int) -> dict[str, Any]:
    """All trials of the first people are recognized for certain, nobody else's are."""
    rng = np.random.default_rng(0)
    names = tuple(f"s{k:02d}" for k in range(PEOPLE))
    who = np.repeat(np.arange(PEOPLE, dtype=np.int32), EACH)
    target = np.where(who < people, rng.normal(6, 0.5, who.size), rng.normal(0, 1, who.size))
    first = rng.integers(0, PEOPLE, 20 * who.size).astype(np.int32)
    second = ((first + rng.integers(1, PEOPLE, first.size)) % PEOPLE).astype(np.int32)
    scores = TrialScores(target, rng.normal(0, 1, first.size), Factor(names, who, first), Factor(names, who, second))
    return assess_scores(scores, resamples=resamples).to_dict()


def test_one_person_of_25_is_no_leak_where_the_interval_over_people_holds_chance() -> None:
    """40 hits in 1,000 at 1 % false alarms are far beyond chance, were they not all of one person."""
    result = some_are_recognized(1, resamples=200)
    hits = result["measures"]["hit_rate_1pct"]
    assert hit_p_value(hits["value"], 0.01, 1000, 20_000) < 1e-9
    assert hits["low"] < 0.01
    assert verdict(result).label == "Cannot tell"
    assert "recognizes the speaker" not in render_text(result)


@pytest.mark.parametrize(("people", "resamples"), [(6, 200), (6, 0), (1, 0)])
def test_six_people_of_25_are_a_leak_and_without_an_interval_the_exact_test_decides(
    people: int, resamples: int
) -> None:
    result = some_are_recognized(people, resamples)
    assert verdict(result).label in ("Leak", "Strong leak")
    assert "recognizes the speaker" in render_text(result)


@pytest.mark.parametrize(("hits", "label"), [(0.016, "Cannot tell"), (0.020, "Leak")])
def test_an_interval_a_little_above_chance_is_not_enough_by_itself(hits: float, label: str) -> None:
    """32 hits of 2,000 where 20 are expected happen once in a hundred tests; 40 do not."""
    rng = np.random.default_rng(1)
    result = assess_scores(TrialScores(rng.normal(size=2000), rng.normal(size=20_000)), resamples=100).to_dict()
    none = {name: {**result["measures"][name], "value": None, "low": None, "high": None} for name in RARE}
    measure = {**result["measures"]["hit_rate_1pct"], "value": hits, "low": 0.0105, "high": 0.03}
    changed = {**result, "measures": {**result["measures"], **none, "hit_rate_1pct": measure}}
    assert verdict(changed).label == label
