"""Folders that keep finished work between runs."""

from __future__ import annotations

from pathlib import Path

from stripeless._files import write_whole
from stripeless.errors import FileError


def claim(note: Path, content: str, refusal: str) -> None:
    """Say in the file `note` what the work beside it was made of; where something else is said already, refuse.

    An interrupted run is taken up again only by one of the same data and settings: finished work never mixes.
    """
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        found = note.read_text(encoding="utf-8") if note.exists() else content
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(note.parent, f"cannot keep finished work ({reason}); choose another folder") from error
    if found != content:
        raise FileError(note, f"{refusal}; choose another folder")
    write_whole(note, content)
