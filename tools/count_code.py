"""Counts lines of code: what is left of Python files without docstrings, comments and blank lines.

python tools/count_code.py              src/stripeless, room by room
python tools/count_code.py FOLDER ...   these folders
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: str) -> int:
    """Lines that hold code; the inside of a long text counts, a docstring does not.

    >>> code_lines('"Says what."\\n\\nx = 1  # one\\n# two\\n')
    1
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(ast.parse(source)))


def _docstring_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def main() -> None:
    """Print the count of each room and of all."""
    folders = [Path(name) for name in sys.argv[1:]] or [Path(__file__).parents[1] / "src" / "stripeless"]
    rooms: Counter[str] = Counter()
    every = 0
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            inside = path.relative_to(folder).parts
            rooms[inside[0] if len(inside) > 1 else "."] += code_lines(source)
            every += len(source.splitlines())
    for room, count in sorted(rooms.items()):
        print(f"{count:8,}  {room}")
    print(f"{rooms.total():8,}  lines of code, of {every:,} in all")


if __name__ == "__main__":
    main()
