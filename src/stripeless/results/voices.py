"""An evaluation of recordings: what the attackers learn, and what only recordings can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.results.codec import optional, unwritten
from stripeless.results.evaluation import Evaluation


@dataclass(frozen=True)
class PlayedRow:
    """One encoder in the hands of one attacker, for one sex or all; a measure is None where there are too few trials.

    Attributes:
        encoder: name of the encoder.
        attacker: who attacks, such as "lazy-informed"; "original" is the ceiling.
        backend: how its vectors were compared, such as "cosine".
        sex: "f", "m" or "all".
        eer: equal error rate, a share.
        category: the worst case as a ZEBRA letter.
        cllr_min: Cllr after the best recalibration, in bits.
        d_ece: average disclosure, in bits.
        log10_lr: base-10 log of the strongest likelihood ratio.
        linkability: how surely a match shows, 0 to 1.
    """

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
    """The encoder and the comparison with which an attacker learned most.

    Attributes:
        encoder: name of the encoder.
        backend: how its vectors were compared, such as "cosine".
    """

    encoder: str
    backend: str


@dataclass(frozen=True)
class VoiceRanks:
    """How far up an attacker ranks the right person, on average and at worst.

    Attributes:
        mean_disclosure: bits that one recording gives away on average.
        id_rate: share of recordings whose own speaker comes first.
        max_disclosure: bits at the most telling rank.
        templates: how many enrolled people were ranked.
        chance_mean_disclosure: bits that would show on average if ranks said nothing.
    """

    mean_disclosure: float
    id_rate: float
    max_disclosure: float
    templates: int
    chance_mean_disclosure: float = 0.0


@dataclass(frozen=True)
class Sample:
    """One recording before and after, inside the result: who gets the result can hear it.

    Attributes:
        speaker: who speaks in it.
        before, after: the sound as text, to be played by a page.
        text: the words that are spoken; empty where they are not known.
        sex: "f", "m", or empty where it is not known.
    """

    speaker: str
    before: str
    after: str
    text: str = ""
    sex: str = ""


@dataclass(frozen=True)
class Voices:
    """What only recordings can tell.

    Attributes:
        listeners: one row per encoder, attacker and sex.
        ranks: how far up the right person is ranked, by attacker; "original" is the ceiling.
        similarity: de-identification (share) and gain of voice distinctiveness (dB), or a `reason`, by sex.
        encoder: name of the encoder behind `ranks` and `similarity`.
        anonymizer: what is known of the anonymizer and its settings.
        corpus: sizes: speakers, women, men, utterances, enrollment, trials.
        best: encoder and comparison with which each attacker learned most.
        utility: what is left of words, melody and quality, or a `reason`, by name; empty where it was not asked for.
    """

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

    Attributes:
        name: what the system is called in reports.
        attackers: one assessment per attacker, at least one.
        original: the ceiling: the same trials before anonymization; None where they were not played.
        description: one sentence about the data.
        warnings: what to know before believing the numbers.
        notes: sentences about the data that a reader should see.
        truth: for a simulation, what the best possible attacker would reach, by the name of the measure.
        evidence: what the verdict rests on: all attackers tested together, limits, controls; None where nothing was tested.
        seed: start of the random draws.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
        voices: encoders, ranks, similarity and utility; None in a result without recordings.
        listen: recordings of a few speakers before and after, where they were asked for; empty otherwise.
        played: scores behind every encoder; empty in a result that was read from a file.
    """

    KIND: ClassVar[str] = "evaluation"

    voices: Voices | None = None
    listen: tuple[Sample, ...] = optional(default=())
    played: tuple[Any, ...] = unwritten(default=())

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation itself, as in 0.1, where it was a part."""
        return self
