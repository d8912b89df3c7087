"""What is said beside the result: --verbose, --quiet and --log on every command, and a library that is silent."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from stripeless.cli import COMMANDS, group
from stripeless.cli.shared.messages import LIBRARY, ProgressLine, open_log, progress_line
from stripeless.cli.shared.options import workers_option
from stripeless.errors import FileError

Invoke = Callable[..., Result]
TIMED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) +\S")


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Commands run in a folder with scores in it."""
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal(2.0 * (k % 3 == 0)):.4f} {'target' if k % 3 == 0 else 'nontarget'}" for k in range(300)]
    (tmp_path / "scores.txt").write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(group, [str(word) for word in words])


ASSESS = ("assess", "scores.txt", "--resamples", "0")


def test_every_command_has_the_three_options(invoke: Invoke) -> None:
    for name in COMMANDS:
        shown = invoke(name, "--help").output
        assert all(option in shown for option in ("--verbose", "--quiet", "--log FILE")), name


def test_without_options_only_the_command_speaks(invoke: Invoke) -> None:
    done = invoke(*ASSESS, "--html", "r.html")
    assert done.stderr == "Report: r.html\n"


@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after it"])
def test_quiet_leaves_nothing_but_errors(invoke: Invoke, before: bool) -> None:
    calls = [[*ASSESS, "--html", "r.html"], ["assess", "absent.txt"], ["rank", "absent.npz", "--threads", "1"]]
    results = [invoke("--quiet", *call) if before else invoke(*call, "--quiet") for call in calls]
    assert results[0].exit_code == 0
    assert results[0].stderr == ""
    assert "Equal error rate" in results[0].stdout
    for done in results[1:]:
        assert "absent" in str(done.exception)
        assert done.output == ""


def test_errors_are_shown_with_quiet(tmp_path: Path) -> None:
    done = shell("assess", "absent.txt", "--quiet", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: absent.txt")


@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after it"])
def test_verbose_adds_stages_files_and_seconds(invoke: Invoke, before: bool) -> None:
    done = invoke("--verbose", *ASSESS) if before else invoke(*ASSESS, "--verbose")
    assert re.search(r"read scores\.txt: 100 target and 200 nontarget scores in \d+\.\d s\n", done.stderr)
    assert re.search(r"assessed scores\.txt: .* in \d+\.\d s\n", done.stderr)
    assert "read scores.txt" not in done.stdout
    assert "read scores.txt" not in invoke(*ASSESS).stderr


def test_a_log_holds_everything_with_the_time(invoke: Invoke) -> None:
    done = invoke(*ASSESS, "--html", "r.html", "--log", "run.log")
    assert done.stderr == "Report: r.html\n"  # the log takes nothing away and adds nothing here
    lines = Path("run.log").read_text().splitlines()
    assert all(TIMED.match(line) for line in lines)
    text = "\n".join(lines)
    assert all(part in text for part in ("read scores.txt", "assessed", "wrote r.html", "Report: r.html"))


def test_a_log_grows_and_holds_errors_and_warnings(invoke: Invoke) -> None:
    invoke(*ASSESS, "--quiet", "--log", "run.log")
    before = Path("run.log").read_text()
    assert "read scores.txt" in before  # quiet is for the screen
    invoke("rank", "absent.npz", "--threads", "1", "--log", "run.log")
    after = Path("run.log").read_text()
    assert after.startswith(before)
    assert "WARNING Warning: --threads is now called --workers" in after[len(before) :]
    assert re.search(r"ERROR +Error: absent\.npz: cannot be read", after[len(before) :])
    invoke("assess", "scores.txt", "--on-disk", "x", "--by", "sex", "--log", "run.log")  # a mistake of the call
    assert "leave out --by" in Path("run.log").read_text()


def test_a_log_holds_where_the_program_failed(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **more: object) -> None:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr("stripeless.scores.files.read_scores", broken)
    done = invoke(*ASSESS, "--log", "run.log")
    assert isinstance(done.exception, ZeroDivisionError)
    assert "Traceback" in Path("run.log").read_text()


@pytest.mark.parametrize("log", ["scores.txt", "r.html"])
def test_a_log_is_no_file_of_the_call(invoke: Invoke, log: str) -> None:
    before = Path("scores.txt").read_text()
    done = invoke(*ASSESS, "--html", "r.html", "--log", log)
    assert "named twice" in str(done.exception)
    assert Path("scores.txt").read_text() == before
    assert not Path("r.html").exists()


def test_nothing_is_left_behind_for_the_next_call(invoke: Invoke) -> None:
    before = (list(LIBRARY.handlers), LIBRARY.level)
    invoke(*ASSESS, "--verbose", "--log", "run.log")
    invoke("assess", "absent.txt", "--verbose")
    assert (list(LIBRARY.handlers), LIBRARY.level) == before


def test_the_library_is_silent_by_itself(tmp_path: Path) -> None:
    code = (
        "import logging, stripeless as s; s.assess([1.0, 2.0], [0.0]); logging.getLogger('stripeless.x').error('boo')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_program_can_listen(caplog: pytest.LogCaptureFixture) -> None:
    from stripeless import assess

    with caplog.at_level(logging.INFO, logger="stripeless"):
        assess([1.0, 2.0], [0.0], name="mine")
    assert [record.name for record in caplog.records] == ["stripeless.assessment.assess"]
    assert "assessed mine: 2 + 1 trials" in caplog.text


def test_bars_are_for_those_who_watch(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.cli.shared import messages

    progress_line(5, 10)
    with ProgressLine() as line:
        line.update(5, 10, 20.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress_line(5, 10)
    with ProgressLine() as line:
        line.update(5, 10, 20.0)
    shown = capsys.readouterr().err
    assert "5/10" in shown
    assert "20 s left" in shown
    with messages.speaking(quiet=True):
        progress_line(5, 10)
    assert capsys.readouterr().err == ""


def test_a_log_names_every_tenth(tmp_path: Path) -> None:
    from stripeless.cli.shared import messages

    with messages.speaking(log=str(tmp_path / "run.log")):
        for done in range(1, 101):
            progress_line(done, 100)
    assert [line.split()[3] for line in (tmp_path / "run.log").read_text().splitlines()] == [
        str(10 * k) for k in range(1, 11)
    ]


# one spelling of workers


@pytest.mark.parametrize(
    ("command", "old"), [("anonymize", "--jobs"), ("embed", "--jobs"), ("evaluate", "--jobs"), ("rank", "--threads")]
)
def test_the_old_spelling_works_is_hidden_and_warned_of(invoke: Invoke, command: str, old: str) -> None:
    shown = invoke(command, "--help").output
    assert "--workers" in shown
    assert old not in shown
    words = {
        "anonymize": ("absent", "out"),
        "embed": ("absent", "o.npz"),
        "evaluate": ("absent", "--anonymizer", "mcadams"),
    }
    done = invoke(command, *words.get(command, ("absent.npz",)), old, "2")
    assert "absent" in str(done.exception)  # so it was taken, and the next thing was wrong
    assert done.stderr.startswith(f"Warning: {old} is now called --workers")
    both = invoke(command, *words.get(command, ("absent.npz",)), old, "2", "--workers", "3")
    assert both.exit_code == 2
    assert "give one of them" in both.stderr


def test_the_old_spelling_gives_its_value_to_the_new_one() -> None:
    from stripeless.cli.shared.command import Command

    @click.command("x", cls=Command)
    @workers_option("so many", "--jobs")
    def command(workers: int | None) -> None:
        click.echo(f"workers {workers}")

    run = CliRunner().invoke
    assert run(command, ["--jobs", "3"]).stdout == run(command, ["--workers", "3"]).stdout == "workers 3\n"
    assert run(command, []).stdout == "workers None\n"


# names of commands


@pytest.mark.parametrize(("typed", "meant"), [("asess", "assess"), ("evalute", "evaluate"), ("anon", "anonymize")])
def test_a_misspelled_command_is_answered_with_the_right_one(invoke: Invoke, typed: str, meant: str) -> None:
    done = invoke(typed, "scores.txt")
    assert done.exit_code == 2
    assert f"Did you mean {meant!r}?" in done.stderr


def test_a_name_like_no_command_gets_no_suggestion(invoke: Invoke) -> None:
    done = invoke("xyzzy")
    assert done.exit_code == 2
    assert "No such command 'xyzzy'." in done.stderr
    assert "Did you mean" not in done.stderr


def shell(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As a shell sees `python -m stripeless`."""
    call = [sys.executable, "-m", "stripeless", *words]
    return subprocess.run(call, capture_output=True, text=True, check=False, cwd=folder)


def test_python_dash_m(tmp_path: Path) -> None:
    done = shell("--version", folder=tmp_path)
    assert done.returncode == 0
    assert re.search(r"\d+\.\d+", done.stdout)
    assert shell("asess", folder=tmp_path).returncode == 2


def test_no_sign_that_a_terminal_obeys_is_printed(invoke: Invoke) -> None:
    """Names in a file may hold the signs that clear a screen or hide what stands before them."""
    sexes = ("f\x07\x9b31m", "m\u202e")
    rows = [
        f"a{i % 9}\x1b[2J,u{i}\x9b31m,{i % 7}.5,{'target' if i % 3 else 'nontarget'},{sexes[i % 2]}" for i in range(90)
    ]
    by = "g\x9b]0;x\x07"
    Path("odd.csv").write_text("\n".join([f"enrollment,trial,score,label,{by}", *rows]) + "\n", encoding="utf-8")
    for words in (
        (),
        ("--json", "--by", by),
        ("--by", by),
        ("--by", "no\x1bne"),
        ("--wrong\x1b",),
        ("--verbose", "--log", "l\x08og"),
    ):
        done = invoke("assess", "odd.csv", "--resamples", "0", *words)
        said = done.output + done.stderr
        assert not [sign for sign in said if not sign.isprintable() and sign != "\n"], words
    assert "\x1b" not in Path("l\x08og").read_text()
    Path("odd.csv").write_text(Path("odd.csv").read_text().replace("6.5", "6.5\x1b[2J"))
    assert "got '6.5\\x1b[2J'" in str(invoke("assess", "odd.csv").exception)


def test_a_pipe_that_nobody_reads_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no such pipes here")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="is a pipe that nobody reads; name a file"):
        open_log(str(tmp_path / "pipe"))
