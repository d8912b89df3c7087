"""What every anonymizer is, and the draw that gives each speaker a pseudo-voice of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from stripeless._draws import keyed_draws
from stripeless.audio.recordings import Recording, Samples
from stripeless.errors import InputError, check_choice

Per = Literal["speaker", "utterance"]
Part = tuple[str, str]  # speaker and role
Voices = Mapping[Part, Sequence[Recording]]


@dataclass(frozen=True)
class SourceVoice:
    """Whose voice it is that is to be hidden, and in which role: enrollment data and trials get draws of their own."""

    speaker: str = ""
    utterance: str = ""
    sex: str = ""
    role: str = "trial"


class Anonymizer(Protocol):
    """Voice in, voice out. `settings` says everything that decides the output, so that runs can be told apart."""

    @property
    def name(self) -> str: ...

    def settings(self) -> dict[str, Any]: ...

    def fitted(self, voices: Voices, sexes: Mapping[str, str]) -> Anonymizer:
        """The same anonymizer, having heard each speaker (and been told their sex, "" where nobody knows it).

        Enrollment data and trials of a person are heard apart: who hides the trials does not hold the enrollment data, and
        a mean over both would tie them together.
        """
        ...

    @property
    def listens(self) -> bool:
        """Whether `fitted` needs the voices."""
        ...

    def apply(self, samples: Samples, rate: int, source: SourceVoice) -> Samples: ...


def keyed_generator(system: str, seed: int, source: SourceVoice, per: Per) -> np.random.Generator:
    """A generator that depends on system, seed, speaker and role (and utterance) alone: the same in every process.

    >>> one = keyed_generator("b2", 0, SourceVoice("anna", "a-1"), "speaker").uniform()
    >>> two = keyed_generator("b2", 0, SourceVoice("anna", "a-2"), "speaker").uniform()
    >>> one == two, one == keyed_generator("b2", 0, SourceVoice("anna", "a-2"), "utterance").uniform()
    (True, False)
    """
    utterance = source.utterance if per == "utterance" else ""
    return keyed_draws(system, str(seed), source.speaker, source.role, utterance)


def check_per(per: str) -> None:
    """A draw is made per speaker or per utterance."""
    check_choice("per", per, ("speaker", "utterance"))


def check_range(name: str, values: Sequence[float], low: float, high: float) -> None:
    """Two numbers in order, inside what makes sense."""
    if len(values) != 2 or not low <= values[0] <= values[1] <= high:
        raise InputError(
            f"{name}: expected two numbers from {low:g} to {high:g}, the smaller first, got {list(values)}"
        )
