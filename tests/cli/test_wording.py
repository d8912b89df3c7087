"""Errors speak of options where options were given, and --help says which numbers are taken."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from stripeless.cli import COMMANDS, group
from stripeless.cli.shared.wording import in_options
from stripeless.errors import FileError
from stripeless.scores.files.read import read_scores


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("leave them out with --allow-missing (allow_missing=True), or", "leave them out with --allow-missing, or"),
        ("say so with --scale (scale=(low, high))", "say so with --scale"),
        ("with --allow-missing (other=True)", "with --allow-missing (other=True)"),
        ("give it as `trials`; `path` is no option", "give it as --trials; `path` is no option"),
        ("trials: not there", "--trials: not there"),
        ("path: not there", "path: not there"),
    ],
)
def test_python_words_become_options(said: str, shown: str) -> None:
    assert in_options(said, ("trials", "allow_missing", "scale")) == shown


def test_a_file_called_as_an_option_keeps_its_name() -> None:
    assert (
        in_options("trials: empty; give `trials`", ("trials",), begins_with_path=True) == "trials: empty; give --trials"
    )


def test_the_command_line_names_the_option_and_python_the_argument(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("enroll,utt,similarity,is_same\na,b,1.0,True\na,c,2.0,False\n")
    said = CliRunner().invoke(group, ["assess", str(tmp_path / "s.csv")])
    assert isinstance(said.exception, FileError)
    assert "give the trial list as --trials, or" in str(said.exception)
    with pytest.raises(FileError, match="give the trial list as `trials`, or"):
        read_scores(tmp_path / "s.csv")


def test_help_says_how_few_resamples_are_refused() -> None:
    told = []
    for name in COMMANDS:
        shown = " ".join(CliRunner().invoke(group, [name, "--help"]).output.split())
        if "--resamples INTEGER" in shown:
            assert "0 for none, else at least 100." in shown, name
            told.append(name)
    assert {"assess", "evaluate", "protect", "compare", "attack", "rank", "listen"} <= set(told)
