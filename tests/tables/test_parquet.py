"""Parquet: the rows of the file that was named, whatever its name looks like."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings, write_embeddings
from stripeless.errors import FileError, MissingExtra
from stripeless.scores.files import read_scores, write_scores
from stripeless.scores.files.chunks import score_chunks
from stripeless.tables.parquet import open_parquet, write_parquet

duckdb = pytest.importorskip("duckdb")

NAMES = [
    "e[1].parquet",
    "*.parquet",
    "e?.parquet",
    "{e1,e2}.parquet",
    "it's.parquet",
    '"q".parquet',
    "a\\b.parquet",
    "score=7/s.parquet",
]


def write_query(path: Path, query: str) -> Path:
    with duckdb.connect() as connection:
        connection.sql(query).write_parquet(str(path))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_just_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    write_parquet(tmp_path / "e1.parquet", {"score": [9.0]})
    write_parquet(tmp_path / "decoy.parquet", {"score": [8.0]})
    write_parquet(tmp_path / name, {"score": [1.0, 2.0]})
    with open_parquet(tmp_path / name) as table:
        assert table.numbers(0).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("part", "name"), [("plain", "e[1]"), ("score=7", "s"), ("utterance_id=x", "s")])
def test_one_reader_serves_embeddings_scores_and_scores_in_pieces(tmp_path: Path, part: str, name: str) -> None:
    """duckdb by itself reads e1 when it is asked for e[1], and 7 for every score below a folder `score=7`."""
    folder = tmp_path / part
    folder.mkdir()
    vectors = Embeddings(np.eye(2), ("a-1", "b-1"), ("a", "b"))
    write_embeddings(folder / "e1.parquet", Embeddings(np.eye(2)[::-1], ("c-1", "d-1"), ("c", "d")))
    write_embeddings(folder / f"{name}.parquet", vectors)
    read = read_embeddings(folder / f"{name}.parquet")
    assert (read.utterances, read.speakers) == (vectors.utterances, vectors.speakers)
    np.testing.assert_array_equal(read.vectors, vectors.vectors)
    write_scores(folder / "s1.parquet", [5.0, 6.0], [1, 0])
    write_scores(folder / f"{name}.parquet", [1.5, 0.5], [1, 0])
    scores = read_scores(folder / f"{name}.parquet")
    assert (scores.target.tolist(), scores.nontarget.tolist(), list(scores.columns)) == ([1.5], [0.5], [])
    ((values, target),) = score_chunks(str(folder / f"{name}.parquet"))
    assert (values.tolist(), target.tolist()) == ([1.5, 0.5], [True, False])


def test_a_relative_name_and_one_that_looks_like_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    write_parquet("s3:/bucket/x.parquet", {"score": [1.0]})
    with open_parquet("s3://bucket/x.parquet") as table:
        assert table.numbers(0).tolist() == [1.0]


def test_no_extension_is_loaded_or_fetched(tmp_path: Path) -> None:
    write_parquet(tmp_path / "x.parquet", {"score": [1.0]})
    asked = "SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%known_extensions'"
    with open_parquet(tmp_path / "x.parquet") as table:
        found = dict(table.connection.execute(asked).fetchall())
    assert found == {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@pytest.mark.parametrize("name", ["x.parquet", "x[1].parquet", "it's.parquet"])
def test_no_other_file_can_be_opened(tmp_path: Path, name: str) -> None:
    for file in (name, "x1.parquet", "other.parquet"):
        write_parquet(tmp_path / file, {"score": [1.0 if file == name else 9.0]})
    with open_parquet(tmp_path / name) as table:
        assert table.numbers(0).tolist() == [1.0]
        for query in (
            f"SELECT * FROM read_parquet('{tmp_path}/other.parquet')",
            f"SELECT * FROM read_parquet('{tmp_path}/*.parquet')",
            "SELECT * FROM read_text('/etc/hosts')",
            f"COPY t TO '{tmp_path}/out.parquet'",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(duckdb.Error):
                table.connection.execute(query).fetchall()
    assert {path.name for path in tmp_path.iterdir()} == {name, "x1.parquet", "other.parquet"}


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    vectors = np.arange(6, dtype=np.float32).reshape(2, 3)
    columns = {'odd "; name': ["ü", "a, b"], "number": np.array([0.1, -np.inf]), "whole": [1, 2], "vector": vectors}
    write_parquet(tmp_path / "x.parquet", columns)
    with open_parquet(tmp_path / "x.parquet", numbered=True) as table:
        assert table.names == tuple(columns)
        assert len(table) == 2
        assert table.texts(0) == ("ü", "a, b")
        assert table.numbers(1).tolist() == [0.1, -np.inf]
        assert table.numbers(2).tolist() == [1.0, 2.0]
        assert table.vectors(3).dtype == np.float32
        np.testing.assert_array_equal(table.vectors(3), vectors)
        assert table.fetch("SELECT row AS r FROM t")["r"].tolist() == [0, 1]


def test_order_holds_over_many_rows(tmp_path: Path) -> None:
    names = [f"u{i % 977}" for i in range(300_000)]
    write_parquet(tmp_path / "x.parquet", {"id": names, "score": np.arange(300_000.0)})
    with open_parquet(tmp_path / "x.parquet") as table:
        assert table.texts(0) == tuple(names)
        assert (np.diff(table.numbers(1)) == 1).all()


def test_ids_are_numbered_in_order_of_appearance_as_in_text(tmp_path: Path) -> None:
    ids = [f"u{i * 7919 % 5000}" for i in range(5000)]
    values, labels = np.arange(5000.0), np.arange(5000) % 2 == 0
    for name in ("s.csv", "s.parquet"):
        write_scores(tmp_path / name, values, labels, enrollment=ids, trial=ids)
    text, table = (read_scores(tmp_path / name) for name in ("s.csv", "s.parquet"))
    assert text.trial_digest == table.trial_digest


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT unnest(['a', NULL]) AS utterance_id, [1.0] AS embedding", "column utterance_id is empty in row 2"),
        (
            "SELECT 'a' AS utterance_id, 'x' AS embedding",
            "expected vectors of numbers .* none of them empty; got VARCHAR",
        ),
        ("SELECT 'a' AS utterance_id, ['x'] AS embedding", r"expected vectors of numbers .*; got VARCHAR\[\]"),
        (
            "SELECT 'a' AS utterance_id, [[1.0]] AS embedding",
            r"expected vectors of numbers .*; got DECIMAL\(2,1\)\[\]\[\]",
        ),
        (
            "SELECT 'a' AS utterance_id, [1.0, NULL] AS embedding",
            "numbers in the column embedding, all as long, none of them empty",
        ),
        (
            "SELECT unnest(['a', 'b']) AS utterance_id, unnest([[1], [2, 3]]) AS embedding",
            r"all as long, none of them empty; got INTEGER\[\] of 1 to 2",
        ),
        ("SELECT unnest(['a', 'b', 'c']) AS utterance_id, unnest([[1], NULL, [2]]) AS embedding", "none of them empty"),
        ("SELECT unnest(['a', 'b']) AS utterance_id, unnest([[1, 2], NULL]) AS embedding", "none of them empty"),
        ("SELECT 'a' AS utterance_id WHERE false", "expected the columns utterance_id and embedding, got utterance_id"),
    ],
)
def test_columns_that_are_no_embeddings(tmp_path: Path, query: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        read_embeddings(write_query(tmp_path / "x.parquet", query))


def test_broken_missing_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(FileError, match=r"x\.parquet: a parquet file that cannot be read .* write it again"):
        read_scores(tmp_path / "x.parquet")
    with (
        pytest.raises(FileError, match=r"y\.parquet: there is no such file; check the path"),
        open_parquet(tmp_path / "y.parquet"),
    ):
        pass
    write_query(tmp_path / "z.parquet", "SELECT 1.0 AS score, 'a' AS label WHERE false")
    with pytest.raises(FileError, match="the table has no rows"):
        read_scores(tmp_path / "z.parquet")


def test_without_duckdb_the_message_is_the_pip_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scores(tmp_path / "s.parquet", [1.0, 0.0], [1, 0])
    monkeypatch.setitem(sys.modules, "duckdb", None)
    line = r"needs duckdb, which is not installed: pip install 'stripeless\[parquet\]'"
    with pytest.raises(MissingExtra, match=rf"reading .*s\.parquet {line}"):
        read_scores(tmp_path / "s.parquet")
    with pytest.raises(MissingExtra, match=rf"writing .* {line}"):
        write_scores(tmp_path / "t.parquet", [1.0], [True])
    with pytest.raises(MissingExtra, match=line):
        write_embeddings(tmp_path / "e.parquet", Embeddings(np.eye(2), ("a", "b")))
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]
