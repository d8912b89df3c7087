"""An evaluation of recordings: what the attackers learn, and what only recordings can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.results.codec import optional, unwritten
from stripeless.results.evaluation import Evaluation


@dataclass(frozen=True)
class PlayedRow:
    """One encoder in the hands of one attacker, for one sex or all: its measures, or null where there is none."""

    encoder: str
    attacker: str
    backend: str
    sex: str
    eer: float | None
    category: str | None
    cllr_min: float | None = None
    d_ece: float | None = None
    log10_lr: float | None = None
    linkability: float | None = None


@dataclass(frozen=True)
class Chosen:
    """The encoder and the comparison with which an attacker learned most."""

    encoder: str
    backend: str


@dataclass(frozen=True)
class VoiceRanks:
    """How far up an attacker ranks the right person, on average and at worst."""

    mean_disclosure: float
    id_rate: float
    max_disclosure: float
    templates: int
    chance_mean_disclosure: float = 0.0


@dataclass(frozen=True)
class Sample:
    """One recording before and after, inside the result: `before` and `after` are sound as text."""

    speaker: str
    before: str
    after: str
    text: str = ""
    sex: str = ""


@dataclass(frozen=True)
class Voices:
    """What only recordings can tell. Parts of `similarity` and `utility` that could not be measured hold a reason."""

    listeners: tuple[PlayedRow, ...]
    ranks: Mapping[str, VoiceRanks]
    similarity: Mapping[str, Mapping[str, Any]]
    encoder: str
    anonymizer: Mapping[str, Any] = field(default_factory=dict)
    corpus: Mapping[str, int] = field(default_factory=dict)
    best: Mapping[str, Chosen] = field(default_factory=dict)
    utility: Mapping[str, Mapping[str, Any]] = optional(default_factory=dict)


@dataclass(frozen=True, eq=False)
class VoiceEvaluation(Evaluation):
    """An evaluation, and under `voices` what only recordings can tell.

    `listen` holds recordings of a few speakers where they were asked for; `played` holds the scores behind every encoder, in
    memory only.
    """

    KIND: ClassVar[str] = "evaluation"

    voices: Voices | None = None
    listen: tuple[Sample, ...] = optional(default=())
    played: tuple[Any, ...] = unwritten(default=())

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation itself, as in 0.1, where it was a part."""
        return self
