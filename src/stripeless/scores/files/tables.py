"""Columns into rows, by their roles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, NotANumber
from stripeless.scores.check import FloatArray
from stripeless.scores.files.rows import Ids, Rows
from stripeless.scores.files.words import is_target


def numbers_of(path: str, values: NDArray[np.generic], name: str) -> FloatArray:
    """Scores as doubles, or a sentence that says which is none."""
    if values.dtype.kind not in "fiub":
        raise NotANumber(f"{path}: expected numbers in {name!r}, got values of type {values.dtype}; convert them first")
    scores = values.astype(np.float64)
    bad = np.flatnonzero(np.isnan(scores))
    if bad.size:
        raise NotANumber(
            f"{path}, row {bad[0] + 1}: the score in {name!r} is NaN or missing; find out why the comparison failed, "
            "or leave the trial out"
        )
    return scores


def rows_of(
    path: str,
    names: Sequence[str],
    roles: dict[str, int],
    scores: FloatArray | None,
    ids: dict[int, Ids],
    first_line: int | None = None,
) -> Rows:
    """Rows from the columns of a table, by their roles."""
    by_role = {role: ids[column] for role, column in roles.items() if column in ids}
    labels = by_role.pop("label", None)
    return Rows(
        path,
        first_line,
        scores,
        None if labels is None else labels_of(path, first_line, labels),
        columns={name: ids[at] for at, name in enumerate(names) if name and at in ids and at not in roles.values()},
        titles=tuple(names),
        **by_role,
    )


def labels_of(path: str, first_line: int | None, labels: Ids) -> NDArray[np.bool_]:
    """Labels as truth values; a word that names no class is an error with its line."""
    meaning = [is_target(name) for name in labels.names]
    if None in meaning:
        code = meaning.index(None)
        row = int(np.argmax(labels.codes == code))
        raise FileError(
            path,
            f"unknown label {labels.names[code]!r}; write target or nontarget, or 1 or 0",
            line=None if first_line is None else first_line + row,
        )
    return np.array(meaning, dtype=bool)[labels.codes]
