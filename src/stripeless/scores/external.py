"""Sorting more scores than memory holds, and the staircase that comes of it.

Two passes over the files. The first counts how many scores of each class fall into each narrow range, and lays out parts
of a few million. The second writes every score into the place reserved for its part, on disk. Then each part is sorted by
itself. What results are the two ascending classes as memory-mapped arrays and a short staircase: parts that decide nothing
but the convex hull keep only their own hull, because the hull of joined hulls is the hull of all.

Every step is a function of file names and numbers, so threads, processes or a Dask cluster that shares the folder run it
and give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from stripeless._files import write_whole
from stripeless.errors import FileError, InputError, OneClassOnly
from stripeless.parallel.engine import Run, one_by_one
from stripeless.scores.check import FloatArray, IntArray
from stripeless.scores.files.chunks import score_chunks
from stripeless.scores.staircase import Staircase, join, merge_sorted

PART = 1 << 22  # scores of a part: sorted in 32 MB
_SHIFTS = (42, 21, 0)  # bits of the ordered key below each level of ranges
Keep: TypeAlias = Callable[[tuple[int, int], tuple[int, int], tuple[int, int]], bool]  # counts before, after, in all


def keys_of(scores: FloatArray) -> IntArray:
    """Whole numbers in the order of the scores; equal scores, also 0 and -0, have equal keys."""
    bits = (scores + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))


@dataclass(frozen=True, eq=False)
class Ranges:
    """How many scores of each class lie from `start[i]` to the next start: counts of shape (2, ranges)."""

    start: IntArray
    width: IntArray  # log2 of how many keys a range spans
    counts: IntArray


@dataclass(frozen=True, eq=False)
class SortedScores:
    """Both classes in ascending order, on disk, and their staircase with only the steps that matter."""

    target: FloatArray
    nontarget: FloatArray
    stairs: Staircase


def sort_scores(paths: Sequence[str], folder: str | Path, keep: Keep, run: Run = one_by_one) -> SortedScores:
    """Sort the scores of all files into `folder`.

    `keep` decides which parts keep all their steps, from the (target, nontarget) counts below the part, through the
    part, and in all.
    """
    if not paths:
        raise InputError("paths: expected at least one score file")
    folder = Path(folder)
    files = _count_files(paths, run)
    total = _added(files)
    _check_classes(total, paths)
    edges = part_edges(total)
    below = np.array([_counts_below(file, edges) for file in files])  # files x classes x (parts + 1)
    sizes = below[:, :, -1].sum(axis=0)
    names = _reserve(folder, sizes)
    starts = below.sum(axis=0)[:, :-1]  # where each part begins within its class
    inside = np.diff(below, axis=2)
    places = starts + np.cumsum(inside, axis=0) - inside  # where each file's share of a part begins
    calls = [(path, edges, places[i], names, sizes) for i, path in enumerate(paths)]
    for path, written, expected in zip(paths, run(scatter_file, calls), inside.sum(axis=2), strict=True):
        if not np.array_equal(written, expected):
            raise FileError(path, "changed while it was read; start again when nobody writes to it")
    ends = below.sum(axis=0)
    whole = (int(sizes[0]), int(sizes[1]))
    parts = [
        (names, sizes, before, after, keep(before, after, whole))
        for before, after in ((_pair(ends[:, k]), _pair(ends[:, k + 1])) for k in range(edges.size - 1))
        if before != after
    ]
    stairs = join(list(run(sort_part, parts)))
    arrays = [_mapped(name, size, "r") for name, size in zip(names, sizes, strict=True)]
    return SortedScores(arrays[0], arrays[1], stairs)


def _pair(counts: IntArray) -> tuple[int, int]:
    return int(counts[0]), int(counts[1])


def _check_classes(total: Ranges, paths: Sequence[str]) -> None:
    targets, nontargets = _pair(total.counts.sum(axis=1)) if total.counts.size else (0, 0)
    if not targets or not nontargets:
        missing = "target" if not targets else "nontarget"
        raise OneClassOnly(f"{paths[0]} ({len(paths)} files): no {missing} trial in any of them; check the labels")


# --- first pass: counts -------------------------------------------------------------------------------------------


def _count_files(paths: Sequence[str], run: Run) -> list[Ranges]:
    """Counts per file, with ranges narrow enough that none holds more than a part unless it is a single score."""
    files: list[Ranges] = list(run(count_file, [(path,) for path in paths]))
    for shift in _SHIFTS[1:]:
        total = _added(files)
        crowded = (total.counts.sum(axis=0) > PART) & (total.width > shift)
        if not crowded.any():
            break
        wide = Ranges(total.start[crowded], total.width[crowded], total.counts[:, crowded])
        finer = run(count_file, [(path, shift, wide.start, wide.width) for path in paths])
        files = [_refined(file, wide, fine) for file, fine in zip(files, finer, strict=True)]
    return files


def count_file(
    path: str, shift: int = _SHIFTS[0], within: IntArray | None = None, width: IntArray | None = None
) -> Ranges:
    """Scores per range of 2^shift keys in one file; of those `within` the ranges that start there, where given."""
    seen: list[Ranges] = []
    for scores, labels in score_chunks(path):
        keys = keys_of(scores)
        if within is not None and width is not None:
            at = np.searchsorted(within, keys, side="right") - 1
            inside = (at >= 0) & ((keys >> width[at]) == (within[at] >> width[at]))
            keys, labels = keys[inside], labels[inside]
        for row, of_class in enumerate((keys[labels], keys[~labels])):
            start, count = _runs(np.sort(of_class) >> shift)
            counts = np.zeros((2, start.size), dtype=np.int64)
            counts[row] = count
            seen.append(Ranges(start << shift, np.full(start.size, shift), counts))
        if len(seen) >= 32:
            seen = [_added(seen)]
    return _added(seen)


def _runs(ascending: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct values of an ascending array and how often each occurs."""
    first = np.flatnonzero(np.diff(ascending, prepend=ascending[:1] - 1)) if ascending.size else np.zeros(0, np.int64)
    return ascending[first], np.diff(first, append=ascending.size)


def _added(parts: Sequence[Ranges]) -> Ranges:
    """The sum of counts over the same or different ranges."""
    if not parts:
        return Ranges(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((2, 0), np.int64))
    start, first, inverse = np.unique(np.concatenate([p.start for p in parts]), return_index=True, return_inverse=True)
    counts = np.zeros((2, start.size), dtype=np.int64)
    for row in range(2):
        np.add.at(counts[row], inverse, np.concatenate([p.counts[row] for p in parts]))
    return Ranges(start, np.concatenate([p.width for p in parts])[first], counts)


def _refined(file: Ranges, wide: Ranges, fine: Ranges) -> Ranges:
    """The file's ranges with the wide ones replaced by finer ones."""
    others = ~np.isin(file.start, wide.start)
    start = np.concatenate([file.start[others], fine.start])
    order = np.argsort(start, kind="stable")
    width = np.concatenate([file.width[others], fine.width])[order]
    return Ranges(start[order], width, np.hstack([file.counts[:, others], fine.counts])[:, order])


def part_edges(total: Ranges) -> IntArray:
    """The key at which each part begins, and one past the last: neighboring ranges joined up to the size of a part."""
    edges, held = [int(total.start[0])], 0
    for start, count in zip(total.start.tolist(), total.counts.sum(axis=0).tolist(), strict=True):
        if held and held + count > PART:
            edges.append(start)
            held = 0
        held += count
    edges.append(np.iinfo(np.int64).max)  # above the key of any score
    return np.array(edges, dtype=np.int64)


def _counts_below(file: Ranges, edges: IntArray) -> IntArray:
    """Scores of each class below each edge."""
    running = np.concatenate([np.zeros((2, 1), np.int64), np.cumsum(file.counts, axis=1)], axis=1)
    below: IntArray = running[:, np.searchsorted(file.start, edges)]
    return below


# --- second pass: places, then order ------------------------------------------------------------------------------


def _reserve(folder: Path, sizes: IntArray) -> tuple[str, str]:
    """Two files of the right size."""
    names = (str(folder / "target.f64"), str(folder / "nontarget.f64"))
    for name, size in zip(names, sizes, strict=True):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open(name, "wb") as file:
                file.truncate(int(size) * 8)
        except OSError as error:
            needed = int(sizes.sum()) * 8 / 1e9
            raise FileError(name, f"cannot be written ({error.strerror}); {needed:.1f} GB are needed there") from error
    return names


def _mapped(name: str, size: int, mode: Any) -> FloatArray:
    if not size:
        return np.zeros(0)
    mapped: FloatArray = np.memmap(name, dtype=np.float64, mode=mode, shape=(int(size),))
    return mapped


def scatter_file(path: str, edges: IntArray, places: IntArray, names: tuple[str, str], sizes: IntArray) -> IntArray:
    """Write the scores of one file into the places reserved for them; how many of each class were written."""
    arrays = [_mapped(name, size, "r+") for name, size in zip(names, sizes, strict=True)]
    cursor = places.copy()
    written = np.zeros(2, dtype=np.int64)
    for scores, labels in score_chunks(path):
        for row, of_class in enumerate((scores[labels], scores[~labels])):
            ascending = np.sort(of_class)
            cuts = np.searchsorted(keys_of(ascending), edges)
            for part in np.flatnonzero(np.diff(cuts)):
                piece = ascending[cuts[part] : cuts[part + 1]]
                at = cursor[row, part]
                if at + piece.size > sizes[row]:
                    return written - 1  # more than were counted: the file has changed
                arrays[row][at : at + piece.size] = piece
                cursor[row, part] += piece.size
            written[row] += of_class.size
    for array in arrays:
        if isinstance(array, np.memmap):
            array.flush()
    return written


def sort_part(
    names: tuple[str, str], sizes: IntArray, before: tuple[int, int], after: tuple[int, int], keep: bool
) -> Staircase:
    """Put one part in order, on disk, and give its staircase: all of it, or its hull."""
    counts = after[0] - before[0], after[1] - before[1]
    if sum(counts) > PART:  # more than a part only where all are the same score: nothing to sort, one step
        return Staircase(np.array([counts[0]]), np.array([counts[1]]))
    stairs = merge_sorted(*map(_sort_region, names, sizes, before, after))
    return stairs if keep else stairs.hull


def _sort_region(name: str, size: int, start: int, end: int) -> FloatArray:
    """The scores at these places, in order, there as well.

    They are laid aside first: of a region that was being overwritten when its worker died, nothing else knows the rest.
    """
    region = _mapped(name, size, "r+")[start:end]
    scores, aside = np.sort(region), Path(f"{name}.{start}")
    try:
        scores = np.fromfile(aside)
    except FileNotFoundError:
        write_whole(aside, scores.tobytes())
    region[:] = scores
    aside.unlink(missing_ok=True)
    return scores
