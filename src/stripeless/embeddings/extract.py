"""From a corpus to embeddings, with a cache keyed by content: a changed recording or encoder is never mistaken for the old.

The key of a vector is the SHA-256 of the recording's bytes, the cut (start, end) and the encoder's identity, which holds
the digest of its weights. Names and dates of files do not matter.
"""

from __future__ import annotations

import io
import logging
import os
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

import numpy as np

from stripeless._files import private_folder, write_whole
from stripeless._log import clock
from stripeless.audio.cached import content_key
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.recordings import RATE
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.encoders.encoder import Encoder, Vector
from stripeless.errors import FileError, InputError
from stripeless.parallel.executors import Who, checked_workers
from stripeless.parallel.items import OnError, Progress, each, nothing

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Extraction:
    """The embeddings, how many were computed and how many came from the cache, and what had to be left out."""

    embeddings: Embeddings
    computed: int
    cached: int
    skipped: tuple[str, ...]


def cache_folder() -> Path:
    """STRIPELESS_CACHE, or `stripeless` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("STRIPELESS_CACHE") or Path(home) / "stripeless")


def extract_embeddings(
    corpus: Corpus,
    encoder: Encoder,
    *,
    cache: str | PathLike[str] | None = None,
    workers: Who = 1,
    on_error: OnError = "stop",
    progress: Progress = nothing,
) -> Extraction:
    """One vector per utterance, in the order of the corpus. `cache` is a folder; None keeps nothing."""
    workers = checked_workers(workers)
    folder = None if cache is None else Path(cache) / "embeddings" / encoder.identity
    if folder is not None:
        try:
            private_folder(folder)
        except OSError as error:
            raise FileError(folder, f"cannot be made ({error.strerror}); choose another cache folder") from error
    work = partial(embed_one, encoder=encoder, folder=folder)
    if folder is not None and all(is_cached(utterance, folder) for utterance in corpus.utterances):
        workers = 1  # reading small files is faster than starting processes
    seconds = clock()
    outcomes = each(work, corpus.utterances, workers=workers, on_error=on_error, progress=progress)
    good = [(outcome.item, *outcome.result) for outcome in outcomes if outcome.result is not None]
    if not good:
        raise InputError(f"{corpus.folder}: not one recording could be read; the first says: {outcomes[0].error}")
    embeddings = Embeddings(
        np.stack([vector for _, vector, _ in good]),
        tuple(utterance.name for utterance, _, _ in good),
        tuple(utterance.speaker for utterance, _, _ in good),
        tuple(utterance.sex for utterance, _, _ in good) if any(utterance.sex for utterance, _, _ in good) else None,
    )
    cached = sum(found for _, _, found in good)
    LOG.info("%s heard %d recordings of %s, %d from the cache, in %.1f s",
             encoder.name, len(good), corpus.folder, cached, seconds())  # fmt: skip
    skipped = tuple(outcome.error for outcome in outcomes if outcome.error)
    return Extraction(embeddings, len(good) - cached, cached, skipped)


def embed_one(utterance: Utterance, encoder: Encoder, folder: Path | None) -> tuple[Vector, bool]:
    """The vector, and whether it came from the cache."""
    place = None if folder is None else cached_place(utterance, folder)
    if place is not None and place.is_file():
        try:
            return np.load(io.BytesIO(place.read_bytes()), allow_pickle=False), True
        except (ValueError, EOFError):
            pass  # not whole: compute it again
    samples = utterance.read(RATE).samples
    if len(samples) < RATE // 10:
        raise FileError(
            utterance.path, f"lasts {len(samples) / RATE:.2f} s; a voice needs at least 0.1 s, leave it out"
        )
    one_thread()
    vector = encoder.embed(samples)
    if not np.isfinite(vector).all():
        raise FileError(utterance.path, f"gives NaN in the encoder {encoder.name}; is it silent? leave it out")
    if place is not None:
        buffer = io.BytesIO()
        np.save(buffer, vector, allow_pickle=False)
        private_folder(place.parent)
        write_whole(place, buffer.getvalue())
    return vector, False


def cached_place(utterance: Utterance, folder: Path) -> Path:
    """Where the vector of this utterance lies, or will."""
    key = content_key(utterance)
    return folder / key[:2] / f"{key}.npy"


def is_cached(utterance: Utterance, folder: Path) -> bool:
    """Whether the vector is there; a recording that cannot be read is not."""
    try:
        return cached_place(utterance, folder).is_file()
    except InputError:
        return False


def one_thread() -> None:
    """One thread per process, so that parallel processes do not fight for cores; sums are then always in one order."""
    import sys

    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
