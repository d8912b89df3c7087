"""Does an inverted vector find its own speaker among the originals more often than the person matters by luck?

The nearest vector across is somebody's. Which original belongs to which person is exchanged among the people of a group,
for all attacks at once, so that trying several is paid for; how often somebody is found at all, and by whom, stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.inversion.attacks import Attack, Learned
from stripeless.attackers.inversion.taught import NEARLY
from stripeless.embeddings.vectors import FloatArray, length_normalized, need_speakers, speaker_codes

EXCHANGES = 999
IntArray = NDArray[np.int64]
WAYS = ("top1_original_to_inverted", "top1_inverted_to_original")
_EDGE = 1e-9


@dataclass(frozen=True, eq=False)
class Matched:
    """What the exchanges say of the attack that finds most.

    Attributes:
        p: chance of so many found in any attack and direction, if no original had to do with its inverted vectors.
        attack: place of the attack.
        way: the direction that shows it best, as a measure is called.
        share: how many find their own speaker.
        chance: how many do after exchanges, on average.
        corrected: the share less what the best of so many gains by luck.
    """

    p: float
    attack: int
    way: str
    share: float
    chance: float
    corrected: float


def match_test(learned: Sequence[Learned], attacks: Sequence[Attack], *, seed: int = 0) -> Matched | None:
    """Exchange people within each part and sex; None where nobody can be exchanged."""
    rng = np.random.default_rng([seed, 19])
    sums = np.zeros((EXCHANGES + 1, len(attacks), len(WAYS)))
    possible = False
    for number, one in enumerate(learned):
        originals = one.part.sets.original_trials
        codes = speaker_codes(need_speakers(originals, "original"))[1]
        first = np.unique(codes, return_index=True)[1].tolist()
        sexes = [""] * len(first) if originals.sex is None else [originals.sex[row] for row in first]
        orders = _orders(np.asarray(speaker_codes(sexes)[1]), rng)
        possible = possible or bool((orders != orders[0]).any())
        known = length_normalized(one.front.original.apply(originals.vectors))
        hidden = one.front.anonymized.apply(one.part.sets.anonymized_trials.vectors)
        for k, attack in enumerate(attacks):
            similarity = length_normalized(attack.maps[number].apply(hidden)) @ known.T
            for way, table in enumerate((nearest_of(similarity.T, codes), nearest_of(similarity, codes))):
                sums[:, k, way] += table[np.arange(len(table)), orders].sum(axis=1)
    if not possible:
        return None
    return _judged(
        sums / sum(len(one.part.sets.original_trials) for one in learned), NEARLY if len(learned) > 1 else 1.0
    )


def nearest_of(similarity: FloatArray, codes: IntArray) -> FloatArray:
    """How often the nearest of a person's row belongs to which person: people who look x people who are found."""
    people = int(codes.max()) + 1
    table = np.zeros((people, people))
    np.add.at(table, (codes, codes[similarity.argmax(axis=1)]), 1.0)
    return table


def _orders(groups: IntArray, rng: np.random.Generator) -> IntArray:
    """Everybody as they are, then exchanged within their group."""
    orders = np.tile(np.arange(groups.size), (EXCHANGES + 1, 1))
    for group in range(int(groups.max()) + 1):
        people = np.flatnonzero(groups == group)
        orders[1:, people] = people[np.argsort(rng.random((EXCHANGES, people.size)), axis=1)]
    return orders


def _judged(shares: FloatArray, wider: float) -> Matched:
    """Standardize each attack and direction by its own exchanges; the largest of all is held against the largest.

    What was seen varies by luck so much more widely than what exchanges show.
    """
    mean, deviation = shares[1:].mean(axis=0), shares[1:].std(axis=0)
    z = np.divide(shares - mean, deviation, out=np.zeros_like(shares), where=deviation > _EDGE)
    z[0] /= wider
    largest = z.max(axis=(1, 2))
    k, way = (int(x) for x in np.unravel_index(int(z[0].argmax()), z[0].shape))
    luck = wider * float(np.median(largest[1:])) * float(deviation[k, way])
    return Matched(
        float(np.count_nonzero(largest >= largest[0] - _EDGE) / len(shares)),
        k,
        WAYS[way],
        float(shares[0, k, way]),
        float(mean[k, way]),
        max(0.0, float(shares[0, k, way]) - luck),
    )
