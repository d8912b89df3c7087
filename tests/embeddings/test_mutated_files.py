"""Damaged and made-up embedding files end in vectors or in one sentence, never in a traceback."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from mutations import complaints, digits_changed, mutated

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings, write_embeddings
from stripeless.errors import FileError

TRIES = 32


def torch_content(rows: int, columns: int, *, step: int | None = None, more: bytes = b"") -> bytes:
    """What torch.save writes of one float32 tensor: protocol 2, its numbers beside it; `more` stands before the rest."""
    step = columns if step is None else step
    text = (
        "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000"
    )
    text += f"X\x03\x00\x00\x00cpuK{chr(rows * columns if step else columns)}tQK\x00K{chr(rows)}K{chr(columns)}\x86"
    text += f"K{chr(step)}K\x01\x86\x89ccollections\nOrderedDict\n)RtR."
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        described = text.encode("latin-1")
        archive.writestr("archive/data.pkl", described[:2] + more + described[2:])
        archive.writestr("archive/data/0", np.arange(columns if not step else rows * columns, dtype="<f4").tobytes())
    return content.getvalue()


def example() -> Embeddings:
    vectors = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    names = tuple(f"s{i % 3}-{i}" for i in range(6))
    return Embeddings(vectors, names, tuple(f"s{i % 3}" for i in range(6)), tuple("fmf"[i % 3] for i in range(6)))


def files_of(kind: str, folder: Path) -> tuple[Path, list[Path]]:
    """What is read, and the files in it that are damaged."""
    if kind == "folder":
        (folder / "speaker_vectors.pt").write_bytes(torch_content(6, 3))
        (folder / "id2idx").write_text("".join(f"u{i} {i}\n" for i in range(6)))
        (folder / "idx2spk").write_text("".join(f"{i} s{i % 3}\n" for i in range(6)))
        (folder / "spk2gender").write_text("s0 f\ns1 m\ns2 f\n")
        return folder, sorted(folder.iterdir())
    place = folder / f"x.{kind.removesuffix('-text')}"
    write_embeddings(place, example(), text=kind.endswith("-text"))
    return place, [place]


KINDS = ["npz", "parquet", "safetensors", "h5", "ark", "ark-text", "scp", "folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_gives_vectors_or_one_sentence(tmp_path: Path, kind: str) -> None:
    place, files = files_of(kind, tmp_path)
    for file in files:
        good, tries = file.read_bytes(), TRIES // len(files)
        changed = [(file, change(good, seed)) for change in (mutated, digits_changed) for seed in range(tries)]
        assert not complaints(lambda: read_embeddings(place), changed)
    assert len(read_embeddings(place)) == 6


def safetensors(header: object, numbers: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + numbers


def tensor(shape: object, places: object, kind: object = "F32") -> dict[str, object]:
    return {"v": {"dtype": kind, "shape": shape, "data_offsets": places}}


def archive(arrays: dict[str, bytes], *, locked: bool = False) -> bytes:
    """An archive of NumPy; a locked one says that its parts need a password."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, array in arrays.items():
            file.writestr(f"{name}.npy", array)
    data = content.getvalue()
    return data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01") if locked else data


def array(kind: str, shape: tuple[int, ...], numbers: bytes) -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + numbers


ROWS = {"vectors": array("<f4", (1, 2), bytes(8)), "utterances": array("<U1", (1,), b"u\0\0\0")}
TENSOR = tensor([1, 2], [0, 8])
CLAIMS = [
    ("x.npz", archive({**ROWS, "vectors": array("<f4", (2**33, 2), bytes(8))}), "claims 17179869184 entries"),
    (
        "x.npz",
        archive({**ROWS, "utterances": array("<U1", (1,), b"\xff" * 4)}),
        "utterances.npy holds names that are no text",
    ),
    ("x.npz", archive({**ROWS, "utterances": array("|S1", (1,), b"\xff")}), "holds names that are no text"),
    ("x.npz", archive(ROWS, locked=True), "a broken archive .*password"),
    ("x.ark", b"u \0BFV \x04" + struct.pack("<if", 2**31 - 1, 1.0), "'u' is cut short: 4 of 8589934588 bytes"),
    ("x.ark", b"u \0BFV \x04" + struct.pack("<if", -1, 1.0), "'u' is cut short: 4 of -4 bytes"),
    ("x.ark", b"u [ 1_0 2 ]\n", "'u': expected numbers in brackets, got b'1_0'"),
    ("x.scp", "u nowhere.ark:²\n".encode(), "does not exist, here or beside"),
    ("x.safetensors", safetensors(b"[" * 100_000), "has a header that is not safetensors"),
    ("x.safetensors", safetensors(tensor([2**33, 4], [0, 8]), bytes(8)), "more or fewer numbers than its shape says"),
    ("x.safetensors", safetensors(TENSOR | {"w": TENSOR["v"]}, bytes(8)), "two tensors share bytes"),
    ("x.safetensors", safetensors(tensor([-1, 2], [0, 8]), bytes(8)), "no list of whole numbers"),
    (
        "x.safetensors",
        safetensors({"__metadata__": {"utterances": "{}"}} | TENSOR, bytes(8)),
        "its utterances are no list of names",
    ),
    ("x.safetensors", safetensors({"__metadata__": {"a": 1}} | TENSOR, bytes(8)), "its metadata are no texts by name"),
]


@pytest.mark.parametrize(("name", "content", "said"), CLAIMS, ids=[f"{said[:30]}" for _, _, said in CLAIMS])
def test_what_a_header_claims_is_held_against_the_file(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=said):
        read_embeddings(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (torch_content(200, 3, step=0), "a tensor shows its numbers several times"),
        (torch_content(6, 3, more=b"Nr\xff\xff\xff\x7f0"), "asks for more memory than it has entries"),
    ],
)
def test_torch_files_that_ask_for_memory(tmp_path: Path, content: bytes, said: str) -> None:
    place, _ = files_of("folder", tmp_path)
    (tmp_path / "speaker_vectors.pt").write_bytes(content)
    with pytest.raises(FileError, match=said):
        read_embeddings(place)


def test_a_row_is_a_number_in_plain_digits(tmp_path: Path) -> None:
    place, _ = files_of("folder", tmp_path)
    (tmp_path / "id2idx").write_text("u0 ²\n")
    with pytest.raises(FileError, match="names row ², but there are 6 rows"):
        read_embeddings(place)


def test_texts_of_no_size_in_hdf5_do_not_go_round_in_circles(tmp_path: Path) -> None:
    """What is free in a heap of texts is entry 0; with a size of 0 the library never comes to its end."""
    place, _ = files_of("h5", tmp_path)
    data = bytearray(place.read_bytes())
    at = data.index(b"GCOL") + 16
    while data[at : at + 2] != b"\0\0":
        at += 16 + -(-int.from_bytes(data[at + 8 : at + 16], "little") // 8) * 8
    data[at + 8 : at + 16] = bytes(8)
    place.write_bytes(data)
    with pytest.raises(FileError, match="a text of no size"):
        read_embeddings(place)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("ending", [".npz", ".parquet", ".safetensors", ".h5", ".ark", ".scp"])
def test_pipes_and_devices_are_refused(tmp_path: Path, ending: str) -> None:
    os.mkfifo(tmp_path / f"x{ending}")
    (tmp_path / f"y{ending}").symlink_to("/dev/zero")
    for name in "xy":
        with pytest.raises(FileError, match="a pipe or device can be read only once"):
            read_embeddings(tmp_path / f"{name}{ending}")
