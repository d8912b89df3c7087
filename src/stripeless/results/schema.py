"""The JSON Schema of stored results, generated from their types.

`python -m stripeless.results.schema` prints it; `data/result.schema.json` is that text, and a test holds the two together.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from stripeless.measures.measure import Measure
from stripeless.results.codec import Result, hints_of, key_of, without_none, written_fields
from stripeless.results.kinds import TYPES
from stripeless.results.systems import SystemsRanking
from stripeless.results.versions import SCHEMA
from stripeless.results.voices import VoiceEvaluation

Schema = dict[str, Any]
_SCALARS: dict[Any, str] = {str: "string", float: "number", int: "integer", bool: "boolean"}
_NUMBER_OR_TEXT = {"type": ["number", "string", "null"]}
_MEASURE: Schema = {
    "type": "object",
    "description": "One number with the company it keeps. value is null exactly where reason says why.",
    "required": ["value"],
    "properties": {
        "label": {"type": "string"},
        **dict.fromkeys(("value", "low", "high"), _NUMBER_OR_TEXT),
        "unit": {"type": "string"},
        "private_end": {"enum": ["low", "high", "none"]},
        **{key: {"type": ["number", "null"]} for key in ("chance", "exposed", "reach")},
        "reason": {"type": "string"},
    },
}
_SURE: Schema = {"allOf": [{"$ref": "#/$defs/Measure"}, {"properties": {"value": {"type": "number"}}}]}


def result_schema() -> Schema:
    """The schema of every kind of result."""
    types_ = {**TYPES, "evaluation": VoiceEvaluation}
    parts: dict[str, Schema] = {"Measure": _MEASURE}
    refs = [_of_type(kind, parts) for kind in types_.values()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://stripeless.invalid/schema/{SCHEMA}/result.json",
        "title": f"A result of stripeless, schema {SCHEMA}",
        "description": "What every command writes with --json. Keys may be added within a schema number; a key that changes "
        "its meaning raises the number. Readers ignore keys they do not know.",
        "oneOf": refs,
        "$defs": dict(sorted(parts.items())),
    }


def _of_type(kind: type, parts: dict[str, Schema]) -> Schema:
    """A reference to a dataclass, whose schema is added to the parts."""
    name = kind.__name__
    if name not in parts:
        parts[name] = {}  # held open: an assessment may hold an assessment
        parts[name] = _record(kind, parts)
    return {"$ref": f"#/$defs/{name}"}


def _record(kind: type, parts: dict[str, Schema]) -> Schema:
    if kind is SystemsRanking:
        return {"type": "object", "required": ["attacker", "measure", "places", "pairs"]}
    top: Schema = {"type": "object", "required": [], "properties": {}}
    if issubclass(kind, Result):
        top["properties"] = {
            "kind": {"const": kind.KIND},
            "schema": {"type": "integer", "minimum": 1, "maximum": SCHEMA},
        }
        top["required"] = ["kind", "schema"]
    hints = hints_of(kind)
    for each in written_fields(kind):
        *path, key = key_of(each).split(".")
        inside = top
        needed = each.default is MISSING and each.default_factory is MISSING
        for part in path:
            inside["required"] += [part] if needed and part not in inside["required"] else []
            inside = inside["properties"].setdefault(
                part, {"type": ["object", "null"], "required": [], "properties": {}}
            )
        inside["properties"][key] = _value(hints[each.name], parts, each.metadata)
        inside["required"] += [key] if needed else []
        if each.metadata.get("at_least"):
            inside["properties"][key]["minItems"] = each.metadata["at_least"]
    return top


def _value(hint: Any, parts: dict[str, Schema], asked: Mapping[str, Any] | None = None) -> Schema:
    hint, null = without_none(hint)
    found = _plain_value(hint, parts, asked or {})
    if not null:
        return found
    if "type" in found and isinstance(found["type"], str) and "enum" not in found:
        return {**found, "type": [found["type"], "null"]}
    return {"anyOf": [found, {"type": "null"}]}


def _plain_value(hint: Any, parts: dict[str, Schema], asked: Mapping[str, Any]) -> Schema:
    origin, inner = get_origin(hint), get_args(hint)
    if "one_of" in asked:
        return {"oneOf": [_of_type(kind, parts) for kind in asked["one_of"]]}
    if hint is Any:
        return {}
    if origin is Annotated:
        return _annotated(inner, parts)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"type": [_SCALARS[part] for part in inner if part in _SCALARS]}
    if origin is tuple:
        items = inner[0] if len(inner) == 2 and inner[1] is Ellipsis else None
        what = {} if items is None else _value(items, parts)
        return {"type": "array", "items": {"anyOf": [what, {"type": "string"}]} if asked.get("or_text") else what}
    if origin is not None and issubclass(origin, Mapping):
        plain: Schema = {"type": "object", "additionalProperties": _value(inner[1], parts)}
        needs = tuple(asked.get("needs", ()))
        if needs or asked.get("keys"):
            plain["required"] = [*needs, *asked.get("keys", ())]
        if inner[1] is Measure and needs:
            plain["properties"] = dict.fromkeys(needs, _SURE)
        return plain
    if hint is Measure:
        return {"$ref": "#/$defs/Measure"}
    if is_dataclass(hint) and isinstance(hint, type):
        return _of_type(hint, parts)
    return {"type": _SCALARS[hint]}


def _annotated(inner: tuple[Any, ...], parts: dict[str, Schema]) -> Schema:
    more: dict[str, Schema] = {"share": {"minimum": 0, "maximum": 1}, "sha256": {"pattern": "^([0-9a-f]{64})?$"}}
    return {**_value(inner[0], parts), **more[inner[1]]}


def schema_text() -> str:
    """The text of `data/result.schema.json`."""
    return json.dumps(result_schema(), indent=1) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
