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
from stripeless.tables.inputs import InputFile
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class RankModel:
    """A beta-binomial model of the pooled ranks, and the statistics that it implies.

    Attributes:
        mean_disclosure: bits that one observation gives away on average.
        id_rate: share of observations whose own template comes first.
        max_disclosure: bits at the most telling rank.
        std_disclosure: standard deviation of the bits.
        spread: share of the ranks that disclose something.
        loss: what the fit made small, such as "cll".
        alpha, beta: parameters of the model; None in results that do not hold them.
        at_bound: whether no finite optimum was found.
    """

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
    """A model by one loss, and how well it describes the ranks that were seen.

    Attributes:
        alpha, beta: parameters of the model, above 0.
        at_bound: whether no finite optimum was found.
        kl_divergence: Kullback-Leibler divergence from the histogram, in bits; None where unknown.
        rank_1_match: |log2| of the ratio of both probabilities at rank 1, in bits; None where it is infinite.
    """

    alpha: float
    beta: float
    at_bound: bool
    kl_divergence: float | None = None
    rank_1_match: float | None = None


@dataclass(frozen=True)
class Crowd:
    """In how large a crowd a speaker hides: `KAnonymity` as it is stored.

    Attributes:
        within: how many of the most similar templates hold the own one, by the share of observations as text ("0.95").
        worst: the crowd at the most telling rank; None where unknown.
        typical: the crowd of the average observation; None where unknown.
    """

    within: Mapping[str, int]
    worst: float | None = None
    typical: float | None = None


@dataclass(frozen=True)
class ExposedSpeaker:
    """A speaker whom observations give away.

    Attributes:
        speaker: name of the speaker.
        bits: what one observation discloses on average.
    """

    speaker: str
    bits: float


@dataclass(frozen=True)
class SpeakersDisclosure:
    """Bits disclosed per speaker, summed up over people.

    Attributes:
        max: the most exposed speaker, in bits.
        most_exposed: the speakers whom an observation gives away most.
        speakers: how many people there are.
        mean: mean over people, in bits; None where unknown.
        std: standard deviation over people, in bits; None where unknown.
    """

    max: float
    most_exposed: tuple[ExposedSpeaker, ...]
    speakers: int = 0
    mean: float | None = None
    std: float | None = None


@dataclass(frozen=True)
class RankFeature:
    """One feature (voice embedding, F0, wording) and what ranking by it discloses: `RankAnalysis` as it is stored.

    Attributes:
        name: what the feature is called in reports.
        n: how many templates were ranked.
        probes: how many observations there are.
        speakers: how many people are behind them.
        measures: MeanD, IdR, MaxD, StDD and Spread, by name of the measure.
        chance: what `mean_disclosure` (bits) and `id_rate` (share) would be if ranks said nothing.
        model: the model of the pooled ranks that the paper settles on.
        fits: models by each loss, and how well they fit.
        anonymity: in how large a crowd a speaker hides.
        curves: what figures are drawn from, by the name of the curve.
        eer: equal error rate of the same feature as a share; None where it is not known.
        per_speaker: bits per speaker; None where there are too few probes of each.
        metric: how rows were compared; empty where nobody said.
        sparse: whether there are too few probes for the histogram: read the model then.
        warnings: what to know before believing the numbers.
    """

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
    """Whether two features are independent, so that their bits may be added.

    Attributes:
        features: names of the two features.
        shared_bits: what both tell of the same people beyond chance, in bits.
        p_value: how often speakers paired at random show as much.
        independent: whether nothing speaks against independence.
    """

    features: tuple[str, ...]
    shared_bits: float
    p_value: float
    independent: bool


@dataclass(frozen=True)
class FeatureSum:
    """Bits of several features together: `DisclosureSum` as it is stored.

    Attributes:
        total: the sum of the features' mean disclosures; None where unknown.
        limited: the sum, cut at log2 N; None where unknown.
        at_least: the most telling feature alone; None where unknown.
        allowed: whether all pairs seem independent, so that the sum stands.
        pairs: the test of each pair of features.
    """

    total: float | None
    limited: float | None = None
    at_least: float | None = None
    allowed: bool = False
    pairs: tuple[FeaturePair, ...] = ()


@dataclass(frozen=True)
class RankGrowth:
    """How disclosure grows with the lengths of probe and template: `StreamDisclosure` as it is stored.

    Attributes:
        probe_lengths: observations in a probe: the columns.
        template_lengths: observations in a template: the rows.
        mean_disclosure_model: bits by the beta-binomial model, rows x columns; None where the lengths do not fit.
        mean_disclosure_histogram: the same by the raw histogram.
        linear_bound: the bound that grows with the probe length, in bits for each of them.
        square_root_bound: the bound that grows with its square root, in bits.
        speakers: how many people were ranked.
    """

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
