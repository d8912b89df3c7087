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


def play_draws(kinds: Sequence[Kind], seeds: str, first: int, count: int) -> list[tuple[list[str], dict[int, str]]]:
    """For each of these kinds of one family the labels of these draws, and what went wrong in those labeled "Error"."""
    played: list[tuple[list[str], dict[int, str]]] = [([], {}) for _ in kinds]
    for draw in range(first, first + count):
        for kind, (labels, errors) in zip(kinds, played, strict=True):
            try:
                labels.append(kind.play(seed_of(seeds, kind.seeded, draw)))
            except Exception:  # every fault of a door is counted, whatever it is
                labels.append("Error")
                errors[draw] = traceback.format_exc(limit=-3)
    return played


def play_all(
    wanted: Sequence[tuple[Kind, int, int]],
    seeds: str,
    journal: Journal,
    workers: int,
    said: Callable[[str], None] = lambda _: None,
) -> None:
    """Play each kind from one draw to another, as far as the journal does not know them yet."""
    families: dict[tuple[str, int, int], list[Kind]] = {}
    for kind, low, high in wanted:
        for first, count in _missing(kind, low, high, seeds, journal):
            families.setdefault((kind.seeded, first, count), []).append(kind)
    left = sum(count * len(kinds) for (_, _, count), kinds in families.items())

    def taken(kinds: Sequence[Kind], first: int, played: Sequence[tuple[list[str], dict[int, str]]]) -> None:
        for kind, (labels, errors) in zip(kinds, played, strict=True):
            journal.add(seeds, kind.name, first, labels, errors)

    if workers < 2:
        for (_, first, count), kinds in families.items():
            taken(kinds, first, play_draws(kinds, seeds, first, count))
            left -= count * len(kinds)
            said(f"{left} draws left, just played: {kinds[0].seeded}")
        return
    several = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=several, initializer=_one_thread) as pool:
        under_way: dict[Future[list[tuple[list[str], dict[int, str]]]], tuple[list[Kind], int, int]] = {
            pool.submit(_play_named, [kind.name for kind in kinds], seeds, first, count): (kinds, first, count)
            for (_, first, count), kinds in families.items()
        }
        for done in as_completed(under_way):
            kinds, first, count = under_way[done]
            taken(kinds, first, done.result())
            left -= count * len(kinds)
            said(f"{left} draws left, just played: {kinds[0].seeded}")


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


def _play_named(names: Sequence[str], seeds: str, first: int, count: int) -> list[tuple[list[str], dict[int, str]]]:
    """The same in another process, which makes its own list of kinds."""
    if not _KINDS:
        _KINDS.update((kind.name, kind) for kind in all_kinds())
    return play_draws([_KINDS[name] for name in names], seeds, first, count)


def _one_thread() -> None:
    """Processes share the cores already."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
