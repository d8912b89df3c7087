"""What is public says what goes in and what comes out, in the form that CONTRIBUTING.md asks for."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from docstrings import blocks, described

import stripeless

LEAST_WORDS = 3  # fewer say no more than the name
NAMES = [name for name in stripeless.__all__ if not name.startswith("__")]
CLASSES = [name for name in NAMES if inspect.isclass(getattr(stripeless, name))]
FUNCTIONS = [name for name in NAMES if inspect.isroutine(inspect.unwrap(getattr(stripeless, name)))]
CONSTANTS = sorted(set(NAMES) - set(CLASSES) - set(FUNCTIONS))


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def check_texts(where: str, wanted: list[str], texts: dict[str, str]) -> None:
    """Every name is described, in words, and nothing else is: a list that has fallen behind is worse than none."""
    assert not set(wanted) - set(texts), f"{where}: not described: {sorted(set(wanted) - set(texts))}"
    assert not set(texts) - set(wanted), f"{where}: described, but not there: {sorted(set(texts) - set(wanted))}"
    for name, text in texts.items():
        assert len(text.split()) >= LEAST_WORDS, f"{where}: {name}: {text!r} says too little"
        assert text.endswith((".", "?")), f"{where}: {name}: {text!r} is cut off"


def returned(function: Callable[..., Any]) -> str:
    """What a function hands back, as it is written in its signature."""
    return str(inspect.unwrap(function).__annotations__.get("return", "None"))


def test_every_public_name_is_listed_once_in_the_stub_and_can_be_had() -> None:
    stub = Path(stripeless.__file__).with_suffix(".pyi").read_text().splitlines()
    lines = [line.split() for line in stub if line.startswith("from ")]
    assert all(words[2] == "import" and words[4] == "as" and words[3] == words[5] for words in lines)
    assert sorted(words[3] for words in lines) == sorted(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    for name in NAMES:
        assert getattr(stripeless, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = stripeless.no_such_name  # type: ignore[attr-defined]


def test_dir_shows_public_names_and_nothing_else() -> None:
    assert sorted(dir(stripeless)) == sorted(stripeless.__all__)
    assert re.match(r"\d+\.\d+", stripeless.__version__)


def test_all_public_names_are_looked_at() -> None:
    assert len(FUNCTIONS) > 80
    assert len(CLASSES) > 20
    assert not CONSTANTS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_what_goes_in_and_out(name: str) -> None:
    function = getattr(stripeless, name)
    doc = inspect.getdoc(function)
    check_texts(name, parameters(function), described(doc, "Parameters"))
    gives = [block.text() for block in blocks(doc) if block.title == "Returns"]
    if returned(function) == "None":
        assert not gives, f"{name} returns nothing"
    else:
        assert len(gives) == 1, f"{name}: expected one Returns:"
        assert len(gives[0].split()) >= 2, f"{name}: Returns: {gives[0]!r} says too little"
        assert gives[0].endswith("."), f"{name}: Returns: {gives[0]!r} is cut off"


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_describes_its_fields(name: str) -> None:
    kind = getattr(stripeless, name)
    doc = kind.__doc__ or ""
    assert doc.strip(), name
    assert not doc.startswith(f"{name}("), f"{name}: that docstring was made by dataclass"
    if dataclasses.is_dataclass(kind):
        fields = [field.name for field in dataclasses.fields(kind) if not field.name.startswith("_")]
        check_texts(name, fields, described(doc, "Attributes"))
    elif not issubclass(kind, Exception):
        check_texts(name, parameters(kind), described(doc, "Parameters"))


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that this class or one of ours above it defines, as they stand in the class."""
    seen = set()
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if not base.__module__.startswith("stripeless") or name in seen or name.startswith("_"):
                continue
            seen.add(name)
            if isinstance(member, property | staticmethod | classmethod) or callable(member) or hasattr(member, "func"):
                yield name, member


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_and_properties_have_a_docstring_that_names_what_they_take(name: str) -> None:
    for member, thing in members(getattr(stripeless, name)):
        function = getattr(thing, "fget", None) or getattr(thing, "__func__", None) or getattr(thing, "func", thing)
        doc = inspect.getdoc(function) or ""
        assert len(doc.split()) >= LEAST_WORDS, f"{name}.{member}: no docstring"
        for parameter in parameters(function):
            assert re.search(rf"\b{re.escape(parameter)}\b", doc), f"{name}.{member}: {parameter} is not named"
