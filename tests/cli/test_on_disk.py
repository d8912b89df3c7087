"""assess --on-disk: what cannot be done is refused by name, outputs are looked at first, the summary is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from stripeless.cli import group

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal(2.0 * (k % 3 == 0)):.4f},{'target' if k % 3 == 0 else 'nontarget'}" for k in range(600)]
    (tmp_path / "scores.csv").write_text("score,label\n" + "\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(group, ["assess", "scores.csv", "--on-disk", "sorted", *words])


@pytest.mark.parametrize(
    "words",
    [
        ("--allow-missing",),
        ("--trials", "t"),
        ("--utt2spk", "u"),
        ("--spk2gender", "s"),
        ("--original", "o"),
        ("--by", "sex"),
        ("--resamples", "100"),
    ],
)
def test_what_cannot_be_done_is_refused_by_its_name(invoke: Invoke, words: tuple[str, ...]) -> None:
    done = invoke(*words)
    assert done.exit_code == 2
    assert f"leave out {words[0]}." in done.stderr
    assert not Path("sorted").exists()


def test_all_that_cannot_be_done_is_named_at_once(invoke: Invoke) -> None:
    assert "leave out --allow-missing, --by." in invoke("--by", "sex", "--allow-missing").stderr


def test_no_intervals_may_be_asked_for(invoke: Invoke) -> None:
    assert invoke("--resamples", "0", "--json").exit_code == 0


@pytest.mark.parametrize("option", ["--html", "--summary", "--log"])
def test_outputs_are_looked_at_before_anything_is_sorted(invoke: Invoke, option: str) -> None:
    done = invoke(option, "no/such/page.html")
    assert "cannot be written" in str(done.exception)
    assert not Path("sorted").exists()


def test_the_summary_is_written(invoke: Invoke) -> None:
    done = invoke("--summary", "sheet.html", "--label", "dataset=d", "--json")
    assert done.exit_code == 0, done.output
    assert "Summary: sheet.html" in done.stderr
    page = Path("sheet.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "scores.csv" in page
    assert json.loads(done.stdout)["labels"] == {"dataset": "d"}
