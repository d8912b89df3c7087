"""Scores that know which trial they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import InputError
from stripeless.scores.check import FloatArray, check_scores

Codes: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Factor:
    """One label per trial, stored as a number into `names`; -1 where the label is not known.

    `target[i]` labels the i-th target trial, `nontarget[j]` the j-th nontarget trial.
    """

    names: tuple[str, ...]
    target: Codes
    nontarget: Codes


@dataclass(frozen=True)
class InputFile:
    """A file that was read, and the SHA-256 of its bytes as they lie on the disk."""

    path: str
    sha256: str


@dataclass(frozen=True)
class MissingTrials:
    """What did not fit together and was left out on request.

    Trials of either class without a score, and scores that no trial asks for.
    """

    targets: int = 0
    nontargets: int = 0
    scores: int = 0

    @property
    def any(self) -> bool:
        return bool(self.targets or self.nontargets or self.scores)


@dataclass(frozen=True, eq=False)
class TrialScores:
    """Target and nontarget scores, and what is known of each trial.

    Rows keep the order of the trial list. `enrollment_speakers` says whose model a trial was compared with and
    `trial_speakers` who speaks in it; both count the same people, so they share one tuple of names. `columns` are
    further labels of the trials (sex, data set, ...). `trial_digest` identifies the list of trials: two systems whose
    digests are equal were scored on the same trials in the same order.
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
