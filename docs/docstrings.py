"""Reads the lists in docstrings, for the reference and for tests/test_public_names.py; CONTRIBUTING.md shows their form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc

LISTS = ("Parameters", "Attributes", "Returns")
_ITEM = re.compile(r" {4}([*\w]+(?:, [*\w]+)*): (.+)")


@dataclass(frozen=True)
class Block:
    """Lines of a docstring that belong together: prose and examples (`title` is empty), or one of `LISTS`."""

    title: str
    lines: tuple[str, ...]

    def text(self) -> str:
        """The lines as one running text."""
        return " ".join(line.strip() for line in self.lines if line.strip())

    def items(self) -> dict[str, str]:
        """Each line `name: text` or `name, name: text` by the names as written, continued lines joined.

        >>> Block("Parameters", ("    low, high: the range,", "        in Hz.")).items()
        {'low, high': 'the range, in Hz.'}
        """
        found: dict[str, str] = {}
        for line in self.lines:
            item = _ITEM.fullmatch(line)
            if item:
                found[item[1]] = item[2]
            elif found and line.strip():
                last = next(reversed(found))
                found[last] += f" {line.strip()}"
        return found


def blocks(docstring: str | None) -> list[Block]:
    """The parts of a docstring in their order.

    >>> [block.title for block in blocks("What it does." + chr(10) * 2 + "Returns:" + chr(10) + "    A number.")]
    ['', 'Returns']
    """
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in cleandoc(docstring or "").splitlines():
        if line.removesuffix(":") in LISTS and line.endswith(":"):
            parts.append((line[:-1], []))
            continue
        if parts[-1][0] and line.strip() and not line.startswith("    "):
            parts.append(("", []))
        parts[-1][1].append(line)
    return [Block(title, tuple(lines)) for title, lines in parts if any(line.strip() for line in lines)]


def described(docstring: str | None, title: str) -> dict[str, str]:
    """Single names with their texts, from the lists of this title."""
    return {
        name: text
        for block in blocks(docstring)
        if block.title == title
        for names, text in block.items().items()
        for name in names.split(", ")
    }
