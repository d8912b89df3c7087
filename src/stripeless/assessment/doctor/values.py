"""What every family of findings reads: one value of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment


def number(result: Assessment, name: str) -> float:
    """The value of a measure, NaN where it has none: every comparison with NaN is false, so nothing is found."""
    value = result.measures[name].value
    return float(value) if isinstance(value, float) else float("nan")
