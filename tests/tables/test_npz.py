"""NumPy archives: plain arrays within bounds, and nothing that runs or that fills the memory."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from stripeless.errors import FileError
from stripeless.tables import npz
from stripeless.tables.npz import read_npz


def archive(path: Path, members: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def array_bytes(description: str, shape: tuple[int, ...], data: bytes = b"") -> bytes:
    """A .npy file whose header says what it likes."""
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": description, "fortran_order": False, "shape": shape})
    return content.getvalue() + data


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_in_their_order(tmp_path: Path, save: object) -> None:
    arrays = {"b": np.arange(3.0), "a": np.array(["x", "ü"]), "c": np.ones((2, 3), dtype=np.float32, order="F")}
    save(tmp_path / "x.npz", **arrays)  # type: ignore[operator]
    read = read_npz(tmp_path / "x.npz")
    assert list(read) == ["b", "a", "c"]
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_bytes_depend_on_the_arrays_alone(tmp_path: Path) -> None:
    npz.write_npz(tmp_path / "x.npz", {"a": [1.0, 2.0], "file": ["x", "ü"]})
    with zipfile.ZipFile(tmp_path / "x.npz") as file:
        assert {member.date_time for member in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    read = read_npz(tmp_path / "x.npz")
    assert {name: array.tolist() for name, array in read.items()} == {"a": [1.0, 2.0], "file": ["x", "ü"]}


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    for name, array in {"o": np.array([{}], dtype=object), "s": np.zeros(1, dtype=[("a", "f8"), ("b", "O")])}.items():
        np.savez(tmp_path / "x.npz", **{name: array})
        with pytest.raises(FileError, match=r"x\.npz: it holds Python objects, a pickle, which is never loaded; save"):
            read_npz(tmp_path / "x.npz")


def test_archives_that_unpack_to_far_more_than_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stripeless.tables.limits.most_unpacked", lambda size: max(100_000, 100 * size))
    np.savez(tmp_path / "plain.npz", x=np.zeros(1_000_000))  # as large as what it holds: always read
    assert read_npz(tmp_path / "plain.npz")["x"].size == 1_000_000
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros(1_000_000))
    with pytest.raises(FileError, match=r"bomb\.npz: it unpacks to 8 MB or more, far more than it is; write"):
        read_npz(tmp_path / "bomb.npz")
    np.savez(tmp_path / "many.npz", **{f"x{i}": np.zeros(1) for i in range(npz.MOST_ARRAYS + 1)})
    with pytest.raises(FileError, match="it holds 1001 arrays"):
        read_npz(tmp_path / "many.npz")


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"x.npy": array_bytes("<f8", (10**15,))}, "x.npy claims 1000000000000000 entries that it does not hold"),
        ({"x.npy": array_bytes("<f8", (100,), b"\0" * 8)}, "x.npy claims 100 entries that it does not hold"),
        ({"x.npy": array_bytes("|V0", (10**6,))}, "x.npy claims 1000000 entries that it does not hold; save it again"),
        ({"x.npy": b"no array"}, "cannot be read as a NumPy archive"),
        ({"x/data.pkl": b"\x80\x02."}, "'x/data.pkl' in it is no array, so this is no NumPy archive; save"),
    ],
)
def test_archives_that_lie(tmp_path: Path, members: dict[str, bytes], said: str) -> None:
    with pytest.raises(FileError, match=said):
        read_npz(archive(tmp_path / "x.npz", members))


def test_one_name_twice_and_half_a_file(tmp_path: Path) -> None:
    archive(tmp_path / "x.npz", {"x.npy": array_bytes("<f8", (0,)), "y.npy": array_bytes("<f8", (0,))})
    (tmp_path / "x.npz").write_bytes((tmp_path / "x.npz").read_bytes().replace(b"y.npy", b"x.npy"))
    with pytest.raises(FileError, match="two arrays in it have the same name"):
        read_npz(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", x=np.zeros(100))
    (tmp_path / "x.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:500])
    with pytest.raises(FileError, match=r"a broken archive .* save it again"):
        read_npz(tmp_path / "x.npz")
    with pytest.raises(FileError, match="there is no such file"):
        read_npz(tmp_path / "y.npz")
