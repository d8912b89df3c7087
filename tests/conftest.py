"""Where the real data lie, and how tests on them skip where they are absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


def data_folder() -> Path:
    """`STRIPELESS_DATA`, or the folder `shared/data` beside the checkout."""
    return Path(os.environ.get("STRIPELESS_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What programs keep between runs lies in a folder of the tests, and not in the user's."""
    folder, before = tmp_path_factory.mktemp("state"), os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="session")
def librispeech() -> Path:
    folder = data_folder() / "librispeech-b1"
    if not folder.is_dir():
        pytest.skip("the real data (librispeech-b1) are not beside this checkout; set STRIPELESS_DATA")
    return folder


def real_data(name: str) -> Path:
    """A folder of real data, or a skipped test."""
    folder = data_folder() / name
    if not folder.is_dir():
        pytest.skip(f"the real data ({name}) are not beside this checkout; set STRIPELESS_DATA")
    return folder


@pytest.fixture(scope="session")
def paper2() -> Path:
    """The machine-read text of the VoicePrivacy 2020 supplement, from which the shipped tables were taken."""
    text = data_folder().parent / "papers" / "2-voiceprivacy-2020-supplement.txt"
    if not text.is_file():
        pytest.skip("the text of the VoicePrivacy 2020 supplement is not beside this checkout")
    return text


@pytest.fixture(scope="session")
def reference() -> Path:
    return real_data("reference")


@pytest.fixture(scope="session")
def digits() -> Path:
    return real_data("digits")


@pytest.fixture(scope="session")
def libri251() -> Path:
    return real_data("libri251")


@pytest.fixture(scope="session")
def libri_mini() -> Path:
    return real_data("libri-mini")


REAL_DATA = {"librispeech", "reference", "digits", "libri251", "libri_mini"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test that asks for real data carries the mark `data`."""
    for item in items:
        if REAL_DATA & set(getattr(item, "fixturenames", ())):
            item.add_marker("data")
