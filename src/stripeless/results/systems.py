"""Many systems side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stripeless.measures.uncertainty.ordering import Ranking
from stripeless.results.versions import SCHEMA, versions
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


@dataclass(frozen=True, eq=False)
class Systems:
    """Everything the cells say together."""

    cells: tuple[Cell, ...]
    rankings: tuple[tuple[str, Ranking], ...] = ()
    correlations: tuple[Correlation, ...] = ()
    pareto: Mapping[str, Any] | None = None
    warnings: tuple[Finding, ...] = ()
    sources: tuple[str, ...] = ()
    profiles: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "systems",
            "schema": SCHEMA,
            "name": f"{len(names_of(self.cells))} systems side by side",
            "cells": [dict(vars(cell)) for cell in self.cells],
            "rankings": [{"attacker": attacker, **ranking.to_dict()} for attacker, ranking in self.rankings],
            "correlations": [dict(vars(c)) for c in self.correlations],
            "pareto": None if self.pareto is None else dict(self.pareto),
            "warnings": [finding.to_dict() for finding in self.warnings],
            "sources": list(self.sources),
            "profiles": None if self.profiles is None else dict(self.profiles),
            "versions": versions(),
        }


def names_of(cells: Iterable[Cell]) -> list[str]:
    """Systems in the order of their first cell, original speech first."""
    names = list(dict.fromkeys(cell.system for cell in cells))
    return [name for name in names if name == ORIGINAL] + [name for name in names if name != ORIGINAL]
