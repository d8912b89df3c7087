"""Which test executes which line: a plugin for pytest that follows every call into the rooms that are changed.

What a shared fixture or a cached helper of the tests executes counts for every test that uses it. Child processes of
a test write what they execute into the folder named by `STRIPELESS_TRACE`, and it counts for that test; see `SITE`.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import update_wrapper
from pathlib import Path
from typing import Any

Lines = set[tuple[str, int]]
FOLDER = "STRIPELESS_TRACE"
ROOMS = "STRIPELESS_TRACED_ROOMS"  # folders, separated by os.pathsep
SITE = """# What every Python process below a traced test does first.
import os, sys
if os.environ.get('STRIPELESS_TRACE'):
    sys.path.insert(0, {tools!r})
    import mutant_trace
    mutant_trace.trace_child()
"""


class Tracer:
    """Collects (file, line) of what runs below some folders, in every thread."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.folders = folders
        self.lines: Lines = set()

    def start(self) -> None:
        """From now on."""
        threading.settrace(self.call)
        sys.settrace(self.call)

    def call(self, frame: Any, event: str, argument: Any) -> Callable[..., Any] | None:
        """A function is entered: follow it only where it lies in one of the folders."""
        if not frame.f_code.co_filename.startswith(self.folders):
            return None
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.line

    def line(self, frame: Any, event: str, argument: Any) -> Callable[..., Any]:
        """A line is executed."""
        if event == "line":
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.line


def trace_child() -> None:
    """Trace this process to its end, for the test that started it."""
    from multiprocessing import util

    tracer = Tracer(tuple(os.environ[ROOMS].split(os.pathsep)))
    tracer.start()

    def write() -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        path = Path(os.environ[FOLDER], f"child-{os.getpid()}-{time.monotonic_ns()}.json")
        path.write_text(json.dumps([test, sorted(tracer.lines)]))

    atexit.register(write)
    util.Finalize(None, write, exitpriority=0)


class TracePlugin:
    """Fills `tests` with what each test executes and takes, and writes it when the session ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tracer = Tracer(tuple(os.environ[ROOMS].split(os.pathsep)))
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.lines: dict[str, Lines] = {}
        self.fixtures: defaultdict[tuple[str, str], Lines] = defaultdict(set)
        self.tracer.start()

    def pytest_collection_finish(self, session: Any) -> None:
        """What the tests cache is recorded once, and counts for everyone who asks for it."""
        recorders: dict[int, Any] = {}
        for module in list(sys.modules.values()):
            for name, value in list(vars(module).items()) if hasattr(module, "__dict__") else []:
                if type(value).__name__ == "_lru_cache_wrapper" and lies_in_tests(value):
                    setattr(module, name, recorders.setdefault(id(value), self.recorder(value)))

    def recorder(self, cached: Any) -> Any:
        """A cached function that adds the lines of its first call to every later one."""
        seen: dict[Any, Lines] = {}

        def call(*args: Any, **kwargs: Any) -> Any:
            before, self.tracer.lines = self.tracer.lines, set()
            try:
                return cached(*args, **kwargs)
            finally:
                kept = seen.setdefault((args, tuple(sorted(kwargs.items()))), set())
                kept |= self.tracer.lines
                self.tracer.lines = before | kept

        update_wrapper(call, cached)
        call.cache_clear = cached.cache_clear  # type: ignore[attr-defined]
        return call

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins with no lines."""
        self.tracer.lines = set()

    def fixture_lines(self, item: Any) -> Lines:
        """What the fixtures of a test have executed, whoever was the first to ask for them."""
        known = getattr(item, "_fixtureinfo", None)
        named = known.name2fixturedefs.items() if known is not None else ()
        return set().union(*(self.fixtures[one.argname, one.baseid] for _, found in named for one in found))

    def pytest_runtest_teardown(self, item: Any) -> None:
        """A test ends: keep its lines."""
        self.lines[item.nodeid] = self.tracer.lines | self.fixture_lines(item)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep its seconds, and whether it failed."""
        self.seconds[report.nodeid] += report.duration
        if not report.passed:  # a skipped test tells nothing either
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write it all, the lines of child processes included."""
        sys.settrace(None)
        for path in self.folder.glob("child-*.json"):
            try:
                test, lines = json.loads(path.read_text())
            except ValueError:  # that process was killed while it wrote
                continue
            if test in self.lines:
                self.lines[test] |= {tuple(line) for line in lines}
        tests = {
            test: {"seconds": round(self.seconds[test], 3), "passed": test not in self.failed, "lines": by_file(lines)}
            for test, lines in self.lines.items()
        }
        Path(self.folder, "tests.json").write_text(json.dumps(tests))


def with_fixtures(plugin: TracePlugin) -> Any:
    """The hook around fixtures, which needs pytest to be declared."""
    import pytest

    class Fixtures:
        @pytest.hookimpl(wrapper=True)
        def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
            before, plugin.tracer.lines = plugin.tracer.lines, set()
            try:
                return (yield)
            finally:
                plugin.fixtures[fixturedef.argname, fixturedef.baseid] |= plugin.tracer.lines
                plugin.tracer.lines |= before

    return Fixtures()


def lies_in_tests(cached: Any) -> bool:
    """Is this cached function one of the tests' own?"""
    code = getattr(cached.__wrapped__, "__code__", None)
    return code is not None and f"{os.sep}tests{os.sep}" in code.co_filename


def by_file(lines: Lines) -> dict[str, list[int]]:
    """Lines, sorted, under their file."""
    found: dict[str, list[int]] = {}
    for file, line in sorted(lines):
        found.setdefault(file, []).append(line)
    return found
