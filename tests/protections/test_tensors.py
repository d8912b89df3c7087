import json

import numpy as np
import pytest

from stripeless.errors import FileError
from stripeless.protections.load import load_protection
from stripeless.protections.tensors import read_tensors, write_tensors

ARRAYS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([[1.5]]), "empty": np.zeros((0, 4))}


def test_round_trip_and_same_bytes(tmp_path):
    for name in ("one", "two"):
        write_tensors(tmp_path / name, ARRAYS, {"kind": "x", "shares": [0.1, 2]})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    arrays, about = read_tensors(tmp_path / "one")
    assert about == {"kind": "x", "shares": [0.1, 2]}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_the_safetensors_library_reads_it(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    write_tensors(tmp_path / "map", ARRAYS, {})
    for name, array in library.load_file(tmp_path / "map").items():
        np.testing.assert_array_equal(array, ARRAYS[name])


@pytest.mark.parametrize("keep", [0, 5, 40, -1])
def test_a_file_cut_short_is_refused(tmp_path, keep):
    write_tensors(tmp_path / "map", ARRAYS, {"kind": "lda"})
    (tmp_path / "map").write_bytes((tmp_path / "map").read_bytes()[:keep])
    with pytest.raises(FileError, match="cut short"):
        read_tensors(tmp_path / "map")


def test_offsets_outside_the_file_are_refused(tmp_path):
    entry = {"dtype": "F32", "shape": [4], "data_offsets": [-16, 0]}
    header = json.dumps({"__metadata__": {"stripeless": "{}"}, "a": entry}).encode()
    (tmp_path / "map").write_bytes(len(header).to_bytes(8, "little") + header + bytes(16))
    with pytest.raises(FileError, match="not a protection"):
        read_tensors(tmp_path / "map")


def test_what_is_no_protection_is_refused(tmp_path):
    (tmp_path / "pickle").write_bytes(b"\x80\x04\x95" + b"x" * 50)
    with pytest.raises(FileError, match="not a protection"):
        load_protection(tmp_path / "pickle")
    with pytest.raises(FileError, match="cannot be read"):
        load_protection(tmp_path / "nothing")
    write_tensors(tmp_path / "new", {}, {"kind": "flow", "version": 2})
    with pytest.raises(FileError, match="version 2"):
        load_protection(tmp_path / "new")
    write_tensors(tmp_path / "odd", {}, {"kind": "magic", "version": 1})
    with pytest.raises(FileError, match="'magic'"):
        load_protection(tmp_path / "odd")
    write_tensors(tmp_path / "bare", {}, {"kind": "lda", "version": 1, "classes": ["f", "m"]})
    with pytest.raises(FileError, match="lacks"):
        load_protection(tmp_path / "bare")


def test_nothing_half_written(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write_tensors(tmp_path / "no" / "folder", ARRAYS, {})
    assert list(tmp_path.iterdir()) == []
