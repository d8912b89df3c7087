"""Numbers of a paper beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from stripeless.results.codec import Result, record_from_plain, to_plain, unwritten


@dataclass(frozen=True)
class _Core:
    """What every line has."""

    table: str
    what: str
    published: float | str | bool | None
    ours: float | str | bool | None
    difference: float | str | None = None
    agrees: bool | str | None = None


@dataclass(frozen=True)
class ReproducedLine(_Core):
    """One number as published and as recomputed.

    Attributes:
        table: the table, by the name that `reproduce` knows.
        what: what the number is of.
        published: the number as printed; None where the paper prints none.
        ours: the number as recomputed; None where it cannot be.
        difference: ours less the published one, or what stands instead; None where there is none.
        agrees: whether they agree; None where that is not judged.
        details: further columns of the table, by name.
    """

    details: Mapping[str, Any] = unwritten(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, the details beside the rest."""
        return {each.name: to_plain(getattr(self, each.name)) for each in fields(self) if each.name != "details"} | {
            key: to_plain(value) for key, value in self.details.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], place: str = "") -> ReproducedLine:
        """The line that `data`, plain values, stands for; `place` is where it stands in the file, for messages."""
        known = {each.name for each in fields(cls)} - {"details"}
        core = record_from_plain(_Core, {key: value for key, value in data.items() if key in known}, place)
        return cls(**vars(core), details={key: value for key, value in data.items() if key not in known})


@dataclass(frozen=True, eq=False)
class Reproduction(Result):
    """Numbers of papers, recomputed: lines of one or several tables.

    Attributes:
        lines: one line per number.
        seed: start of the random draws.
    """

    KIND: ClassVar[str] = "reproduction"

    lines: tuple[ReproducedLine, ...]
    seed: int = 0
