"""A measure with the company it keeps: unit, interval, chance, reach, or the reason why there is no number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class MeasureInfo:
    """What is always true of a measure, whatever the scores.

    `chance` is its value for an attacker who learns nothing, `exposed` for one who is never wrong.
    """

    name: str
    label: str
    unit: str
    private_end: Literal["low", "high"]
    chance: float | None
    exposed: float | None
    meaning: str
    source: str


@dataclass(frozen=True)
class Measure:
    """One number about one set of scores. `value` is None exactly where `reason` says why."""

    info: MeasureInfo
    value: float | str | None
    low: float | str | None = None
    high: float | str | None = None
    reach: float | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def unit(self) -> str:
        return self.info.unit

    def to_dict(self) -> dict[str, Any]:
        """Plain values only. JSON knows no infinity: it becomes null with a reason."""
        value, reason = self.value, self.reason
        if isinstance(value, float) and not math.isfinite(value):
            value, reason = None, reason or "infinite: at least one infinite score favors the wrong class"
        return {
            "label": self.info.label,
            "value": value,
            "low": finite(self.low),
            "high": finite(self.high),
            "unit": self.info.unit,
            "private_end": self.info.private_end,
            "chance": self.info.chance,
            "exposed": self.info.exposed,
            "reach": finite(self.reach),
            "reason": reason,
        }


def finite(value: float | str | None) -> float | str | None:
    """The value, or None where JSON could not hold it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
