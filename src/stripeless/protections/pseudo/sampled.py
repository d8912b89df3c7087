"""O1 and O1c1: a new speaker drawn from how speakers are distributed (Turner et al. 2020).

O1 looks at nothing of the speaker but the sex, so its output says nothing else. O1c1 draws until the result is unlike the
speaker; that is no longer independent of who it was, and an attacker who looks for *low* similarity can use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stripeless.embeddings.vectors import FloatArray
from stripeless.errors import InputError
from stripeless.protections.pseudo.mixture import Mixture, by_cosine, fit_mixture
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_sex, check_whole

MOST_DRAWS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampled(PseudoSpeakers):
    """One mixture per sex. `dimensions` and `components` are those of `fit_mixture`."""

    name: ClassVar[str] = "o1"
    mixtures: Mapping[str, Mixture]
    dimensions: int
    components: int

    def options(self) -> dict[str, Any]:
        return {"dimensions": self.dimensions, "components": self.components}

    def mixture(self, sex: str) -> Mixture:
        check_sex(sex, self.mixtures)
        return self.mixtures[sex]

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        drawn: FloatArray = self.mixture(person.sex).sample(self.generator(person), 1)[0]
        return drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledUnlike(Sampled):
    """The same, drawn again until the cosine with the speaker falls below `thresholds[sex]`: at most 1000 times, then the
    least similar draw.
    """

    name: ClassVar[str] = "o1c1"
    quantile: float
    thresholds: Mapping[str, float]

    def options(self) -> dict[str, Any]:
        return {**super().options(), "quantile": self.quantile, "thresholds": dict(self.thresholds)}

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        mixture = self.mixture(person.sex)
        drawn = mixture.points(self.generator(person), MOST_DRAWS)
        cosines = mixture.cosines(drawn, vector)
        below = cosines < self.thresholds[person.sex]
        place = int(below.argmax()) if below.any() else int(cosines.argmin())
        chosen: FloatArray = mixture.vectors(drawn[place : place + 1])[0]
        return chosen


def fit_mixtures(pool: Pool, dimensions: int, components: int, training_seed: int) -> dict[str, Mixture]:
    """One mixture per sex of the pool."""
    return {
        sex: fit_mixture(
            pool.of_sex(sex),
            np.random.default_rng([training_seed, number]),
            dimensions=dimensions,
            components=components,
        )
        for number, sex in enumerate(pool.sexes)
    }


def fit_sampled(
    pool: Pool, *, dimensions: int = 20, components: int = 3, training_seed: int = 0, seed: int = 0, **common: Any
) -> Sampled:
    """O1: 20 principal components, three diagonal Gaussians per sex."""
    return Sampled(**_fitted(pool, dimensions, components, training_seed), seed=seed, **common)


def fit_sampled_unlike(
    pool: Pool,
    *,
    dimensions: int = 20,
    components: int = 3,
    quantile: float = 0.05,
    training_seed: int = 0,
    seed: int = 0,
    **common: Any,
) -> SampledUnlike:
    """O1c1. Its threshold was not published; ours is this quantile of the cosines between people of one sex in the pool."""
    if not 0.0 < quantile <= 1.0:
        raise InputError(f"quantile: expected a share above 0, got {quantile}")
    fitted = _fitted(pool, dimensions, components, training_seed)
    thresholds = {sex: float(np.quantile(by_cosine(pool.of_sex(sex)), quantile)) for sex in pool.sexes}
    return SampledUnlike(**fitted, quantile=quantile, thresholds=thresholds, seed=seed, **common)


def _fitted(pool: Pool, dimensions: int, components: int, training_seed: int) -> dict[str, Any]:
    dimensions, components = check_whole("dimensions", dimensions, 1), check_whole("components", components, 1)
    return {
        "dimension": pool.dimension,
        "members": pool.speakers,
        "pool_digest": pool.digest,
        "mixtures": fit_mixtures(pool, dimensions, components, check_whole("training_seed", training_seed, 0)),
        "dimensions": dimensions,
        "components": components,
    }
