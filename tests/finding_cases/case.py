"""What a case is: data about which a code must speak up, and sound data of the same kind about which it must not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stripeless.verdicts.finding import Finding

Producer = Callable[[], Iterable[Finding]]


@dataclass(frozen=True)
class Case:
    """`fires`: one producer for each severity and place the code can come from; `silent`: the same on sound data."""

    fires: tuple[Producer, ...]
    silent: tuple[Producer, ...]


def case(fires: Producer | tuple[Producer, ...], silent: Producer | tuple[Producer, ...]) -> Case:
    """One or several of each."""
    return Case(fires if isinstance(fires, tuple) else (fires,), silent if isinstance(silent, tuple) else (silent,))
