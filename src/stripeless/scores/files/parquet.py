"""Parquet tables, by their column names, through duckdb."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from stripeless.errors import FileError
from stripeless.scores.check import FloatArray
from stripeless.scores.files.rows import Ids, Rows, compact
from stripeless.scores.files.source import Source
from stripeless.scores.files.tables import numbers_of, rows_of
from stripeless.scores.files.words import check_names


def read_parquet(source: Source) -> Rows:
    """The rows of a parquet file in their order; nothing that the file says becomes part of a query."""
    import duckdb

    try:
        with plain_path(source.path) as path, duckdb.connect() as db:
            return _rows(source.path, path, db)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise FileError(source.path, f"a parquet file that cannot be read ({reason}); write it again") from None


@contextmanager
def plain_path(path: str) -> Iterator[str]:
    """The file under a name that holds none of the signs that duckdb would expand: a link where needed."""
    if not set("*?[]{}") & set(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        link = os.path.join(folder, "scores.parquet")
        os.symlink(os.path.abspath(path), link)
        yield link


def _rows(name: str, path: str, db: Any) -> Rows:
    described = db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
    names = [str(row[0]) for row in described]
    types = [str(row[1]) for row in described]
    roles = check_names(name, names)
    if "score" in roles and types[roles["score"]].startswith(("VARCHAR", "BLOB", "STRUCT", "LIST")):
        column = names[roles["score"]]
        raise FileError(
            name, f"the score column {column!r} holds {types[roles['score']]}, not numbers; convert it first"
        )
    # Columns go by their position: c0, c1, ...; a name from the file never enters the query.
    table = f"read_parquet(?) AS t({', '.join(f'c{i}' for i in range(len(names)))})"
    score = roles.get("score")
    scores = None if score is None else _numbers(name, path, db, table, score, names[score])
    ids = {column: _ids(path, db, table, column) for column in range(len(names)) if column != score}
    if (scores is not None and not scores.size) or any(not column.codes.size for column in ids.values()):
        raise FileError(name, "the table has no rows; write the scores again")
    return rows_of(name, names, roles, scores, ids)


def _numbers(name: str, path: str, db: Any, table: str, column: int, title: str) -> FloatArray:
    fetched = db.execute(f"SELECT CAST(c{column} AS DOUBLE) AS v FROM {table}", [path]).fetchnumpy()["v"]
    return numbers_of(name, np.ma.filled(fetched, np.nan), title)


def _ids(path: str, db: Any, table: str, column: int) -> Ids:
    """The column as numbers into its distinct values; a missing value is the empty text."""
    value = f"coalesce(CAST(c{column} AS VARCHAR), '')"
    names = [row[0] for row in db.execute(f"SELECT DISTINCT {value} FROM {table}", [path]).fetchall()]
    if not names:
        return Ids((), np.zeros(0, dtype=np.int32))
    db.execute("CREATE OR REPLACE TEMP TABLE known AS SELECT unnest(?) AS name", [names])
    db.execute("DROP TYPE IF EXISTS known_id")
    db.execute("CREATE TYPE known_id AS ENUM (SELECT name FROM known)")
    found = db.execute(f"SELECT enum_code(CAST({value} AS known_id)) AS v FROM {table}", [path]).fetchnumpy()["v"]
    order = [row[0] for row in db.execute("SELECT unnest(enum_range(NULL::known_id))::VARCHAR").fetchall()]
    return compact(Ids(tuple(order), np.asarray(found).astype(np.int32)))
