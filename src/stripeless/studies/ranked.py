"""Which systems differ by more than luck, from stored results: over the people that all share, else over six conditions.

Conditions of the same trials are one: "all" beside "female" and "male" counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stripeless.measures.uncertainty.ordering import (
    LEAST_CONDITIONS,
    LEAST_PEOPLE,
    Ranking,
    rank_over_conditions,
    rank_over_people,
)
from stripeless.results.assessment import Assessment
from stripeless.studies.by_person import values_by_person

Condition = tuple[str, str, str]  # data set, split and sex
Ends = tuple[float | None, float | None]
PEOPLE = "or values per speaker of the same trials (assess --by speaker)"
WHOLE = ("all", "")  # what a label says that leaves nothing out


def rank_stored(
    values: Mapping[str, Mapping[Condition, float]],
    ends: Mapping[str, Mapping[Condition, Ends]],
    people: Mapping[str, Mapping[str, float]],
    measure: str,
) -> Ranking | None:
    """Systems from the most to the least private, under one attacker; None where they share nothing.

    Parameters:
        values: for each system its value under each condition.
        ends: the interval of each of these.
        people: for each system the value of each person, empty where the trials are not known to be the same.
        measure: name of the measure to rank by, as in the catalog.
    """
    if len(values) < 2 or not (shared := set.intersection(*(set(cells) for cells in values.values()))):
        return None
    whole, parts = widest(shared), finest(shared)
    means = {name: sum(cells[key] for key in whole) / len(whole) for name, cells in values.items()}
    between = {name: _known(ends[name][whole[0]]) if len(whole) == 1 else None for name in values}
    judged = {name: people[name] for name in values if name in people}
    if len(judged) == len(values) and len(set.intersection(*map(set, judged.values()))) >= LEAST_PEOPLE:
        return rank_over_people(judged, measure, means, between)
    keys = parts if len(parts) >= LEAST_CONDITIONS else whole
    ranking = rank_over_conditions({name: {key: cells[key] for key in keys} for name, cells in values.items()}, measure)
    if len(keys) >= LEAST_CONDITIONS:
        return ranking
    limits = {name: two or (None, None) for name, two in between.items()}
    places = (replace(place, low=limits[place.system][0], high=limits[place.system][1]) for place in ranking.places)
    return replace(ranking, places=tuple(places), method=f"{ranking.method}, {PEOPLE}")


def _known(ends: Ends) -> tuple[float, float] | None:
    low, high = ends
    return None if low is None or high is None else (low, high)


def part_of(inner: Condition, outer: Condition) -> bool:
    """Whether the trials of one condition are among those of another one.

    >>> part_of(("libri", "test", "female"), ("libri", "test", "all")), part_of(("a", "", "all"), ("a", "", "all"))
    (True, False)
    """
    return inner != outer and all(o in WHOLE or i == o for i, o in zip(inner, outer, strict=True))


def finest(conditions: Iterable[Condition]) -> list[Condition]:
    """The conditions that hold no other one."""
    several = sorted(conditions)
    return [one for one in several if not any(part_of(other, one) for other in several)]


def widest(conditions: Iterable[Condition]) -> list[Condition]:
    """The conditions that no other one holds.

    >>> widest([("d", "", "all"), ("d", "", "female"), ("d", "", "male")])
    [('d', '', 'all')]
    """
    several = sorted(conditions)
    return [one for one in several if not any(part_of(one, other) for other in several)]


def people_of(results: Iterable[tuple[str, Assessment]], measure: str) -> dict[str, dict[str, dict[str, float]]]:
    """By attacker and system the value of each person, the mean of several results; left out where trials may differ."""
    held: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for system, result in results:
        if result.attacker != "original":
            of = held.setdefault(result.attacker, {}).setdefault(system, {})
            of[result.trial_digest] = values_by_person(result, measure)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for attacker, systems in held.items():
        digests = {frozenset(of) for of in systems.values()}
        if len(digests) > 1 or "" in next(iter(digests)):
            continue
        found[attacker] = {system: _means(of.values()) for system, of in systems.items()}
    return found


def _means(several: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """One value for each person who is in several results."""
    values: dict[str, list[float]] = {}
    for one in several:
        for person, value in one.items():
            values.setdefault(person, []).append(value)
    return {person: sum(own) / len(own) for person, own in values.items()}
