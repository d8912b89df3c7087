"""The papers' tables, recomputed cell by cell: published, ours, difference.

Each table is a function from a data folder to lines; `TABLES` says where it lives, so that only what is asked for is
imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import floor
from pathlib import Path
from typing import Any

from stripeless.errors import InputError
from stripeless.results.reproduction import ReproducedLine, Reproduction


@dataclass(frozen=True)
class PaperTable:
    """Where a table is computed, what it is, and which data folder it needs ("" for none)."""

    module: str
    title: str
    needs: str


TABLES: dict[str, PaperTable] = {
    "scores": PaperTable(
        "stripeless.papers.scores",
        "ZEBRA Fig. 3 and VoicePrivacy 2020 Tables 3, 5, 7: original speech, LibriSpeech test",
        "librispeech-b1",
    ),
    "statements": PaperTable(
        "stripeless.papers.statements",
        "VoicePrivacy 2020: what the text says about Tables 2 to 18, held against those tables",
        "",
    ),
    "srd": PaperTable(
        "stripeless.papers.srd",
        "Similarity rank disclosure, Table II (identities) and Table III (order of the losses, on simulated ranks)",
        "",
    ),
    "invertibility": PaperTable(
        "stripeless.papers.invertibility.reproduce",
        "Champion et al. 2021 Table 2: 22 attacks by rotation, as published and without the leak through the row order",
        "librispeech-b1",
    ),
}


def reproduction(names: Sequence[str], data: str | Path | None = None, *, seed: int = 0) -> Reproduction:
    """The lines of several tables as one result."""
    lines = [ReproducedLine.from_dict({"table": name, **line}) for name in names for line in reproduce(name, data)]
    return Reproduction(tuple(lines), seed)


def reproduce(name: str, data: str | Path | None = None) -> list[dict[str, Any]]:
    """The lines of one table: dicts with at least "what", "published", "ours" and "difference"."""
    if name not in TABLES:
        raise InputError(f"no table {name!r} can be recomputed; choose from {', '.join(TABLES)}")
    table = TABLES[name]
    if table.needs and data is None:
        raise InputError(f"table {name!r} is recomputed from data: give --data with the folder {table.needs}")
    lines: Callable[[Path | None], list[dict[str, Any]]] = import_module(table.module).lines
    return lines(Path(data) if data is not None else None)


def as_printed(ours: float, printed: float, digits: int) -> bool:
    """Is this the printed number, rounded or cut off at its last digit? Papers do both.

    >>> as_printed(0.18351, 0.183, 3), as_printed(0.18351, 0.184, 3), as_printed(0.18351, 0.182, 3)
    (True, True, False)
    """
    return printed in (round(ours, digits), floor(ours * 10**digits) / 10**digits)


def find_folder(data: Path, name: str) -> Path:
    """The folder itself, or the folder of that name inside it."""
    if (data / name).is_dir():
        return data / name
    if data.is_dir():
        return data
    raise InputError(f"{data}: no such folder; give --data with the folder {name}")
