"""Damaged and made-up files of protections and pseudo-speakers are loaded and work, or end in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mutations import complaints, digits_changed, mutated
from pseudo_population import POOL, SMALL, SOURCES

from stripeless.errors import FileError
from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.load import load_protection
from stripeless.protections.moments import fit_moment_protection
from stripeless.protections.pseudo.catalog import make_pseudo_speakers
from stripeless.protections.pseudo.files import load_pseudo_speakers, save_pseudo_speakers
from stripeless.protections.tensors import read_tensors, write_tensors

TRIES = 40
SYSTEMS = ["a1", "a2", "b1", "k2", "o1", "apart"]


def saved(kind: str, path: Path) -> Path:
    draw = np.random.default_rng(0)
    vectors, labels = draw.normal(size=(80, 6)), ["f", "m"] * 40
    if kind == "lda":
        fit_lda_protection(vectors + np.arange(80)[:, None] % 2, labels).save(path)
    elif kind == "moments":
        fit_moment_protection(vectors + np.arange(80)[:, None] % 2, labels, pca=4, directions=1).save(path)
    else:
        save_pseudo_speakers(path, make_pseudo_speakers(kind, POOL, SMALL[kind], seed=1))
    return path


def use(kind: str, path: Path) -> None:
    """Load, and do what is loaded for."""
    if kind in ("lda", "moments"):
        load_protection(path).apply(np.ones((2, 6)))
    else:
        load_pseudo_speakers(path).apply(SOURCES)


@pytest.mark.parametrize("kind", ["lda", "moments", *SYSTEMS])
def test_a_damaged_file_works_or_ends_in_one_sentence(tmp_path: Path, kind: str) -> None:
    path = saved(kind, tmp_path / "x.safetensors")
    good = path.read_bytes()
    length = int.from_bytes(good[:8], "little") + 8
    changed = []
    for seed in range(TRIES):
        head = (mutated if seed % 2 else digits_changed)(good[8:length], seed)
        changed += [(path, mutated(good, seed)), (path, len(head).to_bytes(8, "little") + head + good[length:])]
    assert not complaints(lambda: use(kind, path), changed)
    use(kind, path)


def changed_about(path: Path, **more: object) -> Path:
    tensors, about = read_tensors(path)
    write_tensors(path, tensors, {**about, **more})
    return path


@pytest.mark.parametrize(
    "wrong", [{"classes": 3}, {"classes": "fm"}, {"classes": [1, 2]}, {"classes": ["f"]}, {"classes": ["a", "b", "c"]}]
)
@pytest.mark.parametrize("kind", ["lda", "moments"])
def test_wrong_types_in_a_protection(tmp_path: Path, kind: str, wrong: dict[str, object]) -> None:
    path = changed_about(saved(kind, tmp_path / "x"), **wrong)
    if wrong == {"classes": "fm"}:
        return  # two letters are two classes
    with pytest.raises(FileError, match="holds parts that do not fit together"):
        load_protection(path)


@pytest.mark.parametrize("kind", [3, None, [], {"a": 1}])
def test_a_kind_that_is_no_word(tmp_path: Path, kind: object) -> None:
    with pytest.raises(FileError, match="which this program does not know"):
        load_protection(changed_about(saved("lda", tmp_path / "x"), kind=kind))


@pytest.mark.parametrize("name", ["weights", "offset", "directions"])
@pytest.mark.parametrize("shape", [(1,), (3, 2), (0, 4)])
def test_arrays_of_other_sizes(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    tensors, about = read_tensors(saved("lda", tmp_path / "x"))
    write_tensors(tmp_path / "x", {**tensors, name: np.ones(shape)}, about)
    if (name, shape) == ("offset", (1,)):
        load_protection(tmp_path / "x")
        return
    with pytest.raises(FileError, match="holds parts that do not fit together"):
        load_protection(tmp_path / "x")


def test_the_description_is_a_table(tmp_path: Path) -> None:
    tensors, _ = read_tensors(saved("lda", tmp_path / "x"))
    for about in ([], 3, "lda"):
        write_tensors(tmp_path / "x", tensors, about)  # type: ignore[arg-type]
        for load in (load_protection, load_pseudo_speakers):
            with pytest.raises(FileError, match="not a protection saved by stripeless"):
                load(tmp_path / "x")
