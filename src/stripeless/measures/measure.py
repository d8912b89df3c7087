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

    Attributes:
        name, label, unit: as in results, as people read it, and what it counts; the unit of a share is empty.
        private_end: where a good protection lies.
        chance, exposed: the value for an attacker who learns nothing, and for one who is never wrong.
        meaning, source: one sentence for a layperson, and where the definition stands.
        lowest, highest: what the measure can be at all, None for no end; no interval leaves it.
        rate: a share of trials. It is shown in percent, and where no trial is an exception its interval is the limit of so
            many trials without one.
        digits: how many after the point, where it is not shown in percent.
        table_digits: the same in tables laid out like the printed ones, in percent or not.
        interval: "percentiles" for a maximum, which has no population value to be off from; "none" for what is a limit
            already.
        compute: the number from one sorted pass over the scores (`of_stairs` and `of_hull` make it from a function of the
            staircase or its hull), or, for the similarity of voices, from the matrices by their kind; raises InputError where
            they do not allow it. A function of a module, so that results can travel between processes. None for what is read
            off another measure, and for statistics of ranks.
        reach: the most that so many trials could have shown, computed likewise.
        reads, in_words: the measure that this one is read off instead of being computed, and how to say it in words.
        short: the label where room is scarce.
        headline: the place among the key numbers that open a report; 0 for none.
        by_group: whether results per speaker, sex or label hold it.
        false_alarm_rate: the rate at which a hit rate counts hits.
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
            raise TypeError(f"{self.name} is not computed from scores")
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

    @property
    def number(self) -> float:
        """The value where it is a number, else NaN."""
        return float(self.value) if isinstance(self.value, (int, float)) else math.nan

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
