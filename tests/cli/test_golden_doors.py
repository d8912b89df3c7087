"""What commands print on small fixed inputs stays what it was: numbers to 1e-9, everything else to the letter.

A change that is meant is made by `python tests/golden/doors.py`, in a commit that says why, with the changelog.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import door_inputs
import doors
import pytest

pytest.importorskip("sklearn", reason="protect needs pip install 'stripeless[classifiers]'")
pytest.importorskip("soundfile", reason="evaluate needs pip install 'stripeless[audio]'")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with every input, and the results that later commands read."""
    folder, before = tmp_path_factory.mktemp("doors"), Path.cwd()
    os.chdir(folder)
    door_inputs.write_all()
    door_inputs.voices()
    door_inputs.ratings()
    yield folder
    os.chdir(before)


def test_every_door_prints_what_it_printed(place: Path) -> None:
    failed = []
    for name in doors.DOORS:  # in order: results of the first are read by the last
        stored = json.loads((doors.FOLDER / f"{name}.json").read_text())
        failed += [
            f"{name}{where}" for where in doors.differences(stored, json.loads(json.dumps(doors.run_door(name))))
        ]
    assert not failed, "\n".join(failed[:20])


def test_every_file_belongs_to_a_door() -> None:
    assert {path.stem for path in doors.FOLDER.glob("*.json")} == set(doors.DOORS)


@pytest.mark.parametrize(
    ("stored", "now"),
    [({"a": 1.0}, {"a": 1.0 + 1e-8}), ({"a": 1}, {"a": 1.0}), ({"a": [1]}, {"a": [1, 2]}), ({"a": "x"}, {"a": "y"}),
     ({"a": None}, {"a": 0.0}), ({"a": 1}, {"b": 1}), ({"a": True}, {"a": 1})],
)  # fmt: skip
def test_differences_are_seen(stored: dict[str, object], now: dict[str, object]) -> None:
    assert list(doors.differences(stored, now))
    assert not list(doors.differences(stored, stored))
