"""Whether an attribute still shows in protected vectors, and how well speakers can be told apart in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import InputError
from stripeless.measures.measure import Measure
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, optional, placed, unwritten
from stripeless.results.versions import versions
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding

TrainedOn = Literal["protected", "original"]
Level = Literal["utterance", "evidence", "vectors", "spread"]


@dataclass(frozen=True)
class TrainScores:
    """What a classifier reached on the speakers it was trained on.

    Attributes:
        cllr_min: Cllr after the best recalibration, in bits; None where it could not be had.
        d_ece: average disclosure in bits; None where it could not be had.
    """

    cllr_min: float | None
    d_ece: float | None


@dataclass(frozen=True)
class ClassifierResult:
    """What one classifier learned about speakers it never met, and about those it was trained on.

    Attributes:
        classifier: name of the classifier, such as "logistic".
        about: the class that it recognizes best.
        train: what it reached on the speakers it was trained on.
        measures: what it reached on speakers it never met, by name of the measure.
        category_counts: how many vectors fall in each ZEBRA category.
        tested: all measures of its scores; None in a result that was read from a file.
    """

    classifier: str
    about: str
    train: TrainScores
    measures: Mapping[str, Measure] = placed("test", default_factory=dict)
    category_counts: Mapping[str, int] = field(default_factory=dict)
    tested: Assessment | None = unwritten(default=None)


@dataclass(frozen=True)
class Chance:
    """D_ECE of the strongest classifier with labels exchanged among speakers: what luck alone shows.

    Attributes:
        mean: mean over the exchanges, in bits.
        high: what 95 % of the exchanges stay below, in bits.
        p_value: how often exchanged labels showed at least as much as the real ones.
        shuffles: how often labels were exchanged.
        retrained: whether classifiers were trained anew on the exchanged labels, or their scores kept.
    """

    mean: float = placed("d_ece_mean")
    high: float = placed("d_ece_high")
    p_value: float = 1.0
    shuffles: int = 0
    retrained: bool = unwritten(default=False)


@dataclass(frozen=True)
class Information:
    """Mutual information of single dimensions with the attribute.

    Attributes:
        mean: mean over the dimensions, in bits.
        max: the dimension that tells most, in bits.
        chance: the mean that labels exchanged among speakers show, in bits.
        unit: what the numbers are: "bit per dimension".
        values: bits of each dimension; None in a result that was read from a file.
    """

    mean: float
    max: float
    chance: float = 0.0
    unit: str = "bit per dimension"
    values: NDArray[np.float64] | None = unwritten(default=None)

    def __getitem__(self, dimension: int) -> float:
        """The bits of one dimension, where the result was not read from a file."""
        if self.values is None:
            raise InputError("mutual_information: a stored result holds its mean and maximum, not every dimension")
        return float(self.values[dimension])


@dataclass(frozen=True)
class VerificationResult:
    """How well speakers can be told apart by one back-end.

    Attributes:
        eer: equal error rate, a share.
        cllr_min: Cllr after the best recalibration, in bits.
        n_target, n_nontarget: how many trials of each class there are.
    """

    eer: Measure
    cllr_min: Measure
    n_target: int = placed("counts.target", default=0)
    n_nontarget: int = placed("counts.nontarget", default=0)

    @property
    def measures(self) -> dict[str, Measure]:
        """Both measures by name."""
        return {"eer": self.eer, "cllr_min": self.cllr_min}

    def __getitem__(self, name: str) -> float | str | None:
        """The value of a measure by its name."""
        return self.measures[name].value


@dataclass(frozen=True)
class Everything:
    """What the strongest attacker learns who holds all utterances of a speaker.

    Attributes:
        d_ece: average disclosure over speakers, in bits.
        chance: the same with labels exchanged among speakers; with few speakers much of it is luck.
        classifier: the classifier that shows most.
        level: how the utterances of a speaker are put together: "evidence" (the mean of what is said of each), "vectors"
            (their mean), "spread" (how much they differ among themselves).
        about: the class that it recognizes.
    """

    d_ece: float
    chance: Chance
    classifier: str
    level: Level
    about: str


@dataclass(frozen=True)
class AttributeResult:
    """How much of the attribute shows in one set of vectors, and how well speakers can be told apart in it.

    Attributes:
        name: what the vectors are called in reports.
        measures: the measures of the strongest classifier, on speakers it never met.
        classifiers: what each classifier learned.
        chance: what the strongest classifier shows by luck.
        mutual_information: what single dimensions tell of the attribute.
        verification: how well speakers can be told apart, by the back-end ("cosine", "plda").
        strongest_name: the classifier that learned most.
        about: the class that it recognizes.
        category_counts: how many vectors fall in each ZEBRA category of the strongest classifier.
        n_target, n_nontarget: how many vectors are of that class, and how many are not.
        everything: what an attacker learns who holds all utterances of a speaker; None in results of earlier versions.
    """

    name: str
    measures: Mapping[str, Measure] = field(metadata={"needs": ("d_ece", "cllr_min"), "keys": ("log10_lr", "category")})
    classifiers: tuple[ClassifierResult, ...]
    chance: Chance
    mutual_information: Information
    verification: Mapping[str, VerificationResult]
    strongest_name: str = placed("strongest", default="")
    about: str = ""
    category_counts: Mapping[str, int] = field(default_factory=dict)
    n_target: int = placed("counts.target", default=0)
    n_nontarget: int = placed("counts.nontarget", default=0)
    everything: Everything | None = optional(default=None)

    @property
    def strongest(self) -> ClassifierResult:
        """The classifier that learned most about speakers it never met."""
        return next(one for one in self.classifiers if one.classifier == self.strongest_name)

    def __getitem__(self, name: str) -> float | str | None:
        """A measure of the strongest classifier by its name."""
        return self.measures[name].value


@dataclass(frozen=True)
class Calibrated:
    """How well the evidence that a protection reads is calibrated: `LlrCalibration` as it is stored.

    Attributes:
        cllr: cost of believing the LLRs, in bits.
        cllr_min: what the best recalibration leaves of it, in bits.
        loss: the difference of the two, in bits; 0 is calibrated.
        means: mean LLR of the rows of each class, in nats.
        variances: variance of the LLR in each class.
    """

    cllr: float
    cllr_min: float
    loss: float
    means: tuple[float, ...]
    variances: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class AttributeProof(Result):
    """A protection judged: the vectors before and after, side by side.

    Attributes:
        protected: what the classifiers learn from the protected vectors, and how well speakers can be told apart.
        original: the same of the unprotected vectors: the ceiling; None where they were not given.
        classes: names of the classes, in alphabetical order.
        speakers: how many speakers each class has.
        folds: into how many parts the speakers were cut for training and trying.
        trained_on: whether classifiers were trained on "protected" or "original" vectors.
        change: how far vectors were moved: root mean square, relative to the spread of the originals; None without
            them.
        warnings: what to know before believing the numbers.
        seed: start of the random draws.
        name: what the protection is called in reports.
        method: how the vectors were protected; empty where nobody knows.
        llr: whether the evidence that the protection reads is calibrated; None where it reads none.
        map_method: how the points in `figures` were placed; empty without figures.
        figures: points to draw; empty where none were asked for.
        versions: what computed the result.
        evidence: what the verdict rests on: all attackers on everything of a speaker, tested together, with limits, and
            the control on the originals; None in results of earlier versions.
        notes: sentences about the data that a reader should see.
    """

    KIND: ClassVar[str] = "attribute"

    protected: AttributeResult
    original: AttributeResult | None
    classes: tuple[str, ...] = field(metadata={"at_least": 2})
    speakers: Mapping[str, int]
    folds: int
    trained_on: TrainedOn
    change: float | None = None
    warnings: tuple[Finding, ...] = field(default=(), metadata={"or_text": True})  # bare sentences in 0.1
    seed: int = 0
    name: str = ""
    method: str = ""
    llr: Calibrated | None = optional(default=None)
    map_method: str = optional(default="")
    figures: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)
    evidence: Evidence | None = optional(default=None)
    notes: tuple[str, ...] = optional(default=())

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The measures of the strongest classifier on the protected vectors."""
        return self.protected.measures

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; the measures of the protected vectors stand at the top too."""
        plain = super().to_dict()
        return {**plain, "measures": plain["protected"]["measures"]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AttributeProof:
        """The proof that `data`, plain values, stands for; results of 0.1 held their warnings as bare sentences."""
        given = data.get("warnings") or []
        warnings = given
        if isinstance(given, list):
            warnings = [Finding("uncoded", "caution", one).to_dict() if isinstance(one, str) else one for one in given]
        return super().from_dict({**data, "warnings": warnings})
