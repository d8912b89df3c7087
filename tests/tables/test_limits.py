"""What a file may unpack to: held by every reader that unpacks, and said otherwise by one setting."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stripeless.audio.recordings import read_recording
from stripeless.embeddings.files import read_embeddings
from stripeless.errors import InputError, StripelessError
from stripeless.results.stored import read_result
from stripeless.scores.files import read_scores
from stripeless.tables.hdf5_texts import claimed_texts
from stripeless.tables.limits import SETTING, most_unpacked
from stripeless.tables.two_columns import read_two_columns

SIZE = 2_000_000  # bytes that each of the files unpacks to, or a little more


def npz(path: Path) -> Path:
    np.savez_compressed(path.with_suffix(".npz"), target=np.arange(SIZE / 16), nontarget=np.arange(SIZE / 16))
    return path.with_suffix(".npz")


def gzipped_scores(path: Path) -> Path:
    place = path.with_suffix(".txt.gz")
    place.write_bytes(gzip.compress(b"0.5 target\n0.25 nontarget\n" * (SIZE // 26 + 1)))
    return place


def gzipped_list(path: Path) -> Path:
    place = path.with_suffix(".gz")
    place.write_bytes(gzip.compress(b"".join(b"utterance%d a\n" % i for i in range(SIZE // 15))))
    return place


def parquet(path: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    place = path.with_suffix(".parquet")
    with duckdb.connect() as connection:
        rows = f"SELECT i % 2 = 0 AS label, 0.5 * (i % 2) AS score FROM range({SIZE // 16 + 1}) t(i)"
        connection.execute(f"COPY ({rows}) TO '{place}' (FORMAT parquet)")
    return place


def hdf5(path: Path) -> Path:
    h5py = pytest.importorskip("h5py")
    place = path.with_suffix(".h5")
    with h5py.File(place, "w") as file:
        file.create_dataset("u", data=np.zeros(SIZE // 8 + 1), compression="gzip")
    return place


def flac(path: Path) -> Path:
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(path.with_suffix(".flac"), np.zeros(SIZE // 8 + 1), 16000)
    return path.with_suffix(".flac")


def result(path: Path) -> Path:
    place = path.with_suffix(".json")
    place.write_text('{"kind": "assessment", "x": "' + "x" * SIZE + '"}')
    return place


READ: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    "npz": (npz, read_scores),
    "scores in gzip": (gzipped_scores, read_scores),
    "a list in gzip": (gzipped_list, read_two_columns),
    "parquet": (parquet, read_scores),
    "HDF5": (hdf5, read_embeddings),
    "FLAC": (flac, read_recording),
    "a result": (result, read_result),
}


@pytest.mark.parametrize("kind", READ)
def test_one_setting_holds_for_every_reader(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, read = READ[kind]
    path = make(tmp_path / "x")
    monkeypatch.setenv(SETTING, "1")
    with pytest.raises(StripelessError, match=SETTING) as refused:
        read(path)
    assert refused.value.__cause__ is None or not isinstance(refused.value.__cause__, MemoryError)
    monkeypatch.setenv(SETTING, "10")
    if kind == "a result":  # of the allowed size, and no result all the same
        with pytest.raises(InputError, match="was written by a newer version"):
            read(path)
    else:
        read(path)


def test_what_it_is_without_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    assert most_unpacked(0) == 1 << 30
    assert most_unpacked(1 << 40) == 100 << 40


@pytest.mark.parametrize("wrong", ["x", "-1", "1e3", "²", "1 000"])
def test_a_setting_that_is_no_number(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, wrong)
    with pytest.raises(InputError, match=f"{SETTING}: expected a whole number of megabytes"):
        most_unpacked(1)


def test_a_text_in_hdf5_that_claims_four_gigabytes(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for place in ("modelset", "segset"):
            file.create_dataset(place, data=["first", "other"], dtype=h5py.string_dtype())
        file["scores"], file["trial_mask"] = np.zeros((2, 2)), np.eye(2)
    good = (tmp_path / "x.h5").read_bytes()
    at = good.find(b"\x05\0\0\0" + good.find(b"GCOL").to_bytes(8, "little"))
    assert at > 0
    for wrong in (b"\xff\xff\xff\xff" + good[at + 4 : at + 12], good[at : at + 4] + b"\0\0\xff\xff\x09\0\0\0"):
        (tmp_path / "x.h5").write_bytes(good[:at] + wrong + good[at + 12 :])
        with pytest.raises(InputError, match="a text longer than the file, or beyond its end"):
            read_scores(tmp_path / "x.h5")


def test_a_label_in_hdf5_that_claims_four_gigabytes(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    for libver in ("earliest", "latest"):
        for value in ("anna", np.array(["anna"], dtype=object)):
            with h5py.File(tmp_path / "x.h5", "w", libver=libver) as file:
                file["u"] = np.ones(2)
                file["u"].attrs.create("speaker", value, dtype=h5py.string_dtype())
            good = (tmp_path / "x.h5").read_bytes()
            assert read_embeddings(tmp_path / "x.h5").speakers == ("anna",)
            at = good.find(b"\x04\0\0\0" + good.find(b"GCOL").to_bytes(8, "little"))
            (tmp_path / "x.h5").write_bytes(good[:at] + b"\xff" * 4 + good[at + 4 :])
            with pytest.raises(InputError, match="a text longer than the file, or beyond its end"):
                read_embeddings(tmp_path / "x.h5")


@pytest.mark.parametrize(
    "how", [{}, {"compression": "gzip"}, {"compression": "gzip", "shuffle": True}, {"chunks": (3,)}]
)
def test_sound_texts_in_hdf5_are_counted_however_they_are_packed(how: dict[str, object], tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    names, path = [f"name{i}" for i in range(10)], str(tmp_path / "x.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=names, dtype=h5py.string_dtype(), **how)
    with h5py.File(path) as file:
        assert claimed_texts(h5py, path, file["x"]) == 50


def test_texts_packed_otherwise_are_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("u", data=["1"] * 10, dtype=h5py.string_dtype(), compression="lzf")
    with pytest.raises(InputError, match="texts packed in a way that cannot be looked over"):
        read_embeddings(tmp_path / "x.h5")


def test_gzip_in_gzip_counts_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members one after the other: each small, together too large."""
    monkeypatch.setenv(SETTING, "1")
    content = io.BytesIO()
    for _ in range(3):
        content.write(gzip.compress(b"a b\n" * 100_000))
    (tmp_path / "x.gz").write_bytes(content.getvalue())
    with pytest.raises(InputError, match="it unpacks to 1 MB or more"):
        read_two_columns(tmp_path / "x.gz")
