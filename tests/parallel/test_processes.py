"""Processes that die: their work is done by others, in order, and nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from stripeless.errors import WorkerLost
from stripeless.parallel.engine import TRIES
from stripeless.parallel.items import each


def die_once(number: int, folder: Path) -> int:
    """Kill the own process at the first attempt on 3 and 4; every attempt leaves a file."""
    attempt = len(list(folder.glob(f"{number}-*")))
    (folder / f"{number}-{attempt}").touch()
    if number in (3, 4) and attempt == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * number


def test_what_died_with_its_process_is_done_again_and_nothing_else(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    outcomes = each(
        partial(die_once, folder=tmp_path),
        range(12),
        workers=3,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [outcome.result for outcome in outcomes] == [10 * n for n in range(12)]
    assert len(list(tmp_path.iterdir())) == 12 + 2
    assert seen == [(n, 12) for n in range(1, 13)]


def die_always(number: int, folder: Path) -> int:
    (folder / f"{number}-{os.getpid()}").touch()
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_what_always_kills_is_named_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match=r"^2 \(3 of 8\): given up, because .*; leave it out") as caught:
        each(partial(die_always, folder=tmp_path), range(8), workers=2)
    assert "\n" not in str(caught.value)
    assert len(list(tmp_path.glob("2-*"))) == TRIES


def test_what_always_kills_can_be_skipped(tmp_path: Path) -> None:
    outcomes = each(partial(die_always, folder=tmp_path), range(8), workers=2, on_error="skip")
    assert [outcome.result for outcome in outcomes] == [0, 1, None, 3, 4, 5, 6, 7]
    assert outcomes[2].error.startswith("2 (3 of 8): given up")


def fail_while_others_work(number: int, folder: Path) -> int:
    (folder / str(os.getpid())).touch()
    if number == 0:
        while len(list(folder.iterdir())) < 2:
            time.sleep(0.01)
        time.sleep(0.2)
        raise ZeroDivisionError("of the program")
    try:
        time.sleep(30)
        (folder / "worked to the end").touch()
    finally:
        (folder / "put away").touch()
    return number


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_an_error_leaves_no_process_behind(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="of the program") as caught:
        each(partial(fail_while_others_work, folder=tmp_path), range(4), workers=2)
    assert not (tmp_path / "worked to the end").exists()
    assert (tmp_path / "put away").exists()
    processes = [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]
    assert len(processes) == 2
    assert all(gone(process) for process in processes)
    assert "fail_while_others_work" in caught.value.__notes__[0]  # where it happened, in the other process


def interrupted(number: int) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return number


def test_what_ends_at_ctrl_c_is_up_to_the_parent() -> None:
    assert [outcome.result for outcome in each(interrupted, range(3), workers=2)] == [0, 1, 2]


class TwoWords(Exception):
    """It can be packed, but not unpacked."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")


def not_portable(number: int) -> object:
    if number == 1:
        return lambda: number
    if number == 2:
        raise type("Local", (Exception,), {})("only here")
    if number == 3:
        raise TwoWords("only", "here")
    return number


@pytest.mark.parametrize(("number", "words"), [(1, "pickle"), (2, "Local: only here"), (3, "TwoWords: only here")])
def test_what_cannot_travel_is_said_and_does_not_hang(number: int, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        each(not_portable, [0, number], workers=2)


CHILDREN = """
import os, sys, time
from pathlib import Path
from stripeless.parallel.items import each

def work(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)

each(work, range(4), workers=2)
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_nobody_outlives_the_process_that_asked(tmp_path: Path, ending: signal.Signals) -> None:
    """By Ctrl-C, and where it was killed and could not say goodbye."""
    command = [sys.executable, "-c", CHILDREN, str(tmp_path)]
    parent = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    processes = [int(path.name) for path in tmp_path.iterdir()]
    assert len(processes) == 2
    if ending == signal.SIGINT:
        os.killpg(parent.pid, ending)  # a terminal sends it to all
    else:
        parent.kill()
    said = parent.communicate(timeout=60)[1]
    while not all(gone(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert all(gone(process) for process in processes)
    assert said.count("Traceback") == (1 if ending == signal.SIGINT else 0)  # the parent's alone
