"""Scores a piece at a time: what `read_scores` reads at once, for files larger than memory.

Only scores and labels are taken; who speaks in a trial is left behind, so intervals over speakers need `read_scores`. Each
file must hold its own labels: matching scores with a separate trial list needs all of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError
from stripeless.scores.check import FloatArray
from stripeless.scores.files.codebook import Codebook
from stripeless.scores.files.layout import recognize
from stripeless.scores.files.parquet import check_type
from stripeless.scores.files.read import read_scores
from stripeless.scores.files.rows import Ids
from stripeless.scores.files.source import Source, open_source
from stripeless.scores.files.tables import labels_of, numbers_of
from stripeless.scores.files.text import all_fields, numbers_in
from stripeless.scores.files.words import check_names
from stripeless.tables.parquet import open_parquet

ROWS = 1 << 20  # rows of a piece
Chunk: TypeAlias = tuple[FloatArray, NDArray[np.bool_]]  # scores, and which of them are targets


def score_chunks(path: str) -> Iterator[Chunk]:
    """Scores and labels of one file, about a million at a time, in no promised order."""
    source = open_source(path)
    if source.kind == "parquet":
        yield from _parquet(source)
    elif source.kind == "text":
        yield from _gathered(_text(source))
    else:  # npz and HDF5 hold whole arrays
        scores = read_scores(path)
        for values, target in ((scores.target, True), (scores.nontarget, False)):
            for start in range(0, values.size, ROWS):
                part = values[start : start + ROWS]
                yield part, np.full(part.size, target)


def _gathered(pieces: Iterator[Chunk]) -> Iterator[Chunk]:
    """Small pieces put together to about ROWS."""
    waiting: list[Chunk] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += piece[0].size
        if size >= ROWS:
            yield _joined(waiting)
            waiting, size = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(pieces: list[Chunk]) -> Chunk:
    return np.concatenate([scores for scores, _ in pieces]), np.concatenate([labels for _, labels in pieces])


def _text(source: Source) -> Iterator[Chunk]:
    layout = recognize(source, "both")
    score, label = layout.roles.get("score"), layout.roles.get("label")
    if score is None or label is None:
        raise FileError(source.path, no_label(score is None))
    book = Codebook()
    for line, fields in all_fields(source, layout):
        codes = book.encode(fields, label)
        labels = labels_of(source.path, line, Ids(book.names(source.path), codes))
        yield numbers_in(source, fields, score, line), labels


def _parquet(source: Source) -> Iterator[Chunk]:
    with open_parquet(source.path, numbered=True) as table:
        roles = check_names(source.path, list(table.names))
        if "score" not in roles or "label" not in roles:
            raise FileError(source.path, no_label("score" not in roles))
        check_type(table, roles["score"])
        score, label = f"CAST(c{roles['score']} AS DOUBLE)", f"coalesce(CAST(c{roles['label']} AS VARCHAR), '')"
        words = table.fetch(f"SELECT DISTINCT {label} AS word FROM t")["word"].tolist()
        meaning = labels_of(source.path, None, Ids(tuple(words), np.arange(len(words), dtype=np.int32)))
        target = [word for word, yes in zip(words, meaning.tolist(), strict=True) if yes]
        query = f"SELECT {score} AS s, list_contains(?, {label}) AS t FROM t WHERE row >= ? AND row < ?"
        for start in range(0, len(table), ROWS):
            piece = table.fetch(query, [target, start, start + ROWS])
            scores = numbers_of(source.path, piece["s"], table.names[roles["score"]])
            yield scores, np.asarray(piece["t"], dtype=bool)


def no_label(no_score: bool) -> str:
    what = "scores" if no_score else "labels"
    return f"no {what} in it; a file that is read in pieces needs a column of scores and one of labels"
