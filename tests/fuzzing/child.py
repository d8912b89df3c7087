"""The process that reads changed files: run by `tools/fuzz.py`, which starts another when a file ends or hangs this one.

On its output goes one line of JSON for each round and each fault. The file that is being read lies in `now`, so that whoever
finds this process dead knows of what it died.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fuzzing.attempt import PATIENCE, SECONDS, Bench, Outcome
from fuzzing.readers import READERS

ROUND = 24  # files of one reader before the next has its turn
ADDRESS_SPACE = 6_000_000_000  # bytes beyond what the process has when it starts


def main() -> None:
    """Round after round over all readers until the time is up."""
    arguments = _arguments()
    folder = Path(arguments.folder)
    benches = [Bench(READERS[name], folder / name) for name in arguments.readers.split(",")]
    _limit_memory()
    if hasattr(signal, "setitimer"):
        faulthandler.register(signal.SIGPROF, chain=True)  # says where it was, and then ends the process
    ends, rounds = time.monotonic() + arguments.seconds, 0
    stopwatch = {bench.reader.name: 0.0 for bench in benches}
    while time.monotonic() < ends and (not arguments.files or rounds * ROUND < arguments.files):
        # Whoever has had least time is next, so that slow readers do not take it all.
        bench = min(benches, key=lambda one: stopwatch[one.reader.name])
        began = time.monotonic()
        draw = random.Random(f"{arguments.seed} {rounds} {bench.reader.name}")
        _round(bench, draw, folder / "now", ends)
        # A number of files is shared out by turns, so that the same seed tries the same ones.
        stopwatch[bench.reader.name] += 1.0 if arguments.files else max(time.monotonic() - began, 1e-3)
        rounds += 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--readers", required=True)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--folder", required=True)
    return parser.parse_args()


def _limit_memory() -> None:
    """What asks for very much is refused by the system, as on a machine that has no more."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + ADDRESS_SPACE, resource.RLIM_INFINITY))
    except (ImportError, OSError, ValueError):
        return  # a system without such limits: memory is measured all the same, where it can be


def _round(bench: Bench, draw: random.Random, now: Path, ends: float) -> None:
    slowest, tried, counts = 0.0, 0, {"read": 0, "refused": 0}
    for _ in range(ROUND):
        if time.monotonic() > ends:
            break
        name, content = bench.next_try(draw)
        _note(now, bench.reader.name, name, content)
        began = time.perf_counter()
        with limited_time():
            outcome = bench.run(name, content)
        slowest, tried = max(slowest, time.perf_counter() - began), tried + 1
        if outcome.fault:
            _tell(fault=outcome.kind, reader=bench.reader.name, file=name, words=outcome.words, trace=outcome.trace[-3000:],
                  saved=_saved(now.parent, bench, name, content, outcome))  # fmt: skip
        else:
            counts[outcome.kind] += 1
            bench.remember(name, content, outcome)
    _tell(reader=bench.reader.name, tried=tried, slowest=round(slowest, 3), **counts)


@contextmanager
def limited_time() -> Iterator[None]:
    """End this process, and say where it was, when what is done within this takes too long."""
    if not hasattr(signal, "setitimer"):
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        yield
        faulthandler.cancel_dump_traceback_later()
        return
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    faulthandler.cancel_dump_traceback_later()


def _note(now: Path, reader: str, name: str, content: bytes) -> None:
    """What is about to be read."""
    with open(f"{now}.bin", "wb", buffering=0) as file:
        file.write(content)
    with open(now, "wb", buffering=0) as file:
        file.write(f"{reader}\n{name}\n".encode())


def _saved(folder: Path, bench: Bench, name: str, content: bytes, outcome: Outcome) -> str:
    """Where a file that shows a fault is kept: one for each kind of fault."""
    what = hashlib.sha256(f"{bench.reader.name} {outcome.kind} {outcome.words}".encode()).hexdigest()[:8]
    place = folder / "faults" / f"{bench.reader.name}--{outcome.kind}-{what}--{name}"
    place.parent.mkdir(exist_ok=True)
    if not place.exists() or place.stat().st_size > len(content):
        place.write_bytes(content)
    return place.name


def _tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
