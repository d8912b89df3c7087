"""Stored results of many systems: letters over people, over six conditions, or none, and why."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.groups import assess_groups
from stripeless.errors import InputError
from stripeless.measures.uncertainty.ordering import rank_over_people
from stripeless.report.simple import sheet_text
from stripeless.report.systems import sheet
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import result_from_dict
from stripeless.results.systems import Systems
from stripeless.studies.ranked import finest, people_of, rank_stored, widest
from stripeless.studies.systems import compare_systems
from stripeless.verdicts.finding import Finding
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld
from stripeless.worlds.scores import simulate_scores

SEXES = ScoreLabel("sex", "group", (0.0, 0.0))


@cache
def assessed(name: str, eer: float, seed: int = 1, by: tuple[str, ...] = ("speaker", "sex")) -> Assessment:
    """A system of these trials, which are the same for every EER."""
    scores = simulate_scores(ScoreWorld(people=20, recordings=6, labels=(SEXES,), eer=eer), seed=seed).scores
    scores = replace(scores, trial_digest="trials")
    groups = {label: assess_groups(scores, label) for label in by}
    return replace(assess_scores(scores, resamples=100, name=name, attacker="lazy-informed"), groups=groups)


def ranked(*results: Any) -> Systems:
    return compare_systems(results, privacy="eer")


def test_groups_of_the_same_trials_are_one_condition() -> None:
    whole, women, men = ("d", "", "all"), ("d", "", "female"), ("d", "", "male")
    other = ("e", "", "all")
    assert widest([women, men, whole, other]) == [whole, other]
    assert finest([women, men, whole, other]) == [women, men, other]
    values = {"a": dict.fromkeys((whole, women, men), 0.3), "b": {whole: 0.1, women: 0.4, men: 0.1}}
    ends = {name: dict.fromkeys(cells, (0.0, 1.0)) for name, cells in values.items()}
    ranking = rank_stored(values, ends, {}, "eer")
    assert ranking is not None
    assert [(p.system, p.value, p.letters, p.low) for p in ranking.places] == [("a", 0.3, "", 0.0), ("b", 0.1, "", 0.0)]
    assert "1 shared condition; no test" in ranking.method
    assert "assess --by speaker" in ranking.method


def test_six_conditions_are_tested_by_their_parts() -> None:
    keys = [(data, "", sex) for data in "abc" for sex in ("female", "male", "all")]
    values = {name: {key: start + 0.01 * k for k, key in enumerate(keys)} for name, start in (("x", 0.3), ("y", 0.1))}
    ranking = rank_stored(values, {name: dict.fromkeys(keys, (None, None)) for name in values}, {}, "eer")
    assert ranking is not None
    assert "6 shared conditions" in ranking.method
    assert [place.letters for place in ranking.places] == ["a", "b"]


def test_two_sexes_and_all_are_compared_over_people() -> None:
    """29 % against 2 % on the same trials, with values per speaker."""
    (one,) = ranked(assessed("strong", 0.3), assessed("weak", 0.02)).rankings
    assert "20 speakers" in one.ranking.method
    assert [(place.system, place.letters) for place in one.ranking.places] == [("strong", "a"), ("weak", "b")]
    assert one.ranking.places[0].value == assessed("strong", 0.3)["eer"]
    assert one.ranking.places[0].low is not None
    headline = sheet(ranked(assessed("strong", 0.3), assessed("weak", 0.02))).headline
    assert headline.endswith(", clearly ahead of the others.")


def test_without_values_per_speaker_there_are_no_letters_but_a_reason() -> None:
    two = ranked(assessed("strong", 0.3, by=("sex",)), assessed("weak", 0.02, by=("sex",)))
    (one,) = two.rankings
    assert {place.letters for place in one.ranking.places} == {""}
    assert one.ranking.p == {}
    assert sheet(two).headline.endswith("was not tested, but its interval lies apart from all others.")
    near = ranked(assessed("one", 0.3, by=()), assessed("other", 0.31, by=()))
    assert sheet(near).headline.endswith("was not tested, but its interval overlaps with others.")


def test_people_of_other_trials_are_not_compared() -> None:
    other = replace(assessed("weak", 0.02), trial_digest="others")
    assert people_of([("a", assessed("strong", 0.3)), ("b", other)], "eer") == {}
    nameless = replace(assessed("weak", 0.02), trial_digest="")
    assert people_of([("a", nameless), ("b", nameless)], "eer") == {}


def test_equal_systems_share_a_letter() -> None:
    """10 pairs without a difference: at most 3 are told apart at 5 % (p = 0.001 otherwise)."""
    told = 0
    for seed in range(10):
        pair = [assessed(f"s{k}", 0.3, seed=50 + 2 * seed + k) for k in (0, 1)]
        (one,) = ranked(*pair).rankings
        told += len({place.letters for place in one.ranking.places}) > 1
    assert told <= 3


def test_each_verdict_is_told_and_one_without_is_not_ranked() -> None:
    silent = replace(assessed("silent", 0.3), warnings=(Finding("constant_scores", "serious", "All alike."),))
    systems = ranked(silent, assessed("weak", 0.02), assessed("middle", 0.2))
    assert {one.system: one.label for one in systems.verdicts} == {
        "silent": "No verdict",
        "weak": "Strong leak",
        "middle": "Strong leak",
    }
    assert {place.system for one in systems.rankings for place in one.ranking.places} == {"weak", "middle"}
    assert "silent" in {cell.system for cell in systems.cells}
    said = sheet_text(sheet(systems))
    assert "Strong leak" in said
    assert "EER 40 %" in said
    again = result_from_dict(systems.to_dict())
    assert isinstance(again, Systems)
    assert again.verdicts == systems.verdicts
    assert compare_systems([again]).verdicts == systems.verdicts
    assert ranked(Evaluation("X", (assessed("weak", 0.02),))).verdicts[0].system == "X"


def test_people_must_be_shared() -> None:
    with pytest.raises(InputError, match="must share 6 of them, got 2 and 1"):
        rank_over_people({"a": {"p": 0.1}, "b": {"p": 0.2, "q": 0.1}}, "eer", {"a": 0.1, "b": 0.2})
