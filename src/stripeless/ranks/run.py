"""Who computes the tiles of a ranking: this thread, several, an executor, Dask, a GPU; and what survives a kill.

A tile is a plain function of arrays (`count_tile`), so anything with `.submit` can run it. Finished tiles can be kept
in a folder: a run that was interrupted takes them up again and computes only the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._files import write_whole
from stripeless.errors import FileError, InputError
from stripeless.parallel.executors import Executor, Now, open_workers
from stripeless.ranks.space import Space
from stripeless.ranks.tile import blocks, count_tile
from stripeless.scores.check import FloatArray, IntArray

PROBE_TILE, TEMPLATE_TILE = 16384, 32768
Tile: TypeAlias = tuple[slice, slice]  # of probes and of templates


Progress: TypeAlias = Callable[[int, int, float], None]  # tiles done, tiles in all, seconds since the start


@dataclass(frozen=True)
class RankJob:
    """Everything that decides the counts. `own[i]` is the row of probe i's template."""

    probes: NDArray[Any]
    templates: NDArray[Any]
    own: IntArray
    space: Space

    @cached_property
    def similarity(self) -> FloatArray:
        """Of each probe with its own template, in float64."""
        similarity = np.empty(len(self.probes))
        for p in blocks(len(self.probes), 1024):
            probes, own = self.space.rows(self.probes[p]), self.space.rows(self.templates[self.own[p]])
            similarity[p] = self.space.similarity(probes, own)
        return similarity

    def digest(self) -> str:
        """Identifies the data: a folder of finished tiles belongs to these bytes alone."""
        digest = hashlib.sha256(f"{self.space.name} {self.probes.shape} {self.templates.shape}".encode())
        for array in (self.probes, self.templates, self.own):
            digest.update(str(array.dtype).encode())
            for rows in blocks(len(array), 1 << 16):
                digest.update(np.ascontiguousarray(array[rows]).tobytes())
        return digest.hexdigest()

    def tiles(self) -> list[Tile]:
        return [
            (p, t) for p in blocks(len(self.probes), PROBE_TILE) for t in blocks(len(self.templates), TEMPLATE_TILE)
        ]

    def own_within(self, p: slice, t: slice) -> IntArray:
        """Row of the own template within the tile, -1 where it lies outside."""
        own = self.own[p]
        return np.where((own >= t.start) & (own < t.stop), own - t.start, -1)

    def arguments(self, p: slice, t: slice) -> tuple[Any, ...]:
        """What `count_tile` wants for this tile."""
        return self.probes[p], self.templates[t], self.own_within(p, t), self.similarity[p], self.space


def count_all(
    job: RankJob,
    executor: Executor | int | str | None = None,
    device: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Templates above, and tied with, each probe's own one, over all tiles: shape (2, probes)."""
    counts = np.zeros((2, len(job.probes)), dtype=np.int64)
    store = TileStore(Path(folder), job) if folder is not None else None
    tiles, started = job.tiles(), time.monotonic()
    with _open_pool(job, executor, device) as pool:
        for done, ((p, _), result) in enumerate(_computed(tiles, pool, store), 1):
            counts[:, p] += result
            if progress is not None:
                progress(done, len(tiles), time.monotonic() - started)
    return counts


def _computed(tiles: list[Tile], pool: _Pool, store: TileStore | None) -> Iterator[tuple[Tile, IntArray]]:
    """Tiles with their counts; only a few are under way at a time, so memory stays bounded."""
    waiting: deque[tuple[Tile, Any]] = deque()
    for tile in [*tiles, None]:
        kept = store.read(*tile) if store is not None and tile is not None else None
        if tile is not None and kept is not None:
            yield tile, kept
        elif tile is not None:
            waiting.append((tile, pool.start(*tile)))
        while waiting and (tile is None or len(waiting) >= pool.depth):
            finished, future = waiting.popleft()
            counts = future.result()
            if store is not None:
                store.keep(*finished, counts)
            yield finished, counts


@dataclass(frozen=True)
class _Pool:
    """Starts a tile and gives its future; `depth` tiles may be under way at once."""

    start: Callable[[slice, slice], Any]
    depth: int


@contextmanager
def _open_pool(job: RankJob, executor: Executor | int | str | None, device: str | None) -> Iterator[_Pool]:
    """Tiles on a device, or on whatever the executor is."""
    if device is None:
        with open_workers(executor) as workers:
            yield _Pool(lambda p, t: workers.submit(count_tile, *job.arguments(p, t)), workers.depth)
        return
    if executor is not None:
        raise InputError("device and executor: give one of them; a device computes every tile itself")
    from stripeless.ranks.gpu import TorchCounter

    counter = TorchCounter(job, device)
    yield _Pool(lambda p, t: Now(counter.count(p, t)), 1)


class TileStore:
    """Finished tiles in a folder, each whole or absent, and a note of which data they belong to."""

    def __init__(self, folder: Path, job: RankJob) -> None:
        self.folder = folder
        note = {"data": job.digest(), "tile": [PROBE_TILE, TEMPLATE_TILE], "format": 1}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "ranking.json"
            if path.exists() and json.loads(path.read_text()) != note:
                raise FileError(path, "holds the finished tiles of other data or settings; choose another folder")
            write_whole(path, json.dumps(note).encode())
        except (OSError, json.JSONDecodeError) as error:
            raise FileError(folder, f"cannot keep finished tiles ({error}); choose another folder") from error

    def _path(self, p: slice, t: slice) -> Path:
        return self.folder / f"tile-{p.start}-{t.start}.npy"

    def read(self, p: slice, t: slice) -> IntArray | None:
        try:
            counts = np.load(self._path(p, t), allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None  # absent or damaged: computed again
        return counts if counts.shape == (2, p.stop - p.start) and counts.dtype == np.int64 else None

    def keep(self, p: slice, t: slice, counts: IntArray) -> None:
        content = BytesIO()
        np.save(content, counts)
        write_whole(self._path(p, t), content.getvalue())
