"""One changed file, read once: what came of it, in words, and whether that is allowed."""

from __future__ import annotations

import os
import random
import re
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fuzzing.readers import Reader
from fuzzing.shapes import changed

from stripeless.errors import MOST, StripelessError, escaped

SPARE = 500_000_000  # bytes that reading may take beyond twice what the files unpack to
SECONDS = 10.0  # of work on one file, whatever else the machine does; where they cannot be told, of any time
PATIENCE = 60.0  # seconds, of waiting too
MOST_PARENTS = 48  # changed files per place that gave a new sentence, and are changed further
_FIGURES = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+|\S*/\S*")


@dataclass(frozen=True)
class Outcome:
    """`kind` is read, refused, or the name of a fault; `words` says more, without what differs from file to file."""

    kind: str
    words: str = ""
    trace: str = ""

    @property
    def fault(self) -> bool:
        return self.kind not in ("read", "refused")


def attempt(reader: Reader, place: Path) -> Outcome:
    """Read what lies at `place`, and say what came out other than a result or one printable sentence."""
    before = peak_memory(reset=True)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        outcome = _read(reader, place)
    taken = peak_memory() - before
    if not outcome.fault and taken > SPARE and taken > SPARE + 2 * _size(place):
        return Outcome("memory", f"{taken / 1e6:.0f} MB for {_size(place)} bytes: {outcome.words}")
    loud = [one for one in said if issubclass(one.category, RuntimeWarning | DeprecationWarning | SyntaxWarning)]
    if not outcome.fault and loud:
        return Outcome(
            "warning",
            f"{loud[0].category.__name__} at {Path(loud[0].filename).name}:{loud[0].lineno}: {_bare(str(loud[0].message))}",
        )
    return outcome


def _read(reader: Reader, place: Path) -> Outcome:
    try:
        reader.read(place)
    except StripelessError as error:
        message = str(error)
        if escaped(message) != message or len(message) > MOST:
            return Outcome("message", _bare(message))
        if _because(error, MemoryError):
            return Outcome("claim", _bare(message), traceback.format_exc())
        return Outcome("refused", _bare(message))
    except BaseException as error:  # SystemExit and KeyboardInterrupt out of a file would be faults too
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "stripeless" in frame.filename]
        where = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
        return Outcome("traceback", f"{type(error).__name__} in {where}", traceback.format_exc())
    return Outcome("read")


def _because(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def _bare(message: str) -> str:
    return _FIGURES.sub("_", message)[:160]


def _size(place: Path) -> int:
    folder = place if place.is_dir() else place.parent
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())


def peak_memory(*, reset: bool = False) -> int:
    """The most bytes that this process has held, since the last reset where the system can reset; 0 where it cannot tell."""
    if sys.platform == "linux":
        status, refs = _kernel()
        if reset:
            os.pwrite(refs, b"5", 0)
        said = os.pread(status, 8192, 0).partition(b"VmHWM:")[2]
        return int(said.split(None, 1)[0]) * 1024 if said else 0
    try:
        import resource
    except ImportError:
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


@cache
def _kernel() -> tuple[int, int]:
    """Where the kernel says how much memory this process holds, and is asked to count anew; opened once."""
    return os.open("/proc/self/status", os.O_RDONLY), os.open("/proc/self/clear_refs", os.O_WRONLY)


def _put(path: str, content: bytes) -> None:
    with open(path, "wb", buffering=0) as file:
        file.write(content)


@dataclass
class Bench:
    """The good files of one reader in a folder of their own, and the changed ones worth changing further."""

    reader: Reader
    folder: Path
    place: Path = field(init=False)
    good: dict[str, bytes] = field(init=False)
    parents: dict[str, list[bytes]] = field(init=False)
    heard: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.place = self.reader.make(self.folder)
        self.good = {file.name: file.read_bytes() for file in sorted(self.folder.iterdir())}
        self.parents = {name: [content] for name, content in self.good.items()}

    def next_try(self, draw: random.Random) -> tuple[str, bytes]:
        """The name of a file and its changed content."""
        name = draw.choice(list(self.good))
        if self.reader.odd is not None and draw.random() < 0.2:
            return name, self.reader.odd(draw, self.good[name])
        family = self.parents[name]
        parent = family[0] if draw.random() < 0.5 else draw.choice(family)
        return name, changed(name, parent, draw)

    def run(self, name: str, content: bytes) -> Outcome:
        """Read with this file changed, and put the good one back."""
        target = f"{self.folder}/{name}"
        _put(target, content)
        try:
            return attempt(self.reader, self.place)
        finally:
            _put(target, self.good[name])
            for file in os.scandir(self.folder):
                if file.name not in self.good and file.is_file():
                    os.unlink(file)

    def remember(self, name: str, content: bytes, outcome: Outcome) -> None:
        """A file that makes a reader say something new has got somewhere new."""
        if outcome.words not in self.heard and len(content) < 200_000:
            self.heard.add(outcome.words)
            family = self.parents[name]
            if len(family) < MOST_PARENTS:
                family.append(content)
