"""Results are types: what is written is read back equal, whatever the kind; what is damaged is named."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_results import evaluation, simulated
from study_results import KINDS, study

import stripeless as s
from stripeless.errors import FileError, InputError
from stripeless.listening.simulate import simulate_ratings
from stripeless.results.kinds import TYPES, result_from_dict
from stripeless.results.stored import parse_result
from stripeless.studies.comparison import compare_results
from stripeless.studies.systems import compare_systems

OLD = Path(__file__).parents[1] / "golden" / "results"
DOORS = sorted((Path(__file__).parents[1] / "golden" / "doors").glob("*.json"))


def every_kind() -> dict[str, Any]:
    """One object of each kind, as a study hands it back."""
    one, two = simulated(1.0, name="one"), simulated(2.0, name="two")
    made = {
        "assessment": replace(one, original=two, labels={"dataset": "d"}),
        "evaluation": result_from_dict(evaluation()),
        "comparison": compare_results([one, two]),
        "systems": compare_systems([one, two], among="voiceprivacy2020", split="test"),
        "listening": s.listening_study(simulate_ratings(listeners=6, per_group=2), resamples=100),
    }
    return made | {kind: result_from_dict(study(kind)) for kind in KINDS}


def test_every_kind_has_a_type_and_is_tried_here() -> None:
    assert set(every_kind()) == set(TYPES)
    assert all(kind == type_.KIND for kind, type_ in TYPES.items())


def test_what_is_written_is_read_back_equal(tmp_path: Path) -> None:
    for kind, result in every_kind().items():
        path = tmp_path / f"{kind}.json"
        s.write_result(path, result)
        again = s.read_result(path)
        assert again == result, kind
        assert type(again) is type(result), kind
        assert json.loads(path.read_text()) == again.to_dict(), kind


@pytest.mark.parametrize("path", [path for path in DOORS if '"result"' in path.read_text()], ids=lambda path: path.stem)
def test_what_every_command_prints_is_read_back_whole(path: Path) -> None:
    printed = json.loads(path.read_text())["result"]
    printed = _with_versions(printed)
    assert result_from_dict(printed).to_dict() == printed


def _with_versions(value: Any) -> Any:
    """Golden doors hold the names of the versions alone; a result holds a text for each."""
    if isinstance(value, dict):
        return {
            key: dict.fromkeys(part, "1") if key == "versions" and isinstance(part, list) else _with_versions(part)
            for key, part in value.items()
        }
    return [_with_versions(part) for part in value] if isinstance(value, list) else value


def test_two_results_that_differ_are_not_equal() -> None:
    one = simulated(1.0, name="one")
    eer = replace(one.measures["eer"], value=0.123)
    assert replace(one, measures={**one.measures, "eer": eer}) != one
    assert replace(one, seed=7) != one
    assert one != one.to_dict()


def test_results_are_frozen() -> None:
    for kind, result in every_kind().items():
        with pytest.raises(FrozenInstanceError):
            setattr(result, fields(result)[0].name, None)
        assert kind == result.KIND


def test_an_infinite_measure_is_written_as_null_with_a_reason_and_read_back_equal(tmp_path: Path) -> None:
    result = s.assess([1.0, -np.inf], [0.0, -1.0])
    s.write_result(tmp_path / "x.json", result)
    stored = json.loads((tmp_path / "x.json").read_text())["measures"]["cllr"]
    assert stored["value"] is None
    assert "infinite" in stored["reason"]
    assert s.read_result(tmp_path / "x.json") == result


@pytest.mark.parametrize("path", sorted(OLD.glob("*.json")), ids=lambda path: path.stem)
def test_results_of_0_1_become_objects_of_today(path: Path) -> None:
    result = parse_result(path.read_bytes(), path.name)
    stored = json.loads(path.read_text())
    assert stored["kind"] == result.KIND
    assert parse_result(json.dumps(result.to_dict()).encode(), "again.json") == result
    if "measures" in stored:
        assert result.to_dict()["measures"]["eer"]["value"] == stored["measures"]["eer"]["value"]


def test_a_dict_and_an_object_get_the_same_verdict() -> None:
    for shift in (0.0, 0.3, 2.5):
        result = simulated(shift, name="x")
        assert s.verdict(result) == s.verdict(result.to_dict())
        assert s.verdict(result).label in ("Leak", "Strong leak", "No leak seen", "Cannot tell", "No verdict")


def test_a_verdict_is_of_scores_only() -> None:
    with pytest.raises(InputError, match="an assessment or an evaluation, got RankReport"):
        s.verdict(study("rank"))


def test_what_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "scores.txt").write_text("a b 1.0\n")
    with pytest.raises(FileError, match="is not a result"):
        s.read_result(tmp_path / "scores.txt")
    with pytest.raises(FileError, match="cannot be read"):
        s.read_result(tmp_path / "absent.json")


def test_half_a_sign_is_refused_because_no_file_can_be_written_with_it(tmp_path: Path) -> None:
    plain = json.dumps({**evaluation(), "name": "NAME"})
    assert parse_result(plain.replace("NAME", r"\ud83d\ude00").encode(), "x.json").name == "\U0001f600"
    with pytest.raises(FileError, match=r"x\.json: is not valid JSON \(half a sign, .*ud800.* stands alone\)"):
        parse_result(plain.replace("NAME", r"\ud800").encode(), "x.json")


def test_the_ceiling_decides_the_verdict_of_one_file() -> None:
    """The same scores with and without their original: without it a guess proves nothing."""
    guess, speech = simulated(0.0, seed=3), simulated(3.0, seed=4)
    assert s.verdict(guess).label == "Cannot tell"
    assert s.verdict(replace(guess, attacker="semi-informed", original=speech)).label == "No leak seen"


def test_an_object_and_its_dict_make_the_same_page() -> None:
    for kind in ("assessment", "evaluation", "comparison"):
        result = every_kind()[kind]
        assert s.render_html(result) == s.render_html(result.to_dict()), kind
        assert s.render_html([result]) == s.render_html(result), kind


def test_the_kind_of_a_dict_is_that_of_the_type() -> None:
    with pytest.raises(InputError, match="kind: expected assessment, got 'rank'"):
        s.Assessment.from_dict({**simulated(1.0).to_dict(), "kind": "rank"})
    for schema in (0, True, 99):
        with pytest.raises(FileError, match="newer version"):
            parse_result(json.dumps({**simulated(1.0).to_dict(), "schema": schema}).encode(), "x.json")


def test_what_cannot_be_written_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a result"):
        s.write_result(tmp_path / "x.json", {"kind": "assessment"})  # type: ignore[arg-type]
    with pytest.raises(FileError, match="is no text"):
        s.write_result(tmp_path / "x.json", replace(simulated(1.0), name="\ud800"))
    assert not (tmp_path / "x.json").exists()


def test_a_group_is_still_a_mapping_as_in_0_1() -> None:
    rng = np.random.default_rng(0)
    sex = s.Factor(("f", "m"), (np.arange(100) % 2).astype(np.int32), (np.arange(300) % 2).astype(np.int32))
    scores = s.TrialScores(rng.normal(1, 1, 100), rng.normal(0, 1, 300), columns={"sex": sex})
    group = s.assess_groups(scores, "sex")["f"]
    assert set(group) == {"counts", "measures", "reason"}
    assert group.get("absent") is None
    assert dict(group)["counts"] == {"target": 50, "nontarget": 150}
    assert group["measures"]["eer"]["value"] == group.measures["eer"].value
