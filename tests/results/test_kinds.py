"""Every kind of result that studies write: fits the schema, is read back, and shows itself in every form."""

from __future__ import annotations

import csv
import io
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from study_results import FIGURES, KINDS, embeddings, study

from stripeless.cli import group
from stripeless.embeddings.files import write_embeddings
from stripeless.errors import FileError, InputError
from stripeless.report.kinds import figure_data_of, figures_of, html_of, latex_of, markdown_of, numbers_of, text_of
from stripeless.results.stored import parse_result


def valid(result: Any) -> bool:
    jsonschema = pytest.importorskip("jsonschema", reason="checking the schema needs jsonschema")
    text = files("stripeless").joinpath("data", "result.schema.json").read_text(encoding="utf-8")
    return bool(jsonschema.Draft202012Validator(json.loads(text)).is_valid(result))


@pytest.mark.parametrize("kind", KINDS)
def test_results_fit_the_schema_and_are_read_back(kind: str) -> None:
    result = json.loads(json.dumps(study(kind), allow_nan=False))
    assert valid(result)
    assert parse_result(json.dumps(result).encode(), "x.json").to_dict() == result


BROKEN = [
    ("rank", lambda r: r["features"][0]["measures"].pop("id_rate"), "id_rate"),
    ("rank", lambda r: r.update(features=[]), "at least 1"),
    ("attack", lambda r: r["identification"]["rates"][0].update(rate="high"), "rate: expected a number"),
    ("attack", lambda r: r["attacks"][0].pop("knows"), "knows"),
    ("similarity", lambda r: r["groups"][0]["measures"].pop("de_identification"), "de_identification"),
    ("attribute", lambda r: r["protected"]["chance"].pop("d_ece_high"), "d_ece_high"),
    ("attribute", lambda r: r.update(classes=["f"]), "at least 2"),
    ("reproduction", lambda r: r["lines"][0].pop("published"), "published"),
    ("summary", lambda r: r["criteria"][0].update(answer="no idea"), "one of possible"),
    ("summary", lambda r: r["result"].update(kind="rank"), "one of assessment"),
]


@pytest.mark.parametrize(("kind", "break_it", "message"), BROKEN)
def test_a_broken_result_does_not_fit_and_is_refused(kind: str, break_it: Any, message: str) -> None:
    result = json.loads(json.dumps(study(kind)))
    break_it(result)
    assert not valid(result)
    with pytest.raises(FileError, match=re.escape(message)):
        parse_result(json.dumps(result).encode(), "x.json")


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_can_be_had(kind: str) -> None:
    result = study(kind)
    page = html_of(result)
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert len(text_of(result)) > 100
    assert markdown_of(result).startswith("# ")
    assert r"\begin{tabular}" in latex_of(result)
    rows = list(csv.reader(io.StringIO(numbers_of(result))))
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_comes_with_its_data(kind: str) -> None:
    pytest.importorskip("matplotlib", reason="figures need pip install 'stripeless[plots]'")
    result = study(kind)
    drawn = figures_of(result)
    assert set(drawn) == FIGURES[kind]
    page = html_of(result)
    for name in drawn:
        rows = list(csv.reader(io.StringIO(figure_data_of(result, name))))
        assert len(rows) > 2, name
        assert {len(row) for row in rows} == {len(rows[0])}
        assert f'<figure id="figure-{name}"' in page
        assert f'download="{name}.csv"' in page


@pytest.mark.parametrize("kind", ["attack", "similarity", "attribute", "reproduction"])
def test_the_points_of_a_figure_that_a_result_does_not_have_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match="This result has no figure 'hill'"):
        figure_data_of(study(kind), "hill")


def test_an_attack_without_a_curve_has_a_page_without_figure() -> None:
    pytest.importorskip("matplotlib", reason="figures need pip install 'stripeless[plots]'")
    result = {**study("attack"), "pairs_curve": []}
    assert figures_of(result) == {}
    assert "<svg xmlns" not in html_of(result)


def test_the_data_are_what_the_figure_shows() -> None:
    result = study("rank")
    rows = list(csv.DictReader(io.StringIO(figure_data_of(result, "cmc"))))
    assert float(rows[0]["share"]) == pytest.approx(result["measures"]["id_rate"]["value"], abs=1e-6)
    assert float(rows[-1]["share"]) == pytest.approx(1.0)
    assert float(rows[0]["chance"]) == pytest.approx(1 / 40)


def test_names_in_data_are_no_formulas() -> None:
    result = study("similarity")
    result["speakers"][0] = "=1+1"
    assert "'=1+1" in figure_data_of(result, "similarity")


def test_figures_of_commands_lie_beside_their_data(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need pip install 'stripeless[plots]'")
    write_embeddings(tmp_path / "probes.npz", embeddings(False, 0.3, 2))
    folder = tmp_path / "figures"
    call = ["rank", str(tmp_path / "probes.npz"), "--resamples", "0", "--lengths", "1,2", "--figures", str(folder)]
    done = CliRunner().invoke(group, call)
    assert done.exit_code == 0, done.output
    pictures = {path.stem for path in folder.glob("*.png")}
    assert pictures == {path.stem for path in folder.glob("*.csv")}
    assert "stream" in pictures
    assert (folder / "stream.csv").read_text().startswith("template_length,probe_length,mean_disclosure")
