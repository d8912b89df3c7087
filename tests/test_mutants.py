"""`make mutants`: which changes are made, which are not, and which tests are run for each."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).parents[1] / "tools"
MODULE = b'''"""A docstring with 1 < 2 in it."""
from typing import Literal

__all__ = ["near", "Kind"]
Kind = Literal["a", "b"]
LIMIT = 0.5
SEED = 7
TINY = 1e-9


def near(first: float, second: float = 2.0, *, names: list[str] | None = None) -> bool:
    """Whether 1 < 2."""
    if len(names or ()) < 3 and first < LIMIT:
        raise ValueError(f"first: {first + 1} is too small, 3 expected")
    for name in names or ():
        if name == "x":
            continue
    names = ["a"] + ["b"]
    say("half way", 1 + 1)
    rng = default_rng([SEED, 11])
    return abs(first - second) <= max(LIMIT, 1) + compare(first, second, strict=True)
'''


@pytest.fixture(scope="module")
def tool() -> dict[str, ModuleType]:
    if not TOOLS.is_dir():
        pytest.skip("the tools are not part of this package")
    sys.path.insert(0, str(TOOLS))
    try:
        import mutant_sites
        import mutant_tests
        import mutants
    finally:
        sys.path.remove(str(TOOLS))
    return {"sites": mutant_sites, "tests": mutant_tests, "main": mutants}


def test_what_is_changed_and_what_is_left_alone(tool: dict[str, ModuleType]) -> None:
    changes = tool["sites"].find_changes(MODULE, "near.py")
    assert {(one.kind, one.line, one.shown(MODULE)[1]) for one in changes} == {
        ("changed constant", 6, "LIMIT = 1.0"),
        (
            "changed constant",
            11,
            "def near(first: float, second: float = 4.0, *, names: list[str] | None = None) -> bool:",
        ),
        ("negated condition", 13, "if not (len(names or ()) < 3 and first < LIMIT):"),
        ("negated condition", 13, "if len(names or ()) < 3 or first < LIMIT:"),
        ("negated condition", 13, "if len(names and ()) < 3 and first < LIMIT:"),
        ("changed comparison", 13, "if len(names or ()) <= 3 and first < LIMIT:"),
        ("changed constant", 13, "if len(names or ()) < 4 and first < LIMIT:"),
        ("changed comparison", 13, "if len(names or ()) < 3 and first > LIMIT:"),
        ("dropped statement", 14, "pass"),
        ("negated condition", 15, "for name in names and ():"),
        ("negated condition", 16, 'if not (name == "x"):'),
        ("changed comparison", 16, 'if name != "x":'),
        ("swapped operator", 21, "return abs(first + second) <= max(LIMIT, 1) + compare(first, second, strict=True)"),
        ("swapped operator", 21, "return abs(first - second) <= max(LIMIT, 1) - compare(first, second, strict=True)"),
        ("changed comparison", 21, "return abs(first - second) >= max(LIMIT, 1) + compare(first, second, strict=True)"),
        ("swapped arguments", 21, "return abs(first - second) <= max(LIMIT, 1) + compare(second, first, strict=True)"),
    }
    for one in changes:
        compile(one.applied(MODULE), "near.py", "exec")


def test_a_draw_stays_when_another_line_is_edited(tool: dict[str, ModuleType]) -> None:
    sites = tool["sites"]
    other = MODULE.replace(b'say("half way", 1 + 1)', b'say("nearly done")\n    say("done")')

    def drawn(source: bytes, seed: int) -> list[tuple[str, str]]:
        return [one.shown(source) for one in sites.draw_changes(sites.find_changes(source, "near.py"), source, 5, seed)]

    assert len(drawn(MODULE, 1)) == 5
    assert drawn(MODULE, 1) == drawn(other, 1)
    assert drawn(MODULE, 1) != drawn(MODULE, 2)
    everything = sites.draw_changes(sites.find_changes(MODULE, "near.py"), MODULE, 99, 1)
    ends = [(one.start, one.end) for one in everything]
    assert all(first[1] <= second[0] for first, second in pairwise(ends)), "no two on the same bytes"


def test_the_tests_of_a_change_are_those_that_execute_it(tool: dict[str, ModuleType]) -> None:
    path, other = "src/stripeless/cli/near.py", "src/stripeless/cli/far.py"
    changes = tool["sites"].find_changes(MODULE, path)
    tests = {
        "tests/a.py::slow": {"seconds": 9.0, "passed": True, "lines": {path: [13, 21]}},
        "tests/a.py::quick": {"seconds": 0.1, "passed": True, "lines": {path: [21]}},
        "tests/b.py::elsewhere": {"seconds": 0.1, "passed": True, "lines": {other: [13, 21]}},
        "tests/b.py::broken": {"seconds": 0.1, "passed": False, "lines": {path: [13, 21]}},
        "tests/test_docs.py::test_reference_pages": {"seconds": 99.0, "passed": True, "lines": {}},
        "src/stripeless/web/x.py::example": {"seconds": 0.1, "passed": True, "lines": {path: [13, 21]}},
    }
    plan = tool["main"].Plan(tuple(changes), {path: MODULE}, tests, {path: {other}}, "")
    by_line = {one.line: plan.tests_of(one) for one in changes}
    assert by_line[21] == ["tests/a.py::quick", "tests/a.py::slow"]
    assert by_line[13] == ["tests/a.py::slow"]
    assert by_line[14] == []
    docs = "tests/test_docs.py::test_reference_pages"
    assert by_line[6] == ["tests/b.py::elsewhere", "tests/a.py::quick", "tests/a.py::slow", docs], "and who imports it"
    assert by_line[11] == [*by_line[21], docs], "a default counts for whoever runs the function, and for who prints it"
