"""From results to the lines of a figure or the columns of a table: which results, in which order, under which name."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from stripeless.errors import InputError
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import as_stored

Shown: TypeAlias = Result | list[Result]
T = TypeVar("T", bound=Result)
ORIGINAL = "original speech"
LONGEST = 48  # characters of a name in a figure or table


@dataclass(frozen=True)
class Series:
    """One assessment with the name it goes by here. `ceiling` marks unprotected speech, the upper end of disclosure."""

    label: str
    assessment: Assessment
    ceiling: bool = False


def shown_results(results: Any) -> Shown:
    """What is to be shown, as types: the one door for a result, its dict, or a list of either."""
    if not hasattr(results, "to_dict") and isinstance(results, Sequence) and not isinstance(results, str):
        return [as_stored(result) for result in results]
    return as_stored(results)


def shown_as(kind: type[T], result: Any, expected: str) -> T:
    """The result, or its dict, as this type."""
    other = isinstance(result, Mapping) and result.get("kind") != kind.KIND
    known = None if other else shown_results(result)
    if not isinstance(known, kind):
        raise InputError(f"result: expected {expected}")
    return known


def series_of(results: Any) -> list[Series]:
    """The assessments in a result, a comparison, or a list of results, with names that tell them apart.

    An evaluation gives its attackers, then its ceiling. Beside other results it gives its strongest attacker.
    """
    result = shown_results(results)
    if isinstance(result, list):
        return _side_by_side(result)
    if isinstance(result, Comparison):
        return _side_by_side(result.results)
    if isinstance(result, Evaluation):
        return _of_evaluation(result)
    one = _assessment(result)
    return [Series(tidy(one.name or one.attacker or "these scores"), one), *_ceiling_of(one.original)]


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


def _assessment(result: Result) -> Assessment:
    if not isinstance(result, Assessment):
        raise InputError(f"result: kind {result.KIND!r} holds no scores to show; expected assessment or evaluation")
    return result


def _ceiling_of(original: Assessment | None) -> list[Series]:
    return [] if original is None else [Series(ORIGINAL, original, ceiling=True)]


def _of_evaluation(result: Evaluation) -> list[Series]:
    attackers = [
        Series(tidy(a.attacker or a.name or f"attacker {k}"), a) for k, a in enumerate(result.attackers, start=1)
    ]
    return _told_apart(attackers) + _ceiling_of(result.original)


def _side_by_side(results: Sequence[Result]) -> list[Series]:
    if not results:
        raise InputError("results: the list is empty; give at least one result")
    scored = [result if isinstance(result, Evaluation) else _assessment(result) for result in results]
    folder = shared_folder([result.name for result in scored])
    series = []
    for k, result in enumerate(scored, start=1):
        own = result.name[len(folder) :]
        if isinstance(result, Evaluation):
            part = result.strongest()
            series.append(Series(_name(own, part.attacker) or f"system {k}", part))
            continue
        ceiling = result.attacker == "original"
        name = _name(own, "" if ceiling else result.attacker)
        series.append(Series(name or (ORIGINAL if ceiling else f"system {k}"), replace(result, name=own), ceiling))
    return _told_apart(series)


def _name(system: str, who: str) -> str:
    """System and attacker, the attacker only where the name does not end with it already."""
    name, attacker = tidy(system), tidy(who)
    return name if name.endswith(attacker) else tidy(f"{name}, {attacker}") if name else attacker


def _told_apart(series: list[Series]) -> list[Series]:
    """Number the names that occur more than once."""
    names = [s.label for s in series]
    seen: dict[str, int] = {}
    apart = []
    for s in series:
        seen[s.label] = seen.get(s.label, 0) + 1
        label = f"{s.label} ({seen[s.label]})" if names.count(s.label) > 1 else s.label
        apart.append(replace(s, label=label))
    return apart
