"""Which tests are run for a change: those that execute the changed line.

They are found by running every test once with its calls followed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from mutant_sites import digest
from mutant_trace import FOLDER, TracePlugin, with_fixtures
from mutant_trace import ROOMS as TRACED_ROOMS
from mutant_workers import Run, wait

PACKAGE = "src/stripeless"
ROOMS = ("attackers", "attributes", "verdicts", "studies", "assessment", "cli")


def room_of(path: str) -> str:
    """The folder of the package that a file lies in."""
    return path.removeprefix(PACKAGE + "/").split("/")[0]


def importers_of(sources: dict[str, bytes]) -> dict[str, set[str]]:
    """For each file the others that import something from it."""
    found: dict[str, set[str]] = {path: set() for path in sources}
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.module:
                name = "src/" + node.module.replace(".", "/")
                for target in (f"{name}.py", f"{name}/__init__.py"):
                    if target in found:
                        found[target].add(path)
    return found


def reaching(copy: Path) -> list[str]:
    """Files of tests that can reach one of the rooms by what they import, or start processes of their own."""
    places = {name_of(path.relative_to(copy / "src")): path for path in (copy / "src").rglob("*.py")}
    for path in (copy / "tests").rglob("*.py"):  # helpers of the tests are imported by their bare name
        places |= {name_of(path.relative_to(copy / "tests")): path, path.stem: path}
    imports = {name: imported(path) for name, path in places.items()}
    wanted = tuple(f"stripeless.{room}" for room in ROOMS)
    found = []
    for test in sorted(copy.glob("tests/**/test_*.py")):
        seen, waiting = set(), [name_of(test.relative_to(copy / "tests"))]
        while waiting:
            name = waiting.pop()
            if name in imports and name not in seen:
                seen.add(name)
                waiting += imports[name]
        if "subprocess" in test.read_text() or any(name == "stripeless" or name.startswith(wanted) for name in seen):
            found.append(str(test.relative_to(copy)))
    return found


def name_of(path: Path) -> str:
    """The dotted name of a module."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path) -> set[str]:
    """Every name that a module imports, wherever in it: modules, and what may be one."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def traced(copy: Path, kept: Path, anew: bool) -> dict[str, dict[str, Any]]:
    """What each test executes: as it was found before where neither its file nor what it executes has changed since."""
    known = json.loads(kept.read_text()) if kept.is_file() and not anew else {}
    targets = [*reaching(copy), *(f"{PACKAGE}/{room}" for room in ROOMS)]
    known = {name: known[name] for name in targets if name in known and up_to_date(copy, name, known[name])}
    new = [name for name in targets if name not in known]
    if new:
        print(f"Tracing which tests execute which lines: {len(new)} of {len(targets)} files ...", flush=True)
    for name in new:  # one at a time, so that what is interrupted goes on where it stopped
        tests = trace(copy, name)
        if tests is None:  # it may work next time
            continue
        executed = sorted({path for test in tests.values() for path in test["lines"]})
        known[name] = {"stamps": {path: stamp(copy / path) for path in (name, *executed)}, "tests": tests}
        kept.write_text(json.dumps(known))
    tests = {name: test for file in known.values() for name, test in file["tests"].items()}
    failing = sum(not test["passed"] for test in tests.values())
    print(f"{len(tests)} tests, {failing} of them skipped or failing without any change and left out", flush=True)
    return tests


def up_to_date(copy: Path, name: str, found: dict[str, Any]) -> bool:
    """Are the file of tests and every file that it executes what they were?"""
    return name in found["stamps"] and all(stamp(copy / path) == was for path, was in found["stamps"].items())


def stamp(path: Path) -> str:
    """Names the content of a file; of a folder, and of nothing, the same."""
    return digest(hashlib.sha256(path.read_bytes()).hexdigest()) if path.is_file() else ""


def trace(copy: Path, target: str) -> dict[str, dict[str, Any]] | None:
    """Run this file, or the examples in this folder, with every call followed."""
    folder = Path(tempfile.mkdtemp(dir=copy))
    rooms = os.pathsep.join(f"{copy / PACKAGE / room}{os.sep}" for room in ROOMS)

    def plugins() -> list[Any]:
        one = TracePlugin(folder)
        return [one, with_fixtures(one)]

    run = Run(copy, "trace", limit=3600).start([target], plugins, {FOLDER: str(folder), TRACED_ROOMS: rooms})
    wait(run)
    if not (folder / "tests.json").is_file():
        lines = (copy / "output.txt").read_text().strip().splitlines() or ["no output"]
        print(f"{target} could not be traced and is left out: {lines[-1]}", flush=True)
        return None
    found = json.loads((folder / "tests.json").read_text())
    for test in found.values():
        test["lines"] = {str(Path(file).relative_to(copy)): lines for file, lines in test["lines"].items()}
    return found
