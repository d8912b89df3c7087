"""The core without any extra: what works, and how what is missing is named."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import stripeless
from stripeless._extras import need
from stripeless.errors import MissingExtra

HIDE_ONLY = """
import sys
ABSENT = {'matplotlib', 'h5py', 'duckdb', 'torch', 'sklearn', 'soundfile', 'fastapi', 'dask'}
class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.partition('.')[0] in ABSENT else self.finder.find_spec(name, path, target)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
HIDE = HIDE_ONLY + "from stripeless.cli import main\nmain()\n"


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


@pytest.mark.parametrize("name", ["s.csv", "s.npz", "s.txt.gz"])
def test_formats_of_the_core_are_written_and_read(tmp_path: Path, name: str) -> None:
    code = (
        "from stripeless import read_scores, write_scores\n"
        f"write_scores({str(tmp_path / name)!r}, [1.0, 2.0, 0.0], [0, 1, 0])\n"
        f"print(read_scores({str(tmp_path / name)!r}).target)"
    )
    done = subprocess.run([sys.executable, "-c", HIDE_ONLY + code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[2.]\n", "")


def test_scores_on_disk_need_no_extra(scores: Path, tmp_path: Path) -> None:
    done = run("assess", str(scores), "--on-disk", str(tmp_path / "sorted"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["target"] == 200


def test_parquet_asks_for_the_extra(tmp_path: Path) -> None:
    (tmp_path / "s.parquet").write_bytes(b"PAR1 whatever")
    for arguments in (("assess",), ("attack", str(tmp_path / "s.parquet"))):
        done = run(*arguments, str(tmp_path / "s.parquet"))
        assert done.returncode == 1
        assert "s.parquet needs duckdb, which is not installed: pip install 'stripeless[parquet]'" in done.stderr
        assert "Traceback" not in done.stderr


def required_by(name: str, known: dict[str, int]) -> dict[str, int]:
    """Size in bytes of a distribution and of everything it asks for without an extra."""
    found = distribution(name)
    size = sum(file.stat().st_size for file in map(found.locate_file, found.files or ()) if file.exists())  # type: ignore[attr-defined]
    known[name] = size
    for requirement in map(Requirement, found.requires or ()):
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and canonicalize_name(requirement.name) not in known:
            required_by(canonicalize_name(requirement.name), known)
    return known


def test_the_core_adds_little_to_numpy_and_scipy() -> None:
    """The figure in README: what is not NumPy or SciPy stays under 45 MB, the weights of the voice model included."""
    sizes = required_by("stripeless", {})
    assert sizes.pop("numpy") > 10e6  # files are found, and the libraries beside the package are among them
    assert sizes.pop("scipy") > 50e6
    package = [path for path in Path(stripeless.__file__).parent.rglob("*") if path.is_file()]
    sizes["stripeless"] = sum(path.stat().st_size for path in package if path.parent.name != "__pycache__")
    assert sizes["stripeless"] > 10e6
    assert set(sizes) == {"stripeless", "click", "jinja2", "markupsafe", "threadpoolctl"}
    assert sum(sizes.values()) < 45e6, {name: f"{size / 1e6:.1f} MB" for name, size in sizes.items()}
