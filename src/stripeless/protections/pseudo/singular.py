"""A2: the utterances of people unlike the speaker, with their small singular values cut off (Mawalim et al. 2020).

No full text or code was found; what is not in the abstract is our choice (k-means clusters, half of the singular values, a
tenth of the speaker's own deviation). That tenth keeps people with the same cluster distinct, and is a linear, noiseless
trace of who they are: see the inversion attack in docs/reference/pseudo-speakers.md. Nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar

import numpy as np

from stripeless.embeddings.vectors import FloatArray, need_speakers
from stripeless.errors import InputError
from stripeless.protections.pseudo.clusters import k_means
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_sex, check_share, check_whole


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and deviation of each dimension over the pool."""

    center: FloatArray
    deviation: FloatArray

    def __post_init__(self) -> None:
        if self.center.shape != self.deviation.shape or not (self.deviation > 1e-100).all():
            raise ValueError("a scale without its center, or one that divides by zero")

    @classmethod
    def of(cls, vectors: FloatArray) -> Scale:
        deviation = vectors.std(axis=0)
        return cls(vectors.mean(axis=0), np.where(deviation > 0, deviation, 1.0))

    def apply(self, vectors: FloatArray) -> FloatArray:
        scaled: FloatArray = (vectors - self.center) / self.deviation
        return scaled

    def undo(self, scaled: FloatArray) -> FloatArray:
        vectors: FloatArray = scaled * self.deviation + self.center
        return vectors


@dataclass(frozen=True, eq=False)
class Corner:
    """One cluster of people: its center (scaled), its mean utterance after the cut, and the kept directions (rows)."""

    center: FloatArray
    mean: FloatArray
    kept: FloatArray

    def __post_init__(self) -> None:
        # Which corner is taken depends on the vector, so that no trial shows one that does not fit.
        if self.kept.ndim != 2 or not self.center.shape == self.mean.shape == self.kept.shape[1:]:
            raise ValueError("a cluster whose parts are of different sizes")


@dataclass(frozen=True, eq=False, kw_only=True)
class SingularValues(PseudoSpeakers):
    """Moves a speaker to the least similar cluster, and keeps `own` of the deviation from the pool's mean."""

    name: ClassVar[str] = "a2"
    draws: ClassVar[bool] = False
    scale: Scale
    corners: Mapping[str, tuple[Corner, ...]]
    clusters: int
    kept: float
    own: float

    def options(self) -> dict[str, Any]:
        return {"clusters": self.clusters, "kept": self.kept, "own": self.own}

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        check_sex(person.sex, self.corners)
        corners = self.corners[person.sex]
        corner = corners[least_similar(self.scale.apply(vector), np.array([one.center for one in corners]))]
        moved: FloatArray = corner.mean + self.own * (vector - self.scale.center) @ corner.kept.T @ corner.kept
        return moved


def least_similar(vector: FloatArray, centers: FloatArray) -> int:
    """Number of the center with the lowest cosine."""
    return int((centers @ vector / (np.linalg.norm(centers, axis=1) + 1e-300)).argmin())


def check_clusters(pool: Pool, clusters: int) -> int:
    """Two people per cluster at least, or a sentence that says so."""
    clusters = check_whole("clusters", clusters, 2)
    for sex in pool.sexes:
        if len(pool.rows(sex)) < 2 * clusters:
            raise InputError(
                f"pool: {len(pool.rows(sex))} speakers of sex {sex!r} for {clusters} clusters, two each are needed at least; "
                "give a larger pool or set clusters smaller"
            )
    return clusters


def fit_singular(
    pool: Pool,
    *,
    clusters: int = 20,
    kept: float = 0.5,
    own: float = 0.1,
    training_seed: int = 0,
    seed: int = 0,
    **common: Any,
) -> SingularValues:
    """A2 with `kept` of the non-zero singular values of each cluster's utterances."""
    said = pool.need_utterances("a2")
    clusters, kept = check_clusters(pool, clusters), check_share("kept", kept)
    scale = Scale.of(pool.vectors)
    speakers = np.array(need_speakers(said, "pool"))
    corners: dict[str, tuple[Corner, ...]] = {}
    for number, sex in enumerate(pool.sexes):
        rows = pool.rows(sex)
        centers, codes = k_means(
            scale.apply(pool.vectors[rows]), clusters, np.random.default_rng([training_seed, number])
        )
        members = [np.array(pool.speakers)[rows[codes == k]] for k in range(clusters)]
        corners[sex] = tuple(
            _corner(center, said.vectors[np.isin(speakers, names)].astype(np.float64), kept)
            for center, names in zip(centers, members, strict=True)
        )
    return SingularValues(
        **pool.stamp(seed),
        scale=scale,
        corners=corners,
        clusters=clusters,
        kept=kept,
        own=check_share("own", own),
        **common,
    )


def _corner(center: FloatArray, utterances: FloatArray, kept: float) -> Corner:
    _, values, directions = np.linalg.svd(utterances, full_matrices=False)
    real = int((values > values[0] * 1e-10).sum())
    basis = directions[: max(1, ceil(kept * real))]
    return Corner(center, utterances.mean(axis=0) @ basis.T @ basis, basis)
