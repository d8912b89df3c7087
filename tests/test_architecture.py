"""Imports point upstream only, in the order of docs/design.md; rooms say what they hold, and stay small."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import stripeless

ROOT = Path(stripeless.__file__).parent
ORDER = [
    "errors",
    "_extras",
    "_files",
    "_weights",
    "_draws",
    "_log",
    "parallel",
    "tables",
    "audio",
    "recognizers",
    "embeddings",
    "scores",
    "protections",
    "synthesis",
    "anonymizers",
    "measures",
    "verdicts",
    "results",
    "assessment",
    "ranks",
    "attackers",
    "attributes",
    "worlds",
    "papers",
    "listening",
    "studies",
    "plots",
    "report",
    "web",
    "cli",
]
DOORS = ("__init__", "__main__")  # of the package itself: they may open everything
FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem not in DOORS)
DESIGN = Path(__file__).parents[1] / "docs" / "design.md"
MOST_FILES = 24  # in a folder: as many as one takes in at a look
MOST_LINES = 400  # in a module: more usually hold two ideas
FOLDERS = sorted(path.parent for path in ROOT.rglob("__init__.py"))


def part_of(module: str) -> str:
    return module.split(".")[1] if module.count(".") else ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_upstream(path: Path) -> None:
    here = path.relative_to(ROOT).parts[0].removesuffix(".py")
    assert here in ORDER, f"{here} is not in the order of docs/design.md"
    tree = ast.parse(path.read_text())
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno} imports relatively"
            modules = [node.module or ""]
        for module in modules:
            if module.startswith("stripeless.") and part_of(module) in ORDER:
                assert ORDER.index(part_of(module)) <= ORDER.index(here), f"{path.name}:{node.lineno} imports {module}"


def storeys() -> str:
    """The part of the design that draws the rooms."""
    return DESIGN.read_text().partition("## The house")[2].partition("\n## ")[0]


def test_the_table_of_storeys_lists_every_room_in_order() -> None:
    rows = re.findall(r"^\| [a-z]* ?\| `(\w+)` \| .{10,} \|$", storeys(), flags=re.M)
    assert rows == ORDER


def test_the_drawing_shows_every_room_in_order() -> None:
    drawing = "\n".join(line[:60] for line in storeys().splitlines() if line.startswith("    "))
    shown = [word for word in re.findall(r"\w+", drawing) if word in ORDER]
    assert shown == ORDER


def test_the_order_knows_every_room() -> None:
    rooms = {path.name.removesuffix(".py") for path in ROOT.iterdir() if path.suffix == ".py" or path in FOLDERS}
    assert rooms - set(DOORS) == set(ORDER)


@pytest.mark.parametrize("folder", FOLDERS[1:], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_room_says_what_it_holds(folder: Path) -> None:
    doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    assert len(doc) > 30, f"{folder.name}/__init__.py says nothing"
    if folder.parent == ROOT:
        assert re.search(r"^Belongs here: .+^Not here: ", doc, flags=re.M | re.S), (
            f"{folder.name}: what belongs, what not?"
        )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_folder_can_be_read_as_one_list(folder: Path) -> None:
    names = [path.name for path in folder.glob("*.py")]
    assert len(names) <= MOST_FILES
    assert not [name for name in names if name.startswith(f"{folder.name}_")], "the folder has said it already"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MOST_LINES


# --- results are types until they are written -----------------------------------------------------------------------

SHOWN_ROOMS = ("plots", "report", "web")
TAKES_PLAIN = {
    "steps",
    "_example",
    "_start",
    "_submit",
}  # functions that take plain values: one curve, a job of the page
KEYS = {
    "attackers", "category_counts", "cells", "chance", "classifiers", "code", "counts", "criteria", "differences",
    "eer_by_tool", "evidence", "features", "groups", "intervals", "lines", "measures", "message", "protected",
    "rankings", "severity", "verification", "views", "voices", "warnings",
}  # fmt: skip
SHOWING = sorted(
    path
    for room in SHOWN_ROOMS
    for path in (ROOT / room).rglob("*.py")
    if room != "web" or path.stem in ("pages", "actions")
)


def looked_up(node: ast.AST) -> str:
    """The text by which a mapping is asked here: `result["measures"]` or `result.get("measures")`."""
    key: ast.AST | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        key = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        key = node.args[0]
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


@pytest.mark.parametrize("path", SHOWING, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_shows_results_reads_their_fields_not_their_keys(path: Path) -> None:
    tree = ast.parse(path.read_text())
    found = [f"{node.lineno}: {looked_up(node)}" for node in ast.walk(tree) if looked_up(node) in KEYS]  # type: ignore[attr-defined]
    assert not found, (
        f"{path.name} asks a result by key; turn it into its type at the door (plots.series.shown_results)"
    )


@pytest.mark.parametrize("path", SHOWING, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_shows_results_takes_types(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name not in TAKES_PLAIN:
            for argument in (*node.args.args, *node.args.kwonlyargs):
                hint = ast.unparse(argument.annotation) if argument.annotation else ""
                assert not re.search(r"(Mapping|dict)\[str, Any\]", hint), f"{path.name}:{node.lineno} {argument.arg}"


# --- no logic is written twice --------------------------------------------------------------------------------------

MOST_EQUAL = 10  # lines in a row that may not stand in two places


def logic(text: str) -> list[tuple[int, str]]:
    """Lines that do something, with their numbers: without docstrings, comments, imports, decorators and signatures."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            left_out.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        if isinstance(node, ast.FunctionDef):
            left_out.update(
                range(min([node, *node.decorator_list], key=lambda n: n.lineno).lineno, node.body[0].lineno)
            )
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
    lines = ((k, line.strip()) for k, line in enumerate(text.splitlines(), start=1) if k not in left_out)
    return [(k, line) for k, line in lines if line and not line.startswith("#")]


def written_twice(texts: dict[str, str]) -> list[str]:
    """Where runs of `MOST_EQUAL` equal lines begin a second time, and where the first time."""
    first: dict[tuple[str, ...], str] = {}
    found = []
    for name, text in texts.items():
        lines = logic(text)
        for k in range(len(lines) - MOST_EQUAL + 1):
            run, here = tuple(line for _, line in lines[k : k + MOST_EQUAL]), f"{name}:{lines[k][0]}"
            if run in first:
                found.append(f"{here} as {first[run]}")
            first.setdefault(run, here)
    return found


def test_no_ten_lines_stand_twice() -> None:
    assert written_twice({str(path.relative_to(ROOT)): path.read_text() for path in FILES}) == []


def test_ten_lines_that_stand_twice_are_found_whatever_they_are_called() -> None:
    body = "".join(f"    x = step_{k}(x)\n" for k in range(MOST_EQUAL))
    again = f'@cache\ndef g(\n    x: int,\n) -> int:\n    """Other words."""\n    # a comment\n{body}'
    assert written_twice({"a.py": f'def f(x):\n    """Says."""\n{body}', "b.py": again}) == ["b.py:7 as a.py:3"]
    assert written_twice({"a.py": f"def f(x):\n{body}", "b.py": again.replace("step_5", "step_50")}) == []
