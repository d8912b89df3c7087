"""Sound files of a kind that no writer of ours makes: columns of odd types, arrays of odd shapes, claims without numbers."""

from __future__ import annotations

import io
import random
from typing import Any

import numpy as np

ROWS = 12
NAMES = (
    "score", "label", "enrollment", "trial", "speaker", "sex", "utterance_id", "embedding", "speaker_id", "vectors", "utterances",
    "target", "nontarget", "scores", "labels", "SCORE", "x", "", "²",
)  # fmt: skip
TEXTS = ("target", "nontarget", "f", "m", "", "a", "a" * 300, "é", "1", "nan", "'=1", "\x1b[2J")
_SQL = (
    "1.5::DOUBLE", "1::INTEGER", "1::TINYINT", "1::UBIGINT", "1::HUGEINT", "1.5::DECIMAL(9,2)", "'nan'::DOUBLE",
    "'inf'::DOUBLE", "true", "NULL",
    "'target'", "'f'", "''", "'a'::BLOB", "'\\xff\\x00'::BLOB", "DATE '2026-01-01'", "TIMESTAMP '2026-01-01 00:00:00'", "INTERVAL 1 DAY",  # noqa: E501
    "'6d3d2e54-0000-0000-0000-000000000000'::UUID", "[1.0, 2.0]", "[1, 2, 3]", "[]", "[NULL]", "[[1.0], [2.0]]", "['a', 'b']",
    "[1.0, 'nan'::DOUBLE]", "[1.5::DECIMAL(4,1)]", "{'a': 1, 'b': 'x'}", "[{'a': 1}]", "MAP {'a': 1}", "TIME '01:02:03'",
    "array_value(1.0::FLOAT, 2.0::FLOAT)", "range(3000)",
)  # fmt: skip


def parquet(draw: random.Random) -> bytes:
    """A table of drawn names and types, some rows, some cells missing."""
    import os
    import tempfile

    import duckdb

    names = draw.sample([name for name in NAMES if name], draw.choice((1, 2, 3, 4, 5)))
    names = list({name.lower(): name for name in names}.values())
    cells = []
    for name in names:
        value, other = draw.choice(_SQL), draw.choice(("NULL", "same", "same", "same"))
        plain = f"CASE WHEN i % 3 = 1 THEN NULL ELSE {value} END" if other == "NULL" else value
        if draw.random() < 0.3:
            plain = draw.choice(
                (
                    f"('s' || (i % {draw.choice((1, 3, 12))})::VARCHAR)",
                    "CASE WHEN i % 2 = 0 THEN 'target' ELSE 'nontarget' END",
                    "i * 0.37",
                )
            )
        cells.append(f'{plain} AS "{name}"')
    packing = draw.choice(("uncompressed", "snappy", "zstd", "gzip"))
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        place = os.path.join(folder, "x")
        rows = draw.choice((0, 1, ROWS, ROWS))
        connection.execute(
            f"COPY (SELECT {', '.join(cells)} FROM range({rows}) AS r(i)) TO '{place}' (FORMAT parquet, COMPRESSION {packing})"
        )
        with open(place, "rb") as file:
            return file.read()


def array(draw: random.Random) -> Any:
    """Numbers, texts, dates or records of some shape."""
    kind = draw.choice(("f8", "f8", "f4", "f2", ">f8", "g", "i8", "u1", "?", "U", "S", "c16", "M8[s]", "V4", "rec"))
    shape = draw.choice(((ROWS,), (ROWS,), (ROWS, 3), (ROWS, 1), (), (0,), (0, 3), (1, ROWS), (ROWS, 2, 2), (1,) * 30))
    if kind in "US":
        flat = np.array([draw.choice(TEXTS) for _ in range(int(np.prod(shape)))], dtype="U300")
        return flat.reshape(shape) if kind == "U" else np.char.encode(flat, "utf-8").reshape(shape)
    if kind == "rec":
        return np.zeros(shape, dtype=[("a", "f8"), ("b", "U3")])
    if kind == "V4":
        return np.zeros(shape, dtype="V4")
    values = np.random.default_rng(draw.getrandbits(32)).normal(size=shape) * draw.choice((1, 1, 1e300, 1e-310))
    values = np.asarray(values)
    if values.ndim and values.size and draw.random() < 0.3:
        values.flat[draw.randrange(values.size)] = draw.choice((np.nan, np.inf, -np.inf))
    with np.errstate(all="ignore"):
        if kind == "M8[s]":
            return np.zeros(shape, dtype="M8[s]")
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return values.astype(kind, order=draw.choice("CF"))


def npz(draw: random.Random) -> bytes:
    """An archive of arrays under names that mean something."""
    out = io.BytesIO()
    names = draw.sample(NAMES, draw.choice((1, 2, 3, 4)))
    save: Any = np.savez if draw.random() < 0.7 else np.savez_compressed
    save(out, **{name or "n": array(draw) for name in names if name != "file"})
    return out.getvalue()


def _h5_value(draw: random.Random, h5py: Any) -> dict[str, Any]:
    kind = draw.randrange(9)
    if kind == 0:
        return {
            "shape": draw.choice(((2**33,), (2**20, 2**20), (10**6,))),
            "dtype": "f8",
            "chunks": True,
        }  # claims, holds nothing
    if kind == 1:
        return {"data": h5py.Empty("f8")}
    if kind == 2:
        return {"data": [draw.choice(TEXTS) for _ in range(ROWS)], "dtype": h5py.string_dtype()}
    if kind == 3:
        return {"data": np.array([np.arange(k) for k in range(3)], dtype=object), "dtype": h5py.vlen_dtype("f8")}
    if kind == 4:
        return {"data": np.zeros((2000, 500)), "compression": "gzip", "compression_opts": 1}  # unpacks to a lot
    if kind == 5:
        return {"data": 1, "dtype": h5py.enum_dtype({"a": 1, "b": 2})}
    if kind == 6:
        return {"shape": (3,), "dtype": h5py.ref_dtype}
    value = array(draw)
    if value.dtype.kind == "U":
        value = np.char.encode(value, "utf-8")
    if value.dtype.kind in "MV" or (value.dtype.kind == "g") or value.dtype.names:
        value = np.zeros((ROWS, 3))
    return {"data": value}


_PLACES = (
    "ID/row_ids", "ID/column_ids", "scores", "score_mask", "trial_mask", "tar", "non", "modelset", "segset",
    "file_format", "model_names",
    "test_names", "u1", "u2", "a/b/c", "vectors",
)  # fmt: skip


def hdf5(draw: random.Random, good: bytes | None = None) -> bytes:
    """A file of drawn datasets; from a good one, with one of its datasets replaced."""
    import h5py

    out = io.BytesIO(good or b"")
    with h5py.File(out, "a" if good else "w") as file:
        for _ in range(draw.choice((1, 1, 2, 4))):
            place = draw.choice([*_PLACES, *_tops(file)])
            try:
                if place in file:
                    del file[place]
                made = file.create_dataset(place, **_h5_value(draw, h5py))
                if draw.random() < 0.4:
                    made.attrs[draw.choice(("speaker", "sex"))] = draw.choice(
                        ("a", 1, np.zeros(3), "é", np.array(["a"], "S1"), h5py.Empty("f8"))
                    )
                if draw.random() < 0.1:
                    file[draw.choice(("link", "x/y"))] = draw.choice(
                        (h5py.SoftLink("/link"), h5py.SoftLink("/"), h5py.ExternalLink("o.h5", "/"), file["/"])
                    )
            except (ValueError, TypeError, OSError, KeyError, RuntimeError):
                continue
    return out.getvalue()


def _tops(file: Any) -> list[str]:
    found: list[str] = []
    file.visit(lambda name: found.append(name) if len(found) < 20 else None)
    return found
