"""Damaged score files, trial lists and ratings end in numbers or in one sentence, never in a traceback."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from mutations import complaints, digits_changed, mutated

from stripeless.errors import FileError
from stripeless.listening.ratings import read_ratings
from stripeless.scores.files import read_scores, write_scores

TRIES = 40
RATINGS = "listener,stimulus,system,trial,speech,naturalness,similarity\n" + "".join(
    f"l{i % 3},u{i},s{i % 2},{'target' if i % 2 else 'nontarget'},{'anonymized' if i % 3 else 'original'},{i % 10 + 1},5\n"
    for i in range(12)
)


def written(path: Path, trials: Path | None = None) -> Path:
    draw = np.random.default_rng(0)
    enrollment, trial = [f"s{i % 3}" for i in range(12)], [f"s{i % 4}-{i}" for i in range(12)]
    labels = [i % 3 == i % 4 for i in range(12)]
    write_scores(path, draw.normal(size=12), labels, enrollment=enrollment, trial=trial, trials=trials)
    return path


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.csv.gz", "s.parquet", "s.npz", "s.h5", "s.txt"])
def test_a_damaged_score_file_gives_scores_or_one_sentence(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name)
    good = path.read_bytes()
    changed = [(path, change(good, seed)) for change in (mutated, digits_changed) for seed in range(TRIES)]
    assert not complaints(lambda: read_scores(path), changed)
    assert read_scores(path).target.size == 3


@pytest.mark.parametrize("names", [("scores", "trials"), ("s.h5", "t.h5")])
def test_a_damaged_list_of_trials_gives_scores_or_one_sentence(tmp_path: Path, names: tuple[str, str]) -> None:
    trials = tmp_path / names[1]
    path = written(tmp_path / names[0], trials)
    good = trials.read_bytes()
    changed = [(trials, change(good, seed)) for change in (mutated, digits_changed) for seed in range(TRIES)]
    assert not complaints(lambda: read_scores(path, trials, allow_missing=True), changed)


def test_damaged_ratings_give_ratings_or_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    changed = [
        (path, change(RATINGS.encode(), seed)) for change in (mutated, digits_changed) for seed in range(2 * TRIES)
    ]
    assert not complaints(lambda: read_ratings(path), changed)
    path.write_text(RATINGS)
    assert read_ratings(path).listener.size == 12


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("place", ["path", "trials", "utt2spk", "spk2gender", "ratings"])
def test_pipes_are_refused_wherever_a_table_is_read(tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    given = {"path": written(tmp_path / "s.csv"), place: tmp_path / "pipe"}
    said: list[str] = []

    def read() -> None:
        with pytest.raises(FileError) as caught:
            read_ratings(tmp_path / "pipe") if place == "ratings" else read_scores(**given)
        said.append(str(caught.value))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(20)
    assert "a pipe or device can be read only once; save it to a file first" in said[0]
