"""apart: voices that nobody's vector chose, kept away from each other. Our own system.

A pseudo-speaker discloses nothing of its source if, and only if, it is drawn without looking at the source. Many draws are
like that; among them this one takes voices that are as unlike one another as natural voices can be, so that people stay
distinct. Who gets which voice is a secret shuffle of names, never of vectors: docs/explanation/pseudo-speakers.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, ClassVar

import numpy as np

from stripeless._draws import keyed_draws
from stripeless.embeddings.vectors import FloatArray, length_normalized
from stripeless.errors import InputError
from stripeless.protections.pseudo.mixture import Mixture
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.sampled import fit_mixtures
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_sex, check_share, check_whole

MOST_DRAWN = 1_000_000  # voices or candidates that a file may ask for
MOST_RESERVE = 1_000.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Apart(PseudoSpeakers):
    """A book of voices per sex and role, drawn with the secret seed, and a secret shuffle that deals them out.

    `roster`: everybody who will come, by name and sex. With it no two people share a voice, and there are `reserve` times as many
    voices as people, so that knowing everybody else's voice still leaves a person undetermined. Without it a voice is drawn for
    each name by itself from a book of `voices`, and two people may meet in one.
    """

    name: ClassVar[str] = "apart"
    mixtures: Mapping[str, Mixture]
    dimensions: int
    components: int
    candidates: int
    atypical: float
    reserve: float
    voices: int
    roster: tuple[tuple[str, str], ...] = ()
    _books: dict[tuple[str, str, int], FloatArray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("candidates", "voices"):
            check_whole(name, getattr(self, name), 2, MOST_DRAWN)
        if not 0 < self.reserve <= MOST_RESERVE:
            raise InputError(f"reserve: expected a number above 0, at most {MOST_RESERVE}, got {self.reserve!r}")

    def options(self) -> dict[str, Any]:
        names = ("dimensions", "components", "candidates", "atypical", "reserve", "voices")
        return {**{name: getattr(self, name) for name in names}, "roster": [name for name, _ in self.roster]}

    def knowing(self, speakers: Mapping[str, str]) -> Apart:
        """The same system with this roster; one that has a roster keeps it."""
        return self if self.roster else replace(self, roster=tuple(sorted(speakers.items())))

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        check_sex(person.sex, self.mixtures)
        role = person.role if self.roles == "own" else ""
        if not self.roster or self.per == "utterance":
            book = self.book(person.sex, role, self.voices)
            return one_of(book, int(self.generator(person).integers(len(book))))
        names = [name for name, sex in self.roster if sex == person.sex]
        if person.speaker not in names:
            raise InputError(f"speaker: {person.speaker!r} ({person.sex}) is not on the roster of {len(names)} people")
        book = self.book(person.sex, role, ceil(self.reserve * len(names)))
        order = keyed_draws("apart shuffle", str(self.seed), person.sex, role).permutation(len(book))
        return one_of(book, int(order[names.index(person.speaker)]))

    def book(self, sex: str, role: str, count: int) -> FloatArray:
        """So many voices of this sex for this role, each far from all before it."""
        key = (sex, role, count)
        if key not in self._books:
            random = keyed_draws("apart book", str(self.seed), sex, role)
            drawn = self.mixtures[sex].sample(random, max(self.candidates, 5 * count))
            density = self.mixtures[sex].log_density(drawn)
            natural = drawn[density >= np.quantile(density, self.atypical)]
            self._books[key] = farthest_first(natural, count)
        return self._books[key]


def one_of(book: FloatArray, place: int) -> FloatArray:
    """A copy of one voice."""
    voice: FloatArray = book[place].copy()
    return voice


def farthest_first(rows: FloatArray, count: int) -> FloatArray:
    """The first row, and then, again and again, the row whose most similar chosen one is least similar, by cosine.

    >>> farthest_first(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [-1.0, 0.0]]), 3).tolist()
    [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]
    """
    unit = length_normalized(rows)
    chosen = [0]
    nearest = unit @ unit[0]
    nearest[0] = np.inf
    for _ in range(count - 1):
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, unit @ unit[chosen[-1]])
        nearest[chosen] = np.inf
    return rows[chosen]


def fit_apart(
    pool: Pool,
    *,
    dimensions: int = 20,
    components: int = 3,
    candidates: int = 1000,
    atypical: float = 0.05,
    reserve: float = 2.0,
    voices: int = 200,
    training_seed: int = 0,
    seed: int = 0,
    **common: Any,
) -> Apart:
    """Learn how voices of each sex are distributed; `atypical` is the share of draws left out as too unusual to be natural."""
    dimensions, components = check_whole("dimensions", dimensions, 1), check_whole("components", components, 1)
    if not isinstance(reserve, int | float) or reserve < 1:
        raise InputError(f"reserve: expected a number from 1 (as many voices as people), got {reserve!r}")
    return Apart(
        **pool.stamp(seed),
        mixtures=fit_mixtures(pool, dimensions, components, check_whole("training_seed", training_seed, 0)),
        dimensions=dimensions,
        components=components,
        candidates=check_whole("candidates", candidates, 2),
        atypical=check_share("atypical", atypical, 0.0, 0.9),
        reserve=float(reserve),
        voices=check_whole("voices", voices, 2),
        **common,
    )
