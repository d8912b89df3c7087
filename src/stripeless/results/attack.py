"""Every attack on one system of embeddings, chance and ceiling beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.measures.measure import Measure
from stripeless.measures.singling_out import Rate
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, placed, unwritten
from stripeless.results.versions import versions
from stripeless.tables.inputs import InputFile


@dataclass(frozen=True)
class AttackRow:
    """One attack: what it knows, what it reached on the judged half, what it chose for itself.

    Attributes:
        name: the attack, such as "procrustes"; "original" is the ceiling.
        knows: what the attacker knows, in words.
        measures: what it reached, by name of the measure.
        chosen: what the attack chose for itself, such as the strength of a ridge.
        notes: how it went, in sentences.
        assessment: all measures of its scores; None in a result that was read from a file.
        top_k: for each k both shares (0 to 1) of vectors whose own person is among the k nearest: inverted ones seen from
            the originals, and the other way round; empty in a result that was read from a file.
    """

    name: str
    knows: str
    measures: Mapping[str, Measure]
    chosen: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    assessment: Assessment | None = unwritten(default=None)
    top_k: Mapping[int, tuple[float, float]] = unwritten(default_factory=dict)


@dataclass(frozen=True)
class Spread:
    """What blind attackers (random rotations) reach in one figure.

    Attributes:
        mean: mean over the rotations.
        deviation: standard deviation over the rotations.
    """

    mean: float
    deviation: float


@dataclass(frozen=True)
class Identification:
    """Singling out and 1:N linkability with one attack, for several numbers of people and of utterances.

    Attributes:
        attack: name of the attack.
        rates: one `Rate` for each criterion, number of people, and number of utterances.
    """

    attack: str
    rates: tuple[Rate, ...]


@dataclass(frozen=True)
class Conclusions:
    """What the two criteria of ISO/IEC 24745 allow to conclude; a failed attack proves nothing.

    Attributes:
        unlinkability: whether anonymized and original data could be linked, in one sentence or two.
        non_invertibility: whether original embeddings could be found again, in one sentence or two.
    """

    unlinkability: str
    non_invertibility: str


@dataclass(frozen=True, eq=False)
class AttackStudy(Result):
    """Every attack on one system, chance and ceiling beside them.

    Attributes:
        chance: what random rotations reach, by the name of the figure ("eer", "top1_original_to_inverted", ..).
        identification: singling out and 1:N linkability with the strongest attack.
        rows: one row per attack, the ceiling ("original") first.
        curve: what Procrustes reaches for growing numbers of known pairs: `pairs`, `eer` and both top-1 shares.
        concluded: what follows for unlinkability and non-invertibility.
        training: how many utterances the attacker learns from.
        judged: how many utterances are attacked.
        speakers: how many people there are.
        dimensions: to how many dimensions PCA reduced the vectors; None for no PCA.
        seed: start of the random draws.
        name: what the system is called in reports.
        inputs: the files that were read, with their SHA-256.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "attack"

    chance: Mapping[str, Spread]
    identification: Identification
    rows: tuple[AttackRow, ...] = field(metadata={"key": "attacks", "at_least": 1})
    curve: tuple[Mapping[str, float], ...] = placed("pairs_curve")
    concluded: Conclusions = placed("conclusions")
    training: int = placed("counts.training")
    judged: int = placed("counts.judged")
    speakers: int = placed("counts.speakers")
    dimensions: int | None = placed("pca_dimensions", default=None)
    seed: int = 0
    name: str = ""
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)

    def conclusions(self) -> dict[str, Any]:
        """What the two criteria allow to conclude, by name."""
        return dict(vars(self.concluded))
