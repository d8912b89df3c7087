"""A listening test: what people hear, and which differences are real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from stripeless.errors import InputError
from stripeless.measures.measure import Measure
from stripeless.measures.uncertainty.interval import LEVEL
from stripeless.results.codec import Result, Share, optional, placed, to_plain
from stripeless.results.versions import versions
from stripeless.scores.trials import InputFile
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class RatedGroup:
    """One group of one view: normalized ranks and raw ratings, with intervals over listeners."""

    name: str
    ratings: int
    listeners: int
    mean: float
    low: float | None
    high: float | None
    median: float
    quartiles: tuple[float, float]
    raw_mean: float
    density: tuple[float, ...]


@dataclass(frozen=True)
class PairTest:
    """Two groups compared. `superiority` is the chance that a rating of the first exceeds one of the second, ties half.

    `p` (Mann-Whitney, two-sided) takes ratings for independent, as the paper does; `p_listeners` (Wilcoxon's signed
    ranks over the listeners' mean differences) does not, and is None with fewer than six listeners who heard both.
    """

    first: str
    second: str
    superiority: Share
    p: Share | None
    p_holm: Share | None
    p_listeners: Share | None
    p_listeners_holm: Share | None


@dataclass(frozen=True)
class OddListener:
    """A listener named, why, and the figure: the share of the commonest score, or the rank correlation with the others."""

    listener: str
    question: str
    kind: Literal["alike", "against"]
    value: float
    ratings: int

    GENERIC: ClassVar[bool] = True

    @property
    def message(self) -> str:
        """The reason in one sentence."""
        if self.kind == "alike":
            return (
                f"Listener {self.listener} gave the same {self.question} score to {100 * self.value:.0f} % of "
                f"{self.ratings} stimuli: such ratings tell nothing apart."
            )
        return (
            f"Listener {self.listener} rates {self.question} against everybody else (rank correlation {self.value:.2f} "
            f"over {self.ratings} stimuli): perhaps the scale was turned round."
        )


@dataclass(frozen=True)
class ListeningView:
    """One question about one kind of trial: what each group was rated, which differences are real, the DET curves."""

    label: str
    question: str
    good: str
    groups: tuple[RatedGroup, ...]
    tests: tuple[PairTest, ...]
    det: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ListenedVerification:
    """Listeners as verifiers of one system: can they tell target from nontarget speakers?"""

    system: str
    measures: Mapping[str, Measure]
    against: str = ""
    n_target: int = placed("counts.target", default=0)
    n_nontarget: int = placed("counts.nontarget", default=0)
    dataset: str | None = optional(default=None)
    sex: str | None = optional(default=None)


@dataclass(frozen=True)
class ObjectivePoint:
    """One system under one condition: the value by machine and the value by listeners."""

    system: str
    objective: float
    subjective: float
    dataset: str | None = optional(default=None)
    sex: str | None = optional(default=None)


@dataclass(frozen=True)
class Objective:
    """One measure by machine against listeners: the points and their rank correlation."""

    points: tuple[ObjectivePoint, ...]
    rho: float | None
    rho_anonymized: float | None


@dataclass(frozen=True, eq=False)
class ListeningStudy(Result):
    """What a listening test says: groups and tests for each view, listeners as verifiers, listeners to look at.

    Attributes:
        verification: error rates of the listeners as speaker verifiers, over all data and by data set and sex.
        counts: numbers of listeners, stimuli, systems, rows and answers.
        parts: for each way of looking at the test ("naturalness", ...) its groups, tests and DET curves.
        odd: listeners to look at before believing them.
        warnings: what to know before believing the numbers.
        inputs: the files that were read, with their SHA-256.
        resamples: how often listeners were drawn for intervals; 0 where there are none.
        seed: start of the random draws.
        name: what the test is called in reports.
        objective: what machines find against what people hear, where that was asked for; empty otherwise.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "listening"

    verification: tuple[ListenedVerification, ...]
    counts: Mapping[str, int]
    parts: Mapping[str, ListeningView] = placed("views")
    odd: tuple[OddListener, ...] = placed("listeners", default=())
    warnings: tuple[Finding, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    resamples: int = placed("intervals.resamples", default=0)
    seed: int = 0
    name: str = ""
    objective: Mapping[str, Objective] = optional(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)

    @property
    def views(self) -> dict[str, tuple[RatedGroup, ...]]:
        """The groups of each view."""
        return {name: part.groups for name, part in self.parts.items()}

    @property
    def tests(self) -> dict[str, tuple[PairTest, ...]]:
        """The comparisons of each view."""
        return {name: part.tests for name, part in self.parts.items()}

    @property
    def det(self) -> dict[str, Mapping[str, Any]]:
        """The DET curves of each view."""
        return {name: part.det for name, part in self.parts.items()}

    def test(self, view: str, first: str, second: str) -> PairTest:
        """The comparison of the groups `first` and `second` in a `view`, whichever way round it was made."""
        for test in self.tests[view]:
            if {test.first, test.second} == {first, second}:
                return test
        raise InputError(
            f"{view}: no comparison of {first!r} and {second!r}; there are {[g.name for g in self.views[view]]}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; each listener with the reason why to look at their ratings."""
        plain = super().to_dict()
        method = {"unit": "listeners", "resamples": self.resamples, "level": LEVEL} if self.resamples else None
        odd = [{**to_plain(one), "message": one.message} for one in self.odd]
        return {**plain, "intervals": method, "listeners": odd}
