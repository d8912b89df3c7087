"""B1: the mean of some people drawn from those in the pool who are least like the speaker (VoicePrivacy 2020 baseline).

The draw comes from the farthest candidates, so the pseudo-speaker still says on which side of the pool the speaker stands:
two disguises of one person come from the same far corner, and that is what better informed attackers find.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.plda import Plda, fit_plda
from stripeless.embeddings.vectors import FloatArray, length_normalized, need_speakers
from stripeless.errors import InputError, check_choice
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_flag, check_whole


@dataclass(frozen=True, eq=False, kw_only=True)
class FarthestMean(PseudoSpeakers):
    """Ranks the pool by affinity to the speaker, keeps the `farthest`, draws `draw` of them and averages; no rescaling."""

    name: ClassVar[str] = "b1"
    pool: Pool
    farthest: int
    draw: int
    affinity: str
    cross_sex: bool
    plda: Plda | None

    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("farthest", "draw", "affinity", "cross_sex")}

    def candidates(self, vector: FloatArray, sex: str) -> NDArray[np.int64]:
        """Numbers of the pool's speakers with the lowest affinity, the least alike first."""
        rows = self.pool.rows(sex, cross=self.cross_sex)
        if self.plda is None:
            scores = (length_normalized(self.pool.vectors[rows]) @ length_normalized(vector[None]).T)[:, 0]
        else:
            scores = self.plda.scores(self.pool.vectors[rows], vector[None])[:, 0]
        return rows[np.argsort(scores, kind="stable")[: self.farthest]]

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        far = np.sort(self.candidates(vector, person.sex))
        drawn = self.generator(person).choice(far, self.draw, replace=False)
        mean: FloatArray = self.pool.vectors[np.sort(drawn)].mean(axis=0)
        return mean


def fit_farthest(
    pool: Pool,
    *,
    farthest: int = 200,
    draw: int = 100,
    affinity: str = "plda",
    cross_sex: bool = False,
    seed: int = 0,
    **common: Any,
) -> FarthestMean:
    """B1 as published: PLDA affinity, the farthest 200 of the same sex, 100 of them drawn.

    A pool with fewer candidates than `farthest` is refused: the published program then filled up with zeros.
    """
    farthest, draw = check_whole("farthest", farthest, 1), check_whole("draw", draw, 1)
    if draw > farthest:
        raise InputError(f"draw: {draw} people cannot be drawn from the farthest {farthest}")
    check_choice("affinity", affinity, ("plda", "cosine"))
    for sex in pool.sexes:
        count = len(pool.rows(sex, cross=cross_sex))
        if count < farthest:
            raise InputError(
                f"pool: {count} candidates for speakers of sex {sex!r}, but the farthest {farthest} are asked for; give a "
                "larger pool, or set farthest and draw smaller (published: 200 of about 600, half of them drawn)"
            )
    plda = None
    if affinity == "plda":
        said = pool.need_utterances("b1 with PLDA affinity")
        plda = fit_plda(said.vectors, need_speakers(said, "pool"))
    return FarthestMean(
        **pool.stamp(seed),
        pool=pool,
        farthest=farthest,
        draw=draw,
        affinity=affinity,
        cross_sex=check_flag("cross_sex", cross_sex),
        plda=plda,
        **common,
    )
