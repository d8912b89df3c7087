"""One writer per format; each takes the rows and the name of the file to make."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from stripeless._extras import need
from stripeless.errors import InputError
from stripeless.tables.delimited import harmless
from stripeless.tables.npz import write_npz
from stripeless.tables.parquet import write_parquet

if TYPE_CHECKING:
    from stripeless.scores.files.write import Written

HDF5 = (".h5", ".hdf5")


def writer_for(path: str, trials: str | None, data: Written) -> dict[str, Callable[[str], None]]:
    """For each file to write, the function that makes it."""
    gzipped = path.lower().endswith(".gz")
    extension = os.path.splitext(path[:-3] if gzipped else path)[1].lower()
    if gzipped and extension in (".parquet", ".npz", *HDF5):
        raise InputError(f"{path}: {extension} files are not gzipped; leave .gz out")
    if extension in HDF5:
        return _hdf5_jobs(path, trials, data)
    if trials is not None:
        return _kaldi_jobs(path, trials, data)
    if extension in (".csv", ".tsv"):
        return {path: partial(_delimited, data, "," if extension == ".csv" else "\t", gzipped)}
    if extension == ".parquet":
        return {path: partial(_parquet, data)}
    if extension == ".npz":
        return {path: partial(_npz, data)}
    return {path: partial(_lines, _labelled(data), gzipped)}


def _words(data: Written) -> list[str]:
    return ["target" if label else "nontarget" for label in data.labels.tolist()]


def _ids(data: Written, path: str) -> tuple[list[str], list[str]]:
    if data.enrollment is None or data.trial is None:
        raise InputError(f"{path}: this format names the trials; give `enrollment` and `trial` ids")
    return data.enrollment, data.trial


def _kaldi_jobs(path: str, trials: str, data: Written) -> dict[str, Callable[[str], None]]:
    enrollment, trial = _ids(data, path)
    scores = [repr(score) for score in data.scores.tolist()]
    return {
        path: partial(_lines, zip(enrollment, trial, scores, strict=True), path.lower().endswith(".gz")),
        trials: partial(_lines, zip(enrollment, trial, _words(data), strict=True), trials.lower().endswith(".gz")),
    }


def _labelled(data: Written) -> Iterable[tuple[str, ...]]:
    scores = [repr(score) for score in data.scores.tolist()]
    if data.enrollment is None or data.trial is None:
        return zip(scores, _words(data), strict=True)
    return zip(data.enrollment, data.trial, scores, _words(data), strict=True)


def _open(path: str, gzipped: bool) -> IO[str]:
    if gzipped:
        return cast(IO[str], gzip.open(path, "wt", encoding="utf-8", newline=""))
    return open(path, "w", encoding="utf-8", newline="")


def _lines(rows: Iterable[tuple[str, ...]], gzipped: bool, path: str) -> None:
    with _open(path, gzipped) as file:
        for row in rows:
            if any(not field or field.split() != [field] for field in row):
                raise InputError(f"{row!r}: ids in this format may not be empty or hold blanks; write CSV instead")
            file.write(" ".join(row) + "\n")


def _columns(data: Written) -> dict[str, list[Any]]:
    ids = {} if data.enrollment is None else {"enrollment": data.enrollment, "trial": data.trial or []}
    return {**ids, "score": data.scores.tolist(), "label": _words(data), **data.columns}


def _delimited(data: Written, delimiter: str, gzipped: bool, path: str) -> None:
    columns = _columns(data)
    columns["score"] = [repr(score) for score in columns["score"]]
    with _open(path, gzipped) as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(map(harmless, columns))
        texts = (values if name == "score" else map(harmless, values) for name, values in columns.items())
        writer.writerows(zip(*texts, strict=True))


def _npz(data: Written, path: str) -> None:
    write_npz(path, _columns(data))


def _parquet(data: Written, path: str) -> None:
    write_parquet(path, _columns(data))


def _hdf5_jobs(path: str, trials: str | None, data: Written) -> dict[str, Callable[[str], None]]:
    _ids(data, path)
    if trials is None:
        return {path: partial(_hdf5, data, True, True)}
    if os.path.splitext(trials)[1].lower() in HDF5:
        return {path: partial(_hdf5, data, True, False), trials: partial(_hdf5, data, False, True)}
    return {path: partial(_hdf5, data, True, False), trials: _kaldi_jobs(path, trials, data)[trials]}


def _hdf5(data: Written, with_scores: bool, with_key: bool, path: str) -> None:
    """The layout of the BOSARIS toolkit: names of models and segments, a matrix, a mask."""
    h5py = need("h5py", "hdf5", "writing HDF5 scores")
    enrollment, trial = _ids(data, path)
    models, rows = np.unique(np.array(enrollment, dtype=object), return_inverse=True)
    segments, columns = np.unique(np.array(trial, dtype=object), return_inverse=True)
    mask = np.zeros((models.size, segments.size), dtype=np.int8)
    mask[rows, columns] = np.where(data.labels, 1, -1)
    with h5py.File(path, "w") as file:
        file.create_dataset("ID/row_ids", data=[name.encode() for name in models])
        file.create_dataset("ID/column_ids", data=[name.encode() for name in segments])
        if with_key:
            file.create_dataset("trial_mask", data=mask, compression="gzip")
            file.create_dataset("file_format", data="2.0")
        if with_scores:
            matrix = np.zeros(mask.shape)
            matrix[rows, columns] = data.scores
            file.create_dataset("scores", data=matrix)
            file.create_dataset("score_mask", data=np.abs(mask).astype(np.uint8), compression="gzip")
