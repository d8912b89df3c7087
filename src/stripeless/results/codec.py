"""Types to plain JSON values and back, and their JSON Schema: one reading of the type hints serves all three.

A field is written under its own name. `placed("counts.target")` puts it into an object inside, `optional()` leaves it out
where it is empty, `unwritten()` keeps it in memory only. Keys that a reader does not know are ignored; a value of the wrong
kind is refused with its place in the file.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from stripeless.errors import InputError
from stripeless.measures.catalog import MEASURES, info_of
from stripeless.measures.measure import Measure, MeasureInfo

T = TypeVar("T")
Share = Annotated[float, "share"]  # a number from 0 to 1
FIRST = ("kind", "schema", "name", "description", "attacker")  # keys that a person looks for at the top
LARGEST_WHOLE = 10**15  # of a number that may have digits after the point: powers of more would fill the memory
_ABSENT = object()


def placed(key: str, **more: Any) -> Any:
    """A field that is written under another key, or inside an object: `counts.target`."""
    return field(metadata={"key": key}, **more)


def optional(**more: Any) -> Any:
    """A field that is left out of the written result where it is empty."""
    return field(metadata={"optional": True}, **more)


def holding(*keys: str, **more: Any) -> Any:
    """A mapping that must hold these keys."""
    return field(metadata={"needs": keys}, **more)


def unwritten(**more: Any) -> Any:
    """A field that lives in memory only."""
    return field(metadata={"unwritten": True}, repr=False, compare=False, **more)


def to_plain(value: Any) -> Any:
    """Plain JSON values; what JSON cannot hold (infinity, NaN) becomes null.

    >>> to_plain({"a": (1, float("inf"))})
    {'a': [1, None]}
    """
    if isinstance(value, (Measure, Result)):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return record_to_plain(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def record_to_plain(record: Any) -> dict[str, Any]:
    """The fields of a dataclass under their keys; a type with a `to_dict` of its own is asked for it."""
    if hasattr(record, "to_dict") and not getattr(type(record), "GENERIC", False):
        own: dict[str, Any] = record.to_dict()
        return own
    plain: dict[str, Any] = {}
    for each in written_fields(type(record)):
        value = getattr(record, each.name)
        if each.metadata.get("optional") and not value:
            continue
        *path, key = key_of(each).split(".")
        inside = plain
        for part in path:
            inside = inside.setdefault(part, {})
        inside[key] = to_plain(value)
    return plain


def written_fields(record: type) -> list[Field[Any]]:
    return [each for each in fields(record) if not each.metadata.get("unwritten")]


def key_of(each: Field[Any]) -> str:
    key: str = each.metadata.get("key", each.name)
    return key


@cache
def hints_of(record: Any) -> dict[str, Any]:
    return get_type_hints(record, include_extras=True)


def from_plain(hint: Any, data: Any, place: str = "") -> Any:
    """The value of this type that plain JSON values stand for, or InputError with the place of what is wrong."""
    hint, null = without_none(hint)
    if get_origin(hint) is Annotated:
        return _checked(get_args(hint), data, place, null)
    if hint is Any:
        return data
    if data is None and null:
        return None
    origin = get_origin(hint)
    if origin is Literal:
        if data not in get_args(hint):
            fail(place, "one of " + ", ".join(map(str, get_args(hint))), data)
        return data
    if origin in (Union, types.UnionType):
        return _scalar(get_args(hint), data, place, null)
    if origin is tuple:
        return _tuple(get_args(hint), data, place)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(get_args(hint)[1], data, place)
    if isinstance(hint, type) and is_dataclass(hint):
        if hasattr(hint, "from_dict") and not getattr(hint, "GENERIC", False):
            return hint.from_dict(_object(data, place))
        return record_from_plain(hint, data, place)
    return _scalar((hint,), data, place, null)


def record_from_plain(record: type[T], data: Any, place: str = "") -> T:
    """A dataclass from an object; what is absent takes the field's default, and is refused where there is none."""
    plain, hints, found = _object(data, place), hints_of(record), {}  # type: ignore[arg-type]
    for each in written_fields(record):
        value: Any = plain
        for part in key_of(each).split("."):
            value = value.get(part, _ABSENT) if isinstance(value, dict) else _ABSENT
        where = f"{place}.{key_of(each)}".lstrip(".")
        if value is not _ABSENT:
            plain_measure = hints[each.name] is Measure
            found[each.name] = (
                measure_from_plain(key_of(each), value, where)
                if plain_measure
                else from_plain(hints[each.name], value, where)
            )
            if each.metadata:
                _check_content(found[each.name], each.metadata, where)
        elif each.default is MISSING and each.default_factory is MISSING:
            fail(where, "a value", _ABSENT)
    made = record(**found)
    if wanting := getattr(made, "wanting", ""):
        fail(place, wanting, data)
    return made


def _check_content(value: Any, asked: Mapping[str, Any], place: str) -> None:
    """What a field's metadata ask for: a number of entries, keys, measures that have a number."""
    if "at_least" in asked and len(value or ()) < asked["at_least"]:
        fail(place, f"at least {asked['at_least']}", list(value or ()))
    for key in (*asked.get("needs", ()), *asked.get("keys", ())):
        if key not in value:
            fail(f"{place}.{key}", "a value", _ABSENT)
    for key in asked.get("needs", ()):
        if isinstance(value[key], Measure) and not isinstance(value[key].value, (int, float)):
            fail(f"{place}.{key}.value", "a number", value[key].value)


def record_of(record: type[T], value: Any) -> Any:
    """The value as this record: None stays None, and what computes is asked for the plain values that the record holds."""
    return value if value is None or isinstance(value, record) else record_from_plain(record, value.to_dict())


def _checked(annotated: tuple[Any, ...], data: Any, place: str, null: bool) -> Any:
    """A value whose kind alone does not say all: a share lies between 0 and 1."""
    value = from_plain(annotated[0] | None if null else annotated[0], data, place)
    if annotated[1] == "share" and value is not None and not 0 <= value <= 1:
        fail(place, "a number from 0 to 1", value)
    return value


def _object(data: Any, place: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        fail(place, "an object", data)
    return data


def _tuple(hints: tuple[Any, ...], data: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        fail(place, "a list", data)
    if len(hints) == 2 and hints[1] is Ellipsis:
        return tuple(from_plain(hints[0], part, f"{place}[{k}]") for k, part in enumerate(data))
    if len(data) != len(hints):
        fail(place, f"a list of {len(hints)}", data)
    return tuple(
        from_plain(hint, part, f"{place}[{k}]") for k, (hint, part) in enumerate(zip(hints, data, strict=True))
    )


def _mapping(hint: Any, data: Any, place: str) -> dict[str, Any]:
    plain = _object(data, place)
    if hint is Measure:
        return {name: measure_from_plain(name, part, f"{place}.{name}") for name, part in plain.items()}
    return {name: from_plain(hint, part, f"{place}.{name}") for name, part in plain.items()}


_WORDS = {str: "a text", float: "a number", int: "a whole number", bool: "true or false"}


def _scalar(kinds: Sequence[Any], data: Any, place: str, null: bool) -> Any:
    kinds = [kind for kind in kinds if kind is not type(None)]
    whole = isinstance(data, int) and not isinstance(data, bool) and float in kinds
    wrong_flag = isinstance(data, bool) and bool not in kinds
    if whole and int not in kinds and abs(data) > LARGEST_WHOLE:
        fail(place, f"a number up to {LARGEST_WHOLE:g} where it is written without a point", data)
    if not whole and (wrong_flag or not isinstance(data, tuple(kinds))):
        fail(place, ", ".join(_WORDS.get(kind, kind.__name__) for kind in kinds) + (" or null" if null else ""), data)
    return data


def without_none(hint: Any) -> tuple[Any, bool]:
    """The hint less `None`, and whether None was in it."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint, hint is type(None)
    rest = [part for part in get_args(hint) if part is not type(None)]
    return (rest[0] if len(rest) == 1 else Union[tuple(rest)]), len(rest) < len(get_args(hint))  # noqa: UP007


def fail(place: str, expected: str, got: Any) -> NoReturn:
    """Refuse a value: where it stands, what was expected, what came."""
    shown = "nothing" if got is _ABSENT else type(got).__name__ if isinstance(got, (dict, list)) else repr(got)[:40]
    raise InputError(f"{place or 'the result'}: expected {expected}, got {shown}")


def measure_from_plain(name: str, data: Any, place: str) -> Measure:
    """A measure; what is always true of it comes from the catalog where the catalog says the same as the file."""
    plain = _object(data, place)
    number, text = (float,), (str,)
    if "value" not in plain:
        fail(f"{place}.value", "a value", _ABSENT)
    known = MEASURES.get(name)
    kinds = number + text if known is None else text if known.in_words is not None else number
    value = _scalar_or_none(kinds, plain["value"], f"{place}.value")
    ends = {key: _scalar_or_none(kinds, plain.get(key), f"{place}.{key}") for key in ("low", "high")}
    facts = {key: _scalar_or_none(text, plain.get(key), f"{place}.{key}") or "" for key in ("label", "unit", "reason")}
    limits = {key: _scalar_or_none(number, plain.get(key), f"{place}.{key}") for key in ("chance", "exposed", "reach")}
    end = plain.get("private_end", "low" if known is None else known.private_end)
    if end not in ("low", "high", "none"):
        fail(f"{place}.private_end", "one of low, high, none", end)
    info = _info(name, facts["label"], facts["unit"], end, limits["chance"], limits["exposed"], "label" in plain)
    return Measure(info, value, ends["low"], ends["high"], limits["reach"], facts["reason"])


def _scalar_or_none(kinds: tuple[Any, ...], data: Any, place: str) -> Any:
    return None if data is None else _scalar(kinds, data, place, null=True)


def _info(
    name: str, label: str, unit: str, end: Any, chance: float | None, exposed: float | None, complete: bool
) -> MeasureInfo:
    known = info_of(name)
    said = (label, unit, end, chance, exposed)
    if known is not None and (
        not complete or said == (known.label, known.unit, known.private_end, known.chance, known.exposed)
    ):
        return known
    return MeasureInfo(name, label, unit, end, chance, exposed, "", "")


class Result:
    """What a study hands back: `to_dict` writes plain JSON values, `from_dict` reads them; equal where they are written alike."""

    KIND: ClassVar[str] = ""
    GENERIC: ClassVar[bool] = True
    as_stored = False  # True for a result that holds what its file would: see `kinds.as_stored`

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values only: what is stored, and what reports and pages show."""
        from stripeless.results.versions import SCHEMA

        plain = {"kind": self.KIND, "schema": SCHEMA, **record_to_plain(self)}
        return {**{key: plain[key] for key in FIRST if key in plain}, **plain}

    @classmethod
    def from_dict(cls: type[T], data: Mapping[str, Any]) -> T:
        """The result that `data`, plain values, stands for; InputError names the place of what is wrong."""
        kind = getattr(cls, "KIND", "")
        if data.get("kind", kind) != kind:
            fail("kind", kind, data["kind"])
        return record_from_plain(cls, dict(data))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.KIND, str(getattr(self, "name", ""))))
