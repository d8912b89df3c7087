"""K2: somebody from the pool, likelier the more alike they are: voice-indistinguishability (Han et al. 2020).

The exponential mechanism on the angle d(x, y) = arccos(cos(x, y)) / pi, which lies in 0..1. With weights exp(-epsilon d) no
output is more than exp(2 epsilon d(x, x')) times likelier under one speaker x than under another x': the weights differ by
exp(epsilon d(x, x')) and so does their sum. `halved` weights exp(-epsilon d / 2) keep the bound at epsilon. The bound is
for one draw: each further one (another role, another utterance) adds the same again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.vectors import FloatArray, length_normalized
from stripeless.errors import InputError, check_choice
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_flag, check_share


@dataclass(frozen=True, eq=False, kw_only=True)
class Indistinguishable(PseudoSpeakers):
    """`replacing` is the authors' demo: a chosen entry is replaced by the vector it hides, so that pool and result depend
    on who came before; speakers then come in the order of their names. `among` says whose pool it is: `others`, or the
    `evaluated` people themselves, as in the challenge.
    """

    name: ClassVar[str] = "k2"
    pool: Pool
    epsilon: float
    halved: bool
    same_sex: bool
    replacing: bool
    among: str

    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("epsilon", "halved", "same_sex", "replacing", "among")}

    @property
    def proven_epsilon(self) -> float:
        """The epsilon for which one draw is indistinguishable."""
        return self.epsilon if self.halved else 2 * self.epsilon

    def log_weights(self, vector: FloatArray, sex: str) -> tuple[NDArray[np.int64], FloatArray]:
        """Candidates, and the exponent of each."""
        rows = self.pool.rows(sex) if self.same_sex else np.arange(len(self.pool))
        return rows, -(self.epsilon / 2 if self.halved else self.epsilon) * angles(self.pool.vectors[rows], vector)

    def probabilities(self, vector: FloatArray, sex: str) -> tuple[NDArray[np.int64], FloatArray]:
        """Candidates, and how likely each is to be chosen."""
        rows, weights = self.log_weights(vector, sex)
        raised = np.exp(weights - weights.max())
        return rows, raised / raised.sum()

    def choose(self, vector: FloatArray, person: Person) -> int:
        """The largest weight after Gumbel noise: the same chances, and, where one draw serves two recordings of a speaker
        (`roles="shared"`), nearly always the same choice, as of a service that remembers it.
        """
        rows, weights = self.log_weights(vector, person.sex)
        return int(rows[(weights + self.generator(person).gumbel(size=len(rows))).argmax()])

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        chosen: FloatArray = self.pool.vectors[self.choose(vector, person)].copy()
        return chosen

    def make_all(self, sources: Iterable[tuple[FloatArray, Person]]) -> list[FloatArray]:
        if not self.replacing:
            return super().make_all(sources)
        vectors = self.pool.vectors.copy()
        made = []
        for vector, who in sources:
            pool = Pool(vectors, self.pool.speakers, self.pool.sex)
            place = replace(self, pool=pool).choose(vector, who)
            made.append(vectors[place].copy())
            vectors[place] = vector
        return made

    def refuse_members(self, speakers: Any) -> None:
        if self.among == "others":
            super().refuse_members(speakers)


def fit_indistinguishable(
    pool: Pool,
    *,
    epsilon: float = 20.0,
    halved: bool = False,
    same_sex: bool = True,
    replacing: bool = False,
    among: str = "others",
    seed: int = 0,
    **common: Any,
) -> Indistinguishable:
    """K2 as in the authors' demo (epsilon 20), but nobody's own vector enters the pool unless asked for."""
    check_choice("among", among, ("others", "evaluated"))
    for sex in pool.sexes:
        if len(pool.rows(sex)) < 2:
            raise InputError(f"pool: one speaker of sex {sex!r}; a choice needs at least two")
    return Indistinguishable(
        **pool.stamp(seed),
        pool=pool,
        epsilon=check_share("epsilon", epsilon, 0.0, 1e6),
        halved=check_flag("halved", halved),
        same_sex=check_flag("same_sex", same_sex),
        replacing=check_flag("replacing", replacing),
        among=among,
        **common,
    )


def angles(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """Angle between each row and the vector, as a share of pi.

    >>> angles(np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0]]), np.array([1.0, 0.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    cosines = (length_normalized(rows) @ length_normalized(vector[None]).T)[:, 0]
    share: FloatArray = np.arccos(np.clip(cosines, -1.0, 1.0)) / np.pi
    return share
