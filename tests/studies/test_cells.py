"""Systems side by side from cells written down by hand: places, clashes, rankings, correlations, the front, findings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stripeless.assessment.assess import assess
from stripeless.errors import InputError
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.assessment import Assessment, Group
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.results.systems import Cell, Pareto, Systems
from stripeless.studies.systems import (
    collect_cells,
    compare_systems,
    ece_profiles,
    pareto_front,
    published_cells,
    unique,
    values_of,
)

GAIN = "gain_of_voice_distinctiveness"


def result(name: str = "X", **more: Any) -> Assessment:
    return Assessment(
        {"eer": Measure(MEASURES["eer"], 0.3, 0.2, 0.4), "d_ece": Measure(MEASURES["d_ece"], 0.1)},
        10,
        20,
        name=name,
        **more,
    )


def cell(
    system: str, value: float, measure: str = "d_ece", attacker: str = "lazy", dataset: str = "d", sex: str = "all"
) -> Cell:
    return Cell(system, dataset, "", sex, attacker, measure, value)


def places(results: list[Any]) -> set[tuple[str, ...]]:
    return {(c.system, c.dataset, c.split, c.sex, c.attacker, c.source) for c in collect_cells(results)}


# Cells


def test_a_label_names_the_system_before_the_result_does() -> None:
    assert places([result("file", labels={"system": "B9", "dataset": "libri", "split": "test", "sex": "W"})]) == {
        ("B9", "libri", "test", "female", "", "file")
    }
    assert places([result("", labels={})]) == {("?", "all", "", "all", "", "")}
    assert places([result("B9", attacker="original")]) == {("Orig", "all", "", "all", "original", "B9")}


@pytest.mark.parametrize(
    ("word", "sex"),
    [
        ("F", "female"),
        ("women", "female"),
        ("w", "female"),
        ("M", "male"),
        ("men", "male"),
        ("male", "male"),
        ("x", "x"),
    ],
)
def test_words_for_a_sex(word: str, sex: str) -> None:
    assert {place[3] for place in places([result(labels={"sex": word})])} == {sex}


def test_groups_by_sex_and_data_set_become_places_and_others_do_not() -> None:
    half = Group(5, 9, {"eer": Measure(MEASURES["eer"], 0.25)})
    found = collect_cells([result(groups={"sex": {"f": half}, "dataset": {"vctk": half}, "speaker": {"s1": half}})])
    groups = {(c.dataset, c.sex) for c in found if c.value == 0.25}
    assert groups == {("all", "female"), ("vctk", "all")}


def test_what_is_no_finite_number_has_no_cell() -> None:
    measures = {
        "eer": Measure(MEASURES["eer"], 0.3, 0.2, 0.4),
        "category": Measure(MEASURES["category"], "C"),
        "cllr": Measure(MEASURES["cllr"], float("inf")),
        "d_ece": Measure(MEASURES["d_ece"], None, reason="why"),
    }
    (only,) = collect_cells([replace(result(), measures=measures)])
    assert (only.measure, only.value, only.low, only.high) == ("eer", 0.3, 0.2, 0.4)


def test_cells_of_evaluations_and_comparisons_are_found_inside() -> None:
    inner = result("", attacker="ignorant")
    whole = Evaluation("B1", (inner, replace(inner, attacker="semi-informed")), result("", labels={"system": "no"}))
    assert {place[:1] + place[4:5] for place in places([whole])} == {
        ("B1", "ignorant"), ("B1", "semi-informed"), ("Orig", "original"),
    }  # fmt: skip
    nameless = Evaluation("", (inner,), None)
    assert {place[0] for place in places([nameless])} == {"?"}
    several = Comparison((result("a"), result("b")), {})
    assert {place[0] for place in places([several])} == {"a", "b"}
    again = compare_systems([result("a"), result("b")])
    assert {c.system for c in collect_cells([again])} == {"a", "b"}


def test_one_place_has_one_value() -> None:
    one = Cell("a", "libri", "test", "all", "lazy", "eer", 0.5, source="first")
    assert unique([one, replace(one, source="second")]) == [one]
    assert len(unique([one, replace(one, sex="female"), replace(one, attacker="semi")])) == 3
    with pytest.raises(InputError, match=r"'a' has two values of eer \(libri, test, lazy\): 0.5 and 0.25;"):
        unique([one, replace(one, value=0.25)])
    bare = Cell("a", "all", "", "all", "", "eer", 0.5)
    with pytest.raises(InputError, match=r"two values of eer: 0.5 and 0.25;"):
        unique([bare, replace(bare, value=0.25)])


def test_values_by_system_and_condition() -> None:
    cells = [cell("a", 1.0), cell("a", 2.0, attacker="semi"), cell("b", 3.0, sex="f"), cell("b", 9.0, "eer")]
    assert values_of(cells, "d_ece", "lazy") == {"a": {("d", "", "all"): 1.0}, "b": {("d", "", "f"): 3.0}}
    assert values_of(cells, "d_ece") == {
        "a": {("d", "", "all", "lazy"): 1.0, ("d", "", "all", "semi"): 2.0}, "b": {("d", "", "f", "lazy"): 3.0},
    }  # fmt: skip


# Beside the printed tables


def test_published_cells_are_of_one_split_on_request_and_none_of_table_18() -> None:
    every = published_cells()
    assert {c.split for c in every} == {"dev", "test"}
    assert {c.split for c in published_cells("dev")} == {"dev"}
    assert "Table 18" not in {c.source for c in every}
    assert {c.source for c in every} >= {"Table 2", "Table 3"}


def test_own_originals_stand_where_no_printed_one_does() -> None:
    shared = {"dataset": "librispeech", "split": "test", "sex": "female"}
    own = [result("", attacker="original", labels=shared), result("", attacker="original", labels={"dataset": "mine"})]
    systems = compare_systems(own, among="voiceprivacy2020", split="test")
    assert not [
        c
        for c in systems.cells
        if c.dataset == "librispeech"
        and c.attacker == "original"
        and c.measure == "eer"
        and not c.source.startswith("Table")
    ]
    assert [c for c in systems.cells if c.dataset == "mine" and c.system == "Orig"]
    assert systems.sources
    alone = compare_systems(own)
    assert {c.dataset for c in alone.cells} == {"librispeech", "mine"}
    assert not alone.sources
    with pytest.raises(InputError, match="expected 'voiceprivacy2020', got 'vpc'"):
        compare_systems(own, among="vpc")
    with pytest.raises(InputError, match="no measures found"):
        compare_systems([])


def test_findings_name_what_cannot_be_compared() -> None:
    def codes(*results: Assessment, among: str | None = "voiceprivacy2020") -> list[str]:
        return [finding.code for finding in compare_systems(results, among=among, split="test").warnings]

    fits = {"dataset": "librispeech", "split": "test", "sex": "female"}
    assert codes(result()) == ["no-shared-condition", "printed-values"]
    assert codes(result(labels=fits)) == ["printed-values"]
    assert codes() == []
    assert codes(result(), among=None) == []
    odd = replace(
        result(),
        measures={
            "eer": result().measures["eer"],
            "jitter": Measure(replace(MEASURES["eer"], name="jitter"), 0.5),
            "wer": Measure(replace(MEASURES["eer"], name="wer"), 0.5),
        },
    )
    (finding,) = compare_systems([odd]).warnings
    assert (finding.code, finding.severity) == ("unknown-measures", "remark")
    assert finding.message.endswith(": jitter.")


# Rankings and correlations


def test_systems_are_ranked_against_each_attacker_where_they_share_a_condition() -> None:
    def labeled(name: str, attacker: str, dataset: str) -> Assessment:
        return result(name, attacker=attacker, labels={"dataset": dataset})

    several = [labeled(name, who, data) for name in "ab" for who in ("lazy", "semi") for data in ("x", "y")]
    alone = [labeled("a", "ignorant", "x"), labeled("a", "blind", "x"), labeled("b", "blind", "y")]
    original = [labeled("a", "original", "x"), labeled("b", "original", "y")]
    systems = compare_systems([*several, *alone, *original])
    assert [one.attacker for one in systems.rankings] == ["lazy", "semi"]
    assert {place.system for place in systems.rankings[0].ranking.places} == {"a", "b"}


def test_correlations_need_five_places_and_are_taken_per_attacker() -> None:
    rng = np.random.default_rng(0)
    values = rng.uniform(size=6)
    names = [f"s{k}" for k in range(6)]

    def found(count: int, who: str = "lazy", free: bool = False) -> set[tuple[str, str, str, float, int]]:
        cells = [cell(name, v, "d_ece", who) for name, v in zip(names[:count], values, strict=False)]
        cells += [cell(name, -v, "eer", who) for name, v in zip(names[:count], values, strict=False)]
        if free:
            cells += [
                cell(name, v, m, "")
                for m in ("de_identification", GAIN)
                for name, v in zip(names[:count], values, strict=False)
            ]
        return {
            (c.first, c.second, c.attacker, round(c.rho, 6), c.points)
            for c in compare_systems([Systems(tuple(cells))]).correlations
        }

    assert found(4) == set()
    assert found(5) == {("d_ece", "eer", "lazy", -1.0, 5)}
    free = found(6, "ignorant", free=True)
    assert ("d_ece", "de_identification", "ignorant", 1.0, 6) in free, "what knows no attacker stands beside each"
    assert ("de_identification", GAIN, "ignorant", 1.0, 6) in free
    assert ("de_identification", GAIN, "lazy", 1.0, 6) not in found(6, "lazy", free=True), "once is enough"


# The front


def front(*cells: Cell, privacy: str = "d_ece", utility: str = GAIN) -> Pareto | None:
    return pareto_front(cells, privacy, utility)


def on_front(pareto: Pareto | None) -> set[str]:
    assert pareto is not None
    return {point.system for point in pareto.points if point.front}


def test_the_strongest_attacker_whom_all_have_met_counts() -> None:
    cells = [cell("a", 0.1), cell("b", 0.2), cell("a", 0.5, attacker="semi"), cell("b", 0.3, attacker="semi")]
    useful = [cell("a", 1.0, GAIN, ""), cell("b", 1.0, GAIN, ""), cell("Orig", 5.0, GAIN, "")]
    found = front(*cells, *useful)
    assert found is not None
    assert found.attackers == ("lazy", "semi")
    assert {point.system: point.privacy for point in found.points} == {"a": 0.5, "b": 0.3}
    assert on_front(found) == {"b"}
    by_eer = [replace(one, measure="eer") for one in cells]
    found = front(*by_eer, *useful, privacy="eer")
    assert found is not None
    assert {point.system: point.privacy for point in found.points} == {"a": 0.1, "b": 0.2}
    assert on_front(found) == {"b"}


def test_means_over_conditions_and_a_utility_that_is_good_when_low() -> None:
    cells = [cell("a", 0.1), cell("a", 0.3, dataset="e"), cell("b", 0.4)]
    words = [cell("a", 0.2, "wer", ""), cell("a", 0.4, "wer", "", "e"), cell("b", 0.1, "wer", "")]
    found = front(*cells, *words, utility="wer")
    assert found is not None
    assert {(p.system, round(p.privacy, 9), round(p.utility, 9)) for p in found.points} == {
        ("a", 0.2, 0.3),
        ("b", 0.4, 0.1),
    }
    assert on_front(found) == {"a", "b"}
    worse = [replace(one, value=0.5) if one.system == "b" else one for one in words]
    assert on_front(front(*cells, *worse, utility="wer")) == {"a"}


def test_equals_share_the_front_and_worse_in_one_is_off_it() -> None:
    cells = [cell("a", 0.1), cell("b", 0.1), cell("c", 0.1)]
    useful = [cell("a", 2.0, GAIN, ""), cell("b", 2.0, GAIN, ""), cell("c", 1.0, GAIN, "")]
    assert on_front(front(*cells, *useful)) == {"a", "b"}


def test_an_attacker_who_is_never_wrong_is_the_worst() -> None:
    cells = [cell("a", 0.0, "eer"), cell("b", 0.3, "eer")]
    useful = [cell("a", 1.0, GAIN, ""), cell("b", 1.0, GAIN, "")]
    assert on_front(front(*cells, *useful, privacy="eer")) == {"b"}


def test_a_front_needs_two_systems_with_both() -> None:
    assert front(cell("a", 0.1), cell("a", 1.0, GAIN, ""), cell("b", 0.1)) is None
    assert (
        front(cell("a", 0.1), cell("b", 0.1, attacker="semi"), cell("a", 1.0, GAIN, ""), cell("b", 1.0, GAIN, ""))
        is None
    )
    assert (
        front(
            cell("a", 0.1), cell("b", 0.1), cell("a", 1.0, GAIN, ""), cell("b", 1.0, GAIN, ""), cell("c", 2.0, GAIN, "")
        )
        is not None
    )


# Profiles


def test_profiles_over_the_same_odds_stand_together() -> None:
    rng = np.random.default_rng(0)
    drawn = assess(rng.normal(1, 1, 50), rng.normal(0, 1, 90), name="a")
    drawn = replace(drawn, attacker="lazy")
    other = replace(drawn, name="b", curves={"ece": {**drawn.curves["ece"], "log10_odds": [0.0]}})
    found = ece_profiles([replace(drawn, curves={}), drawn, other, replace(drawn, name="c", labels={"sex": "m"})])
    assert found is not None
    assert [(c.system, c.sex, c.attacker) for c in found.curves] == [("a", "all", "lazy"), ("c", "male", "lazy")]
    assert found.curves[0].calibrated == tuple(drawn.curves["ece"]["calibrated"])
    assert found.zero_evidence == tuple(drawn.curves["ece"]["zero_evidence"])
    assert ece_profiles([result()]) is None
