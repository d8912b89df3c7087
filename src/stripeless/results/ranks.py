"""What true ranks disclose, feature by feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.errors import InputError
from stripeless.measures.catalog import RANK_MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.codec import Result, record_of
from stripeless.results.versions import versions
from stripeless.scores.trials import InputFile
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class RankModel:
    """A beta-binomial model of the pooled ranks, and the statistics that it implies."""

    mean_disclosure: float
    id_rate: float
    max_disclosure: float
    std_disclosure: float
    spread: float
    loss: str = "cll"
    alpha: float | None = None
    beta: float | None = None
    at_bound: bool = False


@dataclass(frozen=True)
class RankFit:
    """A model by one loss, and how well it describes the ranks that were seen."""

    alpha: float
    beta: float
    at_bound: bool
    kl_divergence: float | None = None
    rank_1_match: float | None = None


@dataclass(frozen=True)
class Crowd:
    """How many people look alike: at worst, typically, and within which rank a share of the right ones lies."""

    within: Mapping[str, int]
    worst: float | None = None
    typical: float | None = None


@dataclass(frozen=True)
class ExposedSpeaker:
    """A speaker and the bits that an observation of them discloses on average."""

    speaker: str
    bits: float


@dataclass(frozen=True)
class SpeakersDisclosure:
    """Models per speaker: mean, deviation and maximum over people, and who is most exposed."""

    max: float
    most_exposed: tuple[ExposedSpeaker, ...]
    speakers: int = 0
    mean: float | None = None
    std: float | None = None


@dataclass(frozen=True)
class RankFeature:
    """One feature (voice embedding, F0, wording) and what ranking by it discloses."""

    name: str
    n: int
    probes: int
    speakers: int
    measures: Mapping[str, Measure] = field(metadata={"needs": tuple(RANK_MEASURES)})
    chance: Mapping[str, float]
    model: RankModel
    fits: Mapping[str, RankFit]
    anonymity: Crowd
    curves: Mapping[str, Any]
    eer: float | None = None
    per_speaker: SpeakersDisclosure | None = None
    metric: str = ""
    sparse: bool = False
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class FeaturePair:
    """Whether two features are independent, so that their bits may be added."""

    features: tuple[str, ...]
    shared_bits: float
    p_value: float
    independent: bool


@dataclass(frozen=True)
class FeatureSum:
    """Bits of several features together."""

    total: float | None
    limited: float | None = None
    at_least: float | None = None
    allowed: bool = False
    pairs: tuple[FeaturePair, ...] = ()


@dataclass(frozen=True)
class RankGrowth:
    """How disclosure grows with the lengths of probe and template."""

    probe_lengths: tuple[int, ...]
    template_lengths: tuple[int, ...]
    mean_disclosure_model: tuple[tuple[float | None, ...], ...]
    mean_disclosure_histogram: tuple[tuple[float | None, ...], ...]
    linear_bound: tuple[float, ...]
    square_root_bound: tuple[float, ...]
    speakers: int


@dataclass(frozen=True, eq=False)
class RankReport(Result):
    """One or more features of the same people, their sum where it was asked for, and the growth with length.

    `features`, `total` and `stream` also take what `analyze_ranks`, `add_disclosures` and `stream_disclosure` return.

    Attributes:
        features: what ranking by each feature discloses, at least one.
        total: bits of the features together; None where they were not added.
        stream: bits by the lengths of probe and template; None where they were not tried.
        name: what the report is about.
        seed: start of the random draws.
        inputs: the files that were read, with their SHA-256.
        notes: sentences about the data that a reader should see.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "rank"

    features: tuple[RankFeature, ...] = field(metadata={"at_least": 1})
    total: FeatureSum | None = field(default=None, metadata={"key": "sum"})
    stream: RankGrowth | None = None
    name: str = ""
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)

    def __post_init__(self) -> None:
        if not self.features:
            raise InputError("features: expected at least one, got none")
        object.__setattr__(self, "features", tuple(record_of(RankFeature, feature) for feature in self.features))
        object.__setattr__(self, "total", record_of(FeatureSum, self.total))
        object.__setattr__(self, "stream", record_of(RankGrowth, self.stream))

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The measures of the first feature."""
        return self.features[0].measures

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; the measures of the first feature stand at the top too."""
        plain = super().to_dict()
        return {**plain, "measures": plain["features"][0]["measures"]}
