"""Several results side by side, with the differences that are more than luck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from stripeless.measures.uncertainty.paired import Difference
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, optional
from stripeless.results.versions import versions
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class Stated:
    """What a result says for itself, beside others: its verdict.

    Attributes:
        system: name of the system.
        label: the verdict's label, such as "Leak".
        headline: the one sentence of the verdict.
        margin: the EER in percent that the verdict was held against; None where nothing was tested.
        people: how many people were tested; 0 where nothing was.
        attackers: who attacked, as far as anybody said.
        of: what the scores are of (data set, split, sex); empty where nobody said.
        places: where its numbers stand in `results` of a comparison, counted from 0.
    """

    system: str
    label: str
    headline: str = ""
    margin: float | None = None
    people: int = 0
    attackers: tuple[str, ...] = ()
    of: str = ""
    places: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Assessments in the order given, and paired differences from the first where trials allow.

    Attributes:
        results: one assessment per system or attacker, at least one.
        differences: first minus other, by the names of both ("A - B", as `names` has them) and by measure; empty where
            trials differ.
        verdicts: what each of the compared results says for itself.
        warnings: what to know before believing the numbers.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "comparison"

    results: tuple[Assessment, ...] = field(metadata={"at_least": 1})
    differences: Mapping[str, Mapping[str, Difference]] = field(default_factory=dict)
    warnings: tuple[Finding, ...] = ()
    verdicts: tuple[Stated, ...] = optional(default=())
    versions: Mapping[str, str] = field(default_factory=versions)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each of `results`, by which `differences` are found; no two are the same."""
        return names_of(self.results)


def names_of(results: Sequence[Assessment]) -> tuple[str, ...]:
    """A name for each result that no other has: with its attacker where names are shared, numbered where that is not enough."""
    shared = Counter(result.name for result in results)
    names = (f"{one.name}, {one.attacker}" if shared[one.name] > 1 and one.attacker else one.name for one in results)
    return told_apart(list(names))


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """The names, numbered in their order where several are the same.

    >>> told_apart(["B1", "B2", "B1", "B1 (1)"])
    ('B1 (2)', 'B2', 'B1 (3)', 'B1 (1)')
    """
    shared, taken, apart = Counter(names), set(names), []
    for name in names:
        own, number = name, 0
        while shared[name] > 1 and own in taken:
            number += 1
            own = f"{name} ({number})"
        taken.add(own)
        apart.append(own)
    return tuple(apart)
