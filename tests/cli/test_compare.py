"""`compare` on the command line: pairs, stored results, damaged files, and why files cannot be paired."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import Result

from stripeless.errors import FileError

Invoke = Callable[..., Result]


def test_compare_pairs_score_files_and_reads_results(invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    better = tmp_path / "better.txt"
    rows = [line.split() for line in kaldi[0].read_text().splitlines()]
    better.write_text("".join(f"{a} {b} {0.2 * float(x) + rng.normal():.5f}\n" for a, b, x in rows))
    done = invoke("compare", kaldi[0], better, "--trials", kaldi[1], "--json", "--resamples", "200")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    difference = next(iter(result["differences"].values()))["eer"]
    assert difference["p_value"] < 0.05
    assert difference["more_private"] == 2
    stored = tmp_path / "one.json"
    stored.write_text(invoke("assess", kaldi[0], "--trials", kaldi[1], "--json", "--resamples", "0").stdout)
    twice = json.loads(invoke("compare", stored, kaldi[0], "--trials", kaldi[1], "--json", "--resamples", "0").stdout)
    assert [w["code"] for w in twice["warnings"]] == ["identical"]
    assert len(twice["results"]) == 2
    assert invoke("compare", stored).exit_code == 2


def damaged(result: dict[str, Any]) -> dict[str, Any]:
    """One result, hurt in every way that once ended in a traceback."""
    measures, first = result["measures"], result["warnings"][0]
    return {
        "measures.d_ece.value": {**result, "measures": {**measures, "d_ece": {**measures["d_ece"], "value": "much"}}},
        "measures.eer.low": {**result, "measures": {**measures, "eer": {**measures["eer"], "low": "0.1"}}},
        "measures.d_ece": {**result, "measures": {k: v for k, v in measures.items() if k != "d_ece"}},
        "measures": {**result, "measures": [1]},
        "inputs": {**result, "inputs": 5},
        "inputs[0].sha256": {**result, "inputs": [{"path": "x"}]},
        "warnings[0].severity": {**result, "warnings": [{k: v for k, v in first.items() if k != "severity"}]},
        "counts.target": {**result, "counts": {**result["counts"], "target": "many"}},
        "counts.speakers": {**result, "counts": {**result["counts"], "speakers": True}},
        "intervals.units": {**result, "intervals": {"unit": "trials", "resamples": 3, "level": 0.95}},
        "groups": {**result, "groups": {"sex": 3}},
        "category_counts": {**result, "category_counts": {"A": "x"}},
        "eer_by_tool": {**result, "eer_by_tool": 4},
        "curves": {**result, "curves": [2]},
        "notes": {**result, "notes": 7},
        "original": {**result, "original": {"kind": "assessment", "measures": 3}},
        "results": {"kind": "comparison", "schema": 1, "results": 3, "differences": {}, "warnings": []},
        "differences": {
            "kind": "comparison", "schema": 1, "results": [result], "warnings": [], "differences": {"a": {"eer": 1}},
        },
        "attackers": {"kind": "evaluation", "schema": 1, "name": "x", "attackers": [], "original": None, "warnings": []},
    }  # fmt: skip


def test_damaged_results_get_one_sentence_that_names_the_place(
    invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(invoke("assess", kaldi[0], "--trials", kaldi[1], "--json", "--resamples", "100").stdout)
    result = json.loads(good.read_text())
    assert invoke("compare", good, good).exit_code == 0
    for place, wrong in damaged(result).items():
        bad.write_text(json.dumps(wrong))
        for call in (("compare", bad, good), ("compare", good, bad, "--html", tmp_path / "x.html")):
            error = invoke(*call).exception
            assert isinstance(error, FileError), (place, error)
            assert place in str(error), (place, error)
            assert "\n" not in str(error)
    for number in ("NaN", "Infinity", "-Infinity"):
        bad.write_text(good.read_text().replace('"seed": 0', f'"seed": {number}'))
        error = invoke("compare", bad, good).exception
        assert isinstance(error, FileError)
        assert number in str(error)


def test_a_paired_comparison_is_shown_in_every_format(
    invoke: Invoke, systems: tuple[Path, ...], kaldi: tuple[Path, Path], tmp_path: Path
) -> None:
    from stripeless.report.kinds import latex_of, markdown_of

    page = tmp_path / "page.html"
    call = ("compare", *systems, "--trials", kaldi[1], "--resamples", "200")
    done = invoke(*call, "--html", page)
    assert done.exit_code == 0, done.output
    assert "scores.txt minus near.txt" in done.stdout
    assert "scores.txt minus near.txt" in page.read_text()
    result = json.loads(invoke(*call, "--json").stdout)
    assert "scores.txt minus far.txt" in markdown_of(result)
    assert "scores.txt minus far.txt" in latex_of(result)
    assert {d["resamples"] for rows in result["differences"].values() for d in rows.values()} == {200}


def test_the_verdict_of_a_comparison_is_that_of_its_paired_test(
    invoke: Invoke, systems: tuple[Path, ...], kaldi: tuple[Path, Path]
) -> None:
    done = invoke("compare", *systems[:2], "--trials", kaldi[1], "--json", "--resamples", "200")
    result = json.loads(done.stdout)
    ends = [part["measures"]["d_ece"] for part in result["results"]]
    assert ends[1]["high"] > ends[0]["low"]  # apart the intervals cannot tell
    assert result["differences"]["scores.txt - near.txt"]["d_ece"]["more_private"] == 2
    text = " ".join(invoke("compare", *systems[:2], "--trials", kaldi[1], "--resamples", "200").stdout.split())
    assert 'Comparison. Of these 2, "near.txt" gives away least and "scores.txt" most.' in text
    assert "paired" in text
    assert "a paired comparison on the same trials can tell more" not in text


def test_compare_without_resamples_draws_nothing_and_says_so(
    invoke: Invoke, systems: tuple[Path, ...], kaldi: tuple[Path, Path]
) -> None:
    result = json.loads(invoke("compare", *systems, "--trials", kaldi[1], "--json", "--resamples", "0").stdout)
    assert result["differences"] == {}
    assert [(w["code"], w["severity"]) for w in result["warnings"]] == [("not_paired", "remark")]
    assert "--resamples" in result["warnings"][0]["message"]


def test_compare_says_why_files_cannot_be_paired(invoke: Invoke, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = []
    for n in (200, 300):
        rows = [f"{rng.normal(k % 2):.4f} {'target' if k % 2 else 'nontarget'}" for k in range(n)]
        paths.append(tmp_path / f"{n}.txt")
        paths[-1].write_text("\n".join(rows) + "\n")
    done = invoke("compare", *paths, "--json", "--resamples", "100")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["differences"] == {}
    (finding,) = [w for w in result["warnings"] if w["code"] == "not_paired"]
    assert finding["severity"] == "remark"
    assert "200.txt and 300.txt" in finding["message"]
    assert "same trials" in finding["message"]
    assert "Remark:" in invoke("compare", *paths, "--resamples", "100").stdout


def test_compare_refuses_json_that_is_no_result(invoke: Invoke, tmp_path: Path) -> None:
    for content, sentence in (
        ('{"a": 1}', "not a result"),
        ("{", "not valid JSON"),
        ('{"kind": "assessment", "schema": 99}', "newer"),
    ):
        path = tmp_path / "x.json"
        path.write_text(content)
        done = invoke("compare", path, path)
        assert sentence in str(done.exception)
