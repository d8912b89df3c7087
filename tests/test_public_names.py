"""What is public says what goes in and what comes out, in the form that CONTRIBUTING.md asks for."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docstrings import blocks, described
from public_types import inner_types, kinds_in, members, our_kinds, parts_of, public_names

import stripeless
from stripeless import Finding, Measure
from stripeless.results.kinds import TYPES

LEAST_WORDS = 3  # fewer say no more than the name
NAMES = public_names()
CLASSES = [name for name in NAMES if inspect.isclass(getattr(stripeless, name))]
FUNCTIONS = [name for name in NAMES if inspect.isroutine(inspect.unwrap(getattr(stripeless, name)))]
CONSTANTS = sorted(set(NAMES) - set(CLASSES) - set(FUNCTIONS))
PUBLIC = [getattr(stripeless, name) for name in NAMES]
INSIDE = inner_types()  # of public types, and not public themselves
FILLED_IN = (
    "Corpus",
    "Embedded",
    "Embeddings",
    "Pool",
    "Ratings",
    "Recording",
    "Training",
    "TrialList",
    "TrialScores",
    "VoiceOptions",
)


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


def test_errors_can_be_named_before_anything_else_was_used() -> None:
    code = "import stripeless; assert issubclass(stripeless.errors.FileError, ValueError)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_loads_nothing_else() -> None:
    """Not even of the standard library: `pathlib` alone would take ten times as long."""
    program = "import sys; before = set(sys.modules); import stripeless; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded.split() == ["stripeless"]


def test_all_public_names_are_looked_at() -> None:
    assert len(FUNCTIONS) > 80
    assert len(CLASSES) > 70
    assert len(INSIDE) > 40
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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_types_that_a_public_function_takes_or_hands_back_are_public(name: str) -> None:
    assert not [kind.__name__ for kind in parts_of(getattr(stripeless, name)) if kind not in PUBLIC]


@pytest.mark.parametrize("name", FILLED_IN)
def test_types_that_one_needs_to_fill_in_a_public_type_are_public(name: str) -> None:
    """Who makes a `Corpus` by hand makes its utterances too."""
    assert not [kind.__name__ for kind in parts_of(getattr(stripeless, name)) if kind not in PUBLIC]


def test_every_kind_of_stored_result_is_public() -> None:
    """`read_result` hands any of them back."""
    assert not [kind.__name__ for kind in TYPES.values() if kind not in PUBLIC]


def test_types_are_found_wherever_a_signature_hides_them() -> None:
    taken = Callable[[dict[str, Measure]], tuple[int, Finding | None]]
    assert {Measure, Finding} < set(kinds_in(taken))
    assert our_kinds({"first": taken, "second": Measure, "return": float}) == [Measure, Finding]


def check_fields(kind: type) -> None:
    """Every field of a record, or every argument of another class, is described."""
    name, doc = kind.__name__, kind.__doc__ or ""
    assert doc.strip(), name
    assert not doc.startswith(f"{name}("), f"{name}: that docstring was made by dataclass"
    if dataclasses.is_dataclass(kind):
        fields = [field.name for field in dataclasses.fields(kind) if not field.name.startswith("_")]
        check_texts(name, fields, described(doc, "Attributes"))
    elif hasattr(kind, "_fields"):
        check_texts(name, list(kind._fields), described(doc, "Attributes"))
    elif not issubclass(kind, Exception) and not getattr(kind, "_is_protocol", False):  # nobody calls a protocol
        check_texts(name, parameters(kind), described(doc, "Parameters"))


def check_members(kind: type) -> None:
    """Public methods and properties, inherited ones too, say what they are and name what they take."""
    for member, function, _ in members(kind):
        doc = inspect.getdoc(function) or ""
        assert len(doc.split()) >= LEAST_WORDS, f"{kind.__name__}.{member}: no docstring"
        for parameter in parameters(function):
            assert re.search(rf"\b{re.escape(parameter)}\b", doc), f"{kind.__name__}.{member}: {parameter} is not named"


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_describes_its_fields(name: str) -> None:
    check_fields(getattr(stripeless, name))


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_and_properties_have_a_docstring_that_names_what_they_take(name: str) -> None:
    check_members(getattr(stripeless, name))


@pytest.mark.parametrize("kind", INSIDE, ids=lambda kind: kind.__name__)
def test_types_inside_public_ones_are_described_like_these(kind: type) -> None:
    """The reference lists them on the page of their room, and their fields are as stable as public names."""
    check_fields(kind)
    check_members(kind)
