"""Runs tests on private copies of the checkout, each run in a process of its own that has NumPy and pytest loaded already.

A run is forked from a process that has loaded other people's packages and nothing of ours. So it starts at once, and
nothing that one run imports, caches or breaks reaches the next.
"""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutant_trace import SITE

WARM = (
    "numpy", "numpy.testing", "scipy.stats", "scipy.optimize", "scipy.linalg", "scipy.signal", "scipy.special",
    "scipy.spatial", "scipy.fft", "hypothesis", "hypothesis.extra.numpy", "click.testing", "jinja2", "matplotlib.figure",
    "matplotlib.backends.backend_agg", "sklearn.linear_model", "sklearn.neighbors", "soundfile", "fastapi",
    "starlette.testclient", "jsonschema", "h5py", "duckdb", "torch", "safetensors", "doctest", "pytest",
)  # fmt: skip
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
FORGOTTEN = ("__pycache__", ".venv", ".git")


def warm_up() -> None:
    """Load what most tests load, as far as it is installed; one thread of BLAS each, so that forking is harmless."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in WARM:
            with suppress(ImportError):
                importlib.import_module(name)


def private_copy(root: Path, target: Path) -> Path:
    """A copy of every file that git knows or would take; of everything needed, where there is no git."""
    done = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    names = done.stdout.decode().split("\0") if done.returncode == 0 else []
    names = names or [str(path.relative_to(root)) for path in root.rglob("*") if not set(FORGOTTEN) & set(path.parts)]
    for name in filter(None, names):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    (target / "site").mkdir()
    (target / "site" / "sitecustomize.py").write_text(SITE.format(tools=str(target / "tools")))
    return target


@dataclass
class Run:
    """One forked run of pytest in a private copy: what it is for, since when, until when."""

    copy: Path
    label: Any
    limit: float
    started: float = field(default_factory=time.monotonic)
    pid: int = 0

    def start(self, arguments: list[str], plugins: Callable[[], list[Any]], environment: dict[str, str]) -> Run:
        """Fork, and run pytest there; its exit code becomes that of the process."""
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = 3
            try:
                code = run_pytest(self.copy, arguments, plugins, environment)
            except BaseException:  # this process is a copy of its parent, which must not go on here
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        return self

    def ended(self) -> int | None:
        """The exit code, 124 where time ran out, None while it runs."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self.end_group()
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() - self.started < self.limit:
            return None
        self.stop()
        return 124

    def stop(self) -> None:
        """End the run with everything that it started."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.end_group()

    def end_group(self) -> None:
        """End what the run has started and left behind."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def run_pytest(copy: Path, arguments: list[str], plugins: Callable[[], list[Any]], environment: dict[str, str]) -> int:
    """In the forked process: its own session and output, the private copy before everything else, then pytest."""
    os.setsid()
    output = os.open(copy / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(copy)
    path = os.pathsep.join([str(copy / "site"), str(copy / "src")])
    os.environ.update({"PYTHONPATH": path, "STRIPELESS_DATA": str(copy / "no-data"), **environment})
    sys.path[:0] = [str(copy / "src")]
    import pytest

    loaded = "ignore::pytest.PytestAssertRewriteWarning"  # plugins that were loaded to be warm
    options = [
        "-q",
        "-W",
        loaded,
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--hypothesis-seed=0",
        "-m",
        "not slow",
        "--tb=line",
        f"--basetemp={copy / 'temporary'}",
    ]
    return int(pytest.main([*options, *arguments], plugins=plugins()))


def wait(run: Run) -> int:
    """Until it has ended."""
    while (code := run.ended()) is None:
        time.sleep(0.02)
    return code
