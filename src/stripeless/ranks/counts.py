"""The rank of the true template: how many others look more like the probe than its own speaker does.

Rank 1 means that the most similar template is the right one. Under no disclosure every rank from 1 to N is as likely
as any other. Ranks are counted in blocks, never sorted, and equal the sort-based definition exactly; ties get the
mid-rank. Baeckstroem et al., "Privacy disclosure of similarity rank in speech and language processing", section IV.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError, NotANumber, TrialMismatch, check_one_each
from stripeless.parallel.blas import one_blas_thread
from stripeless.parallel.engine import TimedProgress
from stripeless.parallel.executors import Executor
from stripeless.ranks.run import RankJob, count_all
from stripeless.ranks.space import Compare, check_rows, space_of
from stripeless.ranks.tile import blocks, count_tile
from stripeless.scores.check import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RankCounts:
    """What ranks are made of; keep this rather than the ranks where ties may be many.

    Attributes:
        above: for each probe the templates strictly more similar than its own one.
        tied: for each probe the other templates exactly as similar as its own one.
        n: how many templates there are.
    """

    above: IntArray
    tied: IntArray
    n: int

    @property
    def ranks(self) -> FloatArray:
        """Mid-ranks 1 .. n: the mean rank over all ways to break the ties."""
        return 1.0 + self.above + self.tied / 2


def true_ranks(
    probes: ArrayLike | Embeddings,
    templates: ArrayLike | Embeddings,
    *,
    metric: str | Compare = "cosine",
    probe_speakers: Sequence[str] | None = None,
    template_speakers: Sequence[str] | None = None,
    executor: Executor | int | str | None = None,
    device: str | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: TimedProgress | None = None,
) -> FloatArray:
    """Rank, 1 .. N, of each probe's own template among all templates; ties give the mid-rank.

    Parameters:
        probes: one row per probe, rows x numbers, or embeddings with speakers.
        templates: one row per person on file, of the same numbers, or embeddings with speakers.
        metric: "cosine", "euclidean", a histogram distance ("hellinger", "cityblock", "wasserstein", "jensen-shannon"),
            or a function of (probes, templates) that gives a matrix, higher for more similar.
        probe_speakers, template_speakers: who speaks in each row, each template another person; None pairs row i with
            row i, or takes the speakers of the embeddings.
        executor: who computes the tiles: None this thread, a number of threads (0: one per core), a Dask client,
            the address of a Dask scheduler, or anything else with `.submit`.
        device: compute tiles by torch there, such as "cuda"; None computes by NumPy.
        resume: a folder that keeps finished tiles, from which a killed run goes on; None keeps nothing.
        progress: called after each tile with (tiles done, tiles in all, seconds so far).
    Returns:
        One rank per probe; 1 means that nobody on file is more similar, N/2 on average is guessing.

    >>> templates = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> true_ranks([[2.0, 0.1], [3.0, 1.0], [1.0, 1.0]], templates).tolist()
    [1.0, 3.0, 1.0]
    """
    return count_ranks(
        probes,
        templates,
        metric=metric,
        probe_speakers=probe_speakers,
        template_speakers=template_speakers,
        executor=executor,
        device=device,
        resume=resume,
        progress=progress,
    ).ranks


def count_ranks(
    probes: ArrayLike | Embeddings,
    templates: ArrayLike | Embeddings,
    *,
    metric: str | Compare = "cosine",
    probe_speakers: Sequence[str] | None = None,
    template_speakers: Sequence[str] | None = None,
    executor: Executor | int | str | None = None,
    device: str | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: TimedProgress | None = None,
) -> RankCounts:
    """`true_ranks` before ties are averaged: how many templates lie above, how many tie.

    Parameters:
        probes: one row per probe, rows x numbers, or embeddings with speakers.
        templates: one row per person on file, of the same numbers, or embeddings with speakers.
        metric: "cosine", "euclidean", a histogram distance ("hellinger", "cityblock", "wasserstein", "jensen-shannon"),
            or a function of (probes, templates) that gives a matrix, higher for more similar.
        probe_speakers, template_speakers: who speaks in each row, each template another person; None pairs row i with
            row i, or takes the speakers of the embeddings.
        executor: who computes the tiles: None this thread, a number of threads (0: one per core), a Dask client,
            the address of a Dask scheduler, or anything else with `.submit`.
        device: compute tiles by torch there, such as "cuda"; None computes by NumPy.
        resume: a folder that keeps finished tiles, from which a killed run goes on; None keeps nothing.
        progress: called after each tile with (tiles done, tiles in all, seconds so far).
    Returns:
        `RankCounts`, whose `ranks` are those of `true_ranks`.

    >>> counts = count_ranks([[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]])
    >>> counts.above.tolist(), counts.tied.tolist(), counts.ranks.tolist()
    ([0, 0], [1, 1], [1.5, 1.5])
    """
    job = ranking_job(probes, templates, metric, probe_speakers, template_speakers)
    above, tied = count_all(job, executor, device, resume, progress)
    return RankCounts(above, tied, len(job.templates))


def ranking_job(
    probes: ArrayLike | Embeddings,
    templates: ArrayLike | Embeddings,
    metric: str | Compare = "cosine",
    probe_speakers: Sequence[str] | None = None,
    template_speakers: Sequence[str] | None = None,
) -> RankJob:
    """Check the input and say which template belongs to which probe."""
    if probe_speakers is None and isinstance(probes, Embeddings):
        probe_speakers = probes.speakers
    if template_speakers is None and isinstance(templates, Embeddings):
        template_speakers = templates.speakers
    p = check_rows(probes.vectors if isinstance(probes, Embeddings) else probes, metric, "probes")
    t = check_rows(templates.vectors if isinstance(templates, Embeddings) else templates, metric, "templates")
    if p.shape[1] != t.shape[1]:
        raise InputError(f"probes and templates: rows of {p.shape[1]} and {t.shape[1]} numbers cannot be compared")
    own = own_templates(len(p), len(t), probe_speakers, template_speakers)
    return RankJob(p, t, own, space_of(metric, t))


def own_templates(
    n_probes: int, n_templates: int, probe_speakers: Sequence[str] | None, template_speakers: Sequence[str] | None
) -> IntArray:
    """Row of each probe's own template, or a sentence that says which probe has none or too many."""
    if probe_speakers is None and template_speakers is None:
        if n_probes != n_templates:
            raise TrialMismatch(
                f"probes and templates: {n_probes} and {n_templates} rows; "
                "without speakers, row i of both must be the same speaker"
            )
        return np.arange(n_probes)
    if probe_speakers is None or template_speakers is None:
        missing = "probe_speakers" if probe_speakers is None else "template_speakers"
        raise TrialMismatch(f"{missing}: missing, while the speakers of the other side are given; give both or neither")
    for name, labels, rows in (
        ("probe_speakers", probe_speakers, n_probes),
        ("template_speakers", template_speakers, n_templates),
    ):
        check_one_each(name, len(labels), rows, kind=TrialMismatch)
    row_of = {speaker: row for row, speaker in enumerate(template_speakers)}
    if len(row_of) != n_templates:
        twice = next(s for row, s in enumerate(template_speakers) if row_of[s] != row)
        raise TrialMismatch(f"template_speakers: {twice!r} has more than one template; average them, or pick one")
    absent = [s for s in probe_speakers if s not in row_of]
    if absent:
        raise TrialMismatch(
            f"probe_speakers: {absent[0]!r} has no template ({len(absent)} of {n_probes} probes have none); "
            "enroll those speakers or leave their probes out"
        )
    return np.fromiter((row_of[s] for s in probe_speakers), dtype=np.int64, count=n_probes)


def count_score_ranks(scores: ArrayLike, own: ArrayLike | None = None) -> RankCounts:
    """Ranks from any matrix of scores, compared as they are.

    Parameters:
        scores: probes x templates, higher for more similar; a memory map is read in blocks.
        own: for each probe the column of its own template, counted from 0; None is column i for probe i.
    Returns:
        `RankCounts`, one row per probe.

    >>> count_score_ranks([[0.9, 0.1, 0.9], [0.3, 0.2, 0.1]], own=[0, 1]).ranks.tolist()
    [1.5, 2.0]
    """
    matrix = scores if isinstance(scores, np.ndarray) else np.asarray(scores)
    if matrix.ndim != 2 or not matrix.size or matrix.dtype.kind not in "fiu":
        raise InputError(f"scores: expected a matrix, probes by templates, got {matrix.dtype} of shape {matrix.shape}")
    column = own_columns(matrix.shape, own)
    counts = np.zeros((2, len(matrix)), dtype=np.int64)
    for rows in blocks(len(matrix), max(1, (1 << 22) // matrix.shape[1])):
        block = np.asarray(matrix[rows])
        if block.dtype.kind == "f" and np.isnan(block).any():
            raise NotANumber("scores: the matrix holds NaN; find out why the comparison failed")
        mine = block[np.arange(len(block)), column[rows]][:, None]
        counts[0, rows] = (block > mine).sum(axis=1)
        counts[1, rows] = (block == mine).sum(axis=1) - 1
    return RankCounts(counts[0], counts[1], matrix.shape[1])


def own_columns(shape: tuple[int, ...], own: ArrayLike | None) -> IntArray:
    """The column of each probe's own template, checked."""
    if own is None:
        if shape[0] != shape[1]:
            raise TrialMismatch(
                f"scores: {shape[0]} probes and {shape[1]} templates; `own` must say which belongs to which"
            )
        return np.arange(shape[0])
    column = np.asarray(own)
    if column.shape != shape[:1] or column.dtype.kind not in "iu":
        raise InputError(f"own: expected {shape[0]} column numbers, got {column.dtype} of shape {column.shape}")
    if column.min() < 0 or column.max() >= shape[1]:
        raise InputError(f"own: column numbers must lie in 0 .. {shape[1] - 1}, got {column.min()} .. {column.max()}")
    return column.astype(np.int64)


def estimate_seconds(job: RankJob, workers: int = 1) -> float:
    """How long ranking will take on this machine with so many threads, from a small piece of the job itself."""
    p, t = job.probes[:512], job.templates[:8192]
    nowhere = np.full(len(p), -1)
    similarity = _piece_similarity(job, p)
    best = np.inf
    for _ in range(2):  # the first run warms up
        started = time.perf_counter()
        with one_blas_thread():
            count_tile(p, t, nowhere, similarity, job.space)
        best = min(best, time.perf_counter() - started)
    return float(best * (len(job.probes) / len(p)) * (len(job.templates) / len(t)) / workers)


def _piece_similarity(job: RankJob, probes: NDArray[Any]) -> FloatArray:
    own = job.templates[job.own[: len(probes)]]
    return job.space.similarity(job.space.rows(probes), job.space.rows(own))
