"""Normalized ranks: what a rating means among all ratings of the same listener (Rosenberg & Ramabhadran 2017)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError
from stripeless.measures.uncertainty.rank_tests import midranks
from stripeless.scores.check import FloatArray


def normalized_ranks(scores: ArrayLike, listeners: ArrayLike) -> FloatArray:
    """Each score as its rank among the N scores of its listener: (mean rank of ties - 1) / N, from 0 to below 1.

    Takes away that some listeners use only the upper half of a scale. NaN, a question not answered, stays NaN and does
    not count.

    Parameters:
        scores: answers to one question, 1-D, NaN where there is none.
        listeners: who gave each answer.
    Returns:
        One number per answer, 0 (the listener's lowest) to below 1.

    >>> normalized_ranks([2, 1, 2, 10, 4, 5, 6, 4, 5, 7], ["anna"] * 10).round(2).tolist()
    [0.15, 0.0, 0.15, 0.9, 0.35, 0.55, 0.7, 0.35, 0.55, 0.8]
    """
    values = np.asarray(scores, dtype=np.float64)
    names = np.asarray(listeners)
    if values.ndim != 1 or values.shape != names.shape:
        raise InputError(
            f"scores and listeners: expected two lists of one length, got {values.shape} and {names.shape}"
        )
    ranks = np.full(values.size, np.nan)
    codes = np.unique(names, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(codes))[:-1]):
        answered = rows[~np.isnan(values[rows])]
        if answered.size:
            ranks[answered] = (midranks(values[answered]) - 1) / answered.size
    return ranks
