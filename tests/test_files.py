"""Folders of what is remembered of people's recordings are closed to others; pipes and devices are never opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from stripeless._files import private_folder, read_whole, refuse_stream
from stripeless.audio.cached import Cached
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import Recording, write_recording
from stripeless.errors import FileError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of Unix")


@pytest.fixture(autouse=True)
def open_to_all() -> object:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_folders_are_for_one_user(tmp_path: Path) -> None:
    private_folder(tmp_path / "a" / "b")
    assert [mode(tmp_path / "a"), mode(tmp_path / "a" / "b")] == [0o700, 0o700]


def test_a_folder_that_is_there_is_closed_to_others_and_stays_the_groups(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o775)
    private_folder(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o770


def test_what_is_remembered_of_recordings_is_private(tmp_path: Path) -> None:
    write_recording(tmp_path / "x.wav", Recording([0.1] * 100, 16000))
    cached = Cached(lambda utterance: "what was said", tmp_path / "cache" / "transcripts")
    assert cached(Utterance("x", tmp_path / "x.wav", "a")) == "what was said"
    folders = [path for path in (tmp_path / "cache").rglob("*") if path.is_dir()]
    assert len(folders) == 2
    assert all(mode(path) == 0o700 for path in [tmp_path / "cache", *folders])


def test_pipes_devices_and_links_to_them_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for path in (tmp_path / "pipe", tmp_path / "link", Path("/dev/zero")):
        with pytest.raises(FileError, match="a pipe or device can be read only once; save it to a file first"):
            read_whole(path)
    refuse_stream(tmp_path)
    refuse_stream(tmp_path / "nothing")
