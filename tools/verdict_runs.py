"""Plays kinds of worlds on several processes, and writes every label down, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from verdict_kinds import Kind, all_kinds

ROOT = Path(__file__).resolve().parents[1]
CHUNK = 10  # draws that one process is given at a time
UNTOUCHED = ("plots", "report", "web", "cli", "listening", "papers")  # rooms that no verdict depends on
Key = tuple[str, str, int]  # seeds, kind, number of the draw


@dataclass
class Journal:
    """Labels that were found, one line for each few draws; of this very code only.

    Attributes:
        path: the file; None keeps nothing.
        found: the label of each draw.
        errors: what went wrong, for draws labeled "Error".
    """

    path: Path | None = None
    found: dict[Key, str] = field(default_factory=dict)
    errors: dict[Key, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path is None or not self.path.exists():
            return
        for line in self.path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # the last line of a run that was ended while it wrote
            self._take(entry)

    def add(self, seeds: str, kind: str, first: int, labels: Sequence[str], errors: dict[int, str]) -> None:
        """Take down the labels of these draws in a row."""
        entry = {"seeds": seeds, "kind": kind, "first": first, "labels": list(labels), "errors": errors}
        self._take(entry)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(json.dumps(entry) + "\n")

    def _take(self, entry: dict[str, object]) -> None:
        labels, errors, first = entry["labels"], entry["errors"], entry["first"]
        assert isinstance(labels, list)
        assert isinstance(errors, dict)
        assert isinstance(first, int)
        for k, label in enumerate(labels):
            self.found[str(entry["seeds"]), str(entry["kind"]), first + k] = label
        for number, said in errors.items():
            self.errors[str(entry["seeds"]), str(entry["kind"]), int(number)] = said


def seed_of(seeds: str, kind: str, draw: int) -> int:
    """The seed of one draw: it depends on names alone, so that other kinds and other orders change nothing.

    >>> seed_of("second", "a-independent", 0) == seed_of("first", "a-independent", 0)
    False
    """
    return int.from_bytes(hashlib.sha256(f"{seeds}/{kind}/{draw}".encode()).digest()[:6], "big")


def code_digest(root: Path = ROOT) -> str:
    """Names the code that verdicts come from: another one, another journal."""
    whole = hashlib.sha256()
    package = root / "src" / "stripeless"
    files = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in UNTOUCHED]
    for path in sorted([*files, *(root / "tools").glob("verdict*.py")]):
        if path.name not in ("verdicts.py", "verdict_table.py", "verdict_runs.py"):
            whole.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return whole.hexdigest()[:12]


def play_draws(kind: Kind, seeds: str, first: int, count: int) -> tuple[list[str], dict[int, str]]:
    """The labels of these draws, and what went wrong in those labeled "Error"."""
    labels, errors = [], {}
    for draw in range(first, first + count):
        try:
            labels.append(kind.play(seed_of(seeds, kind.name, draw)))
        except Exception:  # every fault of a door is counted, whatever it is
            labels.append("Error")
            errors[draw] = traceback.format_exc(limit=-3)
    return labels, errors


def play_all(
    wanted: Sequence[tuple[Kind, int, int]],
    seeds: str,
    journal: Journal,
    workers: int,
    said: Callable[[str], None] = lambda _: None,
) -> None:
    """Play each kind from one draw to another, as far as the journal does not know them yet."""
    tasks = [
        (kind, first, count) for kind, low, high in wanted for first, count in _missing(kind, low, high, seeds, journal)
    ]
    left = sum(count for _, _, count in tasks)
    if workers < 2:
        for kind, first, count in tasks:
            journal.add(seeds, kind.name, first, *play_draws(kind, seeds, first, count))
        return
    several = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=several, initializer=_one_thread) as pool:
        under_way: dict[Future[tuple[list[str], dict[int, str]]], tuple[Kind, int, int]] = {
            pool.submit(_play_named, kind.name, seeds, first, count): (kind, first, count)
            for kind, first, count in tasks
        }
        for done in as_completed(under_way):
            kind, first, count = under_way[done]
            journal.add(seeds, kind.name, first, *done.result())
            left -= count
            said(f"{left} draws left, just played: {kind.name}")


def _missing(kind: Kind, low: int, high: int, seeds: str, journal: Journal) -> Iterator[tuple[int, int]]:
    """Draws that are not known, in runs of a few."""
    run: list[int] = []
    for draw in range(low, high):
        if (seeds, kind.name, draw) in journal.found:
            continue
        if run and (draw != run[-1] + 1 or len(run) == CHUNK):
            yield run[0], len(run)
            run = []
        run.append(draw)
    if run:
        yield run[0], len(run)


_KINDS: dict[str, Kind] = {}


def _play_named(name: str, seeds: str, first: int, count: int) -> tuple[list[str], dict[int, str]]:
    """The same in another process, which makes its own list of kinds."""
    if not _KINDS:
        _KINDS.update((kind.name, kind) for kind in all_kinds())
    return play_draws(_KINDS[name], seeds, first, count)


def _one_thread() -> None:
    """Processes share the cores already."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
