"""Recordings to hear: what was uploaded before anonymization beside what came out of it, told by names and by the visitor."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from stripeless.web.sessions import Item

SIDES = ("before", "after")
_BEFORE = ("before", "original", "originals", "orig", "clean", "source", "unprotected")
_AFTER = ("after", "anonymized", "anonymised", "anonymous", "anon", "anonym", "protected", "hidden")


@dataclass(frozen=True)
class Playback:
    """One utterance. `before` and `after` are None where that side was not uploaded; `guessed` where only the order told."""

    name: str
    before: Item | None
    after: Item | None
    alone: Item | None = None
    guessed: bool = False


def side_of(name: str) -> str:
    """Which side a path speaks of, by the words in it; the file's own name counts more than its folders'.

    >>> side_of("original/u1.wav"), side_of("data/anon/u1.wav"), side_of("u1_anon.wav"), side_of("u1.wav")
    ('before', 'after', 'after', '')
    """
    for part in reversed(PurePosixPath(name.replace("\\", "/").lower()).parts):
        words = re.split(r"[^a-z]+", PurePosixPath(part).stem if part.endswith(_ENDINGS) else part)
        sides = {"before" for word in words if word in _BEFORE} | {"after" for word in words if word in _AFTER}
        if len(sides) == 1:
            return sides.pop()
    return ""


_ENDINGS = (".wav", ".flac", ".ogg", ".mp3")


def utterance_of(name: str) -> str:
    """The utterance that a file is of: its name without ending and without the words that tell the side.

    >>> utterance_of("u1_anon.wav"), utterance_of("u1.flac"), utterance_of("before.wav")
    ('u1', 'u1', '')
    """
    stem = PurePosixPath(name.replace("\\", "/").lower()).name
    stem = stem.rsplit(".", 1)[0] if stem.endswith(_ENDINGS) else stem
    parts = re.split(r"([-_. ]+)", stem)
    kept = [part for part in parts[::2] if part not in (*_BEFORE, *_AFTER)]
    return "-".join(part for part in kept if part)


def pair_up(items: Iterable[Item]) -> list[Playback]:
    """Recordings by utterance, in the order in which they came; two of one name without a side: the first is before."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(utterance_of(item.name), []).append(item)
    return [heard for group in groups.values() for heard in _of_one(group)]


def _of_one(group: list[Item]) -> list[Playback]:
    before = [item for item in group if item.side == "before"]
    after = [item for item in group if item.side == "after"]
    unknown = [item for item in group if not item.side]
    guessed = False
    while unknown and bool(before) + bool(after) + len(unknown) >= 2 and not (before and after):
        (after if before else before).append(unknown.pop(0))
        guessed = True
    pairs = [
        Playback(_shown(x, y), x, y, guessed=guessed) for x, y in zip(before, after, strict=False)
    ]  # several of one name: in the order in which they came
    left = [*before[len(pairs) :], *after[len(pairs) :], *unknown]
    return pairs + [Playback(item.name, None, None, alone=item) for item in left]


def _shown(before: Item, after: Item) -> str:
    return before.name if before.name == after.name else f"{before.name} / {after.name}"
