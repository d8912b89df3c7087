"""Scores that know which trial they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import InputError
from stripeless.scores.check import FloatArray, check_scores
from stripeless.tables.inputs import InputFile as InputFile

Codes: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Factor:
    """One label per trial, stored as a number into a list of names.

    Attributes:
        names: the labels that occur.
        target: for each target trial the place of its label in `names`; -1 where it is not known.
        nontarget: the same for each nontarget trial.
    """

    names: tuple[str, ...]
    target: Codes
    nontarget: Codes


@dataclass(frozen=True)
class MissingTrials:
    """What did not fit together and was left out on request.

    Attributes:
        targets: how many target trials have no score.
        nontargets: how many nontarget trials have no score.
        scores: how many scores no trial asks for.
    """

    targets: int = 0
    nontargets: int = 0
    scores: int = 0

    @property
    def any(self) -> bool:
        """Whether anything was left out."""
        return bool(self.targets or self.nontargets or self.scores)


@dataclass(frozen=True, eq=False)
class TrialScores:
    """Target and nontarget scores, and what is known of each trial.

    Rows keep the order of the trial list.

    Attributes:
        target, nontarget: scores of each class, 1-D, higher for more alike; NaN is refused.
        enrollment_speakers: whose model each trial was compared with; None where no file says.
        trial_speakers: who speaks in each trial; shares one tuple of names with `enrollment_speakers`.
        columns: further labels of the trials (sex, data set, ...) by their names.
        inputs: the files that were read, with their SHA-256.
        missing: counts of what did not fit together and was left out on request.
        notes: sentences about the reading that a reader of the result should see.
        trial_digest: identifies the list of trials: systems with equal digests were scored on the same trials in the
            same order; empty where nothing names the trials.
    """

    target: FloatArray
    nontarget: FloatArray
    enrollment_speakers: Factor | None = None
    trial_speakers: Factor | None = None
    columns: Mapping[str, Factor] = field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()
    missing: MissingTrials = MissingTrials()
    notes: tuple[str, ...] = ()
    trial_digest: str = ""

    def __post_init__(self) -> None:
        target, nontarget = check_scores(self.target, self.nontarget)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "nontarget", nontarget)
        speakers = {"enrollment_speakers": self.enrollment_speakers, "trial_speakers": self.trial_speakers}
        for name, factor in (speakers | dict(self.columns)).items():
            if factor is None:
                continue
            if factor.target.shape != target.shape or factor.nontarget.shape != nontarget.shape:
                raise InputError(
                    f"{name}: labels {factor.target.size} + {factor.nontarget.size} trials, but there are "
                    f"{target.size} target and {nontarget.size} nontarget scores"
                )
        if (
            self.enrollment_speakers is not None
            and self.trial_speakers is not None
            and self.enrollment_speakers.names != self.trial_speakers.names
        ):
            raise InputError("enrollment_speakers and trial_speakers must share one tuple of names")
