"""Who sounds like whom, before and after anonymization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from stripeless.measures.catalog import SIMILARITY_MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.codec import Result
from stripeless.results.versions import versions
from stripeless.scores.trials import InputFile


@dataclass(frozen=True)
class SimilarityGroup:
    """Women, men or all: how many, de-identification and gain of voice distinctiveness."""

    name: str
    speakers: int
    measures: Mapping[str, Measure] = field(metadata={"keys": tuple(SIMILARITY_MEASURES)})


@dataclass(frozen=True, eq=False)
class SimilarityStudy(Result):
    """The similarity matrices of one system (oo, oa, aa: original and anonymized) and what they sum up to."""

    KIND: ClassVar[str] = "similarity"

    groups: tuple[SimilarityGroup, ...] = field(metadata={"at_least": 1})
    speakers: tuple[str, ...]
    matrices: Mapping[str, tuple[tuple[float | None, ...], ...]]
    name: str = ""
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
