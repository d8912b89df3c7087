"""Every attack on one system of embeddings, chance and ceiling beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.measures.measure import Measure
from stripeless.measures.singling_out import Rate
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, placed, unwritten
from stripeless.results.versions import versions
from stripeless.scores.trials import InputFile


@dataclass(frozen=True)
class AttackRow:
    """One attack: what it knows, what it reached on the judged half, what it chose for itself."""

    name: str
    knows: str
    measures: Mapping[str, Measure]
    chosen: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    assessment: Assessment | None = unwritten(default=None)
    top_k: Mapping[int, tuple[float, float]] = unwritten(default_factory=dict)


@dataclass(frozen=True)
class Spread:
    """Mean and deviation of a figure that blind attackers reach."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Identification:
    """Singling out and 1:N linkability with one attack, for several numbers of people and of utterances."""

    attack: str
    rates: tuple[Rate, ...]


@dataclass(frozen=True)
class Conclusions:
    """What the two criteria of ISO/IEC 24745 allow to conclude."""

    unlinkability: str
    non_invertibility: str


@dataclass(frozen=True, eq=False)
class AttackStudy(Result):
    """Every attack on one system, chance and ceiling beside them."""

    KIND: ClassVar[str] = "attack"

    chance: Mapping[str, Spread]
    identification: Identification
    rows: tuple[AttackRow, ...] = field(metadata={"key": "attacks", "at_least": 1})
    curve: tuple[Mapping[str, float], ...] = placed("pairs_curve")
    concluded: Conclusions = placed("conclusions")
    training: int = placed("counts.training")
    judged: int = placed("counts.judged")
    speakers: int = placed("counts.speakers")
    dimensions: int | None = placed("pca_dimensions", default=None)
    seed: int = 0
    name: str = ""
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)

    def conclusions(self) -> dict[str, Any]:
        """What the two criteria allow to conclude, by name."""
        return dict(vars(self.concluded))
