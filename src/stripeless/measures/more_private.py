"""Which of two values of a measure is the more private: the only rule for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stripeless.measures.catalog import info_of

NO_PRIVACY = frozenset({"cllr"})  # a high Cllr is bad calibration: the attacker is misled today and calibrates tomorrow
UTILITY: dict[str, Literal["low", "high"]] = {
    "wer": "low",
    "gain_of_voice_distinctiveness": "high",
    "naturalness": "high",
    "intelligibility": "high",
}


def private_end(measure: str) -> Literal["low", "high"]:
    """At which end of a measure privacy lies."""
    info = info_of(measure)
    return "high" if info is not None and info.private_end == "high" else "low"


def how_private(measure: str, value: float) -> float | None:
    """A number that is higher the more private a value is; None for a measure that says nothing about privacy.

    Beyond chance an attacker is misled and need only turn the scores round, so the distance from chance counts.

    >>> how_private("eer", 0.53) < how_private("eer", 0.48)
    True
    """
    if measure in NO_PRIVACY:
        return None
    if private_end(measure) == "low":
        return -value
    info = info_of(measure)
    chance = None if info is None else info.chance
    return value if chance is None or value <= chance else 2 * chance - value


def best_places(measure: str, values: Sequence[float | None]) -> frozenset[int]:
    """Places of the best value, where values differ: the most private, or the most useful for a measure of utility."""
    if measure in UTILITY:
        sign = 1.0 if UTILITY[measure] == "high" else -1.0
        ranked = {k: sign * value for k, value in enumerate(values) if value is not None}
    else:
        known = {k: how_private(measure, value) for k, value in enumerate(values) if value is not None}
        ranked = {k: value for k, value in known.items() if value is not None}
    if len(set(ranked.values())) < 2:
        return frozenset()
    return frozenset(k for k, value in ranked.items() if value == max(ranked.values()))
