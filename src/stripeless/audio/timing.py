"""Which original is this the copy of? Many anonymizers keep when somebody speaks how loudly, whatever they do to the voice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.near_copies import Fingerprint

FRAMES = 50  # frames of `timing` in a second
LAGS = 8  # frames by which a copy may lie earlier or later
KEPT = 0.8  # correlation of loudness over time from which timing was kept
CLEARER = 0.1  # by how much another original must fit better than the own one
LONGER = 0.05  # seconds by which the copy of an original may be longer or shorter, and the share of its length
SHARE_LONGER = 0.01
LOOKED_AT = 200  # recordings whose original is looked for
MOST = 0.5  # share of those looked at whose original must be found, own or not: else timing was not kept


def timing_likeness(first: Fingerprint, second: Fingerprint) -> float:
    """Correlation of loudness over time at the best of a few lags; 0 where there is too little to compare.

    >>> from stripeless.audio.near_copies import fingerprint
    >>> one = fingerprint(np.random.default_rng(0).normal(size=16000) * np.sin(np.arange(16000) / 900))
    >>> round(timing_likeness(one, one), 6)
    1.0
    """
    one, two = first.timing[0].astype(np.float64), second.timing[0].astype(np.float64)
    least = max(10, min(one.size, two.size) // 2)
    best = 0.0
    for lag in range(-LAGS, LAGS + 1):
        left, right = one[max(0, lag) :], two[max(0, -lag) :]
        size = min(left.size, right.size)
        if size >= least:
            best = max(best, _correlation(left[:size], right[:size]))
    return best


def _correlation(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    left, right = left - left.mean(), right - right.mean()
    size = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / size if size > 1e-9 else 0.0


def exchanged(
    before: Sequence[Fingerprint], after: Sequence[Fingerprint], speakers: Sequence[str]
) -> list[tuple[int, int]]:
    """Copies that fit the original of somebody else far better than their own, as places: the copy, that original.

    `before`, `after` and `speakers` list the same utterances in the same order. Empty where timing was not kept.
    """
    speaking = [k for k in range(len(after)) if not before[k].voiceless and not after[k].voiceless]
    own = {k: timing_likeness(before[k], after[k]) for k in speaking}
    odd = [k for k in speaking if own[k] < KEPT]
    some = odd[:: -(-len(odd) // LOOKED_AT)] if odd else []
    lengths = np.array([one.seconds for one in before])
    found, lost = [], 0
    for k in some:
        reach = LONGER + SHARE_LONGER * after[k].seconds
        near = np.flatnonzero(np.abs(lengths - after[k].seconds) <= reach).tolist()
        rivals = [(timing_likeness(before[j], after[k]), j) for j in near if j != k and not before[j].voiceless]
        best, place = max(rivals, default=(0.0, -1))
        if best < KEPT or best < own[k] + CLEARER:
            lost += 1
        elif speakers[place] != speakers[k]:
            found.append((k, place))
    claimed = Counter(place for _, place in found)
    lost += len(found)
    found = [(k, place) for k, place in found if claimed[place] == 1 and own[place] < KEPT]  # else outputs are alike
    lost -= len(found)
    unexplained = lost * len(odd) / max(1, len(some))
    return found if unexplained <= MOST * len(speaking) else []
