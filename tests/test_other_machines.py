"""What other systems lack, and how their files look: nothing here asks for a platform's name.

Programs run in a process without what Windows does not have; lists with Windows line ends and byte-order marks give what plain
ones give.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing.readers import READERS

ROOT = Path(__file__).parents[1]
# What Windows has none of. Deleted before anything of ours is imported; child processes start from nothing, as they do there.
LACKING = """
import multiprocessing, os, signal, sys
import subprocess, tempfile, socket, selectors, asyncio, shutil, pathlib, platform
try:
    import ctypes, uuid, webbrowser, numpy, scipy.special, scipy.signal
    import h5py
except ImportError:
    pass
for name in ("symlink", "getuid", "geteuid", "getgid", "fork", "sched_getaffinity", "getpgid", "mkfifo", "killpg", "uname",
             "setsid", "chown", "getloadavg", "statvfs", "posix_fadvise", "nice", "wait3", "wait4", "register_at_fork", "pread"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGUSR1", "SIGALRM", "SIGKILL", "SIGQUIT", "setitimer", "alarm", "pthread_sigmask"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
os.cpu_count = lambda: 2
multiprocessing.set_start_method("spawn")
sys.argv[0] = "stripeless"
"""
DOOR = LACKING + "from stripeless.cli import main\nmain()\n"


def run(*arguments: str, code: str = DOOR, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """The command line on such a system; files are opened without an encoding nowhere, or it says so."""
    command = [
        sys.executable,
        "-X",
        "warn_default_encoding",
        "-W",
        "error::EncodingWarning:stripeless",
        "-c",
        code,
        *arguments,
    ]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, **env}, encoding="utf-8"
    )


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [f"{x:.6f} 1" for x in rng.normal(1, 1, 200)] + [f"{x:.6f} 0" for x in rng.normal(-1, 1, 400)]
    path = tmp_path / "Größe der Höhe" / "sco res.txt"
    path.parent.mkdir()
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_assess_and_its_report(scores: Path) -> None:
    report = scores.with_name("bericht ü.html")
    done = run("assess", str(scores), "--resamples", "100", "--html", str(report), PYTHONIOENCODING="utf-8")
    assert done.returncode == 0, done.stderr
    assert "EER" in done.stdout
    assert report.read_bytes().lower().startswith(b"<!doctype html>")
    assert [path.name for path in scores.parent.iterdir() if path.name.startswith(".")] == []


def test_results_have_the_same_bytes(scores: Path) -> None:
    there = run("assess", str(scores), "--json", "--resamples", "100").stdout
    here = run(
        "assess", str(scores), "--json", "--resamples", "100", code="from stripeless.cli import main\nmain()\n"
    ).stdout
    assert json.loads(there)["measures"] == json.loads(here)["measures"]


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".h5", ".csv", ".txt.gz"])
def test_each_format_is_written_and_read(ending: str, tmp_path: Path) -> None:
    needed = {".parquet": "duckdb", ".h5": "h5py"}
    if ending in needed:
        pytest.importorskip(needed[ending])
    code = f"""{LACKING}
from stripeless import read_scores, write_scores
path = {str(tmp_path / "ä b")!r} + {ending!r}
trials = path + ".trials" if {ending == ".h5"} else None
write_scores(path, [0.5, 1.5, 2.5], [1, 0, 1], enrollment=["a", "b", "c"], trial=["x", "ÿ", "ž"])
read = read_scores(path)
print(len(read.target), len(read.nontarget))
"""
    done = run(code=code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2", "1"]


def test_work_on_several_processes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    vectors, names = rng.normal(size=(40, 8)), [f"u{i}" for i in range(40)]
    np.savez(tmp_path / "x.npz", vectors=vectors, utterances=names, speakers=[f"s{i % 8}" for i in range(40)])
    done = run("rank", "x.npz", "--resamples", "100", "--workers", "2", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] == "rank"


def test_a_refusal_is_one_sentence_on_a_terminal_without_unicode(tmp_path: Path) -> None:
    (tmp_path / "größe.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    done = run("assess", "größe.csv", cwd=tmp_path, PYTHONIOENCODING="ascii:backslashreplace", LC_ALL="C")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


# --- files as Windows writes them ---------------------------------------------------------------------------------------

LISTS = ["scores-csv", "scores-tsv", "scores-txt", "scores-kaldi", "scores-speakers", "embeddings-ark-text", "embeddings-scp",
         "corpus-kaldi", "corpus-csv", "voice-folder", "labels", "trials", "ratings"]  # fmt: skip
TEXT = {".csv", ".tsv", ".txt", ".scp", ""}


def told(value: Any) -> str:
    """What was read, without addresses of objects and digests of files."""
    if hasattr(value, "vectors"):
        return repr((value.vectors.tolist(), value.utterances, value.speakers, value.sex))
    if hasattr(value, "target"):
        return repr((value.target.tolist(), value.nontarget.tolist()))
    return re.sub(r"[0-9a-f]{64}|object at 0x[0-9a-f]+", "", repr(value))


def windows_lines(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def with_mark(content: bytes) -> bytes:
    return b"\xef\xbb\xbf" + content


def without_last_line_end(content: bytes) -> bytes:
    return content.removesuffix(b"\n")


@pytest.mark.parametrize("change", [windows_lines, with_mark, without_last_line_end])
@pytest.mark.parametrize("name", LISTS)
def test_lists_from_other_systems_are_read_alike(name: str, change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    reader = READERS[name]
    if not reader.can_run:
        pytest.skip("not installed")
    place = reader.make(tmp_path)
    if name == "embeddings-ark-text" and change is windows_lines:
        pytest.skip("an archive, not a list")
    expected = told(reader.read(place))
    for path in [path for path in tmp_path.iterdir() if path.suffix in TEXT and b"\0" not in path.read_bytes()]:
        path.write_bytes(change(path.read_bytes()))
    assert told(reader.read(place)) == expected


def test_no_file_is_opened_in_the_encoding_of_the_machine() -> None:
    """`open` and `read_text` without an encoding mean something else on each machine."""
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("ruff is not installed")
    done = subprocess.run(
        [ruff, "check", "--isolated", "--preview", "--select", "PLW1514", "--output-format", "concise", "src"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
