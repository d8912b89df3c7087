"""BOSARIS HDF5: a matrix of scores, models by segments, and which of its cells are trials.

Three dialects of the same idea are in use. The row and column names are `ID/row_ids` and `ID/column_ids` (BOSARIS and
hyperion), `modelset` and `segset` (SIDEKIT), or `model_names` and `test_names` (PyBOSARIS). A key is `trial_mask`
(+1 target, -1 nontarget, 0 no trial), or a pair of masks.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, NotANumber, listed, shown
from stripeless.scores.files.rows import Ids, Rows, compact, decode_name
from stripeless.scores.files.source import Source
from stripeless.tables.hdf5 import Hdf5File, open_hdf5

NAMES = (("ID/row_ids", "ID/column_ids"), ("modelset", "segset"), ("model_names", "test_names"))
SCORES = ("scores", "score_mat", "scoremat")
SCORE_MASK = ("score_mask", "scoremask")
TARGET_MASK = ("tar", "tar_mask")
NONTARGET_MASK = ("non", "non_mask")
TRIAL_MASK = ("trial_mask", "trialmask")


def read_hdf5(source: Source) -> Rows:
    """The cells that are trials, model by model; scores, labels, or both."""
    with open_hdf5(source.path) as file:
        return _rows(source.path, file)


def _rows(path: str, file: Hdf5File) -> Rows:
    models, segments = _names(path, file)
    shape = len(models), len(segments)
    scores = _matrix(path, file, SCORES, shape)
    labels, is_trial = _key(path, file, shape)
    if scores is None and labels is None:
        raise FileError(path, f"neither scores nor a key; the contents are {_contents(file)}: expected a score matrix")
    used = _used(path, file, scores, is_trial, shape)
    rows, columns = np.nonzero(used)
    if not rows.size:
        raise FileError(path, "no cell of its matrix is a trial; check the mask")
    if scores is not None:
        _check_numbers(path, scores, used, models, segments)
    return Rows(
        path,
        scores=None if scores is None else scores[used].astype(np.float64),
        labels=None if labels is None else labels[used],
        enrollment=compact(Ids(models, rows.astype(np.int32))),
        trial=compact(Ids(segments, columns.astype(np.int32))),
    )


def _contents(file: Hdf5File) -> str:
    return listed(sorted(file.names))


def _names(path: str, file: Hdf5File) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for row_name, column_name in NAMES:
        if row_name in file and column_name in file:
            return _strings(path, file, row_name), _strings(path, file, column_name)
    raise FileError(
        path,
        f"no BOSARIS layout; the contents are {_contents(file)}: expected names of models and segments "
        "(ID/row_ids, modelset or model_names)",
    )


def _strings(path: str, file: Hdf5File, place: str) -> tuple[str, ...]:
    values = file[place].ravel().tolist()
    names = tuple(decode_name(v.rstrip(b"\0"), path) if isinstance(v, bytes) else str(v) for v in values)
    if len(set(names)) != len(names):
        twice = next(name for name, rows in Counter(names).items() if rows > 1)
        raise FileError(path, f"the id {shown(twice)} stands for two rows of {place}; ids must be unique")
    return names


def _matrix(path: str, file: Hdf5File, names: tuple[str, ...], shape: tuple[int, int]) -> NDArray[Any] | None:
    for name in names:
        if name in file:
            matrix = file[name]
            if matrix.shape != shape:
                raise FileError(
                    path, f"{name} has the shape {matrix.shape}, but the ids call for {shape}; write the file again"
                )
            return matrix
    return None


def _key(
    path: str, file: Hdf5File, shape: tuple[int, int]
) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
    """Which cells are targets, and which are trials at all."""
    target, nontarget = _matrix(path, file, TARGET_MASK, shape), _matrix(path, file, NONTARGET_MASK, shape)
    if target is not None and nontarget is not None:
        both = target.astype(bool) & nontarget.astype(bool)
        if both.any():
            raise FileError(path, f"{int(both.sum())} cells are target and nontarget at once; correct the masks")
        return target.astype(bool), target.astype(bool) | nontarget.astype(bool)
    mask = _matrix(path, file, TRIAL_MASK, shape)
    if mask is None:
        return None, None
    signed = mask.astype(np.int8)
    if not (signed < 0).any() and "file_format" not in file:
        return None, signed != 0  # a list of trials without their classes
    return signed > 0, signed != 0


def _used(
    path: str, file: Hdf5File, scores: NDArray[Any] | None, is_trial: NDArray[np.bool_] | None, shape: tuple[int, int]
) -> NDArray[np.bool_]:
    mask = _matrix(path, file, SCORE_MASK, shape)
    used = np.ones(shape, dtype=bool) if mask is None else mask.astype(bool)
    if is_trial is not None:
        used = is_trial if scores is None else used & is_trial
    return used


def _check_numbers(
    path: str, scores: NDArray[Any], used: NDArray[np.bool_], models: tuple[str, ...], segments: tuple[str, ...]
) -> None:
    if scores.dtype.kind not in "fiu":
        raise NotANumber(f"{path}: expected a matrix of numbers, got values of type {scores.dtype}; write it again")
    bad = np.argwhere(np.isnan(scores) & used)
    if len(bad):
        row, column = bad[0]
        raise NotANumber(
            f"{path}: the score of {shown(models[row])} {shown(segments[column])} is NaN; find out why the comparison failed, "
            "or take the cell out of the score mask"
        )
