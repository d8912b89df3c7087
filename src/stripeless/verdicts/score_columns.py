"""Columns of a score file that are no labels but say what the score says: a level, a decision, a second score.

Who compares only trials of one value of such a column compares trials of one score, and every leak is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.ranked import FloatArray, IntArray, ranks_within

SCORES = 3  # different numbers from which on a column can be a second score
FOLLOWS = 0.5  # rank correlation (Spearman) beyond which it is one
APART = 1e-3  # of a rank, by which values of neighbors may overlap: many scores share ranks


def score_columns(scores: TrialScores, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these columns that follow the score."""
    if not names or scores.target.size + scores.nontarget.size < 2:
        return ()
    values = np.concatenate([scores.target, scores.nontarget])
    ranks = ranks_within(values, np.zeros(values.size, dtype=np.int64))
    return tuple(name for name in names if _follows(scores.columns[name], ranks))


def labels_alone(scores: TrialScores) -> TrialScores:
    """The same trials without columns that follow the score."""
    told = score_columns(scores, tuple(scores.columns))
    return replace(scores, columns={name: one for name, one in scores.columns.items() if name not in told})


def _follows(factor: Factor, ranks: FloatArray) -> bool:
    codes = np.concatenate([factor.target, factor.nontarget]).astype(np.int64)
    known = codes >= 0
    codes, ranks = codes[known], ranks[known]
    count = np.bincount(codes, minlength=len(factor.names))
    used = np.flatnonzero(count)
    if used.size < 2 or used.size == codes.size or not np.ptp(ranks):
        return False
    return _apart(codes, ranks, used) or _correlated(factor.names, codes, ranks, count, used)


def _apart(codes: IntArray, ranks: FloatArray, used: IntArray) -> bool:
    """Whether each value holds the scores of one interval."""
    least, most = np.full(int(used[-1]) + 1, 2.0), np.full(int(used[-1]) + 1, -1.0)
    np.minimum.at(least, codes, ranks)
    np.maximum.at(most, codes, ranks)
    order = used[np.argsort(least[used])]
    return bool((most[order][:-1] <= least[order][1:] + APART).all())


def _correlated(names: Sequence[str], codes: IntArray, ranks: FloatArray, count: IntArray, used: IntArray) -> bool:
    """Whether the values are numbers that rise or fall with the score."""
    try:
        numbers = np.array([float(names[code]) for code in used.tolist()])
    except ValueError:
        return False
    if used.size < SCORES or not np.isfinite(numbers).all():
        return False
    place = np.empty(used.size)
    order = np.argsort(numbers)
    sizes = count[used][order]
    place[order] = (np.cumsum(sizes) - sizes / 2) / sizes.sum() - 0.5
    mean = np.bincount(codes, ranks - ranks.mean(), minlength=count.size)[used]
    spread = np.sqrt(float(count[used] @ place**2) * float(np.square(ranks - ranks.mean()).sum()))
    return bool(spread > 0 and abs(float(place @ mean)) > FOLLOWS * spread)
