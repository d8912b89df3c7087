"""Pieces of other packages that are relied on: where one is gone, a sentence says so, and not a wrong result or a broken file."""

from __future__ import annotations

from pathlib import Path

import pytest

from stripeless.errors import MissingExtra


def test_this_starlette_has_what_the_page_relies_on() -> None:
    pytest.importorskip("fastapi")
    from stripeless.web.relied import check_starlette

    check_starlette()


def test_a_starlette_without_it_is_named_before_anybody_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi")
    pytest.importorskip("multipart")
    from starlette.formparsers import MultiPartParser
    from starlette.requests import Request

    from stripeless.web.app import create_app

    with monkeypatch.context() as patch:
        patch.delattr(MultiPartParser, "spool_max_size")
        with pytest.raises(
            MissingExtra, match=r"relies on MultiPartParser\.spool_max_size, which starlette [0-9.]+ does not have"
        ):
            create_app()
    monkeypatch.setattr(Request, "form", lambda self: None)
    with pytest.raises(MissingExtra, match=r"relies on Request\.form\(max_files=, max_fields=\)"):
        create_app()


def test_a_uvicorn_whose_connections_are_made_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    auto = pytest.importorskip("uvicorn.protocols.http.auto")
    from stripeless.web.relied import check_uvicorn

    check_uvicorn()
    name = auto.AutoHTTPProtocol.__name__

    def make(self: object) -> None:
        pass

    with monkeypatch.context() as patch:
        patch.setattr(auto.AutoHTTPProtocol, "__init__", make)
        with pytest.raises(MissingExtra, match=rf"relies on {name}\.cycle, which uvicorn [0-9.]+ does not have"):
            check_uvicorn()
    monkeypatch.delattr(auto.AutoHTTPProtocol, "pause_writing")
    with pytest.raises(MissingExtra, match=rf"relies on {name}\.pause_writing"):
        check_uvicorn()


@pytest.mark.parametrize("gone", ["setting", "parameter"])
def test_a_duckdb_without_it_is_named_and_the_file_is_not_blamed(
    gone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    from stripeless.tables import parquet

    parquet.write_parquet(tmp_path / "x.parquet", {"a": [1.0, 2.0]})
    said = {
        "setting": "Invalid Input Error: The following options were not recognized: autoload_known_extensions",
        "parameter": 'Binder Error: Invalid named parameter "hive_partitioning" for function read_parquet',
    }[gone]

    def fail(*arguments: object, **more: object) -> object:
        raise duckdb.Error(said)

    monkeypatch.setattr(duckdb, "connect", fail)
    with (
        pytest.raises(MissingExtra, match=rf"which duckdb {duckdb.__version__} does not have; pip install"),
        parquet.open_parquet(tmp_path / "x.parquet"),
    ):
        pass


def test_a_broken_file_is_still_blamed(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    from stripeless.errors import FileError
    from stripeless.tables.parquet import open_parquet

    (tmp_path / "x.parquet").write_bytes(b"PAR1hive_partitioningPAR1")
    with pytest.raises(FileError, match="a parquet file that cannot be read"), open_parquet(tmp_path / "x.parquet"):
        pass
