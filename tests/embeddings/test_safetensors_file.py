"""Tensors of 16, 32 and 64 bits go to a file and come back; the real library reads the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.embeddings.safetensors_file import read_safetensors, write_safetensors
from stripeless.errors import InputError


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8"])
def test_floats_come_back(tmp_path: Path, kind: str) -> None:
    values = np.random.default_rng(0).normal(size=(3, 5)).astype(kind)
    write_safetensors(tmp_path / "x.safetensors", {"a": values, "b": values[:1]}, {"why": "test"})
    tensors, about = read_safetensors(tmp_path / "x.safetensors")
    assert about == {"why": "test"}
    assert (tensors["a"] == values).all()
    assert tensors["b"].shape == (1, 5)
    assert tensors["a"].dtype == (np.float64 if kind == "<f8" else np.float32)


def test_half_precision_takes_half_the_room_and_others_read_it(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    values = np.random.default_rng(0).normal(size=(100, 50)).astype(np.float16)
    write_safetensors(tmp_path / "x.safetensors", {"a": values}, {})
    assert (tmp_path / "x.safetensors").stat().st_size < 2 * values.size + 200
    read = library.load_file(tmp_path / "x.safetensors")["a"]
    assert read.dtype == np.float16
    assert (read == values).all()


def test_whole_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a: expected float16, float32 or float64, got int64"):
        write_safetensors(tmp_path / "x.safetensors", {"a": np.arange(3)}, {})
