"""What public names are made of: types in signatures and fields, members of classes.

For the reference, and for tests/test_public_names.py, which holds that these are public too, or described.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args, get_type_hints

import stripeless

FOR_TYPE_CHECKERS = {"Axes": object, "Figure": object}  # matplotlib's, imported for nobody else


def public_names() -> list[str]:
    """Every public name but `__version__`."""
    return [name for name in stripeless.__all__ if not name.startswith("__")]


def hints_of(thing: Any) -> dict[str, Any]:
    """The types of a function's parameters and return, or of a class's fields, as objects."""
    return get_type_hints(inspect.unwrap(thing), localns=FOR_TYPE_CHECKERS)


def kinds_in(hint: Any) -> Iterator[Any]:
    """The type itself and all types inside it, such as those of a tuple or of what a function takes."""
    parts = hint if isinstance(hint, list) else get_args(hint)
    if not isinstance(hint, list):
        yield hint
    for inner in parts:
        yield from kinds_in(inner)


def our_kinds(hints: Mapping[str, Any]) -> list[type]:
    """The types of this package among these hints, each once, in their order."""
    found = (kind for hint in hints.values() for kind in kinds_in(hint))
    return list(dict.fromkeys(kind for kind in found if inspect.isclass(kind) and is_ours(kind)))


def is_ours(kind: type) -> bool:
    """Whether this package defines the type."""
    return kind.__module__.split(".")[0] == "stripeless"


def members(kind: type) -> Iterator[tuple[str, Callable[..., Any], bool]]:
    """Public methods and properties by name, the functions behind them, and whether they are read like attributes."""
    seen = set()
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if name.startswith("_") or name in seen or not is_ours(base):
                continue
            seen.add(name)
            function = getattr(member, "fget", None) or getattr(member, "func", None)  # property, cached_property
            if function is not None:
                yield name, function, True
            elif inspect.isfunction(member) or isinstance(member, classmethod | staticmethod):
                yield name, getattr(member, "__func__", member), False


def parts_of(thing: Any) -> list[type]:
    """The types of this package that one meets from here: in the signature, or in fields, methods and properties."""
    if not inspect.isclass(thing):
        return our_kinds(hints_of(thing))
    inside = [hints_of(thing), *(hints_of(function) for _, function, _ in members(thing))]
    return list(dict.fromkeys(kind for hints in inside for kind in our_kinds(hints)))


def inner_types() -> list[type]:
    """Types that one meets inside public ones, at any depth, and that are not public themselves."""
    public = [getattr(stripeless, name) for name in public_names()]
    return list(_reached(public, {id(thing) for thing in public}))


def _reached(things: Iterable[Any], known: set[int]) -> Iterator[type]:
    for thing in things:
        new = [kind for kind in parts_of(thing) if id(kind) not in known]
        known |= {id(kind) for kind in new}
        yield from new
        yield from _reached(new, known)
