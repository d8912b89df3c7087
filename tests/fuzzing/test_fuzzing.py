"""Files that once brought a reader down stay mended, and what looks for more of them sees each kind of fault."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from fuzzing.attempt import Bench, attempt, peak_memory
from fuzzing.readers import READERS, Reader

from stripeless.errors import InputError, StripelessError

TESTS = Path(__file__).resolve().parents[1]
CASES = sorted((TESTS / "fuzz_cases").glob("*/*"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_file_that_brought_a_reader_down_ends_well(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzzing.uploads.DRAWN", 1)
    reader = READERS[case.parent.name]
    if not reader.can_run:
        pytest.skip(f"needs {', '.join(reader.needs)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bench = Bench(reader, tmp_path / "x")
    outcome = bench.run(case.name.split("--")[1], case.read_bytes())
    assert not outcome.fault, f"{outcome.kind}: {outcome.words}\n{outcome.trace}"


def raising(error: BaseException) -> Reader:
    """A reader at fault."""

    def read(path: Path) -> object:
        raise error

    return Reader("planted", write_one, read)


def write_one(folder: Path) -> Path:
    (folder / "x").write_bytes(b"1 2\n")
    return folder / "x"


def warn(path: Path) -> object:
    warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)
    return None


def take_much(path: Path) -> object:
    return np.ones(150_000_000).sum()


@pytest.mark.parametrize(
    ("reader", "kind"),
    [(raising(ValueError("x")), "traceback"), (raising(RecursionError()), "traceback"), (raising(SystemExit(1)), "traceback"),
     (Reader("planted", write_one, warn), "warning"), (raising(InputError("fine")), "refused"),
     (Reader("planted", write_one, lambda path: 1), "read")],
    ids=["error", "recursion", "exit", "warning", "refused", "read"],
)  # fmt: skip
def test_each_end_is_told_from_the_others(reader: Reader, kind: str, tmp_path: Path) -> None:
    assert attempt(reader, write_one(tmp_path)).kind == kind


def test_a_message_that_a_terminal_would_obey_is_a_fault(tmp_path: Path) -> None:
    error = StripelessError("x")
    for words in ("\x1b[2J", "a" * 601):
        error.args = (words,)
        assert attempt(raising(error), write_one(tmp_path)).kind == "message"


def test_memory_that_was_claimed_is_a_fault(tmp_path: Path) -> None:
    def refuse(path: Path) -> object:
        try:
            raise MemoryError
        except MemoryError as error:
            raise InputError("too large") from error

    assert attempt(Reader("planted", write_one, refuse), write_one(tmp_path)).kind == "claim"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak since a moment")
def test_memory_beyond_twice_the_file_and_500_mb_is_a_fault(tmp_path: Path) -> None:
    assert peak_memory(reset=True) > 0
    assert attempt(Reader("planted", write_one, take_much), write_one(tmp_path)).kind == "memory"


PLANTED = """
import sys, time, fuzzing.child as child
from fuzzing.readers import Reader
def make(folder):
    (folder / "x").write_bytes(b"1 2"); return folder / "x"
def work(path):
    while True: pass
read = {"waits": lambda path: time.sleep(60), "works": work}[sys.argv[2]]
child.READERS, child.SECONDS, child.PATIENCE = {"slow": Reader("slow", make, read)}, 0.3, 3.0
sys.argv = ["child", "--readers", "slow", "--seed", "1", "--seconds", "20", "--folder", sys.argv[1]]
child.main()
"""


@pytest.mark.parametrize("does", ["waits", "works"])
def test_a_reader_that_does_not_end_is_ended_and_its_file_is_known(does: str, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (TESTS, TESTS.parent / "src")))}
    done = subprocess.run(
        [sys.executable, "-c", PLANTED, str(tmp_path), does], env=env, capture_output=True, text=True, check=False
    )
    busy = does == "works" and hasattr(signal, "setitimer")
    assert done.returncode == (-signal.SIGPROF if busy else 1)
    assert ("in work" if busy else "Timeout (") in done.stderr
    assert (tmp_path / "now").read_text() == "slow\nx\n"
    assert (tmp_path / "now.bin").exists()


def test_the_same_seed_tries_the_same_files(tmp_path: Path) -> None:
    env = {**os.environ, "STRIPELESS_FUZZ_FILES": "40"}
    tallies = []
    for turn in ("a", "b"):
        command = [sys.executable, str(TESTS.parent / "tools" / "fuzz.py"), "--only", "labels,trials", "--seed", "5",
                   "--files", "96", "--folder", str(tmp_path / turn)]  # fmt: skip
        subprocess.run(command, env=env, check=True, capture_output=True)
        tallies.append(json.loads((tmp_path / turn / "tally.json").read_text()))
    assert tallies[0] == tallies[1]
    assert sum(tallies[0]["tried"].values()) >= 96
