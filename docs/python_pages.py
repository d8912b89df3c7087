"""The Python reference: an overview and one page for each room, made of signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from docstrings import Block, blocks
from public_types import inner_types, members, public_names

import stripeless

WIDTH = 100
DESIGN = Path(__file__).parent / "design.md"


def rooms() -> dict[str, list[str]]:
    """Public names by the room they live in; rooms in the order of the design."""
    order = re.findall(r"^\|[a-z ]*\| `(\w+)` \|", DESIGN.read_text(), flags=re.M)
    found: dict[str, list[str]] = {room: [] for room in order}
    for name in public_names():
        found[module_of(name).split(".")[1]].append(name)
    return {room: names for room, names in found.items() if names}


def module_of(name: str) -> str:
    """Where a public name lives, as `__init__.pyi` says."""
    where: dict[str, str] = stripeless._WHERE
    return where[name]


def overview() -> str:
    """Every public name with its first sentence, and the page that says more."""
    parts = ["# Python\n", "Every name on these pages is imported from `stripeless`: `from stripeless import eer`. "
             "What stays stable, and for how long: [Stability](stability.md).\n"]  # fmt: skip
    for room, names in rooms().items():
        parts += [
            f"## {room}\n",
            f"{about(room)} [All of {room}](python/{room}.md)\n",
            "| name | what it is |",
            "|---|---|",
        ]
        parts += [f"| [`{name}`](python/{room}.md#{anchor(name, names)}) | {summary(name)} |" for name in names]
        parts.append("")
    return "\n".join(parts)


def page(room: str, names: list[str]) -> str:
    """All public names of one room, then the types inside public ones that live here."""
    whole = "" if "Belongs here:" in room_docstring(room) else room_docstring(room)
    parts = [f"# {room}\n", f"{whole or about(room)}\n"]
    for name in names:
        parts += entry(name, getattr(stripeless, name))
    others = [kind for kind in inner_types() if kind.__module__.split(".")[1] == room]
    if others:
        parts.append("## Types inside\n")
        parts.append(
            "Parts of public types. Not imported from `stripeless`, because nobody needs to make one; their fields are as "
            "stable as public names.\n"
        )
        for kind in others:
            parts += [f"### {kind.__name__}\n", code(signature(kind.__name__, kind)), *text_of(kind.__doc__)]
            parts += member_lines(kind)
    return "\n".join(parts).rstrip() + "\n"


def about(room: str) -> str:
    """The first paragraph of a room's docstring."""
    doc = room_docstring(room)
    return " ".join(doc.split("\n\n")[0].split())


def room_docstring(room: str) -> str:
    return inspect.getdoc(import_module(f"stripeless.{room}")) or ""


def summary(name: str) -> str:
    """The first paragraph of a docstring on one line, fit for a table."""
    doc = inspect.getdoc(getattr(stripeless, name)) or ""
    return " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")


def anchor(name: str, names: list[str]) -> str:
    """The place of a heading on its page; of two that differ by case alone the second is numbered, as Markdown does."""
    before = [one.lower() for one in names[: names.index(name)]].count(name.lower())
    return name.lower() + (f"_{before}" if before else "")


def entry(name: str, thing: Any) -> list[str]:
    """Heading, signature, docstring, and for a class its methods and properties."""
    parts = [f"## {name}\n"]
    if inspect.isclass(thing):
        if is_made(thing):
            parts.append(code(signature(name, thing)))
        parts += text_of(thing.__doc__)
        for member, function, is_property in members(thing):
            shown = f"{name}.{member}"
            parts.append(f"### {shown}\n")
            parts.append(code(f"{shown}: {returned(function)}" if is_property else signature(shown, function)))
            parts += text_of(inspect.getdoc(function))
        return parts
    return [*parts, code(signature(name, thing)), *text_of(inspect.getdoc(thing))]


def is_made(kind: type) -> bool:
    """Whether one makes such an object by a call: not an error, a protocol, or what other types only build on."""
    if issubclass(kind, Exception) or getattr(kind, "_is_protocol", False):
        return False
    return bool(inspect.signature(kind).parameters)


def member_lines(kind: type) -> list[str]:
    """Methods and properties of a type inside a public one, one line each."""
    lines = []
    for member, function, is_property in members(kind):
        said = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        takes = (
            ""
            if is_property
            else "(" + ", ".join(p for p in inspect.signature(function).parameters if p != "self") + ")"
        )
        lines.append(f"- `{member}{takes}`: {said}" if said else f"- `{member}{takes}`")
    return ["**Methods and properties**\n", *lines, ""] if lines else []


def signature(name: str, thing: Any) -> str:
    """The call as one would write it, on one line or with one parameter a line."""
    found = inspect.signature(thing)
    shown = [one for one in found.parameters.values() if one.name not in ("self", "cls")]
    by_place = [one for one in shown if one.kind is one.POSITIONAL_ONLY]
    texts, star = [], False
    for one in shown:
        if one.kind is one.KEYWORD_ONLY and not star:
            texts.append("*")
        star = star or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        texts.append(parameter(one, thing))
        if [one] == by_place[-1:]:
            texts.append("/")
    back = "" if inspect.isclass(thing) else f" -> {returned(thing)}"
    line = f"{name}({', '.join(texts)}){back}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {text},\n" for text in texts) + f"){back}"


def parameter(one: inspect.Parameter, thing: Any) -> str:
    name = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "") + one.name
    text = name if one.annotation is one.empty else f"{name}: {spelled(one.annotation)}"
    if one.default is one.empty:
        return text
    return f"{text} = {default(one, thing)}"


def default(one: inspect.Parameter, thing: Any) -> str:
    """A default as text that does not change from run to run: no addresses, no long arrays."""
    value = one.default
    if dataclasses.is_dataclass(thing) and repr(value) == "<factory>":
        made = next(field.default_factory for field in dataclasses.fields(thing) if field.name == one.name)
        return {"dict": "{}", "tuple": "()", "list": "[]"}.get(made.__name__, f"{made.__name__}()")
    if dataclasses.is_dataclass(value):
        return f"{type(value).__name__}()" if value == type(value)() else repr(value)
    if inspect.isfunction(value):
        return "..." if value.__name__ == "<lambda>" else value.__name__
    if isinstance(value, str):
        return '"' + value + '"'
    if hasattr(value, "shape"):
        return f"array of {value.size}"
    return repr(value)


def spelled(annotation: Any) -> str:
    text = getattr(annotation, "__forward_arg__", annotation)  # a named tuple keeps its annotations so
    return text if isinstance(text, str) else inspect.formatannotation(annotation)


def returned(function: Callable[..., Any]) -> str:
    return spelled(inspect.unwrap(function).__annotations__.get("return", "None"))


def code(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```\n"


def text_of(docstring: str | None) -> list[str]:
    """A docstring as Markdown: prose as it is, lists as lists, examples as code."""
    parts = []
    for block in blocks(docstring):
        if not block.title:
            parts.append(prose(block))
        elif block.title == "Returns":
            parts.append(f"**Returns:** {block.text()}\n")
        else:
            rows = [
                f"- {', '.join(f'`{name}`' for name in names.split(', '))}: {text}"
                for names, text in block.items().items()
            ]
            parts.append("\n".join([f"**{block.title}**\n", *rows, ""]))
    return parts


def prose(block: Block) -> str:
    """Text and examples; an example ends at an empty line."""
    lines, inside = [], False
    for line in block.lines:
        if line.startswith(">>>") and not inside:
            lines.append("```python")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join(lines).strip() + ("\n```\n" if inside else "\n")
