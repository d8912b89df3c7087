"""Which files a result was made from, and what their bytes were."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Annotated

from stripeless._files import refuse_stream
from stripeless.tables.text import guarded

Digest = Annotated[str, "sha256"]


@dataclass(frozen=True)
class InputFile:
    """A file that was read.

    Attributes:
        path: where it lay, as it was given.
        sha256: SHA-256 of its bytes as they lie on the disk, 64 hexadecimal digits.
    """

    path: str
    sha256: Digest


def sha256_of(path: str) -> str:
    """The digest of the bytes as they lie on the disk."""
    refuse_stream(path)
    with guarded(path, lambda: open(path, "rb")) as file:
        return guarded(path, lambda: hashlib.file_digest(file, "sha256").hexdigest())


def inputs_of(*paths: str | os.PathLike[str]) -> tuple[InputFile, ...]:
    """Path and SHA-256 of each file; folders are left out."""
    return tuple(InputFile(os.fspath(path), sha256_of(os.fspath(path))) for path in paths if os.path.isfile(path))
