"""The attacks that a study plays, each learned from one set of pairs, and the space in which they are learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stripeless.attackers.inversion.linear import fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.people import Mask, Part, attackers_half
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.attackers.inversion.protocol import FrontEnd, fit_front_end
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes
from stripeless.embeddings.embeddings import EmbeddingMap, Embeddings
from stripeless.embeddings.vectors import need_speakers, speaker_codes, take
from stripeless.errors import TooFewTrials
from stripeless.measures.top_k import top_k_accuracy

DIMENSIONS = (None, 10, 20, 40, 70, 100, 150, 200)


@dataclass(frozen=True, eq=False)
class Attack:
    """One attack: its name, what the attacker knows, and the map that was learned for each part."""

    name: str
    knows: str
    maps: tuple[EmbeddingMap, ...]


@dataclass(frozen=True, eq=False)
class Learned:
    """What is learned from the pairs of one part before any attack is: the space."""

    part: Part
    dimensions: int | None
    front: FrontEnd

    @classmethod
    def of(cls, part: Part, half: Mask, seed: int) -> Learned:
        """Choose the space on the attacker's own pairs: learn on one half of them, look at the other."""
        dimensions = choose_dimensions(*part.training, half, seed=seed)
        return cls(part, dimensions, fit_front_end(*part.training, dimensions))


def choose_dimensions(
    anonymized: Embeddings, original: Embeddings, half: Mask | None = None, *, seed: int = 0
) -> int | None:
    """The PCA under which a rotation learned on half of the attacker's own pairs finds most speakers of the other half.

    `half` marks what is learned from; by default half of the attacker's own people.
    """
    half = half_of_people(need_speakers(original, "original"), seed + 1) if half is None else half
    most = min(int(half.sum()) - 1, anonymized.dimension)
    best: tuple[float, int | None] = (-1.0, None)
    for dimensions in DIMENSIONS:
        if dimensions is not None and dimensions > most:
            continue
        inside = take(anonymized, half), take(original, half)
        front = fit_front_end(*inside, dimensions)
        turn = fit_procrustes(front.anonymized.apply(inside[0].vectors), front.original.apply(inside[1].vectors))
        outside = take(original, ~half)
        found = turn.apply(front.anonymized.apply(take(anonymized, ~half).vectors))
        labels = need_speakers(outside, "original")
        accuracy = top_k_accuracy(found, front.original.apply(outside.vectors), labels, labels)
        best = max(best, (accuracy, dimensions), key=lambda one: one[0])
    return best[1]


def half_of_people(speakers: tuple[str, ...], seed: int) -> Mask:
    """True for the utterances of half of the people, where there are four or more; otherwise half of everything."""
    names, codes = speaker_codes(speakers)
    if len(names) < 4:
        return attackers_half_or_any(speakers, seed)
    chosen = np.random.default_rng(seed).permutation(len(names))[: len(names) // 2]
    some = {sorted(names)[k] for k in chosen.tolist()}
    return np.array([names[code] in some for code in codes.tolist()])


def attackers_half_or_any(speakers: tuple[str, ...], seed: int) -> Mask:
    """Half of each speaker's rows where all have two, half of all rows otherwise."""
    try:
        return attackers_half(speakers, seed)
    except TooFewTrials:
        half = np.zeros(len(speakers), dtype=bool)
        half[np.random.default_rng(seed).permutation(len(speakers))[: len(speakers) // 2]] = True
        return half


def learn_attacks(learned: Sequence[Learned], seed: int, *, unpaired: bool = True) -> list[Attack]:
    """Every attack, or those alone that need pairs, learned from the pairs of each part by itself."""
    each = [
        [
            *_with_pairs(one.front, one.part.training),
            *(_without(one.front, one.part.training, seed) if unpaired else ()),
        ]
        for one in learned
    ]
    return [Attack(name, knows, tuple(maps[k][2] for maps in each)) for k, (name, knows, _) in enumerate(each[0])]


def _with_pairs(front: FrontEnd, training: tuple[Embeddings, Embeddings]) -> list[tuple[str, str, EmbeddingMap]]:
    a, o = front.anonymized.apply(training[0].vectors), front.original.apply(training[1].vectors)
    who = need_speakers(training[1], "original")
    return [
        ("none", "nothing: anonymized trials as they are", LinearMap(np.eye(a.shape[1]))),
        ("procrustes", "the pairs", fit_procrustes(a, o)),
        ("affine", "the pairs", fit_affine(a, o)),
        ("ridge", "the pairs", fit_ridge(a, o, who)),
        ("cca", "the pairs", fit_cca(a, o, who)),
    ]


def _without(
    front: FrontEnd, training: tuple[Embeddings, Embeddings], seed: int
) -> list[tuple[str, str, EmbeddingMap]]:
    """What is called unpaired never sees a pair: rows are shuffled before it starts."""
    a, o = front.anonymized.apply(training[0].vectors), front.original.apply(training[1].vectors)
    rng = np.random.default_rng(seed)
    odd = rng.permutation(len(a)) % 2 == 1
    shuffled = rng.permutation(len(a))
    return [
        ("unpaired", "both sets, no pair (rows shuffled)", fit_wasserstein_procrustes(a[shuffled], o, seed=seed)),
        ("unpaired, other utterances", "sets that share no utterance", fit_wasserstein_procrustes(a[odd], o[~odd], seed=seed)),
    ]  # fmt: skip
