"""The fingerprints of recordings on disk, kept in a cache, so that a second run looks at no sound again."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from stripeless._files import private_folder, write_whole
from stripeless.audio.cached import content_key
from stripeless.audio.corpus import Utterance
from stripeless.audio.near_copies import Fingerprint, fingerprint, near_copies
from stripeless.audio.recordings import RATE
from stripeless.errors import InputError
from stripeless.parallel.executors import Who
from stripeless.parallel.items import OnError, Outcome, Progress, each, nothing

VERSION = 1  # raised when the same sound gives another fingerprint


def fingerprints(
    utterances: Sequence[Utterance],
    *,
    cache: Path | None = None,
    workers: Who = 1,
    on_error: OnError = "stop",
    progress: Progress = nothing,
) -> list[Outcome[Utterance, Fingerprint]]:
    """One fingerprint per utterance, in their order; `cache` is a folder, None keeps nothing."""
    folder = None if cache is None else Path(cache) / f"fingerprints-{VERSION}"
    work = partial(fingerprint_of, folder=folder)
    if folder is not None and all(is_kept(utterance, folder) for utterance in utterances):
        workers = 1  # reading small files is faster than starting processes
    return each(work, utterances, workers=workers, on_error=on_error, progress=progress)


def fingerprint_of(utterance: Utterance, folder: Path | None = None) -> Fingerprint:
    """The fingerprint of one utterance, from the cache where it lies there."""
    if folder is None:
        return fingerprint(utterance.read(RATE).samples)
    place = place_of(utterance, folder)
    try:
        return unpacked(place.read_bytes())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        pass  # not there, or not whole
    found = fingerprint(utterance.read(RATE).samples)
    private_folder(folder)
    private_folder(place.parent)
    write_whole(place, packed(found))
    return found


def place_of(utterance: Utterance, folder: Path) -> Path:
    """Where the fingerprint of this utterance lies, or will."""
    key = content_key(utterance)
    return folder / key[:2] / f"{key}.npz"


def is_kept(utterance: Utterance, folder: Path) -> bool:
    """Whether the fingerprint is there; a recording that cannot be read is not."""
    try:
        return place_of(utterance, folder).is_file()
    except InputError:
        return False


def packed(one: Fingerprint) -> bytes:
    """A fingerprint as the bytes of an npz file."""
    buffer = io.BytesIO()
    about = np.array([one.seconds, one.voiceless])
    np.savez(buffer, about=about, wave=one.wave, sketch=one.sketch, timing=one.timing)
    return buffer.getvalue()


def unpacked(content: bytes) -> Fingerprint:
    """The same again; ValueError or KeyError where the bytes are damaged."""
    with np.load(io.BytesIO(content), allow_pickle=False) as kept:
        seconds, voiceless = kept["about"].tolist()
        return Fingerprint(seconds, bool(voiceless), kept["wave"], kept["sketch"], kept["timing"])


def copies_among(prints: Sequence[Fingerprint], cache: Path | None = None) -> list[tuple[int, int]]:
    """`near_copies`, remembered in the folder `cache` for the same recordings in the same order."""
    if cache is None:
        return near_copies(prints)
    digest = hashlib.sha256(f"{VERSION} {len(prints)} ".encode())
    for one in prints:
        digest.update(hashlib.sha256(one.wave.tobytes() + one.sketch.tobytes()).digest())
    place = cache / f"copies-{VERSION}" / f"{digest.hexdigest()}.json"
    try:
        return [(int(i), int(j)) for i, j in json.loads(place.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        pass  # not there, or not whole
    found = near_copies(prints)
    private_folder(place.parent)
    write_whole(place, json.dumps(found))
    return found
