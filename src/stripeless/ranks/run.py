"""The tiles of a ranking, as the engine runs them or a GPU does; and what survives a kill.

A tile is a plain function of arrays (`count_tile`), so anything with `.submit` can run it. Finished tiles can be kept
in a folder: a run that was interrupted takes them up again and computes only the rest.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._files import write_whole
from stripeless._log import clock
from stripeless.errors import InputError
from stripeless.parallel.engine import TimedProgress
from stripeless.parallel.executors import Who, open_workers
from stripeless.parallel.kept import claim
from stripeless.ranks.space import Space
from stripeless.ranks.tile import blocks, count_tile
from stripeless.scores.check import FloatArray, IntArray

LOG = logging.getLogger(__name__)

PROBE_TILE, TEMPLATE_TILE = 16384, 32768
Tile: TypeAlias = tuple[slice, slice]  # of probes and of templates


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

    def arguments(self, tile: Tile) -> tuple[Any, ...]:
        """What `count_tile` wants for this tile."""
        p, t = tile
        return self.probes[p], self.templates[t], self.own_within(p, t), self.similarity[p], self.space


def count_all(
    job: RankJob,
    executor: Who = None,
    device: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: TimedProgress | None = None,
) -> IntArray:
    """Templates above, and tied with, each probe's own one, over all tiles: shape (2, probes)."""
    if device is not None and executor is not None:
        raise InputError("device and executor: give one of them; a device computes every tile itself")
    seconds, counts = clock(), np.zeros((2, len(job.probes)), dtype=np.int64)
    tiles = job.tiles()
    with open_workers(executor) as workers:
        store = TileStore(Path(folder), job) if folder is not None else None
        function, arguments = _tile_function(job, device)
        for done in workers.finished(
            function, tiles, name=_tile_name, arguments=arguments, store=store, progress=progress
        ):
            counts[:, tiles[done.number][0]] += done.value
    LOG.info("ranked %d probes among %d templates in %.1f s", len(job.probes), len(job.templates), seconds())
    return counts


def _tile_function(job: RankJob, device: str | None) -> tuple[Callable[..., IntArray], Callable[[Tile], Tile]]:
    """What counts a tile, and what it wants to be given."""
    if device is None:
        return count_tile, job.arguments
    from stripeless.ranks.gpu import TorchCounter

    return TorchCounter(job, device).count, lambda tile: tile


def _tile_name(tile: Tile) -> str:
    return "tile of probes {0.start}-{0.stop} and templates {1.start}-{1.stop}".format(*tile)


class TileStore:
    """Finished tiles in a folder, each whole or absent, and a note of which data they belong to."""

    def __init__(self, folder: Path, job: RankJob) -> None:
        self.folder = folder
        note = {"data": job.digest(), "tile": [PROBE_TILE, TEMPLATE_TILE], "format": 1}
        claim(folder / "ranking.json", json.dumps(note), "holds the finished tiles of other data or settings")

    def _path(self, tile: Tile) -> Path:
        return self.folder / f"tile-{tile[0].start}-{tile[1].start}.npy"

    def read(self, tile: Tile) -> IntArray | None:
        """The counts of this tile, if an earlier run finished it."""
        try:
            counts = np.load(self._path(tile), allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None  # absent or damaged: computed again
        probes = tile[0].stop - tile[0].start
        return counts if counts.shape == (2, probes) and counts.dtype == np.int64 else None

    def keep(self, tile: Tile, counts: IntArray) -> None:
        """Write the counts of this tile."""
        content = BytesIO()
        np.save(content, counts)
        write_whole(self._path(tile), content.getvalue())
