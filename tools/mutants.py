"""How many small mistakes would the tests notice? Makes some, one at a time, and runs the tests that execute the line.

    make mutants                                     200 changes; exit code 1 where fewer than nine of ten are noticed
    python tools/mutants.py --only attackers/ --list   what would be changed there
    python tools/mutants.py --workers 1 --only cli/  one room, one process

Nothing is changed in the checkout: each worker has a copy of its own. What is done is written down in `build/mutants`,
and a run that was interrupted goes on where it stopped. Real data are not used, so that a bare clone gives the same
figure.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutant_sites import KINDS, Change, digest, draw_changes, find_changes
from mutant_tests import PACKAGE, ROOMS, importers_of, room_of, traced
from mutant_workers import Run, private_copy, warm_up

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENT = Path(__file__).with_name("mutants_equivalent.txt")
ENOUGH = 0.9
BUDGET = 120.0  # seconds of tests for one change, the fastest first
# What looks at defaults, options and their limits without running what they belong to.
LOOKS_AT_CODE = (
    "tests/test_docs.py::test_reference_pages",
    *(f"tests/cli/test_{what}.py" for what in ("refusals", "choices", "vector_choices", "serve")),
)
NOTICED, SURVIVED, BROKEN = "noticed", "survived", "not run"


@dataclass(frozen=True)
class Plan:
    """Everything that is to be changed, with the tests that execute it."""

    changes: tuple[Change, ...]
    sources: dict[str, bytes]
    tests: dict[str, dict[str, Any]]
    importers: dict[str, set[str]]
    world: str

    def key(self, change: Change) -> str:
        """Names a change of this very file."""
        return digest(hashlib.sha256(self.sources[change.path]).hexdigest(), change.start, change.end, change.new)

    def tests_of(self, change: Change) -> list[str]:
        """Tests that execute the change, the fastest files and the fastest tests first, as far as the budget goes."""
        chosen = {}
        for name, test in self.tests.items():
            if not test["passed"] or (name.startswith("src/") and room_of(name) != room_of(change.path)):
                continue
            lines = set(test["lines"].get(change.path, ()))
            if change.lines:
                runs = bool(lines & set(change.lines))
            else:
                runs = bool(lines or self.importers[change.path] & set(test["lines"]))
            if runs or (change.declared and name.startswith(LOOKS_AT_CODE) and fits(name, change)):
                chosen[name] = test["seconds"]
        total = Counter[str]()
        for name, seconds in chosen.items():
            total[name.split("::")[0]] += seconds  # type: ignore[assignment]
        ordered = sorted(chosen, key=lambda name: (total[name.split("::")[0]], name.split("::")[0], chosen[name], name))
        spent, kept = 0.0, []
        for name in ordered:
            spent += chosen[name]
            if spent > BUDGET and kept:
                break
            kept.append(name)
        return kept


def main() -> None:
    """Plan, run, tell."""
    asked = arguments()
    sources = {
        str(p.relative_to(ROOT)): p.read_bytes()
        for room in ROOMS
        for p in sorted((ROOT / PACKAGE / room).rglob("*.py"))
    }
    changes = [one for one in draw(sources, asked.count, asked.seed) if matches(one, asked.only)]
    if asked.list:
        for change in changes:
            print_change(change, sources)
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        copies = [private_copy(ROOT, Path(temporary, f"copy{number}")) for number in range(asked.workers)]
        warm_up()
        tests = traced(copies[0], asked.folder / "tests.json", asked.retrace)
        plan = Plan(tuple(changes), sources, tests, importers_of(sources), world_of(ROOT))
        found = run_all(plan, copies, asked.folder / "journal.jsonl")
    share = tell(plan, found)
    sys.exit(int(share < ENOUGH))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many changes in all")
    parser.add_argument("--seed", type=int, default=12, help="which ones")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only those whose FILE:LINE matches or contains this",
    )
    parser.add_argument("--list", action="store_true", help="show the changes, run nothing")
    parser.add_argument("--retrace", action="store_true", help="find out anew which test executes which line")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants", help="where the journal is kept")
    return parser.parse_args()


# What is changed


def draw(sources: dict[str, bytes], count: int, seed: int) -> list[Change]:
    """Changes in every file, as many as its share of all that could be changed; proven equivalents are left out."""
    equal = equivalents()
    possible = {
        path: [one for one in find_changes(source, path) if (path, *one.shown(source)) not in equal]
        for path, source in sources.items()
    }
    shares = {path: count * len(some) / sum(map(len, possible.values())) for path, some in possible.items()}
    counts = {path: int(share) for path, share in shares.items()}
    rest = sorted(shares, key=lambda path: (counts[path] - shares[path], path))
    for path in rest[: count - sum(counts.values())]:
        counts[path] += 1
    return [one for path in sources for one in draw_changes(possible[path], sources[path], counts[path], seed)]


def equivalents() -> set[tuple[str, str, str]]:
    """Changes that are known to change nothing: file, line before, line after; each followed by why."""
    lines = (
        [line for line in EQUIVALENT.read_text().splitlines() if line.strip() and not line.startswith("#")]
        if EQUIVALENT.is_file()
        else []
    )
    found = set()
    for path, before, after, why in zip(*(lines[start::4] for start in range(4)), strict=True):
        if not (before.startswith("- ") and after.startswith("+ ") and why.startswith("because ")):
            raise SystemExit(
                f"{EQUIVALENT.name}: expected a file, '- before', '+ after' and 'because ...', got {path!r}"
            )
        found.add((path, before[2:], after[2:]))
    return found


def matches(change: Change, patterns: list[str]) -> bool:
    """Is it among those asked for?"""
    place = f"{change.path.removeprefix(PACKAGE + '/')}:{change.line}"
    return not patterns or any(pattern in place or fnmatch.fnmatch(place, pattern) for pattern in patterns)


def fits(name: str, change: Change) -> bool:
    """Tests of commands look at commands only."""
    return room_of(change.path) == "cli" or not name.startswith("tests/cli/")


def world_of(root: Path) -> str:
    """A name for the state of code and tests together."""
    files = sorted(p for folder in ("src", "tests") for p in (root / folder).rglob("*.py"))
    return digest(*(hashlib.sha256(path.read_bytes()).hexdigest() for path in files))


# Running them


class FirstFailure:
    """Writes down the first test that fails, and ends a run whose test goes on and on."""

    def __init__(self, path: Path, seconds: dict[str, float]) -> None:
        self.path, self.seconds = path, seconds
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(90)  # for reading the files of tests, some of which compute what they test

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Four times as long as it takes when it is traced, and some for a busy machine."""
        signal.alarm(15 + round(4 * self.seconds.get(nodeid, 3.0)))

    def pytest_collectreport(self, report: Any) -> None:
        """A file of tests cannot be imported any more, or calls what now fails while it is."""
        if report.failed and not self.path.is_file():
            self.path.write_text(f"{report.nodeid}, while it was read")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test, or its fixture, failed."""
        if report.failed and not self.path.is_file():
            self.path.write_text(report.nodeid)


def run_all(plan: Plan, copies: list[Path], journal: Path) -> dict[str, dict[str, Any]]:
    """Every change that the journal does not know yet, `len(copies)` at a time."""
    known = {}
    if journal.is_file():
        for line in journal.read_text().splitlines():
            entry = json.loads(line)
            if entry["outcome"] == NOTICED or entry["world"] == plan.world:
                known[entry["key"]] = entry
    waiting = [change for change in plan.changes if plan.key(change) not in known]
    running: dict[Path, tuple[Run, Change, list[str]]] = {}
    total = len(waiting)
    while waiting or running:
        for copy in copies:
            if copy not in running and waiting:
                change = waiting.pop(0)
                tests = plan.tests_of(change)
                running[copy] = (begin(plan, change, copy, tests), change, tests)
            if copy in running and (code := running[copy][0].ended()) is not None:
                run, change, tests = running.pop(copy)
                if (
                    code in (4, 5) and tests and any("::" in test for test in tests)
                ):  # names of tests depend on the change
                    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
                    running[copy] = (begin(plan, change, copy, files), change, files)
                    continue
                entry = ended(plan, change, run, code, tests)
                known[entry["key"]] = entry
                with journal.open("a") as file:
                    file.write(json.dumps(entry) + "\n")
                print(f"[{total - len(waiting) - len(running)}/{total}] ", end="")
                print_change(change, plan.sources, entry)
        time.sleep(0.02)
    return {plan.key(change): known[plan.key(change)] for change in plan.changes}


def begin(plan: Plan, change: Change, copy: Path, tests: list[str]) -> Run:
    """Make the change in this copy, and start the tests."""
    write(copy / change.path, change.applied(plan.sources[change.path]))
    failure = copy / "failure.txt"
    failure.unlink(missing_ok=True)
    seconds = sum(plan.tests[test]["seconds"] for test in tests if test in plan.tests) or BUDGET
    times = {name: test["seconds"] for name, test in plan.tests.items()}
    run = Run(copy, change, limit=60 + 10 * seconds)
    return run.start(["-x", *(tests or ["--version"])], lambda: [FirstFailure(failure, times)], {})


def ended(plan: Plan, change: Change, run: Run, code: int, tests: list[str]) -> dict[str, Any]:
    """Take the change back, and say what became of it."""
    write(run.copy / change.path, plan.sources[change.path])
    before, after = change.shown(plan.sources[change.path])
    failure = run.copy / "failure.txt"
    by = (
        failure.read_text()
        if failure.is_file()
        else {124: "it ran on and on", -signal.SIGALRM: "a test that did not end", 0: ""}.get(
            code, "pytest, which ended"
        )
    )
    outcome = SURVIVED if code == 0 or not tests else NOTICED if code in (1, 2, 124) or code < 0 else BROKEN
    return {
        "key": plan.key(change), "world": plan.world, "path": change.path, "line": change.line, "kind": change.kind,
        "before": before, "after": after, "outcome": outcome, "by": by, "tests": len(tests), "code": code,
        "seconds": round(time.monotonic() - run.started, 1),
    }  # fmt: skip


def write(path: Path, content: bytes) -> None:
    """Replace a module, and forget what was compiled of it: two versions of one length and second look alike."""
    path.write_bytes(content)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()


# Telling


def print_change(change: Change, sources: dict[str, bytes], entry: dict[str, Any] | None = None) -> None:
    """Where, what, and what became of it."""
    before, after = change.shown(sources[change.path])
    if entry is None or entry["outcome"] != NOTICED:
        head = "" if entry is None else f"{entry['outcome'].upper()} ({entry['tests']} tests, {entry['seconds']} s) "
        print(f"{head}{change.path}:{change.line} {change.kind}\n    - {before}\n    + {after}", flush=True)
    else:
        print(f"noticed ({entry['seconds']} s) {change.path}:{change.line} {change.kind}, by {entry['by']}", flush=True)


def tell(plan: Plan, found: dict[str, dict[str, Any]]) -> float:
    """The share noticed, by room and by kind, and the survivors."""
    entries = list(found.values())
    survivors = [one for one in entries if one["outcome"] == SURVIVED]
    print("\nSurvivors")
    for one in sorted(survivors, key=lambda one: (one["path"], one["line"])):
        executed = "" if one["tests"] else ", which no test executes"
        print(f"{one['path']}:{one['line']} {one['kind']}{executed}\n    - {one['before']}\n    + {one['after']}")
    for one in entries:
        if one["outcome"] == BROKEN:
            print(f"not run (pytest ended with {one['code']}): {one['path']}:{one['line']} {one['kind']}")
    print()
    for title, names, of in (
        ("room", ROOMS, lambda one: room_of(one["path"])),
        ("kind", KINDS, lambda one: one["kind"]),
    ):
        for name in names:
            outcomes = [one["outcome"] for one in entries if of(one) == name and one["outcome"] != BROKEN]
            if outcomes:
                print(f"{title} {name}: {outcomes.count(NOTICED)} of {len(outcomes)} noticed")
    counted = [one for one in entries if one["outcome"] != BROKEN]
    share = (len(counted) - len(survivors)) / len(counted) if counted else 1.0
    print(f"{len(counted) - len(survivors)} of {len(counted)} changes noticed: {100 * share:.1f} %")
    return share


if __name__ == "__main__":
    main()
