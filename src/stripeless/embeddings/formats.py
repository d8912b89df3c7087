"""The embedding formats, one reader and one writer each. `files` is the door that chooses among them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless.audio.corpus_files import SEX
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.kaldi import read_ark, read_scp, write_ark, write_scp
from stripeless.embeddings.safetensors_file import read_safetensors, write_safetensors
from stripeless.embeddings.torch_file import read_torch_vectors
from stripeless.errors import FileError, InputError, listed, shown
from stripeless.tables import npz, parquet
from stripeless.tables.hdf5 import open_hdf5
from stripeless.tables.text import read_lines
from stripeless.tables.two_columns import read_two_columns, write_two_columns


def stacked(path: Path, pairs: Iterable[tuple[str, NDArray[Any]]]) -> Embeddings:
    """Embeddings from (utterance, vector) pairs, which must all be as long."""
    utterances: list[str] = []
    vectors: list[NDArray[Any]] = []
    for utterance, vector in pairs:
        if vectors and vector.shape != vectors[0].shape:
            raise FileError(
                path, f"{utterance!r} has {vector.size} numbers, but {utterances[0]!r} has {vectors[0].size}"
            )
        utterances.append(utterance)
        vectors.append(vector)
    if not vectors:
        raise FileError(path, "holds no vectors")
    return Embeddings(np.stack(vectors), tuple(utterances))


def read_kaldi(path: Path) -> Embeddings:
    return stacked(path, read_scp(path) if path.suffix.lower() == ".scp" else read_ark(path))


def write_kaldi(path: Path, embeddings: Embeddings, *, text: bool) -> None:
    archive, script = path.with_suffix(".ark"), path.with_suffix(".scp")
    offsets = write_ark(archive, embeddings.utterances, embeddings.vectors, text=text)
    write_scp(script, embeddings.utterances, archive.name, offsets)
    if embeddings.speakers is not None:
        write_two_columns(
            path.with_suffix(".utt2spk"), dict(zip(embeddings.utterances, embeddings.speakers, strict=True))
        )
        if embeddings.sex is not None:
            known = {name: sex for name, sex in zip(embeddings.speakers, embeddings.sex, strict=True) if sex}
            write_two_columns(path.with_suffix(".spk2gender"), known)


def read_npz(path: Path) -> Embeddings:
    arrays = npz.read_npz(path)

    def one_of(*names: str) -> NDArray[Any] | None:
        return next((arrays[name] for name in names if name in arrays), None)

    vectors = one_of("vectors", "embeddings", "xvectors")
    utterances = one_of("utterances", "utterance_id", "utts", "ids")
    speakers = one_of("speakers", "speaker_id", "spks")
    if vectors is None or utterances is None:
        raise FileError(path, f"expected the arrays vectors and utterances, got {listed(arrays)}")
    return Embeddings(vectors, _texts(utterances), None if speakers is None else _texts(speakers), _sex(one_of("sex")))


def _labels(embeddings: Embeddings) -> dict[str, tuple[str, ...]]:
    """What is known of each row, by the name that npz and safetensors give it."""
    labels = {name: getattr(embeddings, name) for name in ("utterances", "speakers", "sex")}
    return {name: values for name, values in labels.items() if values is not None}


def write_npz(path: Path, embeddings: Embeddings) -> None:
    npz.write_npz(path, {"vectors": embeddings.vectors, **_labels(embeddings)})


def read_parquet(path: Path) -> Embeddings:
    with parquet.open_parquet(path) as table:
        if "utterance_id" not in table.names or "embedding" not in table.names:
            raise FileError(path, f"expected the columns utterance_id and embedding, got {listed(table.names)}")
        at = {name: column for column, name in enumerate(table.names)}
        utterances, speakers, sex = (
            table.texts(at[name]) if name in at else None for name in ("utterance_id", "speaker_id", "sex")
        )
        return Embeddings(table.vectors(at["embedding"]), utterances or (), speakers, _sex(sex))


def write_parquet(path: Path, embeddings: Embeddings) -> None:
    named = {"utterances": "utterance_id", "speakers": "speaker_id", "sex": "sex"}
    labels = {named[name]: values for name, values in _labels(embeddings).items()}
    parquet.write_parquet(path, {**labels, "embedding": embeddings.vectors})


def read_safetensors_vectors(path: Path) -> Embeddings:
    tensors, metadata = read_safetensors(path)
    if len(tensors) != 1 or next(iter(tensors.values())).ndim != 2:
        return stacked(path, ((name, tensor.reshape(-1)) for name, tensor in tensors.items()))
    vectors = next(iter(tensors.values()))
    ids = path.with_suffix(".ids")
    if "utterances" in metadata:
        names = ("utterances", "speakers", "sex")
        labels = {name: _listed_labels(path, name, metadata[name]) for name in names if name in metadata}
        return Embeddings(vectors, labels["utterances"], labels.get("speakers"), _sex(labels.get("sex")))
    if not ids.is_file():
        raise FileError(path, f"names no utterances; write them to {ids.name} beside it, one a line")
    return Embeddings(vectors, tuple(line.strip().decode() for line in read_lines(ids) if line.strip()))


def write_safetensors_vectors(path: Path, embeddings: Embeddings) -> None:
    metadata = {name: json.dumps(values, ensure_ascii=False) for name, values in _labels(embeddings).items()}
    write_safetensors(path, {"vectors": embeddings.vectors}, metadata)


def _listed_labels(path: Path, name: str, text: str) -> tuple[str, ...]:
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        labels = None
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise FileError(path, f"its {name} are no list of names; write it again")
    return tuple(labels)


def read_hdf5(path: Path) -> Embeddings:
    """One dataset per utterance; the name of one in a group keeps its slashes."""
    with open_hdf5(path) as file:
        found, speakers, sex = [], [], []
        for name, dataset in file.datasets():
            found.append((name, file.values(dataset, name).reshape(-1)))
            speakers.append(file.label(dataset, "speaker"))
            sex.append(file.label(dataset, "sex"))
    vectors = stacked(path, found)
    return Embeddings(vectors.vectors, vectors.utterances, _all_known(speakers), _sex(_all_known(sex)))


def _all_known(labels: list[str | None]) -> tuple[str, ...] | None:
    """A label for every row, or none at all."""
    known = tuple(label for label in labels if label is not None)
    return known if len(known) == len(labels) else None


def write_hdf5(path: Path, embeddings: Embeddings) -> None:
    h5py = need("h5py", "hdf5", "writing HDF5")
    with h5py.File(path, "w", track_order=True) as file:
        for row, utterance in enumerate(embeddings.utterances):
            dataset = file.create_dataset(utterance, data=embeddings.vectors[row], track_times=False)
            if embeddings.speakers is not None:
                dataset.attrs["speaker"] = embeddings.speakers[row]
            if embeddings.sex is not None:
                dataset.attrs["sex"] = embeddings.sex[row]


def read_voiceprivacy(folder: Path) -> Embeddings:
    """Rows are looked up by number: the recipe itself sorts the numbers as text ("10" before "2") when it reloads."""
    for name in ("speaker_vectors.pt", "id2idx"):
        if not (folder / name).is_file():
            raise FileError(folder, f"has no {name}; expected a VoicePrivacy 2024 embedding folder")
    vectors = read_torch_vectors(folder / "speaker_vectors.pt")
    rows = {
        utterance: _row(folder / "id2idx", row, len(vectors))
        for utterance, row in read_two_columns(folder / "id2idx", one_word=True).items()
    }
    speakers = None
    if (folder / "idx2spk").is_file():
        owner = read_two_columns(folder / "idx2spk", one_word=True)
        of_row = {_row(folder / "idx2spk", row, len(vectors)): speaker for row, speaker in owner.items()}
        missing = [u for u, row in rows.items() if row not in of_row]
        if missing:
            raise FileError(folder / "idx2spk", f"has no speaker for {len(missing)} rows, the first is {missing[0]!r}")
        speakers = tuple(of_row[row] for row in rows.values())
    return Embeddings(vectors[list(rows.values())], tuple(rows), speakers)


def _row(path: Path, text: str, rows: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19) or int(text) >= rows:
        raise FileError(path, f"names row {text}, but there are {rows} rows")
    return int(text)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(value.decode() if isinstance(value, bytes) else str(value) for value in np.asarray(values).reshape(-1))


def _sex(values: Any) -> tuple[str, ...] | None:
    return None if values is None else sexes(_texts(values))


def sexes(values: Iterable[str]) -> tuple[str, ...]:
    """f or m, however it was spelled, and the empty text where it is not known.

    >>> sexes(["F", "male", "w", ""])
    ('f', 'm', 'f', '')
    """
    given = tuple(values)
    bad = next((value for value in given if value.strip().lower() not in SEX), None)
    if bad is not None:
        raise InputError(f"sex: expected f or m, got {shown(bad)!r}; an empty text says that it is not known")
    return tuple(SEX[value.strip().lower()] for value in given)
