"""Which score belongs to which trial, by both ids, exactly.

Where the ids are few against the rows, a table with one cell for every pair of ids finds each row's partner in one
step; else the scores are sorted and searched. Lists in the same order need neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, TrialMismatch
from stripeless.scores.check import IntArray
from stripeless.scores.files.rows import Ids, Rows
from stripeless.scores.trials import Codes, MissingTrials


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """For each trial the row of its score, -1 where it has none. `rows` is None where row i belongs to trial i."""

    rows: NDArray[np.int32] | None
    missing: MissingTrials


def check_unique(rows: Rows, what: str) -> None:
    """Refuse a list that names a trial twice: which of its scores counts would be a guess."""
    if rows.enrollment is None or rows.trial is None:
        return
    keys = _keys(rows.enrollment.codes, rows.trial.codes, len(rows.trial.names))
    repeated = _repeats(keys, len(rows.enrollment.names) * len(rows.trial.names))
    if repeated:
        _report_repeated(rows, keys, repeated, what)


def last_of_each(trials: Rows) -> tuple[NDArray[np.bool_] | None, str]:
    """Which trials count where some are listed as target and as nontarget: of each pair the last, as in the challenges.

    Returns:
        A mask of the trials and a sentence that says what was found; None and the empty text where nothing contradicts.
    """
    if trials.enrollment is None or trials.trial is None or trials.labels is None:
        return None, ""
    keys = _keys(trials.enrollment.codes, trials.trial.codes, len(trials.trial.names))
    if not _repeats(keys, len(trials.enrollment.names) * len(trials.trial.names)):
        return None, ""
    pairs, place = np.unique(keys, return_inverse=True)
    targets = np.bincount(place, trials.labels)
    torn = (targets > 0) & (targets < np.bincount(place))
    if not torn.any():
        return None, ""
    keep = np.zeros(keys.size, dtype=bool)
    keep[keys.size - 1 - np.unique(keys[::-1], return_index=True)[1]] = True
    row = int(np.argmax(torn[place] & keep))
    said = f"{int(torn.sum())} pairs are listed as target and as nontarget in {trials.path}, such as {trials.key(row)}"
    dropped = int(keys.size - pairs.size)
    return keep, f"{said}; the last line of each pair counts, so {dropped} of {keys.size} lines are left out"


def _repeats(keys: IntArray, cells: int) -> int:
    """How many keys stand there again."""
    if cells <= 4 * keys.size + 1000:
        seen = np.zeros(cells, dtype=bool)
        seen[keys] = True
        return keys.size - int(np.count_nonzero(seen))
    ordered = np.sort(keys)
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _report_repeated(rows: Rows, keys: IntArray, repeated: int, what: str) -> None:
    _, first = np.unique(keys, return_index=True)
    again = np.ones(keys.size, dtype=bool)
    again[first] = False
    row = int(np.argmax(again))
    more = "" if repeated == 1 else f" (the first of {repeated} such {what}s)"
    torn = _contradicted(rows, keys)
    if torn:
        pairs = "that pair is" if torn == 1 else f"{torn} pairs are"
        more += f", and {pairs} target in one line and nontarget in another"
    raise FileError(rows.path, f"a second {what} for {rows.key(row)}{more}; keep one of them", line=rows.line(row))


def _contradicted(rows: Rows, keys: IntArray) -> int:
    """How many pairs are listed as target and as nontarget."""
    if rows.labels is None:
        return 0
    return int(np.intersect1d(keys[rows.labels], keys[~rows.labels]).size)


def match(trials: Rows, scores: Rows, allow_missing: bool) -> JoinedRows:
    """Find the score of every trial, or say which trials and scores have no partner."""
    assert trials.enrollment is not None
    assert trials.trial is not None
    assert scores.enrollment is not None
    assert scores.trial is not None
    check_unique(trials, "trial")
    enrollment = _translated(scores.enrollment, trials.enrollment)
    trial = _translated(scores.trial, trials.trial)
    if _equal(enrollment, trials.enrollment.codes) and _equal(trial, trials.trial.codes):
        return JoinedRows(None, MissingTrials())
    check_unique(scores, "score")
    width = len(trials.trial.names)
    asked = _keys(trials.enrollment.codes, trials.trial.codes, width)
    given = _keys(enrollment, trial, width)
    del enrollment, trial
    rows = _lookup(asked, given, len(trials.enrollment.names) * width)
    unused = given.size - int(np.count_nonzero(rows >= 0))
    missing = _missing(trials, rows, unused)
    if missing.any and not allow_missing:
        raise TrialMismatch(_mismatch(trials, scores, rows, unused))
    return JoinedRows(rows, missing)


def _translated(ids: Ids, into: Ids) -> Codes:
    """The codes of `ids` in the numbering of `into`, -1 for names it does not have."""
    if ids.names == into.names:
        return ids.codes
    number = {name: code for code, name in enumerate(into.names)}
    return np.array([number.get(name, -1) for name in ids.names], dtype=np.int32)[ids.codes]


def _equal(a: Codes, b: Codes) -> bool:
    return a.size == b.size and bool(np.array_equal(a, b))


def _keys(enrollment: Codes, trial: Codes, width: int) -> IntArray:
    """One number per pair of ids; -1 where either is not known."""
    keys = enrollment.astype(np.int64)
    keys *= width
    keys += trial
    if enrollment.min() < 0 or trial.min() < 0:
        keys[(enrollment < 0) | (trial < 0)] = -1
    return keys


def _lookup(asked: IntArray, given: IntArray, cells: int) -> NDArray[np.int32]:
    if cells <= 4 * (asked.size + given.size) + 1000:
        table = np.full(cells + 1, -1, dtype=np.int32)  # the last cell, -1, takes scores of unknown ids
        table[given] = np.arange(given.size, dtype=np.int32)
        return table[asked]
    order = np.argsort(given).astype(np.int32)
    place = np.searchsorted(given, asked, sorter=order)
    place[place == given.size] = 0
    rows = order[place]
    rows[given[rows] != asked] = -1
    return rows


def _missing(trials: Rows, rows: NDArray[np.int32], unused: int) -> MissingTrials:
    assert trials.labels is not None
    without = rows < 0
    targets = int(np.count_nonzero(without & trials.labels))
    return MissingTrials(targets, int(np.count_nonzero(without)) - targets, unused)


def _mismatch(trials: Rows, scores: Rows, rows: NDArray[np.int32], unused: int) -> str:
    """One sentence: how many have no partner, the first three by name."""
    parts = []
    without = np.flatnonzero(rows < 0)
    if without.size:
        parts.append(
            f"{without.size} of {rows.size} trials in {trials.path} have no score in {scores.path} "
            f"({_named(trials, without)})"
        )
    if unused:
        assert scores.scores is not None
        free = np.ones(scores.scores.size, dtype=bool)
        free[rows[rows >= 0]] = False
        left = np.flatnonzero(free)
        parts.append(
            f"{left.size} of {free.size} scores in {scores.path} belong to no trial in {trials.path} "
            f"({_named(scores, left)})"
        )
    way_out = "give the lists that belong together, or leave these out with --allow-missing (allow_missing=True)"
    return f"{' and '.join(parts)}; {way_out}"


def _named(rows: Rows, which: IntArray) -> str:
    shown = ", ".join(
        rows.key(row) + ("" if rows.line(row) is None else f" in line {rows.line(row)}") for row in which[:3].tolist()
    )
    return shown + (", ..." if which.size > 3 else "")
