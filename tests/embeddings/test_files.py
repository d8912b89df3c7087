"""Embedding files: every format gives back what was written, and refuses what it cannot trust."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import READERS, read_embeddings, write_embeddings
from stripeless.embeddings.safetensors_file import write_safetensors
from stripeless.embeddings.vectors import read_beside, take
from stripeless.errors import FileError, InputError


def example(dtype: type = np.float32, rows: int = 12) -> Embeddings:
    """Rows that are in no alphabetical order, so that a reader that sorts is caught."""
    vectors = np.random.default_rng(0).normal(size=(rows, 5)).astype(dtype)
    speakers = tuple(f"s{i % 3}" for i in range(rows))
    names = tuple(f"{speaker}-{rows - i}" for i, speaker in enumerate(speakers))
    return Embeddings(vectors, names, speakers, tuple("fmf"[i % 3] for i in range(rows)))


def assert_same(read: Embeddings, written: Embeddings) -> None:
    assert read.utterances == written.utterances
    assert read.speakers == written.speakers
    assert read.sex == written.sex
    assert read.vectors.dtype == written.vectors.dtype
    np.testing.assert_array_equal(read.vectors, written.vectors)


@pytest.mark.parametrize("ending", sorted(READERS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_trip(tmp_path: Path, ending: str, dtype: type) -> None:
    written = example(dtype)
    write_embeddings(tmp_path / f"x{ending}", written)
    assert_same(read_embeddings(tmp_path / f"x{ending}"), written)


@pytest.mark.parametrize("ending", sorted(READERS))
def test_labels_stay_unknown(tmp_path: Path, ending: str) -> None:
    full = example()
    write_embeddings(tmp_path / f"x{ending}", Embeddings(full.vectors, full.utterances))
    read = read_embeddings(tmp_path / f"x{ending}")
    assert read.speakers is None
    assert read.sex is None


@pytest.mark.parametrize("ending", [".npz", ".safetensors", ".ark"])
def test_same_bytes_each_time(tmp_path: Path, ending: str) -> None:
    for name in ("a", "b"):
        write_embeddings(tmp_path / f"{name}{ending}", example())
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_text_archive_reads_back(tmp_path: Path) -> None:
    write_embeddings(tmp_path / "x.ark", example(np.float64), text=True)
    assert b"\0" not in (tmp_path / "x.ark").read_bytes()
    for name in ("x.ark", "x.scp"):
        assert_same(read_embeddings(tmp_path / name), example(np.float64))


def test_kaldi_bytes_as_kaldi_writes_them(tmp_path: Path) -> None:
    """Known bytes, so that reader and writer cannot share a mistake."""
    value = b"\0BFV \x04" + struct.pack("<i", 2) + struct.pack("<2f", 1.5, -2.0)
    (tmp_path / "x.ark").write_bytes(b"utt1 " + value + b"utt2 \0BDV \x04" + struct.pack("<i2d", 2, 3.0, 4.0))
    read = read_embeddings(tmp_path / "x.ark")
    assert read.utterances == ("utt1", "utt2")
    np.testing.assert_array_equal(read.vectors, [[1.5, -2.0], [3.0, 4.0]])
    (tmp_path / "y.ark").write_text("a  [\n  1 2.5 ]\nb  [ 3 4 ]\n")
    np.testing.assert_array_equal(read_embeddings(tmp_path / "y.ark").vectors, [[1, 2.5], [3, 4]])
    single = Embeddings(np.array([[1.5, -2.0]], dtype=np.float32), ("utt1",))
    write_embeddings(tmp_path / "z.ark", single)
    assert (tmp_path / "z.ark").read_bytes() == b"utt1 " + value


def test_labels_from_tables(tmp_path: Path) -> None:
    full = example()
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "utt2spk").write_text("".join(f"{u} {s}\n" for u, s in zip(full.utterances, full.speakers, strict=True)))
    (folder / "spk2gender").write_text("s0 F\ns1 m\ns2 f\n")
    write_embeddings(tmp_path / "x.npz", Embeddings(full.vectors, full.utterances))
    assert_same(read_embeddings(tmp_path / "x.npz", utt2spk=folder), full)
    (folder / "utt2spk").write_text("someone s0\n")
    with pytest.raises(FileError, match="12 utterances have no speaker"):
        read_embeddings(tmp_path / "x.npz", utt2spk=folder)


def test_labels_of_files_that_nobody_named_are_told(tmp_path: Path) -> None:
    full = example()
    (tmp_path / "utt2spk").write_text(
        "".join(f"{u} {s}\n" for u, s in zip(full.utterances, full.speakers, strict=True))
    )
    (tmp_path / "x.spk2gender").write_text("s0 F\ns1 m\ns2 f\n")
    write_embeddings(tmp_path / "x.npz", Embeddings(full.vectors, full.utterances))
    read = read_embeddings(tmp_path / "x.npz")
    assert_same(read, full)
    assert read.beside == {"speakers": str(tmp_path / "utt2spk"), "sex": str(tmp_path / "x.spk2gender")}
    assert take(read, [0, 1]).beside == read.beside
    assert len(read_beside(read, read, None)) == 2
    (said,) = read_beside(read, labels=("sex",))
    assert (
        said
        == f"The sex of the speakers was read from {tmp_path / 'x.spk2gender'}, which was not named but lies beside the vectors."
    )
    named = read_embeddings(tmp_path / "x.npz", utt2spk=tmp_path / "utt2spk", spk2gender=tmp_path / "x.spk2gender")
    assert not named.beside
    write_embeddings(tmp_path / "x.npz", full)  # the file says it all, the tables add nothing
    assert not read_embeddings(tmp_path / "x.npz").beside


def test_a_table_of_labels_has_two_columns(tmp_path: Path) -> None:
    write_embeddings(tmp_path / "x.npz", Embeddings(np.eye(2), ("a-1", "b-1")))
    (tmp_path / "trials").write_text("a-1 a target\nb-1 a nontarget\n")
    with pytest.raises(FileError, match="trials, line 1: expected 2 columns, got a third"):
        read_embeddings(tmp_path / "x.npz", utt2spk=tmp_path / "trials")
    folder = voiceprivacy_folder(tmp_path / "v", tensor_pickle(12, 2))
    for name in ("spk2gender", "idx2spk", "id2idx"):
        (folder / name).write_text((folder / name).read_text().replace("\n", " x\n"))
        with pytest.raises(FileError, match=f"{name}, line 1: expected 2 columns, got a third"):
            read_embeddings(folder)
        (folder / name).write_text("")
    (folder / "id2idx").write_text("u0 0\n")
    (folder / "idx2spk").write_text("first s0\n")
    with pytest.raises(FileError, match="idx2spk: names row first, but there are 12 rows"):
        read_embeddings(folder)


def torch_bytes(description: bytes, numbers: bytes = b"") -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("archive/data.pkl", description)
        archive.writestr("archive/data/0", numbers)
    return content.getvalue()


class Storage:
    """Pickles as torch's storages do."""

    def __init__(self, size: int) -> None:
        self.size = size


def tensor_pickle(
    rows: int, columns: int, *, offset: int = 0, function: str = "torch._utils\n_rebuild_tensor_v2"
) -> bytes:
    """Protocol 2, opcode by opcode as torch.save writes a float32 tensor."""
    text = f"\x80\x02c{function}\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000"
    text += f"X\x03\x00\x00\x00cpuK{chr(rows * columns)}tQK{chr(offset)}K{chr(rows)}K{chr(columns)}\x86"
    return (text + f"K{chr(columns)}K\x01\x86\x89ccollections\nOrderedDict\n)RtR.").encode("latin-1")


def voiceprivacy_folder(folder: Path, description: bytes) -> Path:
    folder.mkdir()
    numbers = np.arange(24, dtype="<f4").tobytes()
    (folder / "speaker_vectors.pt").write_bytes(torch_bytes(description, numbers))
    (folder / "id2idx").write_text("".join(f"u{i} {i}\n" for i in range(12)))
    (folder / "idx2spk").write_text("".join(f"{i} s{i % 5}\n" for i in range(12)))
    (folder / "spk2gender").write_text("".join(f"s{i} {'fm'[i % 2]}\n" for i in range(5)))
    return folder


def test_voiceprivacy_folder_keeps_rows_with_their_speakers(tmp_path: Path) -> None:
    """Twelve rows: sorted as text, row 10 would come before row 2 and take its speaker."""
    read = read_embeddings(voiceprivacy_folder(tmp_path / "x", tensor_pickle(12, 2)))
    np.testing.assert_array_equal(read.vectors, np.arange(24).reshape(12, 2))
    assert read.speakers == tuple(f"s{i % 5}" for i in range(12))
    assert read.sex == tuple("fm"[i % 5 % 2] for i in range(12))


def test_torch_file_runs_nothing(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return eval, (f"open({str(tmp_path / 'owned')!r}, 'w')",)

    for number, description in enumerate(
        (pickle.dumps(Evil()), tensor_pickle(12, 2, function="os\nsystem"), pickle.dumps({"a": 1}))
    ):
        with pytest.raises(FileError):
            read_embeddings(voiceprivacy_folder(tmp_path / f"v{number}", description))
    assert not (tmp_path / "owned").exists()


def test_torch_tensor_beyond_its_numbers(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="beyond its numbers"):
        read_embeddings(voiceprivacy_folder(tmp_path / "x", tensor_pickle(12, 3)))


def test_torch_agrees_with_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    folder = voiceprivacy_folder(tmp_path / "x", b"")
    for tensors in (torch.arange(24.0).reshape(2, 12).T, list(torch.arange(24.0).reshape(12, 2))):
        torch.save(tensors, folder / "speaker_vectors.pt")
        expected = np.stack([np.asarray(row) for row in tensors])
        np.testing.assert_array_equal(read_embeddings(folder).vectors, expected)


def test_safetensors_with_ids_beside(tmp_path: Path) -> None:
    write_embeddings(tmp_path / "x.safetensors", Embeddings(example().vectors, example().utterances))
    data = (tmp_path / "x.safetensors").read_bytes()
    start = data.index(b'"__metadata__"')
    end = data.index(b'"vectors"')
    blank = b" " * (end - start)
    (tmp_path / "x.safetensors").write_bytes(data[:start] + blank + data[end:])
    with pytest.raises(FileError, match=r"x\.ids"):
        read_embeddings(tmp_path / "x.safetensors")
    (tmp_path / "x.ids").write_text("\n".join(example().utterances))
    assert read_embeddings(tmp_path / "x.safetensors").utterances == example().utterances


def test_pickled_npz_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", vectors=np.ones((1, 2)), utterances=np.array(["a"], dtype=object))
    with pytest.raises(FileError, match="a pickle, which is never loaded"):
        read_embeddings(tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.ark", b"utt1 \0BFV \x04\x02\x00\x00\x00abc", "cut short"),
        ("x.ark", b"utt1 \0BCM  whatever", "expected a vector"),
        ("x.ark", b"utt1 [ 1 2", "closing bracket"),
        ("x.ark", b"utt1 [ 1 2 ]\nutt2 [ 1 2 3 ]\n", "'utt2' has 3 numbers"),
        ("x.ark", b"utt1 [ 1 nan ]\n", "NaN"),
        ("x.ark", b"utt1 [ 1 2 ]\nutt1 [ 1 2 ]\n", "listed twice"),
        ("x.ark", b"", "no vectors"),
        ("x.scp", b"utt1 copy-vector a.ark ark:- |\n", "command"),
        ("x.scp", b"utt1 nowhere.ark:5\n", "does not exist"),
        ("x.npz", b"PK nothing", "cannot be read"),
        ("x.parquet", b"PAR1 nothing", "parquet"),
        ("x.safetensors", b"\xff" * 20, "safetensors"),
        ("x.h5", b"nothing", "HDF5"),
        ("x.csv", b"a,1\n", "unknown format"),
    ],
)
def test_bad_files_get_one_sentence(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=message) as caught:
        read_embeddings(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_half_a_sign_in_a_name_is_refused(tmp_path: Path) -> None:
    """JSON and NumPy can hold one; nothing can be written with it."""
    np.savez(tmp_path / "x.npz", vectors=np.ones((2, 3)), utterances=np.array(["a", "\ud800"]))
    write_safetensors(tmp_path / "x.safetensors", {"v": np.ones((1, 3), np.float32)}, {"utterances": r'["\ud800"]'})
    for name in ("x.npz", "x.safetensors"):
        with pytest.raises(FileError, match=r"x\.[a-z]+: .*(half a sign, .*ud800|no text)"):
            read_embeddings(tmp_path / name)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="check the name"):
        read_embeddings(tmp_path / "x.npz")


def test_nothing_half_written(tmp_path: Path) -> None:
    spaced = Embeddings(np.ones((1, 2)), ("a b",))
    with pytest.raises(FileError, match="cannot be a key"):
        write_embeddings(tmp_path / "x.ark", spaced)
    with pytest.raises(FileError, match="cannot be written"):
        write_embeddings(tmp_path / "no" / "x.npz", spaced)
    with pytest.raises(InputError, match="text"):
        write_embeddings(tmp_path / "x.npz", spaced, text=True)
    assert list(tmp_path.iterdir()) == []


def test_real_archives(librispeech: Path) -> None:
    read = read_embeddings(librispeech / "xvectors/original/enrolls.scp", utt2spk=librispeech / "enrolls")
    whole = read_embeddings(librispeech / "xvectors/original/enrolls.ark", utt2spk=librispeech / "enrolls")
    assert_same(read, whole)
    assert read.vectors.shape == (438, 512)
    assert read.sex is not None
    assert (read.sex.count("f"), read.sex.count("m")) == (254, 184)
