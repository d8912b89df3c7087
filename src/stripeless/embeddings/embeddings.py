"""Embeddings: one vector per utterance, and who speaks in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, NotANumber, check_one_each
from stripeless.tables.inputs import InputFile

Vectors: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


class EmbeddingMap(Protocol):
    """What an attack or a protection has learned: a finished map from vectors to vectors."""

    def apply(self, vectors: ArrayLike) -> NDArray[Any]: ...


def check_vectors(vectors: ArrayLike, name: str = "vectors") -> Vectors:
    """A 2-D array of finite float32 or float64 rows, none of them empty, or a sentence that says why not."""
    try:
        array = np.asarray(vectors)
    except ValueError as error:
        raise InputError(f"{name}: expected rows of equal length, got rows of different lengths") from error
    if array.ndim != 2 or not array.size:
        raise InputError(f"{name}: expected one row per utterance, got an array of shape {array.shape}")
    if array.dtype.kind not in "fiu":
        raise NotANumber(f"{name}: expected numbers, got values of type {array.dtype}")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        raise NotANumber(
            f"{name}: {int((~finite).sum())} of {len(array)} rows hold NaN or infinity (the first is row "
            f"{int(np.argmin(finite))}); extract those utterances again or leave them out"
        )
    return array


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Vectors of utterances, one row each.

    Attributes:
        vectors: utterances x dimensions; float32 stays float32, NaN and infinity are refused.
        utterances: the name of each row, all different.
        speakers: who speaks in each row; None where not known, never for some rows only.
        sex: the sex of each row's speaker, "f" or "m"; None where not known.
        inputs: the files that the vectors were read from; empty where they were computed.
        beside: for "speakers" and "sex" the file that they come from, where nobody named it: it lay beside the vectors.
    """

    vectors: Vectors
    utterances: tuple[str, ...]
    speakers: tuple[str, ...] | None = None
    sex: tuple[str, ...] | None = None
    inputs: tuple[InputFile, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "vectors", check_vectors(self.vectors))
        rows = len(self.vectors)
        for name in ("utterances", "speakers", "sex"):
            labels = getattr(self, name)
            if labels is not None:
                check_one_each(name, len(labels), rows, of="vectors")
        if len(set(self.utterances)) != rows:
            seen: set[str] = set()
            twice = next(u for u in self.utterances if u in seen or seen.add(u))  # type: ignore[func-returns-value]
            raise InputError(f"utterances: {twice!r} is listed twice; every utterance needs a name of its own")
        if self.speakers is not None and self.sex is not None:
            _check_one_sex(self.speakers, self.sex)

    def __len__(self) -> int:
        return len(self.utterances)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors.shape[1])


def _check_one_sex(speakers: tuple[str, ...], sex: tuple[str, ...]) -> None:
    """Nobody is both: whichever counted, the figures of one of the sexes would be of the other."""
    pairs = dict.fromkeys(zip(speakers, sex, strict=True))
    known: dict[str, str] = {}
    for speaker, value in pairs:
        if known.setdefault(speaker, value) != value:
            raise InputError(f"sex: speaker {speaker!r} is {known[speaker]!r} and {value!r}; mend the labels")
