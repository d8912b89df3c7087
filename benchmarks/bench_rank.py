"""Ranks of many speakers against the bare blocked float32 products they stand on, in one run.

    python benchmarks/bench_rank.py [speakers] [threads]

Both sides run on the same number of Python threads with one BLAS thread each, in alternation, so that a busy machine
slows both alike. Prints the ratio, of wall-clock and of processor time, and the peak memory of the process.
"""

from __future__ import annotations

import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from stripeless.parallel.blas import one_blas_thread
from stripeless.ranks import run as rank_run
from stripeless.ranks import tile as rank_tile
from stripeless.ranks.counts import count_ranks

DIMENSION = 192


def voices(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    templates = rng.standard_normal((n, DIMENSION), dtype=np.float32)
    probes = templates + 3.0 * rng.standard_normal((n, DIMENSION), dtype=np.float32)
    return probes, templates


def bare_products(probes: np.ndarray, templates: np.ndarray, threads: int) -> None:
    """The products alone, in the same blocks, every result thrown away."""

    def one_tile(p: slice) -> None:
        block = np.empty((rank_tile.TEMPLATE_BLOCK, rank_tile.PROBE_BLOCK), np.float32)
        for columns in rank_tile.blocks(p.stop - p.start, rank_tile.PROBE_BLOCK):
            few = probes[p][columns]
            for t in rank_tile.blocks(len(templates), rank_tile.TEMPLATE_BLOCK):
                np.matmul(templates[t], few.T, out=block[: t.stop - t.start, : len(few)])

    with ThreadPoolExecutor(threads) as pool, one_blas_thread():
        list(pool.map(one_tile, rank_tile.blocks(len(probes), rank_run.PROBE_TILE)))


def clocks() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    probes, templates = voices(n)
    bare, ours = np.zeros(2), np.zeros(2)
    part = max(rank_run.PROBE_TILE * threads, n // 4)
    for rows in rank_tile.blocks(n, part):  # alternate, so that both meet the same neighbors
        started = clocks()
        bare_products(probes[rows], templates, threads)
        between = clocks()
        speakers = [str(i) for i in range(n)]
        count_ranks(
            probes[rows],
            templates,
            probe_speakers=speakers[rows],
            template_speakers=speakers,
            executor=threads,
        )
        ours += clocks() - between
        bare += between - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{n} x {n}, d = {DIMENSION}, {threads} threads")
    for i, name in enumerate(("wall clock", "processor")):
        print(f"{name}: bare products {bare[i]:.1f} s, ranks {ours[i]:.1f} s, ratio {ours[i] / bare[i]:.2f}")
    print(f"peak memory {peak:.2f} GB")


if __name__ == "__main__":
    main()
