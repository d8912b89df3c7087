"""The JSON Schema of results: what commands write fits it, what is broken does not, and old results stay readable."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from stripeless.assessment.assess import assess
from stripeless.errors import FileError
from stripeless.listening.simulate import simulate_ratings
from stripeless.listening.study import listening_study
from stripeless.report.kinds import html_of, latex_of, markdown_of, text_of
from stripeless.results.evaluation import Evaluation
from stripeless.results.schema import schema_text
from stripeless.results.stored import parse_result
from stripeless.results.versions import SCHEMA
from stripeless.studies.comparison import compare_results
from stripeless.studies.systems import compare_systems

jsonschema = pytest.importorskip("jsonschema", reason="checking the schema needs jsonschema")
OLD = Path(__file__).parents[1] / "golden" / "results"


def schema() -> Any:
    return json.loads(files("stripeless").joinpath("data", "result.schema.json").read_text(encoding="utf-8"))


@cache
def computed() -> dict[str, dict[str, Any]]:
    one, two = (assess([2.0, 3.0, shift], [0.0, 1.0, 2.5], resamples=100, name=f"S{shift}") for shift in (4.0, 1.0))
    return {
        "assessment": one.to_dict(),
        "evaluation": Evaluation("X", (one, two), original=two).to_dict(),
        "comparison": compare_results([one, two]).to_dict(),
        "systems": compare_systems([one, two], among="voiceprivacy2020").to_dict(),
        "listening": listening_study(simulate_ratings(listeners=6, per_group=2), resamples=100).to_dict(),
    }


def results() -> dict[str, dict[str, Any]]:
    return deepcopy(computed())


@pytest.mark.parametrize("kind", ["assessment", "evaluation", "comparison", "systems", "listening"])
def test_every_kind_of_result_fits_the_schema_and_is_read_back(kind: str) -> None:
    result = results()[kind]
    text = json.dumps(result, allow_nan=False)
    jsonschema.Draft202012Validator(schema()).validate(json.loads(text))
    assert parse_result(text.encode(), "x.json").to_dict() == json.loads(text)


def test_the_schema_is_one_itself_and_has_our_number() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$defs"]["Assessment"]["properties"]["schema"]["maximum"] == SCHEMA


@pytest.mark.parametrize(
    ("kind", "break_it"),
    [
        ("assessment", lambda r: r["measures"]["eer"].pop("value")),
        ("assessment", lambda r: r.update(schema=SCHEMA + 1)),
        ("assessment", lambda r: r["measures"].pop("eer")),
        ("assessment", lambda r: r["inputs"].append({"path": "x", "sha256": "short"})),
        ("systems", lambda r: r["cells"][0].update(value="0.5")),
        ("listening", lambda r: r["views"]["naturalness"]["tests"][0].update(p=1.5)),
        ("evaluation", lambda r: r.update(attackers=[])),
        ("comparison", lambda r: r.update(kind="conparison")),
    ],
)
def test_a_broken_result_does_not_fit(kind: str, break_it: Any) -> None:
    result = results()[kind]
    break_it(result)
    assert not jsonschema.Draft202012Validator(schema()).is_valid(result)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": SCHEMA + 1}, "newer version"),
        ({"kind": "recipe"}, "not a result"),
        ({"measures": {}}, "measures.eer: expected a value"),
    ],
)
def test_what_is_no_result_is_refused_with_a_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FileError, match=message):
        parse_result(json.dumps(results()["assessment"] | change).encode(), "x.json")
    with pytest.raises(FileError, match="not valid JSON"):
        parse_result(b"{" + b'"a":[' * 100_000, "x.json")


@pytest.mark.parametrize("path", sorted(OLD.glob("*.json")), ids=lambda path: path.stem)
def test_results_of_earlier_versions_stay_readable(path: Path) -> None:
    """Files written by released versions; none may ever be changed, only added."""
    result = parse_result(path.read_bytes(), path.name).to_dict()
    assert html_of(result).startswith("<!DOCTYPE html>")
    assert text_of(result)
    assert markdown_of(result).startswith("# ")
    assert "tabular" in latex_of(result)


def test_the_schema_is_that_of_the_types() -> None:
    """`python -m stripeless.results.schema > src/stripeless/data/result.schema.json` makes it again."""
    stored = files("stripeless").joinpath("data", "result.schema.json").read_text(encoding="utf-8")
    assert stored == schema_text()
