"""How a measure is written for people: percent where it is a rate, and no more digits than it can carry."""

from __future__ import annotations

from typing import Protocol

from stripeless.measures.catalog import info_of

NO_VALUE = "\u2013"
DIGITS = 2  # of a number that no entry of the catalog describes


def is_rate(name: str) -> bool:
    """Whether a measure is a share of trials, shown in percent."""
    info = info_of(name)
    return info is not None and info.rate


def shown(name: str, value: float | str | None) -> str:
    """One value without its unit.

    >>> shown("eer", 0.114963), shown("d_ece", 0.450818), shown("category", "C"), shown("hit_rate_0_01pct", 0.0001)
    ('11.5 %', '0.451', 'C', '0.01 %')
    """
    if value is None:
        return NO_VALUE
    if isinstance(value, str):
        return value
    if is_rate(name):
        return percent(value)
    if abs(value) >= 100:
        return f"{value:,.0f}"
    info = info_of(name)
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.{DIGITS if info is None else info.digits}f}"


def percent(share: float) -> str:
    """A share in percent: one digit after the point, two where one would show 0.0 or 100.0 and hide the rest.

    >>> percent(0.5), percent(0.0002), percent(0.0), percent(1.0), percent(0.9996), percent(1e-9)
    ('50.0 %', '0.02 %', '0.0 %', '100.0 %', '99.96 %', '<0.01 %')
    """
    value = 100 * share
    if 0 < value < 0.005:
        return "<0.01 %"
    if 99.995 < value < 100:
        return ">99.99 %"
    close = 0 < value < 0.095 or 99.905 < value < 100
    return f"{value:.2f} %" if close else f"{value:.1f} %"


class Ends(Protocol):
    """Whatever has an interval."""

    @property
    def low(self) -> float | str | None: ...
    @property
    def high(self) -> float | str | None: ...


def shown_interval(name: str, of: Ends) -> str:
    """The interval of a measure, or an empty text where there is none.

    >>> from stripeless.measures.catalog import MEASURES
    >>> from stripeless.measures.measure import Measure
    >>> shown_interval("eer", Measure(MEASURES["eer"], 0.1, 0.0564, 0.1624))
    '5.6 to 16.2 %'
    """
    low, high = of.low, of.high
    if low is None or high is None:
        return ""
    if isinstance(low, str) and low == high:
        return f"{low} throughout"
    first, last = shown(name, low), shown(name, high)
    if first.endswith(" %") and last.endswith(" %"):
        first = first[:-2]
    return f"{first} to {last}"
