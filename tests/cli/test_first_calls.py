"""The command line: what a newcomer types, and what happens when the file is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from stripeless.cli import COMMANDS, group
from stripeless.cli.common import write_whole
from stripeless.errors import FileError, StripelessError
from stripeless.papers.reproduce import TABLES

Invoke = Callable[..., Result]


def test_help_lists_every_command_and_each_explains_itself(invoke: Invoke) -> None:
    listed = invoke("--help").output
    for name in COMMANDS:
        assert name in listed
        done = invoke(name, "--help")
        assert done.exit_code == 0, name
        assert "--json" in done.output or name == "serve", name


def test_assess_prints_a_table(invoke: Invoke, kaldi: tuple[Path, Path]) -> None:
    done = invoke("assess", kaldi[0], "--trials", kaldi[1], "--resamples", "100")
    assert done.exit_code == 0, done.output
    assert "Equal error rate" in done.stdout
    assert "95 % interval" in done.stdout


def test_assess_json_is_alone_on_standard_output(invoke: Invoke, kaldi: tuple[Path, Path]) -> None:
    done = invoke("assess", kaldi[0], "--trials", kaldi[1], "--json", "--by", "speaker", "--resamples", "100")
    result = json.loads(done.stdout)
    from stripeless import eer, read_scores

    scores = read_scores(kaldi[0], kaldi[1])
    assert result["measures"]["eer"]["value"] == eer(scores.target, scores.nontarget)
    assert result["measures"]["eer"]["low"] < result["measures"]["eer"]["value"] < result["measures"]["eer"]["high"]
    assert result["intervals"] == {"unit": "speakers", "units": 12, "resamples": 100, "level": 0.95}
    assert result["counts"] == {"target": 96, "nontarget": 1056, "speakers": 12}
    assert len(result["groups"]["speaker"]) == 12
    assert [len(file["sha256"]) for file in result["inputs"]] == [64, 64]


def test_assess_writes_report_and_figures(invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page, folder = tmp_path / "report.html", tmp_path / "figures"
    done = invoke("assess", kaldi[0], "--trials", kaldi[1], "--html", page, "--figures", folder, "--figure-format", "svg",
                  "--resamples", "0")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert {path.name for path in folder.iterdir()} >= {"ece.svg", "det.svg", "scores.svg", "calibration.svg"}
    assert "Report:" in done.stderr
    assert "Report:" not in done.stdout


def test_the_ceiling_must_be_another_file(invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path) -> None:
    call = ("assess", kaldi[0], "--trials", kaldi[1], "--original", kaldi[0], "--resamples", "0")
    result = json.loads(invoke(*call, "--json").stdout)
    assert [w["severity"] for w in result["warnings"] if w["code"] == "identical"] == ["serious"]
    text = " ".join(invoke(*call).stdout.split())
    assert "No verdict" in text
    assert "100 % of the evidence" not in text


def test_a_ceiling_of_other_trials_is_said(invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    other = tmp_path / "other.csv"
    rows = [f"{rng.normal(3 * (k % 3 == 0)):.4f},{'target' if k % 3 == 0 else 'nontarget'}" for k in range(900)]
    other.write_text("score,label\n" + "\n".join(rows) + "\n")
    own = tmp_path / "own.csv"
    own.write_text("score,label\n" + "\n".join(rows[:600]).replace("1", "2") + "\n")
    result = json.loads(invoke("assess", own, "--original", other, "--json", "--resamples", "0").stdout)
    (finding,) = [w for w in result["warnings"] if w["code"] == "other_trials"]
    assert finding["severity"] == "caution"
    assert "200 + 400" in finding["message"]
    assert "300 + 600" in finding["message"]


def test_a_ceiling_below_the_result_is_said_not_clamped(
    invoke: Invoke, systems: tuple[Path, ...], kaldi: tuple[Path, Path]
) -> None:
    call = ("assess", systems[0], "--trials", kaldi[1], "--original", systems[2], "--resamples", "200")
    result = json.loads(invoke(*call, "--json").stdout)
    assert "ceiling_below" in {w["code"] for w in result["warnings"]}
    text = " ".join(invoke(*call).stdout.split())
    assert "more evidence than unprotected speech gives" in text
    assert "100 % of the evidence" not in text
    right = json.loads(invoke("assess", systems[2], "--trials", kaldi[1], "--original", systems[0], "--json").stdout)
    assert not {"ceiling_below", "other_trials", "identical"} & {w["code"] for w in right["warnings"]}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "empty"),
        ("s00 s00-0 high\n", "line 1"),
        ("s00 s00-0 nan\n", "line 1"),
        ("s00 s00-0 1.0\ns00\n", "line 2"),
    ],
)
def test_a_wrong_file_gets_one_sentence_and_leaves_nothing(
    invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path, content: str, sentence: str
) -> None:
    wrong, page = tmp_path / "wrong.txt", tmp_path / "report.html"
    wrong.write_text(content)
    done = invoke("assess", wrong, "--trials", kaldi[1], "--html", page)
    assert isinstance(done.exception, StripelessError)
    message = str(done.exception)
    assert "wrong.txt" in message
    assert sentence in message
    assert "\n" not in message
    assert not page.exists()


def test_exit_codes_as_a_shell_sees_them(kaldi: tuple[Path, Path], tmp_path: Path) -> None:
    import subprocess
    import sys

    def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = "from stripeless.cli import main; main()"
        return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)

    missing = shell("assess", str(tmp_path / "absent.txt"))
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("Error: ")
    assert missing.stderr.count("\n") == 1
    assert shell("assess").returncode == 2
    assert shell("asess").returncode == 2
    assert shell("assess", str(kaldi[0]), "--trials", str(kaldi[1]), "--resamples", "0").returncode == 0
    nowhere = shell(
        "assess",
        str(kaldi[0]),
        "--trials",
        str(kaldi[1]),
        "--resamples",
        "0",
        "--html",
        str(tmp_path / "no" / "r.html"),
    )
    assert nowhere.returncode == 1
    assert "cannot be written" in nowhere.stderr


def test_missing_trials_stop_the_run_unless_allowed(invoke: Invoke, kaldi: tuple[Path, Path]) -> None:
    lines = kaldi[0].read_text().splitlines()
    kaldi[0].write_text("\n".join(lines[3:]) + "\n")
    done = invoke("assess", kaldi[0], "--trials", kaldi[1])
    assert "3" in str(done.exception)
    assert "s00 s00-0" in str(done.exception)
    assert "--allow-missing" in str(done.exception)
    result = json.loads(invoke("assess", kaldi[0], "--trials", kaldi[1], "--allow-missing", "--json").stdout)
    assert result["missing"] == {"targets": 3, "nontargets": 0, "scores": 0}
    assert "missing" in {w["code"].partition("_")[0] for w in result["warnings"]}


def test_nothing_is_written_where_one_destination_fails(
    invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    before = {path.name for path in tmp_path.iterdir()}
    page, scores = tmp_path / "ok.html", ("--trials", kaldi[1], "--resamples", "0")
    for call in (
        ("demo", "--out", tmp_path / "demo", "--html", tmp_path / "no" / "x.html", "--speakers", "12"),
        ("demo", "--out", blocked / "demo", "--speakers", "12"),
        ("assess", kaldi[0], *scores, "--html", page, "--figures", blocked / "figures"),
        ("assess", kaldi[0], *scores, "--figures", tmp_path / "figures", "--html", tmp_path / "no" / "x.html"),
        ("compare", kaldi[0], kaldi[0], *scores, "--html", page, "--figures", blocked / "figures"),
        ("compare", kaldi[0], *scores, "--rank", "--table", tmp_path / "t.md", "--html", blocked / "x.html"),
    ):
        done = invoke(*call)
        assert isinstance(done.exception, FileError), call
        assert "cannot be" in str(done.exception)
        assert {path.name for path in tmp_path.iterdir()} == before, call
    missing = invoke("assess", tmp_path / "absent.txt", "--html", tmp_path / "no" / "x.html")
    assert "x.html" in str(missing.exception)  # found before anything is read or computed


def test_demo_gives_the_same_bytes_for_the_same_seed(invoke: Invoke, tmp_path: Path) -> None:
    contents = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        done = invoke("demo", "--out", folder, "--speakers", "12")
        assert done.exit_code == 0, done.output
        assert done.stderr.rstrip().endswith(str(folder / "report.html"))
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert contents[0] == contents[1]
    assert {"report.html", "result.json", "semi-informed.csv"} <= set(contents[0])


def test_what_demo_writes_assess_reads(invoke: Invoke, tmp_path: Path) -> None:
    invoke("demo", "--out", tmp_path, "--speakers", "12")
    result = json.loads((tmp_path / "result.json").read_text())
    again = json.loads(invoke("assess", tmp_path / "lazy-informed.csv", "--json", "--resamples", "0").stdout)
    assert again["measures"]["eer"]["value"] == result["attackers"][1]["measures"]["eer"]["value"]
    assert again["counts"]["speakers"] == 12


def test_reproduce_meets_every_printed_cell(invoke: Invoke, librispeech: Path) -> None:
    done = invoke("reproduce", "scores", "--data", librispeech, "--json")
    lines = json.loads(done.stdout)["lines"]
    assert len(lines) == 15
    assert all(line["agrees"] for line in lines)
    assert max(abs(line["difference"]) for line in lines if line["difference"] is not None) < 0.007


def test_reproduce_lists_its_tables_and_refuses_others(invoke: Invoke) -> None:
    assert all(name in invoke("reproduce").stdout for name in TABLES)
    assert "choose from" in str(invoke("reproduce", "nothing", "--data", ".").exception)
    assert "--data" in str(invoke("reproduce", "scores").exception)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(TypeError):
        write_whole(path, None)  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(FileError, match="cannot be written"):
        write_whole(tmp_path / "no" / "page.html", "x")


def test_an_output_never_overwrites_an_input(tmp_path: Path) -> None:
    scores = tmp_path / "scores.txt"
    content = "".join(f"{x} {int(x > 2)}\n" for x in range(6))
    for option in ("--html", "--summary"):
        scores.write_text(content)
        done = CliRunner().invoke(
            group, ["assess", str(scores), option, str(tmp_path / "." / "scores.txt"), "--resamples", "0"]
        )
        assert "named twice" in str(done.exception), option
        assert scores.read_text() == content


def test_everything_is_read_before_anything_is_assessed(
    invoke: Invoke, kaldi: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second file is wrong: nobody waits for the intervals of the first to learn that."""

    def working(*args: object, **more: object) -> None:
        raise AssertionError("assessed before everything was read")

    monkeypatch.setattr("stripeless.assessment.assess.assess_scores", working)
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("s00 s00-0 high\n")
    for call in (("compare", kaldi[0], wrong), ("assess", kaldi[0], "--original", wrong)):
        done = invoke(*call, "--trials", kaldi[1])
        assert isinstance(done.exception, StripelessError), done.exception
        assert "wrong.txt" in str(done.exception)
