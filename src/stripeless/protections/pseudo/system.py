"""What every system of pseudo-speakers is: a finished map from a speaker's vector to that of somebody who does not exist.

All utterances of a speaker get one pseudo-speaker, made from the mean of the speaker's vectors; `per="utterance"` makes one
for each. Draws depend on system, secret seed, speaker and role alone, so enrollment and trials get different
pseudo-speakers, and whoever does not know the seed cannot repeat the draw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from stripeless._draws import keyed_draws
from stripeless.embeddings.embeddings import Embeddings, check_vectors
from stripeless.embeddings.vectors import FloatArray, need_speakers
from stripeless.errors import InputError, check_choice

Per: TypeAlias = Literal["speaker", "utterance"]
System = TypeVar("System", bound="PseudoSpeakers")


@dataclass(frozen=True)
class Person:
    """Who is to be hidden: the source of one pseudo-speaker.

    Attributes:
        speaker: the name of the speaker.
        sex: "f" or "m"; some systems draw within one sex.
        role: "enrollment" or "trial"; one speaker gets a pseudo-speaker for each.
        utterance: the utterance, where each has a pseudo-speaker of its own.
    """

    speaker: str
    sex: str
    role: str = "trial"
    utterance: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class PseudoSpeakers(ABC):
    """A system that has seen its pool: a map from a speaker's vector to that of somebody who does not exist.

    Attributes:
        dimension: numbers in a vector, as in the pool.
        members: the people of the pool, whom the system does not protect.
        pool_digest: identifies the pool.
        seed: start of the draws; a secret, because who knows it can repeat them.
        per: one pseudo-speaker for each "speaker" or for each "utterance".
        roles: "own" draws anew for enrollment and trials; "shared" gives a speaker one draw for both, as a service would
            that remembers its customers.
    """

    name: ClassVar[str]
    draws: ClassVar[bool] = True  # whether anything is drawn at all
    dimension: int
    members: tuple[str, ...]
    pool_digest: str
    seed: int = 0
    per: Per = "speaker"
    roles: Literal["own", "shared"] = "own"

    def __post_init__(self) -> None:
        check_choice("per", self.per, ("speaker", "utterance"))
        check_choice("roles", self.roles, ("own", "shared"))

    @abstractmethod
    def options(self) -> dict[str, Any]:
        """The settings that are this system's own."""

    @abstractmethod
    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        """The pseudo-speaker of this `person` with this checked `vector`, 1-D."""

    def settings(self) -> dict[str, Any]:
        """Everything that decides the output. The seed among it is the secret: keep settings where nobody else reads."""
        common = {"per": self.per, "roles": self.roles, "pool": self.pool_digest, "seed": self.seed}
        return {"system": self.name, **self.options(), **common}

    def generator(self, person: Person, what: str = "") -> np.random.Generator:
        """The draw of this `person` in this role; `what` keeps several draws of one person apart."""
        role = person.role if self.roles == "own" else ""
        utterance = person.utterance if self.per == "utterance" else ""
        return keyed_draws(self.name + what, str(self.seed), person.speaker, role, utterance)

    def knowing(self: System, speakers: Mapping[str, str]) -> System:
        """The same system, told all `speakers` who will come (sex by name); most need not know."""
        return self

    def pseudo(
        self, vector: ArrayLike, *, speaker: str, sex: str, role: str = "trial", utterance: str = ""
    ) -> FloatArray:
        """One pseudo-speaker, 1-D, for a `vector` of this `speaker` and `sex` ("f" or "m").

        `role` is "enrollment" or "trial"; `utterance` matters where each has a pseudo-speaker of its own.
        """
        row = np.asarray(check_vectors(np.atleast_2d(np.asarray(vector)), "vector"), dtype=np.float64)
        if row.shape != (1, self.dimension):
            raise InputError(f"vector: expected {self.dimension} numbers, as in the pool, got shape {row.shape}")
        self.refuse_members([speaker])
        return self.make(row[0], Person(speaker, sex, role, utterance))

    def apply(self, embeddings: Embeddings, role: str = "trial", per: Per | None = None) -> Embeddings:
        """The `embeddings`, every utterance with the pseudo-speaker of its speaker in this `role`.

        `per` "utterance" gives each utterance one of its own; None keeps to the system's setting.
        """
        system = self if per is None or per == self.per else replace(self, per=per)
        names = need_speakers(embeddings, "embeddings")
        if embeddings.sex is None:
            raise InputError("embeddings: the sex of the speakers is not known; give spk2gender")
        if embeddings.dimension != self.dimension:
            raise InputError(
                f"embeddings: {embeddings.dimension} dimensions, the pool has {self.dimension}; use one extractor for both"
            )
        self.refuse_members(names)
        people = dict(zip(names, embeddings.sex, strict=True))
        if any(people[name] != sex for name, sex in zip(names, embeddings.sex, strict=True)):
            raise InputError("embeddings: a speaker is listed with two sexes; mend spk2gender")
        rows = _rows_of_sources(embeddings, names, system.per)
        vectors: FloatArray = embeddings.vectors.astype(np.float64)
        sources = [(vectors[list(places)].mean(axis=0), person(embeddings, names, places, role)) for places in rows]
        made = system.knowing(people).make_all(sources)
        shown = np.empty_like(vectors)
        for places, pseudo in zip(rows, made, strict=True):
            shown[list(places)] = pseudo
        return replace(
            embeddings, vectors=shown.astype(np.float32) if embeddings.vectors.dtype == np.float32 else shown
        )

    def make_all(self, sources: Iterable[tuple[FloatArray, Person]]) -> list[FloatArray]:
        """The pseudo-speakers of many `sources` (vector and person); here each by itself, whoever else is there."""
        return [self.make(vector, who) for vector, who in sources]

    def refuse_members(self, speakers: Collection[str]) -> None:
        """Refuse `speakers` who are in the pool: their own vector would be part of their disguise."""
        inside = sorted(set(speakers) & set(self.members))
        if inside:
            raise InputError(
                f"pool: speaker {inside[0]!r} and {len(inside) - 1} others to protect are in it themselves; "
                "take a pool of other people"
            )


def person(embeddings: Embeddings, names: tuple[str, ...], places: tuple[int, ...], role: str) -> Person:
    """Who speaks in these rows."""
    first = places[0]
    return Person(names[first], (embeddings.sex or ())[first], role, embeddings.utterances[first])


def _rows_of_sources(embeddings: Embeddings, names: tuple[str, ...], per: Per) -> list[tuple[int, ...]]:
    """The rows behind each pseudo-speaker, in the order of the names, so that sums do not depend on the file's order."""
    keys = [(name, utterance) for name, utterance in zip(names, embeddings.utterances, strict=True)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    if per == "utterance":
        return [(row,) for row in order]
    found: dict[str, list[int]] = {}
    for row in order:
        found.setdefault(names[row], []).append(row)
    return [tuple(rows) for rows in found.values()]


def check_sex(sex: str, known: Collection[str]) -> None:
    """Refuse a sex that nobody in the pool has."""
    if sex not in known:
        raise InputError(f"sex: expected one of those in the pool ({', '.join(sorted(known))}), got {sex!r}")


def check_whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A whole number in range; options from a command line come as floats."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < low:
        raise InputError(f"{name}: expected a whole number from {low}, got {value!r}")
    if high is not None and value > high:
        raise InputError(f"{name}: expected at most {high}, got {value!r}")
    return int(value)


def check_flag(name: str, value: Any) -> bool:
    """True or false, and nothing else: `maybe` is not true."""
    if not isinstance(value, bool):
        raise InputError(f"{name}: expected true or false, got {value!r}")
    return value


def check_share(name: str, value: Any, low: float = 0.0, high: float = 1.0) -> float:
    """A number in range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InputError(f"{name}: expected a number from {low:g} to {high:g}, got {value!r}")
    return float(value)
