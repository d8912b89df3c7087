"""Parquet tables of scores, by their column names."""

from __future__ import annotations

from stripeless.errors import FileError
from stripeless.scores.files.rows import Ids, Rows, compact
from stripeless.scores.files.source import Source
from stripeless.scores.files.tables import numbers_of, rows_of
from stripeless.scores.files.words import check_names
from stripeless.tables.parquet import ParquetTable, open_parquet


def read_parquet(source: Source) -> Rows:
    """The rows of a parquet file in their order."""
    with open_parquet(source.path) as table:
        roles = check_names(source.path, list(table.names))
        score = roles.get("score")
        if score is not None:
            check_type(table, score)
        if not len(table):
            raise FileError(source.path, "the table has no rows; write the scores again")
        scores = None if score is None else numbers_of(source.path, table.numbers(score), table.names[score])
        others = (column for column in range(len(table.names)) if column != score)
        ids = {column: compact(Ids(*table.codes(column))) for column in others}
        return rows_of(source.path, table.names, roles, scores, ids)


def check_type(table: ParquetTable, column: int) -> None:
    """Refuse a column of scores that holds no numbers."""
    name, kind = table.names[column], table.types[column]
    if kind.startswith(("VARCHAR", "BLOB", "STRUCT", "LIST")) or kind.endswith("]"):
        raise FileError(table.path, f"the score column {name!r} holds {kind}, not numbers; convert it first")
