"""stripeless protect with a method that makes pseudo-speakers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from pseudo_population import SMALL, SOURCES, population

from stripeless.cli.protect import command
from stripeless.cli.pseudo import PSEUDO_METHODS
from stripeless.embeddings.files import read_embeddings, write_embeddings
from stripeless.errors import InputError
from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS, make_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool

SET = ["--set", "farthest=10", "--set", "draw=5"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pseudo")
    write_embeddings(place / "pool.npz", population())
    write_embeddings(place / "trials.npz", SOURCES)
    write_embeddings(place / "nosex.npz", replace(SOURCES, sex=None))
    return place


def called(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, [a.replace("@", f"{folder}/") for a in arguments])


def test_the_methods_are_those_of_the_catalog() -> None:
    assert tuple(PSEUDO_SPEAKERS) == PSEUDO_METHODS


def test_b1_from_a_pool(folder: Path) -> None:
    result = called(
        folder,
        "@trials.npz",
        "--method",
        "b1",
        "--pool",
        "@pool.npz",
        *SET,
        "--seed",
        "8",
        "--out",
        "@out.npz",
        "--json",
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["settings"]["farthest"] == 10
    assert "seed" not in told["settings"]
    pool = Pool.of(read_embeddings(folder / "pool.npz"))
    expected = make_pseudo_speakers("b1", pool, SMALL["b1"], seed=8).apply(read_embeddings(folder / "trials.npz"))
    shown = read_embeddings(folder / "out.npz")
    assert np.array_equal(shown.vectors, expected.vectors)
    assert (shown.utterances, shown.speakers) == (expected.utterances, expected.speakers)


def test_saved_once_used_for_both_roles(folder: Path) -> None:
    first = called(folder, "@trials.npz", "--method", "o1", "--pool", "@pool.npz",
                   "--set", "dimensions=5", "--set", "components=2",
                   "--save", "@o1.safetensors")  # fmt: skip
    assert first.exit_code == 0, first.output
    assert "seed 0" in first.output
    roles = {}
    for role in ("trial", "enrollment"):
        done = called(folder, "@trials.npz", "--method", "o1", "--model", "@o1.safetensors", "--role", role, "--out", "@r.npz",
                      "--seed", "5")  # fmt: skip
        assert done.exit_code == 0, done.output
        assert "Next: stripeless attack" in done.output
        roles[role] = read_embeddings(folder / "r.npz").vectors
    assert not np.array_equal(roles["trial"], roles["enrollment"])


def test_a_call_that_makes_no_sense(folder: Path) -> None:
    assert called(folder, "@trials.npz", "--method", "b1", "--pool", "@pool.npz").exit_code == 2  # nowhere to write
    assert called(folder, "@trials.npz", "--method", "b1", "--out", "@x.npz").exit_code == 2  # no pool
    report = called(
        folder, "@trials.npz", "--method", "o1", "--pool", "@pool.npz", "--out", "@x.npz", "--html", "@x.html"
    )
    assert report.exit_code == 2
    refused = called(folder, "@trials.npz", "--method", "b1", "--pool", "@pool.npz", "--out", "@x.npz")
    assert isinstance(refused.exception, InputError)
    assert "30 candidates" in str(refused.exception)
    unknown = called(folder, "@nosex.npz", "--method", "k2", "--pool", "@pool.npz", "--out", "@x.npz")
    assert "sex" in str(unknown.exception)
    wrong = called(folder, "@trials.npz", "--method", "k2", "--model", "@o1.safetensors", "--out", "@x.npz")
    assert "--method o1" in str(wrong.exception)
    assert not (folder / "x.npz").exists()
