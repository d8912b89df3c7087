"""What a command remembers of the files it was given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stripeless.scores.trials import InputFile


def inputs_of(*paths: str) -> tuple[InputFile, ...]:
    """Path and SHA-256 of each file; folders are left out."""
    from stripeless.scores.files.source import sha256_of
    from stripeless.scores.trials import InputFile

    return tuple(InputFile(path, sha256_of(path)) for path in paths if os.path.isfile(path))
