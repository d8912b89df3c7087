"""Changed files for every reader: does each end in a result or in one sentence, in time and in bounds?

    make fuzz                                  an hour over all readers
    python tools/fuzz.py --seconds 60          the minute that runs in CI; the seed is the commit
    python tools/fuzz.py --only scores --seed 7

Exit code 1 where a file gave a traceback, a message that is not printable or too long, a process that died, 10 seconds of work
(or a minute of any time) without an end, or more memory than twice the files and 500 MB; a warning of Python is printed. Such
files are kept in `build/fuzz/faults`; one that is mended moves to `tests/fuzz_cases/READER/`, where every test run reads it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
MEMORY = "/dev/shm"
GRACE = 60.0  # seconds that a child may take beyond its time: one file, and the start


@dataclass
class Tally:
    """What came of all files so far."""

    tried: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    faults: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    times: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")

    def add(self, line: dict[str, Any]) -> None:
        """One line of a child."""
        if "fault" in line:
            key = line["reader"], line["fault"], line["words"]
            if key not in self.faults:
                self.faults[key] = line
                print(
                    f"{line['fault']}: {line['reader']}, {line['file']}: {line['words']} ({line['saved']})", flush=True
                )
            self.times[key] += 1
            return
        self.tried[line["reader"]] += line["tried"]
        self.read[line["reader"]] += line["read"]
        self.slowest = max(self.slowest, (line["slowest"], line["reader"]))


def main() -> int:
    """Run, print what was found, and say by the exit code whether it was nothing."""
    arguments = _arguments()
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    tally, ends, turn = Tally(), time.monotonic() + arguments.seconds, 0
    # In memory where the system has a place for it: emptying a file on a disk takes longer than reading it.
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as work:
        while (left := ends - time.monotonic()) > 1 and not 0 < arguments.files <= tally.tried.total():
            _child(arguments, Path(work), f"{arguments.seed}.{turn}", left, tally)
            turn += 1
        shutil.rmtree(folder / "faults", ignore_errors=True)
        if tally.faults:
            shutil.copytree(Path(work) / "faults", folder / "faults")
    (folder / "tally.json").write_text(
        json.dumps({"seed": arguments.seed, "tried": tally.tried, "read": tally.read}, indent=1)
    )
    faults = Counter(kind for _, kind, _ in tally.faults)
    found = ", ".join(f"{kind} {count}" for kind, count in faults.items()) or "none"
    tried, read = sum(tally.tried.values()), sum(tally.read.values())
    print(f"seed {arguments.seed}: {tried} files over {len(tally.tried)} readers, {read} read, the others refused")
    print(f"faults: {found}; the slowest took {tally.slowest[0]:.1f} s ({tally.slowest[1]})")
    # a warning is looked into, and stops nobody: the seed is that of a commit that may have nothing to do with it
    return 1 if set(faults) - {"warning"} else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long, over all readers together")
    parser.add_argument("--files", type=int, default=0, help="how many files at most; 0 is as many as the time allows")
    parser.add_argument("--seed", default=None, help="where draws begin; the commit unless told")
    parser.add_argument("--only", default="", help="readers whose name begins so; several parted by commas")
    parser.add_argument("--folder", default=str(ROOT / "build" / "fuzz"), help="where faults are kept")
    arguments = parser.parse_args()
    arguments.seed = arguments.seed or _commit()
    sys.path.insert(0, str(TESTS))
    from fuzzing.readers import READERS

    starts = tuple(arguments.only.split(",")) if arguments.only else ("",)
    arguments.readers = [name for name, reader in READERS.items() if name.startswith(starts) and reader.can_run]
    if not arguments.readers:
        parser.error(f"--only: no reader begins so; there are {', '.join(READERS)}")
    return arguments


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "0"


def _child(arguments: argparse.Namespace, folder: Path, seed: str, seconds: float, tally: Tally) -> None:
    """One process, until its time is up or a file ends it."""
    command = [sys.executable, "-m", "fuzzing.child", "--readers", ",".join(arguments.readers), "--seed", seed,
               "--seconds", str(seconds), "--folder", str(folder),
               "--files", str(max(0, arguments.files - tally.tried.total()))]  # fmt: skip
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (TESTS, ROOT / "src"))),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NO_COLOR": "1",
    }
    (folder / "now").unlink(missing_ok=True)
    with open(folder / "stderr.txt", "w", encoding="utf-8") as errors:
        child = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8", cwd=folder
        )
        assert child.stdout is not None
        for line in child.stdout:
            tally.add(json.loads(line))
        try:
            code = child.wait(GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
    if code:
        tally.add(_death(folder, code))


def _death(folder: Path, code: int) -> dict[str, Any]:
    """What is known of a file that ended the process, or held it for too long."""
    said = (folder / "stderr.txt").read_text(errors="replace")
    kind = "hang" if "Timeout (" in said or code == -getattr(signal, "SIGPROF", 0) else "death"
    if not (folder / "now").exists():
        raise SystemExit(f"the readers could not be set up:\n{said[-3000:]}")
    reader, name = (folder / "now").read_text().splitlines()
    frames = [line.strip() for line in said.splitlines() if "stripeless" in line and "File" in line]
    words = frames[0].split("stripeless/")[-1] if frames else f"exit {code}"
    saved = folder / "faults" / f"{reader}--{kind}-{hashlib.sha256(words.encode()).hexdigest()[:8]}--{name}"
    saved.parent.mkdir(exist_ok=True)
    shutil.copyfile(folder / "now.bin", saved)
    print(said[-1500:] if kind == "death" else "", flush=True)
    return {"fault": kind, "reader": reader, "file": name, "words": words, "trace": said[-3000:], "saved": saved.name}


if __name__ == "__main__":
    sys.exit(main())
