"""From results to the lines of a figure or the columns of a table: which results, in which order, under which name."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

from stripeless.errors import InputError
from stripeless.results.assessment import Assessment
from stripeless.results.judged import strongest_place

Result: TypeAlias = Mapping[str, Any]
ORIGINAL = "original speech"
LONGEST = 48  # characters of a name in a figure or table


@dataclass(frozen=True)
class Series:
    """One assessment with the name it goes by here. `ceiling` marks unprotected speech, the upper end of disclosure."""

    label: str
    result: Result
    ceiling: bool = False

    @cached_property
    def assessment(self) -> Assessment:
        """The result as the type that rules decide on."""
        return Assessment.from_dict(self.result)


def as_dict(result: Any) -> Result:
    """The dict of a result, or of an object that has `to_dict()`."""
    if hasattr(result, "to_dict"):
        result = result.to_dict()
    if not isinstance(result, Mapping) or "kind" not in result:
        raise InputError(
            f"result: expected the dict of an assessment or evaluation, or a list of them, got {type(result).__name__}"
        )
    return cast(Result, result)


def series_of(results: Any) -> list[Series]:
    """The assessments in a result, a comparison, or a list of results, with names that tell them apart.

    An evaluation gives its attackers, then its ceiling. Beside other results it gives its strongest attacker.
    """
    if not hasattr(results, "to_dict") and isinstance(results, Sequence) and not isinstance(results, str):
        return _side_by_side([as_dict(result) for result in results])
    result = as_dict(results)
    if result["kind"] == "comparison":
        return _side_by_side([as_dict(part) for part in result["results"]])
    if result["kind"] == "evaluation":
        return _of_evaluation(result)
    _check_assessment(result)
    ceiling = [] if result.get("original") is None else [Series(ORIGINAL, result["original"], ceiling=True)]
    return [Series(tidy(result.get("name") or result.get("attacker") or "these scores"), result), *ceiling]


def shared_folder(names: Sequence[str]) -> str:
    """The folder that all names start with: said once or not at all, it only hides what differs.

    >>> shared_folder(["data/b1/f.txt", "data/b2/f.txt"]), shared_folder(["data/f.txt", "B1"])
    ('data/', '')
    """
    shared = ""
    for parts in zip(*(name.split("/")[:-1] for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        shared += parts[0] + "/"
    return shared


def tidy(name: object, longest: int = LONGEST) -> str:
    """A name on one line, without control characters, cut where it would not fit.

    >>> tidy("a\\nb"), tidy("x" * 60, 5)
    ('a b', 'xxxx…')
    """
    # Control and format characters (among them those that reverse the reading direction) have no place in a label.
    plain = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") else c for c in str(name))
    text = " ".join(plain.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _check_assessment(result: Result) -> None:
    if result["kind"] != "assessment":
        raise InputError(f"result: kind {result['kind']!r} holds no scores to show; expected assessment or evaluation")


def _of_evaluation(result: Result) -> list[Series]:
    original = result.get("original")
    ceiling = [] if original is None else [Series(ORIGINAL, original, ceiling=True)]
    attackers = [
        Series(tidy(a.get("attacker") or a.get("name") or f"attacker {k}"), a)
        for k, a in enumerate(result["attackers"], start=1)
    ]
    return _told_apart(attackers) + ceiling


def _side_by_side(results: Sequence[Result]) -> list[Series]:
    if not results:
        raise InputError("results: the list is empty; give at least one result")
    folder = shared_folder([str(result.get("name") or "") for result in results])
    results = [{**result, "name": str(result.get("name") or "")[len(folder) :]} for result in results]
    series = []
    for k, result in enumerate(results, start=1):
        if result["kind"] == "evaluation":
            part = result["attackers"][strongest_place(result)]
            series.append(Series(_name(result, part) or f"system {k}", part))
            continue
        _check_assessment(result)
        ceiling = result.get("attacker") == "original"
        name = _name(result, {} if ceiling else result)
        series.append(Series(name or (ORIGINAL if ceiling else f"system {k}"), result, ceiling))
    return _told_apart(series)


def _name(system: Result, part: Result) -> str:
    """System and attacker, the attacker only where the name does not end with it already."""
    name, attacker = tidy(system.get("name") or ""), tidy(part.get("attacker") or "")
    return name if name.endswith(attacker) else tidy(f"{name}, {attacker}") if name else attacker


def _told_apart(series: list[Series]) -> list[Series]:
    """Number the names that occur more than once."""
    names = [s.label for s in series]
    seen: dict[str, int] = {}
    apart = []
    for s in series:
        seen[s.label] = seen.get(s.label, 0) + 1
        label = f"{s.label} ({seen[s.label]})" if names.count(s.label) > 1 else s.label
        apart.append(Series(label, s.result, s.ceiling))
    return apart
