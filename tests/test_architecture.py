"""Imports point upstream only, in the order of docs/design.md."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import stripeless

ROOT = Path(stripeless.__file__).parent
ORDER = [
    "errors",
    "_extras",
    "_files",
    "_draws",
    "parallel",
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
FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem != "__init__")


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
