"""Which recordings are done: what a stopped run goes on from, kept out of the folder that is handed over.

A line says of which samples a recording was made, as a digest: whoever has candidates could confirm by it who is in the data.
So the journal lies in the state folder of this user, closed to everybody else, under the digest of the output folder's path. It
is put in the order of names whenever a run begins or ends; only between a kill and the next run does it show who was fastest.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from stripeless._files import private_folder, read_whole, state_folder, write_whole
from stripeless.errors import FileError

OLD = "done.tsv"  # of 0.1, beside the recordings


@dataclass(frozen=True)
class Entry:
    """One recording that is done: the digest of the samples it was made from, and of the file that was made of them.

    The latter is empty where version 0.1 did the work, which did not write it down.
    """

    source: str
    made: str


@dataclass
class Journal:
    """What is done in one output folder; as a context it takes down what becomes done.

    `mark` stands for all settings, the secret ones too; it is empty where nothing is known of earlier runs.
    """

    path: Path
    folder: Path
    mark: str = ""
    entries: dict[str, Entry] = field(default_factory=dict)
    _file: IO[str] | None = None

    def __enter__(self) -> Journal:
        self.write()
        self._file = open(self.path, "a", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
        self.write()

    def add(self, name: str, entry: Entry) -> None:
        """Take down, at once, that a recording is done."""
        assert self._file is not None
        self.entries[name] = entry
        self._file.write(line_of(name, entry))
        self._file.flush()

    def write(self) -> None:
        """All of it anew, in the order of names."""
        about = json.dumps({"folder": str(self.folder), "mark": self.mark}, sort_keys=True)
        lines = (line_of(name, entry) for name, entry in sorted(self.entries.items()))
        write_whole(self.path, f"{about}\n{''.join(lines)}", private=True)


def line_of(name: str, entry: Entry) -> str:
    """A line of the journal; names hold no white space."""
    return f"{name}\t{entry.source}\t{entry.made}\n"


def read_journal(out: Path, state: str | PathLike[str] | None = None) -> Journal:
    """The journal of an output folder, empty where there is none. Those of folders that were removed are forgotten."""
    folder = Path(os.path.realpath(out))
    place = Path(state_folder() if state is None else state) / "anonymize"
    if Path(os.path.realpath(place)).is_relative_to(folder):
        raise FileError(place, f"lies in {out}, which is handed over; choose a folder outside with --state")
    try:
        private_folder(place)
        forget_removed(place)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(place, f"cannot keep what is done ({reason}); choose another folder with --state") from error
    journal = Journal(place / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]}.tsv", folder)
    with suppress(OSError, UnicodeDecodeError):
        first, *lines = read_whole(journal.path).decode().splitlines() or [""]
        journal.mark, journal.entries = str(about_of(first).get("mark", "")), entries_of(lines, 3)
    return journal


def read_old(out: Path) -> dict[str, Entry]:
    """What version 0.1 left in the output folder itself."""
    try:
        return entries_of(read_whole(out / OLD).decode().splitlines(), 2)
    except (OSError, UnicodeDecodeError):
        return {}


def entries_of(lines: list[str], cells: int) -> dict[str, Entry]:
    """The entries by name of the recording; a line that a crash cut short counts as not done."""
    rows = [line.split("\t") for line in lines]
    return {name: Entry(source, "".join(made)) for name, source, *made in (row for row in rows if len(row) == cells)}


def forget_removed(place: Path) -> None:
    """Nothing is remembered of recordings that their owner has removed. A disk that is not mounted is waited for."""
    for path in place.glob("*.tsv"):
        with open(path, encoding="utf-8", errors="replace") as file:
            folder = about_of(file.readline()).get("folder")
        if isinstance(folder, str) and not os.path.lexists(folder) and os.path.isdir(os.path.dirname(folder)):
            path.unlink(missing_ok=True)


def about_of(line: str) -> dict[str, Any]:
    """What the first line of a journal says of it; nothing where it is damaged."""
    try:
        about = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}
