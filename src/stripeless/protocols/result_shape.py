"""The shape of a stored result: every place that tables, figures and verdicts rely on, checked once, named where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from stripeless.errors import InputError

Shape: TypeAlias = "Callable[[Any, str], None]"
SEVERITIES = ("serious", "caution", "remark")


def check_shape(result: Mapping[str, Any]) -> None:
    """Refuse an assessment, evaluation or comparison of which something is missing or of the wrong kind."""
    _KINDS[result["kind"]](result, "")


def _fail(place: str, expected: str, got: Any) -> None:
    shown = "nothing" if got is _MISSING else type(got).__name__ if isinstance(got, (dict, list)) else repr(got)[:40]
    raise InputError(f"{place or 'the result'}: expected {expected}, got {shown}")


_MISSING = object()


def _is(expected: str, *types: type, null: bool = False) -> Shape:
    def check(value: Any, place: str) -> None:
        wrong_bool = isinstance(value, bool) and bool not in types
        if not (null and value is None) and (wrong_bool or not isinstance(value, types)):
            _fail(place, expected, value)

    return check


def _fields(**shapes: Shape) -> Shape:
    """A record; names that end in _ may be absent."""

    def check(value: Any, place: str) -> None:
        _is("an object", dict)(value, place)
        for name, shape in shapes.items():
            key = name.removesuffix("_")
            if key in value:
                shape(value[key], f"{place}.{key}".lstrip("."))
            elif not name.endswith("_"):
                _fail(f"{place}.{key}".lstrip("."), "a value", _MISSING)

    return check


def _each(shape: Shape, *, at_least: int = 0) -> Shape:
    def check(value: Any, place: str) -> None:
        _is("a list", list)(value, place)
        if len(value) < at_least:
            _fail(place, f"at least {at_least}", value)
        for k, part in enumerate(value):
            shape(part, f"{place}[{k}]")

    return check


def _named(shape: Shape) -> Shape:
    def check(value: Any, place: str) -> None:
        _is("an object", dict)(value, place)
        for name, part in value.items():
            shape(part, f"{place}.{name}")

    return check


def _or_null(shape: Shape) -> Shape:
    return lambda value, place: None if value is None else shape(value, place)


def _one_of(*allowed: Any) -> Shape:
    def check(value: Any, place: str) -> None:
        if value not in allowed:
            _fail(place, f"one of {', '.join(map(str, allowed))}", value)

    return check


TEXT, FLAG_OR_TEXT = _is("a text", str), _is("a text", str, null=True)
NUMBER, COUNT = _is("a number", int, float), _is("a whole number", int)
ANY_VALUE = _is("a number, a text or null", int, float, str, null=True)
MAYBE_NUMBER, MAYBE_COUNT = (
    _is("a number or null", int, float, null=True),
    _is("a whole number or null", int, null=True),
)

MEASURE = _fields(
    value=ANY_VALUE, low_=ANY_VALUE, high_=ANY_VALUE, chance_=MAYBE_NUMBER, exposed_=MAYBE_NUMBER, reach_=MAYBE_NUMBER,
    label_=FLAG_OR_TEXT, unit_=FLAG_OR_TEXT, reason_=FLAG_OR_TEXT, private_end_=_one_of("low", "high"),
)  # fmt: skip
SURE_NUMBER = _fields(value=NUMBER, low_=MAYBE_NUMBER, high_=MAYBE_NUMBER)
FINDING = _fields(code=TEXT, severity=_one_of(*SEVERITIES), message=TEXT)
COUNTS = _fields(target=COUNT, nontarget=COUNT, speakers_=MAYBE_COUNT)
INTERVALS = _fields(unit=TEXT, units=COUNT, resamples=COUNT, level=NUMBER)
INPUT = _fields(path=TEXT, sha256=TEXT)
GROUP = _fields(counts_=_fields(target_=COUNT, nontarget_=COUNT), measures_=_named(MEASURE), reason_=FLAG_OR_TEXT)
CURVE = _named(_each(MAYBE_NUMBER))
DIFFERENCE = _fields(
    difference=NUMBER, low=NUMBER, high=NUMBER, p_value=NUMBER, more_private=_one_of(0, 1, 2), unit_=TEXT,
    resamples_=COUNT,
)  # fmt: skip


def _measures(value: Any, place: str) -> None:
    _named(MEASURE)(value, place)
    _fields(eer=SURE_NUMBER, d_ece=SURE_NUMBER)(value, place)
    for name, measure in value.items():
        if name != "category":
            _fields(value=MAYBE_NUMBER, low_=MAYBE_NUMBER, high_=MAYBE_NUMBER)(measure, f"{place}.{name}")


def _assessment(value: Any, place: str) -> None:
    _fields(
        kind=_one_of("assessment"), name=TEXT, attacker_=TEXT, measures=_measures, counts=COUNTS,
        inputs=_each(INPUT), warnings_=_each(FINDING), notes_=_each(TEXT), intervals_=_or_null(INTERVALS),
        groups_=_named(_named(GROUP)), category_counts_=_named(COUNT), eer_by_tool_=_named(MAYBE_NUMBER),
        curves_=_named(CURVE), labels_=_named(TEXT), versions_=_named(TEXT), original_=_or_null(_assessment),
        trial_digest_=TEXT,
    )(value, place)  # fmt: skip


def _evaluation(value: Any, place: str) -> None:
    _fields(
        name=TEXT, attackers=_each(_assessment, at_least=1), original=_or_null(_assessment), strongest_=TEXT,
        description_=TEXT, warnings_=_each(FINDING), notes_=_each(TEXT), versions_=_named(TEXT),
    )(value, place)  # fmt: skip


def _comparison(value: Any, place: str) -> None:
    _fields(
        results=_each(_any_kind, at_least=1), differences_=_named(_named(DIFFERENCE)), warnings_=_each(FINDING),
        notes_=_each(TEXT), versions_=_named(TEXT),
    )(value, place)  # fmt: skip


def _any_kind(value: Any, place: str) -> None:
    _fields(kind=_one_of(*_KINDS))(value, place)
    _KINDS[value["kind"]](value, place)


_KINDS: dict[str, Shape] = {"assessment": _assessment, "evaluation": _evaluation, "comparison": _comparison}
