"""A cache keyed by content: what was computed from a recording is kept under the digest of the recording's bytes.

Names and dates of files do not matter; a changed recording is never mistaken for the old one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stripeless._files import private_folder, read_whole, write_whole
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE
from stripeless.errors import FileError

READER = 1  # raised when the same file would be read into other samples


def content_key(utterance: Utterance) -> str:
    """SHA-256 of the recording's bytes and of the cut."""
    digest = hashlib.sha256(f"{READER} {RATE} {utterance.start} {utterance.end} ".encode())
    if utterance.command:
        digest.update(utterance.read(RATE).samples.tobytes())
        return digest.hexdigest()
    try:
        digest.update(read_whole(utterance.path))
    except OSError as error:
        raise FileError(utterance.path, f"cannot be read ({error.strerror or error})") from error
    return digest.hexdigest()


@dataclass(frozen=True)
class Cached:
    """`function` of an utterance, a text or numbers by name, remembered in `folder`; None remembers nothing."""

    function: Callable[[Utterance], Any]
    folder: Path | None

    def __call__(self, utterance: Utterance) -> Any:
        if self.folder is None:
            return self.function(utterance)
        key = content_key(utterance)
        place = self.folder / key[:2] / f"{key}.json"
        try:
            return json.loads(place.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            result = self.function(utterance)  # not there, or not whole
        private_folder(self.folder)
        private_folder(place.parent)
        write_whole(place, json.dumps(result))
        return result
