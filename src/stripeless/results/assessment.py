"""An assessment: what an attacker who holds these scores learns, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.measures.measure import Measure
from stripeless.measures.uncertainty.interval import LEVEL
from stripeless.results.codec import Result, holding, optional, placed, record_to_plain
from stripeless.results.versions import versions
from stripeless.scores.trials import MissingTrials
from stripeless.tables.inputs import InputFile
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class IntervalMethod:
    """How the intervals came about.

    Attributes:
        unit: what was drawn: "speakers", or "trials" where nobody is named.
        units: how many of them there are.
        resamples: how often they were drawn.
        level: share of such intervals that hold the truth; 0.95.
    """

    unit: str
    units: int
    resamples: int
    level: float = LEVEL


@dataclass(frozen=True)
class Group(Mapping[str, Any]):
    """The main measures of one group of trials (one speaker, one sex), or the reason why there are none.

    Attributes:
        n_target, n_nontarget: how many trials of each class the group has.
        measures: the main measures by name; empty where there are none.
        reason: why there are no measures, in one sentence; empty otherwise.
    """

    GENERIC: ClassVar[bool] = True

    n_target: int = placed("counts.target", default=0)
    n_nontarget: int = placed("counts.nontarget", default=0)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values: counts, measures, reason."""
        return record_to_plain(self)

    def __getitem__(self, key: str) -> Any:
        """The part of the dict of this name, as in 0.1, where groups were dicts."""
        return self.to_dict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())


@dataclass(frozen=True, eq=False)
class Assessment(Result):
    """What an attacker who holds these scores learns, and how sure that is.

    Attributes:
        measures: every measure by its name, each with interval, reach, or the reason why there is none.
        n_target, n_nontarget: how many trials of each class there are.
        n_speakers: how many people take part; None where nobody is named.
        category_counts: how many trials fall in each ZEBRA category.
        eer_by_tool: the EER as other tools would print it, as shares by the name of the tool; None where it would print
            no number.
        name: what the system is called in reports.
        attacker: what the attacker is called in reports; empty where nobody said.
        intervals: what was drawn for the 95 % intervals, how many there are, how often; None where there are no
            intervals.
        warnings: what to know before believing the numbers.
        notes: sentences about the data that a reader should see.
        missing: counts of trials and scores that did not fit together and were left out on request.
        inputs: the files that were read, with their SHA-256.
        trial_digest: identifies the list of trials; empty where nothing names the trials.
        seed: start of the random draws.
        curves: what figures are drawn from, by the name of the curve; empty where they were not kept.
        groups: the main measures of groups of trials, by label and value, such as `groups["sex"]["f"]`.
        labels: what the scores are of, such as system, data set, split and sex, for tables of many systems.
        original: the same test on unprotected speech: the ceiling; None where it was not measured.
        backend: how recordings were compared, such as "cosine" or "PLDA", with the encoder where one was used; empty
            where nobody said.
        evidence: what the verdict rests on: the test for a leak, limits over people; None where nothing was tested.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "assessment"

    measures: Mapping[str, Measure] = holding("eer", "d_ece")
    n_target: int = placed("counts.target")
    n_nontarget: int = placed("counts.nontarget")
    n_speakers: int | None = placed("counts.speakers", default=None)
    category_counts: Mapping[str, int] = field(default_factory=dict)
    eer_by_tool: Mapping[str, float | None] = field(default_factory=dict)
    name: str = ""
    attacker: str = ""
    intervals: IntervalMethod | None = None
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    missing: MissingTrials = MissingTrials()
    inputs: tuple[InputFile, ...] = ()
    trial_digest: str = ""
    seed: int = 0
    curves: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Group]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    original: Assessment | None = None
    backend: str = optional(default="")
    evidence: Evidence | None = optional(default=None)
    versions: Mapping[str, str] = field(default_factory=versions)

    def __getitem__(self, name: str) -> float | str | None:
        """The value of a measure by its name."""
        return self.measures[name].value

    def value_of(self, name: str) -> float | str | None:
        """The value of the measure of this `name`; None where there is no such measure."""
        return None if name not in self.measures else self.measures[name].value
