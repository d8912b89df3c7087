"""What every family of findings reads and writes: one value, and a share in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment


def number(result: Assessment, name: str) -> float:
    """The value of a measure, NaN where it has none: every comparison with NaN is false, so nothing is found."""
    value = result.measures[name].value
    return float(value) if isinstance(value, float) else float("nan")


def percent(share: float) -> str:
    """A share with one decimal.

    >>> percent(0.123)
    '12.3 %'
    """
    return f"{100 * share:.1f} %"
