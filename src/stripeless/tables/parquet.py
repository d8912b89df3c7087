"""Parquet files, through duckdb, an extra: the rows of one file, and nothing else.

The name of a file is just a name: no signs in it stand for other files, and no part of it is taken for a column. duckdb loads
and fetches no extension on its own, and can open no other file. Columns go by their place: c0, c1, ..., so that no name from
the file enters a query.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless._files import refuse_stream
from stripeless.errors import FileError, InputError, MissingExtra, shown
from stripeless.tables.limits import check_unpacked
from stripeless.tables.text import guarded

_GLOB = re.compile(r"([*?\[])")  # in brackets each of these stands for itself
_SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@dataclass(frozen=True)
class ParquetTable:
    """An open file: the names and types of its columns, and its rows as the table `t` for queries."""

    path: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    connection: Any

    def __len__(self) -> int:
        return int(self.connection.execute("SELECT count(*) FROM t").fetchall()[0][0])

    def fetch(self, query: str, parameters: Sequence[Any] = ()) -> dict[str, NDArray[Any]]:
        """The columns that a query asks for; a missing number is NaN."""
        fetched: dict[str, Any] = self.connection.execute(query, list(parameters)).fetchnumpy()
        return {name: np.ma.filled(v, np.nan) if v.dtype.kind == "f" else v for name, v in fetched.items()}

    def numbers(self, column: int) -> NDArray[np.float64]:
        """A column as doubles; a missing value is NaN."""
        return np.asarray(self.fetch(f"SELECT CAST(c{column} AS DOUBLE) AS v FROM t")["v"], dtype=np.float64)

    def codes(self, column: int) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The distinct values of a column as text, in any order, and per row which it is; a missing value is the empty text."""
        value, ask = f"coalesce(CAST(c{column} AS VARCHAR), '')", self.connection.execute
        ask("DROP TYPE IF EXISTS known")
        ask(f"CREATE TYPE known AS ENUM (SELECT DISTINCT {value} FROM t)")
        names = tuple(row[0] for row in ask("SELECT unnest(enum_range(NULL::known))::VARCHAR").fetchall())
        if not names:
            return (), np.zeros(0, dtype=np.int32)
        codes = self.fetch(f"SELECT enum_code(CAST({value} AS known)) AS v FROM t")["v"]
        if np.ma.is_masked(codes):  # a damaged file need not hold the same at each look
            raise FileError(self.path, "a parquet file that contradicts itself; write it again")
        return names, np.asarray(codes, dtype=np.int32)

    def texts(self, column: int) -> tuple[str, ...]:
        """A column as text; a missing value is refused."""
        names, codes = self.codes(column)
        texts = tuple(names[code] for code in codes.tolist())
        if "" in texts:
            name, row = self.names[column], texts.index("") + 1
            raise FileError(self.path, f"the column {name} is empty in row {row}; fill it, or leave the column out")
        return texts

    def vectors(self, column: int) -> NDArray[Any]:
        """A column of lists of numbers, all as long, as the rows of a matrix."""
        value, kind = f"c{column}", self.types[column]
        got = kind
        if kind.endswith("]"):
            measured = f"SELECT count(*), count({value}), min(len({value})), max(len({value})) FROM t"
            rows, present, shortest, longest = self.connection.execute(measured).fetchall()[0]
            got = f"{kind} of {shortest} to {longest}"
            check_unpacked(self.path, 8 * rows * (longest or 0), os.path.getsize(self.path))
            flat: Any = self.connection.execute(f"SELECT unnest({value}) AS v FROM t").fetchnumpy()["v"]
            if present == rows and shortest == longest and flat.dtype.kind in "fiu" and not np.ma.is_masked(flat):
                return np.asarray(flat).reshape(rows, -1)
        expected = f"expected vectors of numbers in the column {self.names[column]}, all as long"
        raise FileError(self.path, f"{expected}, none of them empty; got {got}")


@contextmanager
def open_parquet(path: str | PathLike[str], *, numbered: bool = False) -> Iterator[ParquetTable]:
    """Open a file for questions; what duckdb says of a file that it cannot read becomes one sentence.

    With `numbered` the table `t` has one more column, `row`, which counts from 0.
    """
    name = os.fspath(path)
    duckdb = need("duckdb", "parquet", f"reading {name}")
    refuse_stream(name)
    guarded(name, lambda: open(name, "rb").close())
    try:
        with duckdb.connect(config=_SETTINGS) as connection:
            plain = _GLOB.sub(r"[\1]", os.path.abspath(name))  # the whole path, or it could be an address
            _shut(connection, duckdb, plain, os.path.abspath(name))
            source = f"read_parquet({_text(plain)}, hive_partitioning = false"
            described = connection.execute(f"DESCRIBE SELECT * FROM {source})").fetchall()
            columns = ", ".join([f"c{i}" for i in range(len(described))] + ["row"] * numbered)
            source += ", file_row_number = true)" if numbered else ")"
            connection.execute(f"CREATE TEMP VIEW t({columns}) AS SELECT * FROM {source}")
            names, types = zip(*((str(row[0]), str(row[1])) for row in described), strict=True)
            table = ParquetTable(name, names, types, connection)
            check_unpacked(name, 8 * len(table) * len(names), os.path.getsize(name))
            yield table
    except InputError:
        raise
    except (duckdb.Error, ValueError, RuntimeError, ArithmeticError, MemoryError) as error:
        reason = shown((str(error).splitlines() or ["no reason"])[0])
        _check_engine(duckdb, str(error))
        raise FileError(name, f"a parquet file that cannot be read ({reason}); write it again") from None


def _shut(connection: Any, duckdb: Any, *paths: str) -> None:
    """From here on this connection opens these paths and nothing else, whatever a file or a query asks for.

    duckdb before 1.2 knows no exceptions from having no access: there it is asked for nothing else, and that is all.
    """
    try:
        connection.execute(f"SET allowed_paths = [{', '.join(map(_text, paths))}]")
    except duckdb.CatalogException:
        return
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _check_engine(duckdb: Any, said: str) -> None:
    """Tell a duckdb without what is relied on here from a file that is broken."""
    first = (said.splitlines() or [""])[0]
    gone = next((name for name in (*_SETTINGS, "hive_partitioning", "file_row_number") if name in first), None)
    if gone is not None and re.search("nvalid named parameter|not recognized", first):
        raise MissingExtra(
            f"Reading parquet relies on {gone}, which duckdb {duckdb.__version__} does not have; "
            "pip install --upgrade 'stripeless[parquet]', or an earlier duckdb"
        )


def write_parquet(path: str | PathLike[str], columns: Mapping[str, Any]) -> None:
    """Write columns of one length: numbers, texts, or vectors as the rows of a matrix."""
    duckdb = need("duckdb", "parquet", f"writing {os.fspath(path)}")
    parts: dict[str, NDArray[Any]] = {}
    picked = []
    for name, values in columns.items():
        array, first = np.asarray(values), len(parts)
        parts |= {f"c{first + i}": np.ascontiguousarray(part) for i, part in enumerate(np.atleast_2d(array.T))}
        value = f"[{', '.join(list(parts)[first:])}]" if array.ndim == 2 else f"c{first}"
        picked.append(f'{value} AS "{name.replace(chr(34), chr(34) * 2)}"')
    with duckdb.connect(config=_SETTINGS) as connection:
        connection.register("columns_", parts)
        destination = _text(os.path.abspath(path))
        connection.execute(f"COPY (SELECT {', '.join(picked)} FROM columns_) TO {destination} (FORMAT parquet)")


def _text(value: str) -> str:
    """A text as a literal of SQL."""
    return "'" + value.replace("'", "''") + "'"
