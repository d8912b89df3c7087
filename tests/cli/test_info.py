"""stripeless info: all that a question needs, and nothing that tells who asks."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from stripeless.cli import group
from stripeless.cli.info import EXTRAS, cuda, encoders

ROOT = Path(__file__).parents[2]


def run(*words: str) -> str:
    done = CliRunner().invoke(group, ["info", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_versions_platform_blas_and_cores() -> None:
    facts = json.loads(run("--json"))
    assert set(facts) == {"kind", "versions", "platform", "extras", "encoders", "blas", "devices"}
    assert {"stripeless", "python", "numpy", "scipy"} <= set(facts["versions"])
    assert facts["blas"]
    assert all(one["num_threads"] >= 1 for one in facts["blas"])
    assert 1 <= facts["devices"]["usable_cores"] <= facts["devices"]["cores"]
    text = run()
    for part in (
        version("numpy"),
        version("scipy"),
        "openblas" if "openblas" in str(facts["blas"]) else "BLAS",
        "CPU cores",
    ):
        assert part in text


def test_extras_are_those_of_the_project_with_their_pip_line() -> None:
    """What pyproject.toml offers to users, package by package."""
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for_users = {
        name: tuple(re.split(r"[>=<\[]", package)[0] for package in packages)
        for name, packages in offered.items()
        if name not in ("test", "lint", "docs", "bench") and not any(p.startswith("stripeless[") for p in packages)
    }
    assert for_users == EXTRAS
    text = run()
    assert (
        f"plots: matplotlib {version('matplotlib')}" in text
        if json.loads(run("--json"))["extras"]["plots"]["matplotlib"]
        else "plots" in text
    )


def test_a_missing_extra_comes_with_its_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "magic", ("no-such-package",))
    assert "magic: no-such-package missing; pip install 'stripeless[magic]'" in run()
    assert json.loads(run("--json"))["extras"]["magic"] == {"no-such-package": None}


def test_encoders_come_with_the_digest_of_their_weights() -> None:
    from hashlib import sha256

    from stripeless.embeddings.encoders.catalog import ENCODERS
    from stripeless.embeddings.encoders.compact import WEIGHTS

    found = encoders()
    assert list(found) == list(ENCODERS)
    digest = sha256(WEIGHTS.read_bytes()).hexdigest()
    assert found["compact"]["sha256"] == digest
    assert found["compact"]["identity"] == f"compact-1-{digest[:16]}"
    assert found["statistics"] == {"identity": "statistics-3", "sha256": None, "missing": None}
    for name in ("campplus", "ge2e"):
        assert found[name]["missing"] is None or "pip install" in str(found[name]["missing"])


def test_weights_that_cannot_be_read_are_said_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.embeddings.encoders import catalog
    from stripeless.embeddings.encoders.compact import CompactEncoder

    broken = (lambda: CompactEncoder("/nowhere/at/all.safetensors"), "broken")
    monkeypatch.setitem(catalog.ENCODERS, "compact", broken)
    assert encoders()["compact"]["missing"] == "its weights cannot be read, or are not the ones on record"
    assert "nowhere" not in run()


def test_a_broken_torch_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import ModuleType

    broken = ModuleType("torch")
    broken.__spec__ = type("Spec", (), {"name": "torch"})()  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "torch", broken)  # there, and without anything in it
    assert cuda() is None


def test_it_names_no_folder_and_no_person() -> None:
    for text in (run(), run("--json")):
        assert str(Path.home()) not in text or str(Path.home()) == "/"
        assert str(ROOT) not in text
        assert not re.search(r"(^|[\s\"=(])/[a-z]+/", text)


def test_what_is_there_and_what_is_missing_is_said_line_by_line() -> None:
    from stripeless.cli.info import device_lines, encoder_line, extra_line

    ready = {"identity": "compact-1-ab", "sha256": "abcd", "missing": None}
    assert encoder_line("compact", ready) == "compact: compact-1-ab, weights sha256 abcd"
    assert encoder_line("statistics", {**ready, "sha256": None}) == "statistics: compact-1-ab, no weights"
    gone = {"identity": None, "sha256": None, "missing": "pip install x"}
    assert encoder_line("ge2e", gone) == "ge2e: missing; pip install x"
    assert encoder_line("ge2e", {**gone, "sha256": "abcd"}) == "ge2e: missing; pip install x (weights sha256 abcd)"
    assert extra_line("audio", {"soundfile": "1.0", "soxr": "2.0"}) == "audio: soundfile 1.0, soxr 2.0"
    assert (
        extra_line("audio", {"soundfile": "1.0", "soxr": None})
        == "audio: soxr missing; pip install 'stripeless[audio]'"
    )
    assert device_lines({"cores": 8, "usable_cores": 2, "cuda": None}) == [
        "CPU cores: 2 usable of 8",
        "CUDA: torch is not there to ask",
    ]
    assert device_lines({"cores": 8, "usable_cores": 2, "cuda": []})[1] == "CUDA: none"
    assert device_lines({"cores": 8, "usable_cores": 2, "cuda": ["A", "B"]})[1] == "CUDA: A, B"
