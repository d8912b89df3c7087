"""Reading 10 million scores and trials: read_scores against duckdb's own join of the same files.

    python benchmarks/bench_reading.py [--lines 10000000] [--repeats 3]

Each run is a process of its own, the two alternate, and each reports its wall time (imports included) and its peak
memory. The same-order files and the shuffled ones are measured apart. Both programs hand back the scores and the labels
as arrays; read_scores also the speakers, the digests and the checks. duckdb is measured twice: with the labels as
they stand in the file, and with the labels compared to `target` inside the query, which spares it ten million strings.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

OURS = """
from stripeless.scores.files import read_scores
found = read_scores(sys.argv[1], sys.argv[2])
count = found.target.size + found.nontarget.size
"""

DUCKDB = """
import duckdb
text = "delim = ' ', header = false, quote = '', escape = '', auto_detect = false"
ids = "'enrollment': 'VARCHAR', 'utterance': 'VARCHAR'"
db = duckdb.connect()
db.execute("SET enable_progress_bar = false")
found = db.execute(
    f"SELECT s.score, {LABEL} AS label FROM read_csv(?, {text}, columns = {{{ids}, 'score': 'DOUBLE'}}) s "
    f"JOIN read_csv(?, {text}, columns = {{{ids}, 'label': 'VARCHAR'}}) t USING (enrollment, utterance)",
    sys.argv[1:3],
).fetchnumpy()
count = found["score"].size
"""

FRAME = """
import json, resource, sys, time
start = time.perf_counter()
{body}
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, int(count)]))
"""

PROGRAMS = {
    "ours": FRAME.replace("{body}", OURS),
    "duckdb": FRAME.replace("{body}", DUCKDB.replace("{LABEL}", "t.label")),
    "duckdb, labels as truth values": FRAME.replace("{body}", DUCKDB.replace("{LABEL}", "t.label = 'target'")),
}


def make_files(folder: Path, lines: int) -> None:
    """`scores` and `trials` in one order, and the same scores in another as `shuffled`."""
    rng = random.Random(0)
    speakers = [f"id{10000 + i}" for i in range(2000)]
    spoken = [rng.choice(speakers) for _ in range(-(-lines // len(speakers)))]
    utterances = [f"{speaker}-{rng.randrange(10**6):06d}-{i:05d}" for i, speaker in enumerate(spoken)]
    parts = 64
    with open(folder / "scores", "w") as scores, open(folder / "trials", "w") as trials:
        buckets = [open(folder / f"part{i}", "w+") for i in range(parts)]  # noqa: SIM115
        left = lines
        for model in speakers:
            for speaker, utterance in zip(spoken[:left], utterances, strict=False):
                line = f"{model} {utterance} {rng.gauss(0, 20):.5f}\n"
                scores.write(line)
                buckets[int(rng.random() * parts)].write(line)
                trials.write(f"{model} {utterance} {'target' if speaker == model else 'nontarget'}\n")
            left = max(0, left - len(utterances))
    with open(folder / "shuffled", "w") as shuffled:
        for bucket in buckets:
            bucket.seek(0)
            rows = bucket.readlines()
            rng.shuffle(rows)
            shuffled.writelines(rows)
            bucket.close()
            Path(bucket.name).unlink()


class Run(NamedTuple):
    """One process: seconds on the clock, seconds of all cores, peak memory in GB, rows."""

    wall: float
    cpu: float
    peak: float
    rows: int


def measure(program: str, scores: Path, trials: Path) -> Run:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[program], str(scores), str(trials)], capture_output=True, text=True, check=True
    )
    return Run(*json.loads(done.stdout))


def show(runs: dict[str, list[Run]]) -> None:
    """On a busy machine the least time says most: noise only adds."""
    ours = runs["ours"]
    for program, measured in runs.items():
        ratio = statistics.median(a.wall / b.wall for a, b in zip(ours, measured, strict=True))
        least, cpu = min(run.wall for run in measured), min(run.cpu for run in measured)
        print(
            f"  {program:32} least {least:6.2f} s, {cpu:6.2f} s of cores, {max(run.peak for run in measured):5.2f} GB; "
            f"ours takes {min(run.wall for run in ours) / least:.2f} of its least, {ratio:.2f} in the median round",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder, options.lines)
        for order in ("scores", "shuffled"):
            runs: dict[str, list[Run]] = {program: [] for program in PROGRAMS}
            for _ in range(options.repeats):
                for program, measured in runs.items():
                    measured.append(measure(program, folder / order, folder / "trials"))
                    assert measured[-1].rows == options.lines
            print(f"{order}: {options.lines} lines, {options.repeats} rounds")
            show(runs)


if __name__ == "__main__":
    main()
