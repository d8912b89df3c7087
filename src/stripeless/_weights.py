"""Networks that are known by name: where their weights lie, and the SHA-256 by which they are recognized.

A package that only carries weights is never imported, which would run it: its folder is looked up, and one file in it is read.
A file that is not the one on record (`data/models.toml`) is refused, because whatever lies there under the right name would
decide what an attacker hears; who knows why it is another one trusts it, and the result says so.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from stripeless._files import refuse_stream
from stripeless.errors import FileError, MissingExtra

HERE = Path(__file__).parent
_TRUSTED: ContextVar[bool] = ContextVar("trusted", default=False)


@dataclass(frozen=True)
class Record:
    """What is on record of a network: the package that holds its file (or folder), and its SHA-256; `also` of other versions."""

    name: str
    about: str
    package: str
    file: str
    bytes: int
    sha256: str
    license: str
    source: str
    version: str = ""
    also: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The package with its version."""
        return f"{self.package} {self.version}".strip()


@dataclass(frozen=True)
class WeightsFile:
    """A file of weights that was found, and its SHA-256; `on_record` where that is the one that is known."""

    path: Path
    sha256: str
    on_record: bool = True


@cache
def records() -> dict[str, Record]:
    """Every network on record, by name."""
    stored = tomllib.loads((HERE / "data" / "models.toml").read_text(encoding="utf-8"))
    return {name: Record(name, **{**fields, "also": tuple(fields.get("also", ()))}) for name, fields in stored.items()}


@contextmanager
def trusting_weights(trusted: bool) -> Iterator[None]:
    """Within this, weights of a known name that are not on record are taken all the same."""
    before = _TRUSTED.set(trusted or _TRUSTED.get())
    try:
        yield
    finally:
        _TRUSTED.reset(before)


def known_weights(name: str, install: str, purpose: str) -> WeightsFile:
    """The weights of a network on record: missing with the line that brings them, refused where they are other ones."""
    record = records()[name]
    path = next((folder / record.file for folder in _folders(record.package) if (folder / record.file).exists()), None)
    if path is None:
        raise MissingExtra(f"{purpose} needs the weights that come with {record.package}: {install}")
    return checked_weights(name, path)


def checked_weights(name: str, path: Path) -> WeightsFile:
    """A file that is said to be a network on record, if it is, or if weights of other packages are trusted here."""
    record = records()[name]
    found = sha256_of_weights(path)
    if found in (record.sha256, *record.also):
        return WeightsFile(path, found)
    ours = record.package == "stripeless"  # there is no reason why these should be others
    if ours or not _TRUSTED.get():
        raise FileError(
            path,
            f"is not the file of {name} on record: its SHA-256 is {found[:16]}..., that of {record.where} is "
            f"{record.sha256[:16]}...; install {record.where} again"
            + ("" if ours else ", or give --trust-weights if you know why"),
        )
    return WeightsFile(path, found, on_record=False)


def sha256_of_weights(path: str | os.PathLike[str]) -> str:
    """The digest of a file of weights; of a folder, that of the list of its files and their digests."""
    if os.path.isdir(path):
        inside = [file for file in Path(path).rglob("*") if file.is_file()]
        return sha256_of_list((file.relative_to(path).as_posix(), sha256_of_weights(file)) for file in inside)
    refuse_stream(path)
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_list(files: Iterable[tuple[str, str]]) -> str:
    """One digest of several files: that of the lines of their names and digests, in order."""
    lines = sorted(f"{name} {digest}\n" for name, digest in files)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _folders(package: str) -> list[Path]:
    """Where a package lies, found without importing, and so without running, anything of it."""
    if package == "stripeless":
        return [HERE]
    spec = find_spec(package)
    return [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []


@contextmanager
def only_weights() -> Iterator[None]:
    """Whatever torch loads within this, for any package, it loads as tensors alone, and runs nothing that is in the file."""
    name = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
