"""Who speaks, and of what sex: where two places say two things of a person, the vectors are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings, write_embeddings
from stripeless.errors import FileError, InputError

VECTORS = Embeddings(np.eye(4), ("a1", "a2", "b1", "b2"), ("anna", "anna", "boris", "boris"), ("f", "f", "m", "m"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_embeddings(tmp_path / "x.npz", VECTORS)
    return tmp_path / "x.npz"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    write_embeddings(tmp_path / "bare.npz", replace(VECTORS, speakers=None, sex=None))
    return tmp_path / "bare.npz"


def table(folder: Path, name: str, text: str) -> Path:
    (folder / "lists").mkdir(exist_ok=True)
    (folder / "lists" / name).write_text(text)
    return folder / "lists" / name


def test_nobody_is_both(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="speaker 'anna' is 'f' and 'm'"):
        replace(VECTORS, sex=("f", "m", "m", "m"))
    np.savez(tmp_path / "x.npz", vectors=np.eye(2), utterances=["a1", "a2"], speakers=["a", "a"], sex=["f", "male"])
    with pytest.raises(FileError, match="speaker 'a' is 'f' and 'm'"):
        read_embeddings(tmp_path / "x.npz")


def test_spellings_of_the_sexes_are_one_and_others_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", vectors=np.eye(2), utterances=["a", "b"], sex=["Female", "M"])
    assert read_embeddings(tmp_path / "x.npz").sex == ("f", "m")
    np.savez(tmp_path / "x.npz", vectors=np.eye(2), utterances=["a", "b"], sex=["f", "zebra"])
    with pytest.raises(FileError, match="sex: expected f or m, got 'zebra'"):
        read_embeddings(tmp_path / "x.npz")


def test_a_table_that_agrees_is_read(path: Path, bare: Path, tmp_path: Path) -> None:
    speakers = table(tmp_path, "utt2spk", "a1 anna\na2 anna\nb1 boris\nb2 boris\n")
    sexes = table(tmp_path, "spk2gender", "anna F\nboris m\n")
    for file in (path, bare):
        read = read_embeddings(file, utt2spk=speakers, spk2gender=sexes)
        assert (read.speakers, read.sex) == (VECTORS.speakers, VECTORS.sex)
    assert read_embeddings(bare, utt2spk=tmp_path / "lists").sex == VECTORS.sex
    sexes.unlink()
    assert read_embeddings(bare, utt2spk=tmp_path / "lists").sex is None


@pytest.mark.parametrize("beside", [False, True])
def test_a_table_that_says_otherwise_is_refused(path: Path, tmp_path: Path, beside: bool) -> None:
    speakers = table(tmp_path, "utt2spk", "a1 anna\na2 boris\nb1 boris\nb2 boris\n")
    sexes = table(tmp_path, "spk2gender", "anna m\nboris m\n")
    if beside:
        speakers.rename(tmp_path / "x.utt2spk")
    with pytest.raises(FileError, match="'a2' is of 'anna' here and of 'boris' in"):
        read_embeddings(path, utt2spk=None if beside else speakers)
    if beside:
        (tmp_path / "x.utt2spk").unlink()
        sexes.rename(tmp_path / "x.spk2gender")
    with pytest.raises(FileError, match="speaker 'anna' is 'f' here and 'm' in"):
        read_embeddings(path, spk2gender=None if beside else sexes)


def test_a_table_that_would_say_nothing_is_refused(path: Path, bare: Path, tmp_path: Path) -> None:
    sexes = table(tmp_path, "spk2gender", "anna f\n")
    with pytest.raises(FileError, match="1 speakers have no sex there, the first is 'boris'"):
        read_embeddings(path, spk2gender=sexes)
    with pytest.raises(FileError, match="the vectors name no speakers; give utt2spk too"):
        read_embeddings(bare, spk2gender=sexes)


def test_a_sex_that_is_not_known_is_no_line_of_a_table(tmp_path: Path) -> None:
    write_embeddings(tmp_path / "x.ark", replace(VECTORS, sex=("f", "f", "", "")))
    assert (tmp_path / "x.spk2gender").read_text() == "anna f\n"
    assert read_embeddings(tmp_path / "x.ark").speakers == VECTORS.speakers
