"""Ratings of a listening test: who heard what, and what they said on a scale from 1 to 10."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, InputError
from stripeless.scores.check import FloatArray
from stripeless.scores.files.source import sha256_of
from stripeless.scores.trials import InputFile
from stripeless.tables.delimited import read_csv

Texts: TypeAlias = NDArray[np.str_]
Flags: TypeAlias = NDArray[np.bool_]

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
        return Ratings(
            self.listener[rows],
            self.stimulus[rows],
            self.system[rows],
            self.target[rows],
            self.anonymized[rows],
            {name: values[rows] for name, values in self.scores.items()},
            {name: values[rows] for name, values in self.columns.items()},
            self.scale,
            self.inputs,
        )


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
    header = table.names
    at = _find_columns(path, header)
    questions = {name: header.index(name) for name in QUESTIONS if name in header}
    if not questions:
        raise FileError(path, f"has none of the columns {', '.join(QUESTIONS)}; at least one question is needed", 1)
    parsed = [_parse(path, line, row, at, questions, scale) for line, row in table.rows]
    if not parsed:
        raise FileError(path, "has a header and no ratings")
    return _ratings(parsed, tuple(questions), at, scale, InputFile(str(path), sha256_of(os.fspath(path))))


def _find_columns(path: str | PathLike[str], header: Sequence[str]) -> dict[str, int]:
    at = {}
    for name, synonyms in _COLUMNS.items():
        found = [synonym for synonym in synonyms if synonym in header]
        if found:
            at[name] = header.index(found[0])
        elif name not in ("dataset", "sex"):
            raise FileError(
                path,
                f"has no column {name!r}; expected listener, stimulus, system, trial (target or nontarget), speech "
                f"(original or anonymized) and ratings, got {', '.join(header)}",
                1,
            )
    return at


@dataclass(frozen=True)
class _Row:
    texts: dict[str, str]
    target: bool
    anonymized: bool
    scores: tuple[float, ...]


def _parse(
    path: str | PathLike[str],
    line: int,
    row: Sequence[str],
    at: Mapping[str, int],
    questions: Mapping[str, int],
    scale: tuple[float, float],
) -> _Row:
    texts = {name: row[place] for name, place in at.items()}
    target = _TARGET.get(texts["trial"].lower())
    anonymized = _ANONYMIZED.get(texts["speech"].lower())
    if target is None:
        raise FileError(path, f"trial: expected target or nontarget, got {texts['trial']!r}", line)
    if anonymized is None:
        raise FileError(path, f"speech: expected original or anonymized, got {texts['speech']!r}", line)
    for name in ("listener", "stimulus", "system") if anonymized else ("listener", "stimulus"):
        if not texts[name]:
            raise FileError(path, f"{name} is empty", line)
    if not anonymized:
        texts["system"] = ORIGINAL
    scores = tuple(_score(path, line, question, row[place], scale) for question, place in questions.items())
    return _Row(texts, target, anonymized, scores)


def _score(path: str | PathLike[str], line: int, question: str, cell: str, scale: tuple[float, float]) -> float:
    if not cell:
        return float("nan")
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not scale[0] <= value <= scale[1]:
        raise FileError(path, f"{question}: expected a number from {scale[0]:g} to {scale[1]:g}, got {cell!r}", line)
    return value


def _ratings(
    rows: Sequence[_Row], questions: Sequence[str], at: Mapping[str, int], scale: tuple[float, float], file: InputFile
) -> Ratings:
    def texts(name: str) -> Texts:
        return np.array([row.texts[name] for row in rows], dtype=np.str_)

    scores = np.array([row.scores for row in rows], dtype=np.float64)
    return Ratings(
        texts("listener"),
        texts("stimulus"),
        texts("system"),
        np.array([row.target for row in rows]),
        np.array([row.anonymized for row in rows]),
        {question: scores[:, k] for k, question in enumerate(questions)},
        {name: texts(name) for name in ("dataset", "sex") if name in at},
        scale,
        (file,),
    )


def write_ratings(ratings: Ratings) -> str:
    """The ratings as the text of a CSV file that `read_ratings` understands."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["listener", "stimulus", "system", "trial", "speech", *ratings.columns, *ratings.scores])
    for i in range(ratings.listener.size):
        answers = ["" if np.isnan(values[i]) else f"{values[i]:g}" for values in ratings.scores.values()]
        writer.writerow(
            [
                ratings.listener[i],
                ratings.stimulus[i],
                ratings.system[i],
                "target" if ratings.target[i] else "nontarget",
                "anonymized" if ratings.anonymized[i] else "original",
                *(values[i] for values in ratings.columns.values()),
                *answers,
            ]
        )
    return out.getvalue()
