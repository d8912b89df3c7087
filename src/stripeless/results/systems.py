"""Many systems side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.measures.uncertainty.ordering import Ranking
from stripeless.results.codec import Result
from stripeless.results.versions import versions
from stripeless.verdicts.finding import Finding

ORIGINAL = "Orig"


@dataclass(frozen=True)
class Cell:
    """One value of one measure of one system under one condition."""

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
        return (self.dataset, self.split, self.sex)


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of two measures over the conditions and systems that have both."""

    first: str
    second: str
    attacker: str
    rho: float
    points: int


@dataclass(frozen=True)
class ParetoPoint:
    """One system: mean privacy and mean utility, and whether nobody else is as good in both and better in one."""

    system: str
    privacy: float
    utility: float
    front: bool


@dataclass(frozen=True)
class Pareto:
    """Privacy against the strongest attacker that every system has met, beside utility."""

    privacy: str
    utility: str
    attackers: tuple[str, ...]
    points: tuple[ParetoPoint, ...]


@dataclass(frozen=True)
class Profile:
    """The calibrated ECE profile of one system under one condition."""

    system: str
    dataset: str
    split: str
    sex: str
    attacker: str
    calibrated: tuple[float | None, ...]


@dataclass(frozen=True)
class Profiles:
    """ECE profiles over the same prior odds, and that of zero evidence."""

    log10_odds: tuple[float, ...]
    zero_evidence: tuple[float, ...]
    curves: tuple[Profile, ...]


@dataclass(frozen=True)
class SystemsRanking:
    """A ranking under one attacker; an empty name stands for the paired ranking of score files."""

    attacker: str
    ranking: Ranking

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the ranking with its attacker."""
        return {"attacker": self.attacker, **self.ranking.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SystemsRanking:
        """The ranking that these plain values stand for."""
        return cls(str(data.get("attacker") or ""), Ranking.from_dict(data))


@dataclass(frozen=True, eq=False)
class Systems(Result):
    """Everything that the numbers of many systems say together."""

    KIND: ClassVar[str] = "systems"

    cells: tuple[Cell, ...]
    rankings: tuple[SystemsRanking, ...] = ()
    correlations: tuple[Correlation, ...] = ()
    pareto: Pareto | None = None
    warnings: tuple[Finding, ...] = ()
    sources: tuple[str, ...] = ()
    profiles: Profiles | None = None
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
