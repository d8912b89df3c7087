"""NumPy archives: `target` and `nontarget`, or `scores` and `labels`, with ids or speakers where there are any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, listed, shown
from stripeless.scores.files.rows import Rows, ids_of
from stripeless.scores.files.source import Source
from stripeless.scores.files.tables import numbers_of, rows_of
from stripeless.scores.files.words import check_names
from stripeless.tables import npz

Arrays = dict[str, NDArray[np.generic]]


def read_npz(source: Source) -> Rows:
    """The rows of an archive, in its order; of two classes, the targets first."""
    arrays: Arrays = npz.read_npz(source.path)
    if "target" in arrays and "nontarget" in arrays:
        arrays = _stacked(source.path, arrays)
    names = list(arrays)
    roles = check_names(source.path, names)
    rows = {array.shape for array in arrays.values()}
    if len(rows) > 1 or len(next(iter(rows))) != 1:
        shapes = listed(f"{shown(name)} {array.shape}" for name, array in arrays.items())
        raise FileError(source.path, f"expected flat arrays of one length, got {shapes}; save one value per trial")
    score = roles.get("score")
    scores = None if score is None else numbers_of(source.path, arrays[names[score]], names[score])
    ids = {column: ids_of(_plain(arrays[name])) for column, name in enumerate(names) if column != score}
    return rows_of(source.path, names, roles, scores, ids)


def _plain(array: NDArray[np.generic]) -> list[object]:
    values = array.tolist()
    return [value.decode("utf-8", "replace") for value in values] if array.dtype.kind == "S" else list(values)


def _stacked(path: str, arrays: Arrays) -> Arrays:
    """Two classes as one list of rows. `target_NAME` and `nontarget_NAME` become the column NAME."""
    target, nontarget = arrays["target"].ravel(), arrays["nontarget"].ravel()
    stacked: Arrays = {
        "score": np.concatenate([numbers_of(path, target, "target"), numbers_of(path, nontarget, "nontarget")]),
        "label": np.concatenate([np.ones(target.size, dtype=bool), np.zeros(nontarget.size, dtype=bool)]),
    }
    for name, array in arrays.items():
        column = name.removeprefix("target_")
        if column != name and f"nontarget_{column}" in arrays:
            stacked[column] = np.concatenate([array.ravel(), arrays[f"nontarget_{column}"].ravel()])
    return stacked
