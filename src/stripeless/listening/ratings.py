"""Ratings of a listening test: who heard what, and what they said on a scale from 1 to 10."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, InputError, listed
from stripeless.scores.check import FloatArray
from stripeless.tables.delimited import harmless, meant, read_csv
from stripeless.tables.inputs import InputFile, sha256_of

Texts: TypeAlias = NDArray[np.str_]
Flags: TypeAlias = NDArray[np.bool_]

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)
QUESTIONS = ("naturalness", "intelligibility", "similarity")
ORIGINAL = "original"

# What people call the columns; the first name is ours.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "listener": ("listener", "evaluator", "subject", "participant", "rater", "listener_id"),
    "stimulus": ("stimulus", "utterance", "audio", "file", "sample", "utt", "stimulus_id"),
    "system": ("system", "anonymizer", "method", "submission"),
    "trial": ("trial", "target", "target/nontarget", "class", "label", "speaker_type"),
    "speech": ("speech", "original/anonymized", "original/anonymised", "condition", "anonymized", "anonymised"),
    "dataset": ("dataset", "data set", "data", "corpus"),
    "sex": ("sex", "gender"),
}
_TARGET = {"target": True, "tar": True, "same": True, "mated": True, "1": True, "true": True, "nontarget": False,
           "non-target": False, "non-tar": False, "nontar": False, "non": False, "different": False, "impostor": False,
           "0": False, "false": False}  # fmt: skip
_ANONYMIZED = {"anonymized": True, "anonymised": True, "anon": True, "a": True, "1": True, "true": True,
               "original": False, "orig": False, "o": False, "natural": False, "0": False, "false": False}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers of a listening test: one row per rating event.

    Attributes:
        listener: who answered, one name per row.
        stimulus: which recording was heard.
        system: the anonymizer it went through; "original" for speech that went through none.
        target: whether the speech is of the enrolled speaker.
        anonymized: whether the speech went through `system`.
        scores: for each question the answer of each row, NaN where it was not answered.
        columns: further labels of the rows, such as the data set, by their names.
        scale: lowest and highest answer possible.
        inputs: the file that was read, with its SHA-256.
    """

    listener: Texts
    stimulus: Texts
    system: Texts
    target: Flags
    anonymized: Flags
    scores: Mapping[str, FloatArray]
    columns: Mapping[str, Texts] = field(default_factory=dict)
    scale: tuple[float, float] = (1.0, 10.0)
    inputs: tuple[InputFile, ...] = ()

    def __post_init__(self) -> None:
        size = self.listener.size
        if not size:
            raise InputError("ratings: empty; there is nothing to analyze")
        for name, values in {**vars(self), **self.scores, **self.columns}.items():
            if isinstance(values, np.ndarray) and values.shape != (size,):
                raise InputError(f"{name}: {values.size} values for {size} ratings")

    @property
    def systems(self) -> tuple[str, ...]:
        """The anonymizers, in alphabetical order."""
        return tuple(str(name) for name in np.unique(self.system[self.anonymized]))

    def take(self, rows: Flags) -> Ratings:
        """Only these `rows`: one truth value per row."""
        rowed = ("listener", "stimulus", "system", "target", "anonymized")
        taken: dict[str, Any] = {name: getattr(self, name)[rows] for name in rowed}
        for name in ("scores", "columns"):
            taken[name] = {key: values[rows] for key, values in getattr(self, name).items()}
        return replace(self, **taken)


def read_ratings(path: str | PathLike[str], *, scale: tuple[float, float] = (1.0, 10.0)) -> Ratings:
    """Ratings from a CSV file with a header; commas, semicolons or tabs.

    Needs the columns listener, stimulus, system, trial (target or nontarget), speech (original or anonymized) and at
    least one of naturalness, intelligibility, similarity. An empty cell is a question that was not answered.

    Parameters:
        path: the CSV file, in UTF-8.
        scale: lowest and highest answer possible; answers beyond are an error.
    Returns:
        The ratings, row by row.
    """
    table = read_csv(path)
    columns = _find_columns(path, table.names)
    questions = [name for name in QUESTIONS if name in table.names]
    if not questions:
        raise FileError(path, f"has none of the columns {', '.join(QUESTIONS)}; at least one question is needed", 1)
    if not table.rows:
        raise FileError(path, "has a header and no ratings")
    texts: dict[str, list[str]] = {name: [] for name in columns}
    flags: dict[str, list[bool]] = {"target": [], "anonymized": []}
    scores: dict[str, list[float]] = {name: [] for name in questions}
    for line, row in table.records():
        said = {name: meant(row[column]) for name, column in columns.items()}
        for flag, yes in zip(flags.values(), _parse(path, line, said), strict=True):
            flag.append(yes)
        for name, value in said.items():
            texts[name].append(value)
        for name, answers in scores.items():
            answers.append(_score(path, line, name, row[name], scale))
    found = {name: np.array(values, dtype=np.str_) for name, values in texts.items()}
    return Ratings(
        found["listener"],
        found["stimulus"],
        found["system"],
        np.array(flags["target"]),
        np.array(flags["anonymized"]),
        {name: np.array(values) for name, values in scores.items()},
        {name: found[name] for name in ("dataset", "sex") if name in found},
        scale,
        (InputFile(str(path), sha256_of(os.fspath(path))),),
    )


def _find_columns(path: str | PathLike[str], header: Sequence[str]) -> dict[str, str]:
    """The column of each of our names."""
    found = {name: [column for column in synonyms if column in header] for name, synonyms in _COLUMNS.items()}
    absent = next((name for name, columns in found.items() if not columns and name not in ("dataset", "sex")), None)
    if absent is not None:
        raise FileError(
            path,
            f"has no column {absent!r}; expected listener, stimulus, system, trial (target or nontarget), speech "
            f"(original or anonymized) and ratings, got {listed(header)}",
            1,
        )
    return {name: columns[0] for name, columns in found.items() if columns}


def _parse(path: str | PathLike[str], line: int, said: dict[str, str]) -> tuple[bool, bool]:
    """Whether a row is of the target, and of anonymized speech; original speech gets its system."""
    target, anonymized = _TARGET.get(said["trial"].lower()), _ANONYMIZED.get(said["speech"].lower())
    if target is None:
        raise FileError(path, f"trial: expected target or nontarget, got {said['trial']!r}", line)
    if anonymized is None:
        raise FileError(path, f"speech: expected original or anonymized, got {said['speech']!r}", line)
    if not anonymized:
        said["system"] = ORIGINAL
    for name in ("listener", "stimulus", "system"):
        if not said[name]:
            raise FileError(path, f"{name} is empty", line)
    return target, anonymized


def _score(path: str | PathLike[str], line: int, question: str, cell: str, scale: tuple[float, float]) -> float:
    if not cell:
        return float("nan")
    value = (
        float(cell) if _NUMBER.fullmatch(cell) else float("nan")
    )  # float alone takes 1_0 for ten, and digits of any script
    if not scale[0] <= value <= scale[1]:
        asked = f"expected a number from {scale[0]:g} to {scale[1]:g}"
        way_out = "; say what the scale is with --scale (scale=(low, high))" if np.isfinite(value) else ""
        raise FileError(path, f"{question}: {asked}, got {cell!r}{way_out}", line)
    return value


def write_ratings(ratings: Ratings) -> str:
    """The ratings as the text of a CSV file that `read_ratings` understands, and in which no spreadsheet finds a formula."""
    columns: dict[str, Any] = {name: getattr(ratings, name) for name in ("listener", "stimulus", "system")}
    columns["trial"] = np.where(ratings.target, "target", "nontarget")
    columns["speech"] = np.where(ratings.anonymized, "anonymized", "original")
    columns |= ratings.columns
    for name, values in ratings.scores.items():
        columns[name] = ["" if np.isnan(value) else f"{value:g}" for value in values]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([harmless(str(cell)) for cell in row] for row in zip(*columns.values(), strict=True))
    return out.getvalue()
