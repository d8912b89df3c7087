"""A model in ONNX is all the files that it reads: the digest covers them, and none lies anywhere but beside it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutations import complaints, mutated

from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.embeddings.encoders.onnx_parts import model_files
from stripeless.errors import FileError
from stripeless.studies.weights import weights_notes

onnx = pytest.importorskip("onnx", reason="writing an ONNX model needs onnx")


def outside(name: str = "m.data") -> Any:
    """A tensor whose numbers are in another file."""
    tensor = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1, 4], np.arange(4.0))
    tensor.ClearField("float_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", name), ("offset", "0"), ("length", "16")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return tensor


def graph_with(tensor: Any, place: str) -> Any:
    """A graph with this tensor as an initializer, in a node, or in a graph inside a node."""
    helper = onnx.helper
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, "n"])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 4])
    mean = helper.make_node("ReduceMean", ["x"], ["m"], axes=[1], keepdims=1)
    total = helper.make_node("Add", ["m", "w"], ["y"])
    if place == "initializer":
        return helper.make_graph([mean, total], "g", [x], [y], [tensor])
    constant = helper.make_node("Constant", [], ["w"], value=tensor)
    if place == "node":
        return helper.make_graph([mean, constant, total], "g", [x], [y])
    out = helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [1, 4])
    branch = helper.make_graph([constant], "inside", [], [out])
    true = helper.make_tensor("t", onnx.TensorProto.BOOL, [], [True])
    choice = [helper.make_node("Constant", [], ["t"], value=true),
              helper.make_node("If", ["t"], ["w"], then_branch=branch, else_branch=branch)]  # fmt: skip
    return helper.make_graph([mean, *choice, total], "g", [x], [y])


def saved(folder: Path, place: str = "initializer", name: str = "m.data") -> Path:
    model = onnx.helper.make_model(
        graph_with(outside(name), place), opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8
    )
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    (folder / "m.data").write_bytes(np.arange(4, dtype="<f4").tobytes())
    return folder / "m.onnx"


@pytest.mark.parametrize("place", ["initializer", "node", "inside"])
def test_what_lies_in_another_file_is_found_wherever_the_model_names_it(place: str, tmp_path: Path) -> None:
    path = saved(tmp_path, place)
    assert model_files(path) == (path, tmp_path / "m.data")
    (tmp_path / "m.data").unlink()
    with pytest.raises(FileError, match=r"keeps numbers in m\.data, which is no file beside it"):
        model_files(path)


def test_the_digest_covers_the_other_file(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = saved(tmp_path)
    first = make_encoder(str(path))
    np.testing.assert_allclose(first.embed(np.full(16000, 0.5)), [0.5, 1.5, 2.5, 3.5], rtol=1e-6)
    assert ["m.onnx" in note or "m.data" in note for note in weights_notes([first])] == [True, True]
    (tmp_path / "m.data").write_bytes(np.arange(4, dtype=">f4").tobytes())
    assert make_encoder(str(path)).identity != first.identity


@pytest.mark.parametrize(
    "name", ["../m.data", "/etc/passwd", "a/../m.data", "..", "", "link", "*/_ORT_MEM_ADDR_/*", "."]
)
def test_no_file_is_followed_out_of_the_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    path = saved(tmp_path, name=name)
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(FileError, match="which is no file beside it"):
        make_encoder(str(path))


def varint(value: int) -> bytes:
    """An integer as protocol buffers write it."""
    return bytes([value & 127]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, content: bytes, *, tag: int = 0, length: int = 0) -> bytes:
    """A field that holds bytes; `tag` and `length` are added to what is written before them."""
    return varint((number << 3 | 2) + tag) + varint(len(content) + length) + content


ENTRY = field(1, b"location") + field(2, b"m.data")
OTHER = field(1, b"location") + field(2, b"other.data")
OUTSIDE, AT_HOME = varint(14 << 3) + varint(1), varint(14 << 3) + varint(0)


def model_of(tensor: bytes, **changes: int) -> bytes:
    return field(7, field(5, tensor), **changes)


@pytest.mark.parametrize(
    "content",
    [model_of(OUTSIDE + field(13, ENTRY), tag=1 << 32), field(7, field(5, OUTSIDE + field(13, ENTRY), tag=1 << 33)),
     model_of(OUTSIDE + field(13, ENTRY, tag=1 << 32)), model_of(OUTSIDE + field(13, ENTRY), length=1 << 32),
     model_of(b"\xba\x80\x80\x80\x80\x00\x01x"), model_of(field(13, ENTRY) + varint(14 << 3) + b"\xff" * 9 + b"\x7f")],
    ids=["graph", "tensor", "entry", "length", "overlong", "integer"],
)  # fmt: skip
def test_numbers_that_the_library_would_cut_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.data").write_bytes(bytes(16))
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(FileError, match="an integer is longer than its kind allows"):
        model_files(tmp_path / "m.onnx")


@pytest.mark.parametrize(
    "tensor",
    [field(13, ENTRY) + OUTSIDE, field(13, ENTRY) + AT_HOME, field(13, ENTRY) + varint(14 << 3) + varint((1 << 32) + 1),
     field(13, ENTRY + varint(1 << 3 | 5) + b"none") + OUTSIDE,
     field(13, ENTRY) + field(13, field(1, b"offset") + field(2, b"0"))],
    ids=["plain", "said not to be", "said by a number that is cut", "key of a kind that is passed over", "other entries"],
)  # fmt: skip
def test_every_file_that_a_tensor_names_counts(tensor: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.data").write_bytes(bytes(16))
    (tmp_path / "other.data").write_bytes(bytes(16))
    (tmp_path / "m.onnx").write_bytes(model_of(tensor))
    assert [file.name for file in model_files(tmp_path / "m.onnx")] == ["m.onnx", "m.data"]
    (tmp_path / "m.onnx").write_bytes(model_of(tensor + field(13, OTHER)))
    assert [file.name for file in model_files(tmp_path / "m.onnx")] == ["m.onnx", "m.data", "other.data"]


def test_a_model_in_one_file_is_one_file(tmp_path: Path) -> None:
    tensor = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1, 4], np.arange(4.0))
    model = onnx.helper.make_model(graph_with(tensor, "node"))
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    assert model_files(tmp_path / "m.onnx") == (tmp_path / "m.onnx",)


def test_a_program_and_changed_files_end_in_a_sentence(tmp_path: Path) -> None:
    good = saved(tmp_path, "inside").read_bytes()
    path = tmp_path / "m.onnx"
    path.write_bytes(b"\0\0\0\0ORTM" + bytes(50))
    with pytest.raises(FileError, match="one program"):
        model_files(path)
    read = lambda: model_files(path)  # noqa: E731
    tries = ((path, mutated(good, k) if k % 2 else random.Random(k).randbytes(k)) for k in range(400))
    assert complaints(read, tries) == []
