"""One tile of a ranking: some probes against some templates, counted and forgotten.

A rank is a count, so no similarity is kept and none is sorted. Blocks of float32 products stay in the processor's
cache, where they are compared with each probe's own similarity. Pairs too close for float32 to call are listed and
settled in float64. Tiles add up: the counts of a probe over all templates are the sums over its tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.ranks.space import Keys, Space
from stripeless.scores.check import FloatArray, IntArray

TEMPLATE_BLOCK, PROBE_BLOCK = 1024, 512  # 2 MB of products: measured fastest between 1 and 64 MB
ONE = np.float32(1.0)  # of the unit in which keys are measured: the error bound
_BYTE_ROWS = 128  # bools are added up in bytes, which hold 255
_DENSE = 16  # more than one pair in 16 unsettled: recompute the block instead of its pairs


def count_tile(
    probes: NDArray[Any], templates: NDArray[Any], own: IntArray, own_similarity: FloatArray, space: Space
) -> IntArray:
    """How many templates lie above each probe's own one, and how many tie with it: an array of shape (2, probes).

    `own[i]` is the row of probe i's own template within this tile, or -1 where it lies in another one; the own template
    is never counted. `own_similarity` is the float64 similarity to it.
    """
    tile = _Tile(probes, templates, own, own_similarity, space)
    if space.form == "direct":
        tile.count_directly()
    else:
        tile.count_keys()
    return tile.counts


class _Tile:
    """The running counts of one tile and what its blocks share."""

    def __init__(
        self, probes: NDArray[Any], templates: NDArray[Any], own: IntArray, own_similarity: FloatArray, space: Space
    ) -> None:
        self.probes, self.templates, self.own, self.space = probes, templates, own, space
        self.similarity = own_similarity
        self.width = space.tie_width(own_similarity, probes.shape[1])
        self.counts = np.zeros((2, len(probes)), dtype=np.int64)

    def count_directly(self) -> None:
        """Every pair in float64, for distances that are no product."""
        for p in blocks(len(self.probes), PROBE_BLOCK):
            for t in blocks(len(self.templates), TEMPLATE_BLOCK):
                self._count_block(t, p)

    def _count_block(self, t: slice, p: slice) -> None:
        """Settle a whole block in float64."""
        matrix = self.space.matrix(self.space.rows(self.probes[p]), self.space.rows(self.templates[t]))
        matrix[self._own_within(t, p)] = -np.inf
        matrix -= self.similarity[p]
        self.counts[0, p] += (matrix > self.width[p]).sum(axis=0)
        self.counts[1, p] += (np.abs(matrix) <= self.width[p]).sum(axis=0)

    def count_keys(self) -> None:
        """Pairs by float32 products, the close ones in float64."""
        template_keys, longest = self.space.template_keys(self.templates)
        probe_keys = self.space.probe_keys(self.probes, self.similarity, longest)
        for p in blocks(len(self.probes), PROBE_BLOCK):
            self._count_columns(probe_keys[p], template_keys, p)

    def _count_columns(self, probe_keys: Keys, template_keys: Keys, p: slice) -> None:
        """One block of probes against all templates of the tile."""
        size = (min(TEMPLATE_BLOCK, len(template_keys)), len(probe_keys))
        product, above, unsettled = np.empty(size, np.float32), np.empty(size, np.bool_), np.empty(size, np.bool_)
        first, last = self.own[p].min(), self.own[p].max()
        close: list[IntArray] = []
        for t in blocks(len(template_keys), TEMPLATE_BLOCK):
            n = t.stop - t.start
            block, over, near = product[:n], above[:n], unsettled[:n]
            np.matmul(template_keys[t], probe_keys.T, out=block)
            if last >= t.start and first < t.stop:
                block[self._own_within(t, p)] = -np.inf
            np.greater(block, ONE, out=over)
            np.greater_equal(block, -ONE, out=near)
            np.not_equal(over, near, out=near)
            pairs = np.flatnonzero(near)
            if pairs.size * _DENSE > block.size:
                self._count_block(t, p)
                continue
            self.counts[0, p] += count_columns(over)
            close.append(pairs + t.start * len(probe_keys))
        row, column = np.divmod(np.concatenate(close) if close else np.zeros(0, np.int64), len(probe_keys))
        self._settle(row, column + p.start)

    def _own_within(self, t: slice, p: slice) -> tuple[IntArray, IntArray]:
        """Where in this block a probe meets its own template."""
        own = self.own[p]
        columns = np.flatnonzero((own >= t.start) & (own < t.stop))
        return own[columns] - t.start, columns

    def _settle(self, row: IntArray, column: IntArray) -> None:
        """Decide in float64 the pairs that float32 could not call."""
        for i in range(0, row.size, 1 << 14):
            r, c = row[i : i + (1 << 14)], column[i : i + (1 << 14)]
            rows = self.space.rows
            ahead = self.space.similarity(rows(self.probes[c]), rows(self.templates[r])) - self.similarity[c]
            width = self.width[c]
            self.counts[0] += np.bincount(c[ahead > width], minlength=len(self.probes))
            self.counts[1] += np.bincount(c[np.abs(ahead) <= width], minlength=len(self.probes))


def blocks(length: int, size: int) -> Iterator[slice]:
    """Consecutive slices of at most `size` that cover 0 .. length."""
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def count_columns(flags: NDArray[np.bool_]) -> IntArray:
    """True values per column. Adding whole rows of bytes is ten times as fast as `flags.sum(axis=0)`."""
    flags_as_bytes = flags.view(np.uint8)
    whole = len(flags) // _BYTE_ROWS * _BYTE_ROWS
    groups = flags_as_bytes[:whole].reshape(-1, _BYTE_ROWS, flags.shape[1])
    total = np.add.reduce(np.add.reduce(groups, axis=1, dtype=np.uint8), axis=0, dtype=np.int64)
    rest = np.add.reduce(flags_as_bytes[whole:], axis=0, dtype=np.uint8)
    counts: IntArray = total + rest
    return counts
