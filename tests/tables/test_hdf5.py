"""HDF5 files that name other files are refused before a value of those is read, in every reader of HDF5."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stripeless.embeddings.files import read_embeddings
from stripeless.errors import FileError
from stripeless.scores.files import read_scores
from stripeless.tables.hdf5 import open_hdf5

h5py = pytest.importorskip("h5py")
SECRET = b"root:x:0:0:hidden"
Place = Callable[[Any, Path], None]


def external_storage(file: Any, other: Path) -> None:
    file.create_dataset("u", (1,), f"S{len(SECRET)}", external=[(str(other), 0, len(SECRET))])


def external_link(file: Any, other: Path) -> None:
    file["u"] = h5py.ExternalLink(str(other), "/secret")


def soft_link_through_an_external_one(file: Any, other: Path) -> None:
    file["door"] = h5py.ExternalLink(str(other), "/")
    file["u"] = h5py.SoftLink("/door/secret")


def group_through_an_external_link(file: Any, other: Path) -> None:
    file["group"] = h5py.ExternalLink(str(other), "/")
    file["u"] = h5py.SoftLink("group/secret")


def virtual(file: Any, other: Path) -> None:
    layout = h5py.VirtualLayout((1,), f"S{len(SECRET)}")
    layout[0:1] = h5py.VirtualSource(str(other), "secret", (1,))
    file.create_virtual_dataset("u", layout)


WAYS: tuple[Place, ...] = (
    external_storage, external_link, soft_link_through_an_external_one, group_through_an_external_link, virtual,
)  # fmt: skip


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def pointing(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of scores, and of vectors, whose dataset `u` lies in another file."""
    other = tmp_path / "other"
    if request.param is external_storage:
        other.write_bytes(SECRET)
    else:
        with h5py.File(other, "w") as file:
            file["secret"] = np.array([SECRET])
    with h5py.File(tmp_path / "x.h5", "w") as file:
        request.param(file, other)
        file["modelset"] = h5py.SoftLink("/u")
        file["segset"], file["scores"] = [b"a"], [[1.0]]
    return tmp_path / "x.h5"


@pytest.mark.parametrize("read", [read_embeddings, read_scores])
def test_other_files_are_never_read(pointing: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(FileError, match=r"x\.h5: '.*' lies in another file, which is never opened") as caught:
        read(pointing)
    assert "hidden" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_other_files_are_never_opened(tmp_path: Path) -> None:
    """A pipe that a link names would hold up whoever opens it."""
    os.mkfifo(tmp_path / "pipe")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a"] = h5py.ExternalLink(str(tmp_path / "pipe"), "/x")
    done: list[str] = []

    def read() -> None:
        with pytest.raises(FileError) as caught:
            read_embeddings(tmp_path / "x.h5")
        done.append(str(caught.value))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(20)
    assert "another file" in done[0]


def test_soft_links_within_the_file_are_followed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["deep/a"] = [1.0, 2.0]
        file["deep/twice"] = h5py.SoftLink("a")
        file["b"] = h5py.SoftLink("/deep/twice")
        file["nowhere"] = h5py.SoftLink("/gone")
    with open_hdf5(tmp_path / "x.h5") as file:
        assert file["b"].tolist() == [1.0, 2.0]
        assert "nowhere" not in file
        assert "deep/a/b" not in file


def test_circles_end(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["g/a"] = [1.0, 2.0]
        file["g/g"] = file["g"]
        file["soft"] = h5py.SoftLink("/soft")
    with open_hdf5(tmp_path / "x.h5") as file, pytest.raises(FileError, match="'soft' is a circle of links"):
        "soft" in file  # noqa: B015
    with h5py.File(tmp_path / "x.h5", "a") as file:
        del file["soft"]
    assert read_embeddings(tmp_path / "x.h5").utterances == ("g/a",)


def test_a_size_that_the_file_cannot_hold_is_refused_before_memory_is_taken(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("u", (2**40,), "f8", chunks=(1024,))
    with pytest.raises(FileError, match=r"it unpacks to .* MB or more, far more than it is"):
        read_embeddings(tmp_path / "x.h5")


def test_repeated_ids_take_linear_time(tmp_path: Path) -> None:
    """100,000 ids, the last of them twice: looking each up in all before it would be 5 billion steps."""
    names = [f"u{i}".encode() for i in range(100_000)]
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["modelset"], file["segset"], file["scores"] = [b"a"], [*names, names[-1]], np.zeros((1, 100_001))
    with pytest.raises(FileError, match="the id u99999 stands for two rows of segset"):
        read_scores(tmp_path / "x.h5")
