"""Scores beyond memory: time per hundred million scores, peak memory, and the same values as in memory.

    python benchmarks/bench_assess_files.py [scores] [folder] [threads]

Writes simulated scores (a tenth of them targets) as four parquet files into the folder, measures them from disk, and
where they fit compares with `assess` in memory.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
import numpy as np

from stripeless.assessment.assess import assess
from stripeless.assessment.files import assess_files

FILES = 4
FITS = 20_000_000


def write(folder: Path, count: int) -> list[Path]:
    """Sums of four uniform numbers, targets 1.2 higher."""
    paths = []
    for i in range(FILES):
        path = folder / f"scores-{i}.parquet"
        paths.append(path)
        if path.exists():
            continue
        with duckdb.connect() as db:
            db.execute("SET threads = 1")
            db.execute(f"SELECT setseed(0.{i + 1})")
            uniform = "(random() + random() + random() + random() - 2) * 1.7"
            db.execute(
                f"COPY (SELECT s + CASE WHEN t THEN 1.2 ELSE 0 END AS score, CASE WHEN t THEN 'target' ELSE 'nontarget' END "
                f"AS label FROM (SELECT {uniform} AS s, random() < 0.1 AS t FROM range({count // FILES}))) "
                f"TO '{path}' (FORMAT parquet)"
            )
    return paths


def in_memory(paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    with duckdb.connect() as db:
        found = db.execute(
            "SELECT score, label = 'target' AS t FROM read_parquet(?)", [[str(p) for p in paths]]
        ).fetchnumpy()
    scores, labels = np.asarray(found["score"]), np.asarray(found["t"], dtype=bool)
    return scores[labels], scores[~labels]


class PeakMemory:
    """The most memory of its own that this process holds (Linux); pages of mapped files are the system's to drop."""

    def __enter__(self) -> PeakMemory:
        self.own, self.with_files, self.done = 0.0, 0.0, threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.done.wait(0.05):
            status = Path("/proc/self/status").read_text()
            sizes = {k: int(v) / 1e6 for k, v in re.findall(r"(RssAnon|VmRSS):\s+(\d+) kB", status)}
            self.own = max(self.own, sizes["RssAnon"])
            self.with_files = max(self.with_files, sizes["VmRSS"])

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self.thread.join()


def main() -> None:
    count = int(float(sys.argv[1])) if len(sys.argv) > 1 else 4_000_000
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths = write(folder, count)
        started, worked = time.perf_counter(), time.process_time()
        with PeakMemory() as peak:
            result = assess_files(paths, folder=folder / "sorted", executor=threads, digests=False)
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
        print(f"{count:,} scores from disk: {seconds:.1f} s ({processor:.1f} s of processor)")
        print(f"peak memory {peak.own:.2f} GB; {peak.with_files:.2f} GB with pages of mapped files")
        print(f"eer {result['eer']!r}, cllr {result['cllr']!r}, d_ece {result['d_ece']!r}")
        if count <= FITS:
            target, nontarget = in_memory(paths)
            started = time.perf_counter()
            whole = assess(target, nontarget)
            print(f"in memory, without reading: {time.perf_counter() - started:.1f} s")
            same = all(result[name] == whole[name] for name in whole.measures)
            print("every measure is the same to the last bit" if same else "MEASURES DIFFER")


if __name__ == "__main__":
    main()
