"""Numbers of a paper beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from stripeless.results.codec import Result, record_from_plain, to_plain, unwritten


@dataclass(frozen=True)
class ReproducedLine:
    """One number as published and as recomputed. `agrees` is None where it is not judged; `details` differ by table."""

    table: str
    what: str
    published: float | str | bool | None
    ours: float | str | bool | None
    difference: float | str | None = None
    agrees: bool | str | None = None
    details: Mapping[str, Any] = unwritten(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, the details beside the rest."""
        return {each.name: to_plain(getattr(self, each.name)) for each in fields(self) if each.name != "details"} | {
            key: to_plain(value) for key, value in self.details.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], place: str = "") -> ReproducedLine:
        """The line that these plain values stand for."""
        known = {each.name for each in fields(cls)} - {"details"}
        core = record_from_plain(_Core, {key: value for key, value in data.items() if key in known}, place)
        return cls(**vars(core), details={key: value for key, value in data.items() if key not in known})


@dataclass(frozen=True)
class _Core:
    """What every line has."""

    table: str
    what: str
    published: float | str | bool | None
    ours: float | str | bool | None
    difference: float | str | None = None
    agrees: bool | str | None = None


@dataclass(frozen=True, eq=False)
class Reproduction(Result):
    """Lines of one or several tables."""

    KIND: ClassVar[str] = "reproduction"

    lines: tuple[ReproducedLine, ...]
    seed: int = 0
