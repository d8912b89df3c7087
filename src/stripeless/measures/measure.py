"""A measure with the company it keeps: unit, interval, chance, reach, or the reason why there is no number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

IntervalKind = Literal["basic", "percentiles", "none"]


@dataclass(frozen=True)
class MeasureInfo:
    """What is always true of a measure, whatever the scores: its entry in the catalog, from which everything else follows.

    `chance` is its value for an attacker who learns nothing, `exposed` for one who is never wrong. No interval leaves
    `lowest` to `highest`, what the measure can be at all; None is no end. A `rate` is a share of trials: it is shown in
    percent, and where no resample errs the limit of so many trials without an error holds. Other numbers are shown with
    `digits` after the point, in tables laid out like the printed ones with `table_digits`. `interval` is "percentiles" for
    a maximum, which has no population value to be off from, and "none" for what is a limit already.

    `compute` gives the number from one sorted pass over the scores (`of_stairs` and `of_hull` make it from a function of the
    staircase; for the similarity of voices it takes the matrices by their kind); InputError where they do not allow it. It
    is a function of a module, so that results can travel between processes. `reach` gives the most that so many trials
    could have shown. A measure without `compute` is read off another one: `reads` names it, `in_words` says it in words.

    `short` is the label where room is scarce, `headline` the place among the key numbers that open a report (0: none of
    them). `by_group` asks for it in results per speaker, sex or label. `false_alarm_rate` is the rate of a hit rate.
    """

    name: str
    label: str
    unit: str
    private_end: Literal["low", "high", "none"]
    chance: float | None
    exposed: float | None
    meaning: str
    source: str
    _: KW_ONLY
    lowest: float | None = None
    highest: float | None = None
    rate: bool = False
    digits: int = 2
    table_digits: int = 3
    interval: IntervalKind = "basic"
    compute: Callable[[Any], float] | None = field(default=None, compare=False, repr=False)
    reach: Callable[[Any], float] | None = field(default=None, compare=False, repr=False)
    reads: str = ""
    in_words: Callable[[float], str] | None = field(default=None, compare=False, repr=False)
    short: str = ""
    headline: int = 0
    by_group: bool = False
    false_alarm_rate: float | None = None

    def of(self, scores: Any) -> float:
        """The number for these scores; raises InputError where they do not allow it."""
        if self.compute is None:
            raise TypeError(f"{self.name} is read off {self.reads}, not computed")
        return self.compute(scores)


@dataclass(frozen=True)
class Measure:
    """One number about one set of scores.

    Attributes:
        info: what is always true of the measure: name, unit, private end, chance, source.
        value: the number, or the letter of a category; None exactly where `reason` says why.
        low, high: ends of the 95 % interval; None where none was asked for or none can be given.
        reach: the most that this many trials could have shown; None where there is no such limit.
        reason: why there is no value, in one sentence; empty otherwise.
    """

    info: MeasureInfo
    value: float | str | None
    low: float | str | None = None
    high: float | str | None = None
    reach: float | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        """The measure's name, as in the catalog."""
        return self.info.name

    @property
    def unit(self) -> str:
        """The unit of the value; empty for shares."""
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
