"""The pool: vectors of other people, from which pseudo-speakers are made.

Rows are kept in the order of the speakers' names, so that nothing depends on the order in which they were listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings, check_vectors
from stripeless.embeddings.vectors import FloatArray, need_speakers, speaker_means, take
from stripeless.errors import InputError, check_one_each
from stripeless.protections.pseudo.system import check_sex


@dataclass(frozen=True, eq=False)
class Pool:
    """The people from whom pseudo-speakers are made: one vector per speaker, sorted by name.

    Attributes:
        vectors: speakers x dimensions, float64.
        speakers: their names, all different.
        sex: the sex of each, such as "f" and "m".
        utterances: the vectors of their utterances, where a system learns from them; None otherwise.
        digest: tells pools apart in the settings of a run: 16 hexadecimal digits, made from the rest.
    """

    vectors: FloatArray
    speakers: tuple[str, ...]
    sex: tuple[str, ...]
    utterances: Embeddings | None = None
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        vectors = check_vectors(self.vectors, "pool").astype(np.float64)
        for name, labels in (("speakers", self.speakers), ("sex", self.sex)):
            check_one_each(f"pool, {name}", len(labels), len(vectors), of="vectors")
        if len(set(self.speakers)) != len(vectors):
            raise InputError("pool: a speaker is listed twice; give one vector per speaker, or use Pool.of")
        if not all(self.sex):
            raise InputError("pool: the sex of some speakers is not known; give spk2gender, or leave them out")
        order = np.argsort(np.array(self.speakers), kind="stable")
        object.__setattr__(self, "vectors", vectors[order])
        object.__setattr__(self, "speakers", tuple(self.speakers[i] for i in order))
        object.__setattr__(self, "sex", tuple(self.sex[i] for i in order))
        object.__setattr__(self, "digest", self._digest())

    @classmethod
    def of(cls, embeddings: Embeddings) -> Pool:
        """Everybody in these embeddings; a speaker's vector is the plain mean of the speaker's utterances.

        >>> pool = Pool.of(Embeddings([[3.0], [1.0], [5.0]], ("b1", "a1", "b2"), ("b", "a", "b"), ("m", "f", "m")))
        >>> pool.speakers, pool.vectors.tolist()
        (('a', 'b'), [[1.0], [4.0]])
        """
        names = need_speakers(embeddings, "pool")
        if embeddings.sex is None:
            raise InputError("pool: the sex of its speakers is not known; give spk2gender")
        keys = list(zip(names, embeddings.utterances, strict=True))
        ordered = take(embeddings, sorted(range(len(keys)), key=keys.__getitem__))  # sums in one order, whatever came
        means = speaker_means(ordered, "pool")
        return cls(means.vectors.astype(np.float64), means.utterances, means.sex or (), ordered)

    def __len__(self) -> int:
        return len(self.speakers)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors.shape[1])

    @property
    def sexes(self) -> tuple[str, ...]:
        """The sexes that occur, in alphabetical order."""
        return tuple(sorted(set(self.sex)))

    def rows(self, sex: str, *, cross: bool = False) -> NDArray[np.int64]:
        """Numbers of the speakers of this `sex`, or with `cross` of all others."""
        check_sex(sex, self.sexes)
        found = np.flatnonzero((np.array(self.sex) == sex) != cross)
        if not found.size:
            raise InputError(f"pool: nobody in it is of another sex than {sex!r}")
        return found

    def of_sex(self, sex: str) -> FloatArray:
        """One vector per speaker of this `sex`."""
        chosen: FloatArray = self.vectors[self.rows(sex)]
        return chosen

    def stamp(self, seed: int) -> dict[str, Any]:
        """What every system that learned from this pool keeps of it, beside its `seed`."""
        return {"dimension": self.dimension, "members": self.speakers, "pool_digest": self.digest, "seed": seed}

    def need_utterances(self, system: str) -> Embeddings:
        """The utterances, or a sentence that says why `system` needs them."""
        if self.utterances is None:
            raise InputError(f"pool: {system} learns from utterances, not from speaker means; make it with Pool.of")
        return self.utterances

    def without(self, speakers: Collection[str]) -> Pool:
        """The same pool without these `speakers`."""
        gone = set(speakers)
        kept = np.array([name not in gone for name in self.speakers])
        if not kept.any():
            raise InputError("pool: nobody is left in it")
        said = self.utterances
        if said is not None:
            said = take(said, np.array([name not in gone for name in said.speakers or ()]))
        names = [tuple(np.array(labels)[kept].tolist()) for labels in (self.speakers, self.sex)]
        return Pool(self.vectors[kept], names[0], names[1], said)

    def _digest(self) -> str:
        """Tells pools apart in the settings of a run."""
        labels = "\n".join(f"{name} {sex}" for name, sex in zip(self.speakers, self.sex, strict=True))
        return hashlib.sha256(labels.encode() + np.ascontiguousarray(self.vectors).tobytes()).hexdigest()[:16]
