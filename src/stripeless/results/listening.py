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
from stripeless.tables.inputs import InputFile
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class RatedGroup:
    """One group of one view: normalized ranks and raw ratings.

    Attributes:
        name: the group: a system, or "original target" and "original nontarget".
        ratings: how many answers there are.
        listeners: how many people gave them.
        mean: mean normalized rank, 0 (the lowest of a listener's answers) to below 1 (the highest).
        low, high: ends of its 95 % interval over listeners; None where there is none.
        median: median of the normalized ranks.
        quartiles: first and third quartile of them.
        raw_mean: mean of the ratings as they were given.
        density: how the normalized ranks are spread, in equal bins from 0 to 1; 1 is even.
    """

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
    """Two groups of one view compared.

    Attributes:
        first, second: names of the two groups.
        superiority: the chance, 0 to 1, that a rating of the first exceeds one of the second; ties count half.
        p: two-sided p-value by Mann and Whitney, which takes ratings for independent, as the paper does.
        p_holm: the same, corrected for the number of pairs.
        p_listeners: p-value by Wilcoxon's signed ranks over the listeners' mean differences; None with fewer than six
            listeners who heard both.
        p_listeners_holm: the same, corrected for the number of pairs.
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
    """A listener to look at before believing the ratings, and why.

    Attributes:
        listener: name of the listener.
        question: the question that was answered oddly.
        kind: "alike" where nearly all answers are the same, "against" where they contradict everybody else's.
        value: the share of the commonest score, or the rank correlation with the others.
        ratings: how many answers that is seen on.
    """

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
    """One question about one kind of trial: what each group was rated, and which differences are real.

    Attributes:
        label: the view in words.
        question: the question that was asked, such as "naturalness".
        good: the end that an anonymizer wants: "high" or "low".
        groups: what each group was rated.
        tests: comparisons of the groups, two by two.
        det: DET curves of listeners as verifiers, by group; empty where there are none.
    """

    label: str
    question: str
    good: str
    groups: tuple[RatedGroup, ...]
    tests: tuple[PairTest, ...]
    det: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ListenedVerification:
    """Listeners as verifiers of one system: can they tell target from nontarget speakers?

    Attributes:
        system: name of the system, or original speech.
        measures: what listeners reach, by name of the measure.
        against: which nontargets were held against the targets.
        n_target, n_nontarget: how many ratings of each class there are.
        dataset: name of the data set; None for all.
        sex: sex of the speakers; None for all.
    """

    system: str
    measures: Mapping[str, Measure]
    against: str = ""
    n_target: int = placed("counts.target", default=0)
    n_nontarget: int = placed("counts.nontarget", default=0)
    dataset: str | None = optional(default=None)
    sex: str | None = optional(default=None)


@dataclass(frozen=True)
class ObjectivePoint:
    """One system under one condition: the value by machine and the value by listeners.

    Attributes:
        system: name of the system, or original speech.
        objective: the value by machine, in the measure's unit.
        subjective: the value by listeners, in the same unit.
        dataset: name of the data set; None for all.
        sex: sex of the speakers; None for all.
    """

    system: str
    objective: float
    subjective: float
    dataset: str | None = optional(default=None)
    sex: str | None = optional(default=None)


@dataclass(frozen=True)
class Objective:
    """One measure by machine against listeners.

    Attributes:
        points: one per system and condition.
        rho: Spearman's rank correlation of both values; None with too few points.
        rho_anonymized: the same without original speech.
    """

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
