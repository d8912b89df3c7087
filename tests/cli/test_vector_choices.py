"""What `rank` and `protect` decide by themselves, say on the way, and hand on."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command_calls import Stop, refused, run

from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import write_embeddings

# rank


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Six speakers of three utterances, and two of one."""
    rng = np.random.default_rng(2)
    who = [*(f"s{k // 3}" for k in range(18)), "x", "y"]
    path = tmp_path / "vectors.npz"
    write_embeddings(
        path, Embeddings(rng.normal(size=(20, 4)), tuple(f"{name}-{k}" for k, name in enumerate(who)), tuple(who))
    )
    return path


def test_who_says_too_little_is_left_out_and_counted(vectors: Path) -> None:
    found = json.loads(run("rank", vectors, "--json", "--resamples", 0).stdout)
    assert found["notes"] == [
        "2 of 8 speakers have fewer than 2 utterances and were left out.",
        "3 utterances of each of 6 speakers, probe and template never the same.",
    ]
    longer = json.loads(run("rank", vectors, "--probe-length", 2, "--json", "--resamples", 0).stdout)
    assert longer["notes"][0] == "2 of 8 speakers have fewer than 3 utterances and were left out."
    assert [one["path"] for one in found["inputs"]] == [str(vectors)]


@pytest.mark.parametrize("option", ["--lengths", "--probe-length", "--template-length"])
def test_lengths_are_of_one_set_alone(vectors: Path, option: str) -> None:
    assert "of PROBES alone" in refused("rank", vectors, vectors, option, "2")


def test_one_way_to_compute_at_a_time(vectors: Path) -> None:
    for two in (
        ("--workers", 1, "--device", "cpu"),
        ("--workers", 1, "--dask", "tcp://x:1"),
        ("--dask", "tcp://x:1", "--device", "cpu"),
    ):
        assert "give one of them" in refused("rank", vectors, *two)


def test_a_large_job_is_announced(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = {"probes": 10_001, "templates": 5_000}
    for name, rows in sizes.items():
        who = tuple(str(k % 5000) for k in range(rows))
        write_embeddings(
            tmp_path / f"{name}.npz",
            Embeddings(rng.normal(size=(rows, 2)).astype(np.float32), tuple(map(str, range(rows))), who),
        )
    done = run("rank", tmp_path / "probes.npz", tmp_path / "templates.npz", "--resamples", 0)
    assert "10,001 probes x 5,000 templates: about" in done.stderr
    few = run("rank", tmp_path / "templates.npz", tmp_path / "templates.npz", "--resamples", 0)
    assert "probes x" not in few.stderr


def test_units_are_said_to_come_from_the_same_recordings(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "voices", speakers=4, utterances=3, digits=8)
    found = json.loads(run("rank", corpus.folder, "--feature", "f0", "--json", "--resamples", 0).stdout)
    assert len(found["notes"]) == 1
    assert found["notes"][0] == f"3 observations of each of 4 speakers, from {corpus.folder}."
    assert found["name"] == str(corpus.folder)
    both = json.loads(
        run(
            "rank", corpus.folder, "--feature", "f0", "--feature", "units", "--json", "--resamples", 0, "--name", "v"
        ).stdout
    )
    assert both["notes"][1].startswith("Phone-like units were learned from these recordings")
    assert both["name"] == "v"


# protect, reproduce, serve


def test_what_protect_is_not_told_it_takes_from_its_table(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.cli import protect

    asked: list[dict[str, Any]] = []

    def hide(given: dict[str, Any]) -> Any:
        asked.append(given)
        raise Stop

    monkeypatch.setattr(protect, "hide", hide)
    with pytest.raises(Stop):
        protect.command.main([str(vectors), "--method", "moments"], standalone_mode=False)
    (given,) = asked
    chosen = {
        name: given[name]
        for name in ("directions", "folds", "resamples", "judge", "seed", "pca", "epochs", "bins", "paper")
    }
    assert chosen == {
        "directions": 8, "folds": 5, "resamples": 200, "judge": True, "seed": 0, "pca": None, "epochs": None, "bins": None,
        "paper": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "classifiers", "maps"),
    [
        ((), None, False),
        (("--classifier", "angles", "--classifier", "logistic"), ("angles", "logistic"), False),
        (("--html", "page.html"), None, True),
        (("--figures", "figures"), None, True),
    ],
)
def test_what_protect_asks_of_the_judge(
    vectors: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    classifiers: Any,
    maps: bool,
) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    from stripeless.cli import protect
    from stripeless.studies import protect as study

    told: list[dict[str, Any]] = []

    def judge(hidden: Any, **more: Any) -> Any:
        told.append(more)
        raise Stop

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(protect, "hide", lambda asked: SimpleNamespace())
    monkeypatch.setattr(protect, "write", lambda *given: None)
    monkeypatch.setattr(study, "judge_hidden", judge)
    with pytest.raises(Stop):
        protect.command.main([str(vectors), "--method", "lda", "--seed", "4", *options], standalone_mode=False)
    (more,) = told
    assert (more["classifiers"], more["maps"], more["seed"], more["name"], more["folds"]) == (
        classifiers,
        maps,
        4,
        "vectors.npz",
        5,
    )
