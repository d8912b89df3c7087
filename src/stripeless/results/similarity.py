"""Who sounds like whom, before and after anonymization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from stripeless.measures.catalog import SIMILARITY_MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.codec import Result, optional
from stripeless.results.versions import versions
from stripeless.tables.inputs import InputFile


@dataclass(frozen=True)
class SimilarityGroup:
    """Women, men or all: what anonymization does to their voices.

    Attributes:
        name: "women", "men" or "all".
        speakers: how many people the group has.
        measures: de-identification (share) and gain of voice distinctiveness (dB), by name.
    """

    name: str
    speakers: int
    measures: Mapping[str, Measure] = field(metadata={"keys": tuple(SIMILARITY_MEASURES)})


@dataclass(frozen=True, eq=False)
class SimilarityStudy(Result):
    """The similarity matrices of one system and what they sum up to.

    Attributes:
        groups: women and men, or all, at least one group.
        speakers: names of the speakers, in the order of rows and columns.
        matrices: speakers x speakers, 0 to 1, by kind: "oo" originals, "oa" original against anonymized, "aa" anonymized.
        name: what the system is called in reports.
        seed: kept for the form; nothing is drawn.
        inputs: the files that were read, with their SHA-256.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
        notes: sentences about the data that a reader should see.
    """

    KIND: ClassVar[str] = "similarity"

    groups: tuple[SimilarityGroup, ...] = field(metadata={"at_least": 1})
    speakers: tuple[str, ...]
    matrices: Mapping[str, tuple[tuple[float | None, ...], ...]]
    name: str = ""
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
    notes: tuple[str, ...] = optional(default=())
