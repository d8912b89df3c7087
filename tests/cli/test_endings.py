"""How a call ends, how seconds are said, and what the demo with voices leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from encoded_voices import ANONYMIZED, CORPUS, ORIGINAL

from stripeless.cli import common, demo_voices
from stripeless.cli.common import run
from stripeless.cli.shared.messages import in_time, open_log
from stripeless.errors import FileError, InputError
from stripeless.results.stored import read_result
from stripeless.results.voices import Sample
from stripeless.scores.files import read_scores


def ending(error: BaseException | None) -> tuple[Any, bool]:
    """The code that the program ends with where a command ends like this."""

    @click.group()
    def group() -> None:
        pass

    def main(**options: Any) -> None:
        assert options == {"standalone_mode": False}
        if error is not None:
            raise error

    group.main = main  # type: ignore[method-assign,assignment]
    try:
        run(group)
    except SystemExit as end:
        return end.code, True
    return None, False


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (None, None, ""),
        (click.exceptions.Exit(3), 3, ""),
        (click.Abort(), "Interrupted; nothing was left half-written.", ""),
        (click.UsageError("no such thing"), 2, "Error: no such thing"),
        (click.ClickException("broken"), 1, "Error: broken"),
        (InputError("speakers: too few"), 1, "Error: speakers: too few\n"),
        (InputError("a\x1bb"), 1, "Error: a\\u001bb\n"),
        (
            OSError(36, "File name too long", "x" * 3000),
            1,
            "cannot be used (File name too long); check the path and the disk",
        ),
        (
            PermissionError(13, "Permission denied", "a"),
            1,
            "Error: a: cannot be used (Permission denied); check the path",
        ),
        (click.UsageError("a" * 3000), 2, "Error: aaa"),
        (
            MemoryError("Unable to allocate 8 GiB"),
            1,
            "Error: there is not enough memory for these data; give fewer at a time",
        ),
    ],
)
def test_each_ending_has_its_code_and_its_sentence(
    capsys: pytest.CaptureFixture[str], error: BaseException | None, code: Any, said: str
) -> None:
    assert ending(error) == (code, error is not None)
    shown = capsys.readouterr()
    assert said in shown.err
    assert all(len(line) <= 607 for line in shown.err.splitlines())
    assert bool(shown.err) == bool(said)
    assert shown.out == ""


def test_a_pipe_that_nobody_reads_any_more_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[tuple[int, int]] = []

    class Out:
        @staticmethod
        def fileno() -> int:
            return 77

    monkeypatch.setattr(common.sys, "stdout", Out)
    monkeypatch.setattr(common.os, "dup2", lambda old, new: moved.append((old, new)))
    assert ending(BrokenPipeError()) == (0, True)
    ((null, out),) = moved
    assert out == 77
    assert os.path.samestat(os.fstat(null), os.stat(os.devnull))
    os.close(null)


def test_an_error_of_the_program_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        ending(ZeroDivisionError())


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (36000, "10.0 h")],
)
def test_seconds_as_people_say_them(seconds: float, said: str) -> None:
    assert in_time(seconds) == said


def test_why_a_log_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match=r"cannot be written \(it is a folder\)"):
        open_log(str(tmp_path))
    with pytest.raises(FileError, match=r"cannot be written \(No such file or directory\)"):
        open_log(str(tmp_path / "no" / "run.log"))

    def refuse(*given: Any, **more: Any) -> Any:
        raise OSError("the disk is tired")

    monkeypatch.setattr("logging.FileHandler", refuse)
    with pytest.raises(FileError, match=r"cannot be written \(the disk is tired\)"):
        open_log(str(tmp_path / "run.log"))


def test_the_demo_with_voices_leaves_scores_result_and_recordings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Voices, anonymizer and encoder are stood in for: what counts is what is made of them."""
    from stripeless.anonymizers import run as anonymizers
    from stripeless.attackers.voices import Encoded, strongest_encoder
    from stripeless.audio import synthetic_voice
    from stripeless.studies import evaluate, samples
    from stripeless.studies.judged_data import JudgedData

    asked: dict[str, Any] = {}

    def synthesized(folder: Path, **more: Any) -> Any:
        asked["voices"] = (folder, more)
        return CORPUS

    def anonymized(corpus: Any, out: Path, anonymizer: Any, **more: Any) -> Any:
        asked["anonymizer"] = (corpus, out, anonymizer.seed)
        return type("Done", (), {"corpus": replace(CORPUS, folder=out)})

    def evaluated(*given: Any, **more: Any) -> Any:
        asked["options"] = given[3]
        return whole(*given, **more)

    whole = evaluate.evaluate_voices
    sample = Sample("s00", "b", "a", sex="f")
    monkeypatch.setattr(synthetic_voice, "synthetic_corpus", synthesized)
    monkeypatch.setattr(anonymizers, "anonymize_corpus", anonymized)
    monkeypatch.setattr(evaluate, "encode", lambda encoder, *given: Encoded(encoder.name, ORIGINAL, ANONYMIZED))
    monkeypatch.setattr(evaluate, "utility_of", lambda *given: {})
    monkeypatch.setattr(evaluate, "judged_data", lambda first, second, *given: JudgedData(first, second, None, (), ()))
    monkeypatch.setattr(evaluate, "evaluate_voices", evaluated)
    monkeypatch.setattr(samples, "before_and_after", lambda *given: (sample,))
    result = demo_voices.demo_voices(tmp_path, 5)
    assert asked["voices"] == (tmp_path / "voices", {"speakers": 24, "utterances": 8, "seed": 5})
    assert asked["anonymizer"] == (CORPUS, tmp_path / "anonymized", 5)
    options = asked["options"]
    assert (options.cache, options.seed, options.resamples, options.limit, options.quality) == (None, 5, 200, 24, False)
    for attacker in ("ignorant", "lazy-informed", "semi-informed", "original"):
        best = strongest_encoder(result.played, attacker)
        assert best is not None
        assert read_scores(tmp_path / f"{attacker}.csv").target.tolist() == best.scores.target.tolist()
    assert len(list(tmp_path.glob("*.csv"))) == len(result.played), "no file is written twice"
    stored = read_result(tmp_path / "result.json")
    assert not stored.listen
    assert [heard.speaker for heard in result.listen] == ["s00"]
    assert result.voices is not None
    assert result.voices.anonymizer["seed"] == 5


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("call", [["--help"], ["info", "--json"], ["demo", "--help"]], ids=" ".join)
def test_a_full_disk_behind_standard_output_is_one_sentence(call: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "stripeless.cli", *call]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "Error: what comes out cannot be kept (No space left on device); make room on the disk\n"
