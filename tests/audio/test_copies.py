"""Copies of a corpus, in the forms in which anonymizers leave them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.corpus_files import read_copies
from stripeless.errors import FileError


def corpus_of(*utterances: tuple[str, str, str]) -> Corpus:
    return Corpus(Path("before"), tuple(Utterance(name, Path(path), who) for name, path, who in utterances))


KALDI = corpus_of(("a-1", "wav/a-1.flac", "a"), ("b-1", "wav/b-1.flac", "b"))
FOLDERS = corpus_of(("a-1", "before/a/1.wav", "a"), ("b-1", "before/b/1.wav", "b"))


def lay(folder: Path, *names: str) -> Path:
    """Empty files of these names: lists are read without listening."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("original", [KALDI, FOLDERS], ids=["kaldi", "folders"])
@pytest.mark.parametrize(
    "files",
    [
        ("wav/a-1.wav", "wav/b-1.wav"),
        ("wav/a-1/a-1.wav", "wav/b-1/b-1.wav"),
        ("a-1.wav", "b-1.wav"),
        ("a/1.wav", "b/1.wav"),
    ],
    ids=["wav", "deeper", "flat", "speakers"],
)
def test_copies_are_found_where_the_challenges_put_them(
    original: Corpus, files: tuple[str, ...], tmp_path: Path
) -> None:
    found = read_copies(lay(tmp_path, *files), original)
    assert [(u.name, u.speaker) for u in found.utterances] == [("a-1", "a"), ("b-1", "b")]
    assert [u.path for u in found.utterances] == [tmp_path / file for file in files]


def test_a_copy_is_known_by_the_name_of_its_recording(tmp_path: Path) -> None:
    original = corpus_of(("a-1", "x/one.wav", "a"), ("b-1", "x/same.wav", "b"), ("b-2", "y/same.wav", "b"))
    found = read_copies(lay(tmp_path, "wav/one.wav", "wav/same.wav"), original)
    assert [u.name for u in found.utterances] == ["a-1"]  # which of the two `same.wav` is meant, nobody can say


def test_two_copies_of_one_utterance_are_refused(tmp_path: Path) -> None:
    lay(tmp_path, "wav/first/a-1.wav", "wav/second/a-1.wav")
    with pytest.raises(FileError, match=r"'a-1' has two copies, 'wav/first/a-1\.wav' and 'wav/second/a-1\.wav'"):
        read_copies(tmp_path, KALDI)


def test_what_is_there_is_said_where_nothing_agrees(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"holds 1 recordings, such as 'wav/x\.wav', none named after an utterance of"):
        read_copies(lay(tmp_path, "wav/x.wav"), KALDI)
