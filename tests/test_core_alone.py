"""The core without any extra: what works, and how what is missing is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stripeless._extras import need
from stripeless.errors import MissingExtra

HIDE = """
import sys
ABSENT = {'matplotlib', 'h5py', 'torch', 'sklearn', 'soundfile', 'fastapi', 'dask'}
class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.partition('.')[0] in ABSENT else self.finder.find_spec(name, path, target)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from stripeless.cli import main
main()
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process where no extra can be imported."""
    return subprocess.run([sys.executable, "-c", HIDE, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [f"{x:.6f} 1" for x in rng.normal(1, 1, 200)] + [f"{x:.6f} 0" for x in rng.normal(-1, 1, 400)]
    path = tmp_path / "scores.txt"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_missing_extra_is_named_with_its_pip_line() -> None:
    with pytest.raises(MissingExtra, match=r"Drawing needs no_such_package, .*: pip install 'stripeless\[plots\]'"):
        need("no_such_package.inner", "plots", "Drawing")


def test_assess_works(scores: Path) -> None:
    done = run("assess", str(scores), "--json", "--resamples", "0")
    assert done.returncode == 0, done.stderr
    assert 0.1 < json.loads(done.stdout)["measures"]["eer"]["value"] < 0.25


def test_a_report_without_figures_is_still_a_report(scores: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = run("assess", str(scores), "--html", str(page), "--resamples", "0")
    assert done.returncode == 0, done.stderr
    assert "pip install &#39;stripeless[plots]&#39;" in page.read_text() or "stripeless[plots]" in page.read_text()


def test_figures_ask_for_the_extra(scores: Path, tmp_path: Path) -> None:
    done = run("assess", str(scores), "--figures", str(tmp_path / "figures"), "--resamples", "0")
    assert done.returncode == 1
    assert "pip install 'stripeless[plots]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "figures").exists()
