"""Many systems side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.measures.uncertainty.ordering import Ranking
from stripeless.results.codec import Result, optional
from stripeless.results.comparison import Stated
from stripeless.results.versions import versions
from stripeless.verdicts.finding import Finding

ORIGINAL = "Orig"


@dataclass(frozen=True)
class Cell:
    """One value of one measure of one system under one condition.

    Attributes:
        system: name of the system; "Orig" for original speech.
        dataset: name of the data set; "all" where nobody said.
        split: part of the data set, such as "test"; empty where nobody said.
        sex: "female", "male" or "all".
        attacker: who attacks; empty where nobody said.
        measure: name of the measure, as in the catalog.
        value: the value in the measure's unit.
        low, high: ends of the 95 % interval; None where there is none.
        source: the result or the printed table that it comes from.
    """

    system: str
    dataset: str
    split: str
    sex: str
    attacker: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    source: str = ""

    @property
    def condition(self) -> tuple[str, str, str]:
        """Data set, split and sex: what two systems must share to be compared."""
        return (self.dataset, self.split, self.sex)


@dataclass(frozen=True)
class Correlation:
    """Whether two measures rank systems and conditions alike.

    Attributes:
        first, second: names of the two measures.
        attacker: the attacker against whom both were measured.
        rho: Spearman's rank correlation, -1 to 1.
        points: over how many systems and conditions.
    """

    first: str
    second: str
    attacker: str
    rho: float
    points: int


@dataclass(frozen=True)
class ParetoPoint:
    """One system with its mean privacy and its mean utility.

    Attributes:
        system: name of the system.
        privacy: mean of the privacy measure, in its unit.
        utility: mean of the utility measure, in its unit.
        front: whether no other system is as good in both and better in one.
    """

    system: str
    privacy: float
    utility: float
    front: bool


@dataclass(frozen=True)
class Pareto:
    """Privacy against the strongest attacker that every system has met, beside utility.

    Attributes:
        privacy: name of the privacy measure.
        utility: name of the utility measure.
        attackers: who attacked: every system has met one of them.
        points: one point per system.
    """

    privacy: str
    utility: str
    attackers: tuple[str, ...]
    points: tuple[ParetoPoint, ...]


@dataclass(frozen=True)
class Profile:
    """The calibrated ECE profile of one system under one condition.

    Attributes:
        system: name of the system; "Orig" for original speech.
        dataset, split, sex: the condition, as in `Cell`.
        attacker: who attacks; empty where nobody said.
        calibrated: bits at each of the prior odds of `Profiles`; None where unknown.
    """

    system: str
    dataset: str
    split: str
    sex: str
    attacker: str
    calibrated: tuple[float | None, ...]


@dataclass(frozen=True)
class Profiles:
    """ECE profiles over the same prior odds.

    Attributes:
        log10_odds: prior odds of a match, as base-10 logs.
        zero_evidence: bits at each of them for an attacker who learns nothing.
        curves: one profile per system and condition.
    """

    log10_odds: tuple[float, ...]
    zero_evidence: tuple[float, ...]
    curves: tuple[Profile, ...]


@dataclass(frozen=True)
class SystemsRanking:
    """A ranking under one attacker.

    Attributes:
        attacker: who attacks; empty for the paired ranking of score files.
        ranking: systems from the most to the least private.
    """

    attacker: str
    ranking: Ranking

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the ranking with its attacker."""
        return {"attacker": self.attacker, **self.ranking.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SystemsRanking:
        """The ranking that `data`, plain values, stands for."""
        return cls(str(data.get("attacker") or ""), Ranking.from_dict(data))


@dataclass(frozen=True, eq=False)
class Systems(Result):
    """Everything that the numbers of many systems say together.

    Attributes:
        cells: one value of one measure of one system under one condition each.
        rankings: systems from the most to the least private, for each attacker.
        correlations: which measures rank systems alike.
        pareto: privacy beside utility; None where no system has both.
        warnings: what to know before believing the numbers.
        sources: papers that printed cells come from.
        profiles: ECE profiles of the systems; None where no result carries curves.
        verdicts: what each result says for itself; empty where no result holds one.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "systems"

    cells: tuple[Cell, ...]
    rankings: tuple[SystemsRanking, ...] = ()
    correlations: tuple[Correlation, ...] = ()
    pareto: Pareto | None = None
    warnings: tuple[Finding, ...] = ()
    sources: tuple[str, ...] = ()
    profiles: Profiles | None = None
    verdicts: tuple[Stated, ...] = optional(default=())
    versions: Mapping[str, str] = field(default_factory=versions)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with a name that counts the systems."""
        plain = super().to_dict()
        return {"kind": plain["kind"], "schema": plain["schema"], "name": self.name, **plain}

    @property
    def name(self) -> str:
        """How many systems stand side by side."""
        return f"{len(names_of(self.cells))} systems side by side"


def names_of(cells: Iterable[Cell]) -> list[str]:
    """Systems in the order of their first cell, original speech first."""
    names = list(dict.fromkeys(cell.system for cell in cells))
    return [name for name in names if name == ORIGINAL] + [name for name in names if name != ORIGINAL]
