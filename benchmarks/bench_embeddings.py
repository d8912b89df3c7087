"""Embeddings: whole score matrices in bounded memory, and low-rank rotations against full ones, within one run."""

from __future__ import annotations

import resource
import time

import numpy as np

from stripeless.attackers.inversion.procrustes import nearest_rotation, random_rotation
from stripeless.attackers.inversion.wasserstein_published import moved_rotation
from stripeless.scores.comparison import score_blocks


def score_matrix(rows: int = 20_000, dimensions: int = 512) -> None:
    """Cosine of all pairs, block by block: the time against one product, and the memory of the whole process."""
    vectors = np.random.default_rng(0).normal(size=(rows, dimensions)).astype(np.float32)
    start = time.perf_counter()
    total = sum(float(block[:, 0].sum()) for _, block in score_blocks(vectors, vectors))
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    _ = vectors[:1000] @ vectors.T
    product = (time.perf_counter() - start) * rows / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{rows} x {rows}, d = {dimensions}: {seconds:.1f} s, {seconds / product:.2f} times the bare products, "
          f"peak {peak:.2f} GB of the whole process (checksum {total:.3f})")  # fmt: skip


def low_rank_steps(dimensions: int = 438) -> None:
    """One step of Wasserstein-Procrustes: only the changed directions against all of them."""
    rng = np.random.default_rng(0)
    rotation = random_rotation(dimensions, rng)
    for batch in (8, 16, 32, 64):
        left, right = rng.normal(size=(dimensions, batch)), rng.normal(size=(batch, dimensions))
        seconds = []
        for step in (lambda: moved_rotation(rotation, left, right), lambda: nearest_rotation(rotation + left @ right)):  # noqa: B023
            start = time.perf_counter()
            for _ in range(5):
                step()
            seconds.append(time.perf_counter() - start)
        print(f"batch {batch:3d}: {seconds[1] / seconds[0]:.1f} times as fast as a full decomposition")


def main() -> None:
    score_matrix()
    low_rank_steps()


if __name__ == "__main__":
    main()
