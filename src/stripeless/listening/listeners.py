"""Listeners whose ratings should be looked at before they are believed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stripeless.listening.ranks import normalized_ranks
from stripeless.listening.ratings import Ratings
from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.rank_tests import spearman
from stripeless.results.listening import OddListener
from stripeless.scores.check import FloatArray, IntArray

FEWEST_RATINGS = 8  # of one listener, to be judged at all
ALIKE = 0.9  # share of one and the same score from which a listener rates everything alike
LEVEL = 0.01


def odd_listeners(ratings: Ratings) -> tuple[OddListener, ...]:
    """Everyone who rates everything alike, or against the others (significantly, corrected for the number of listeners)."""
    names, code = np.unique(ratings.listener, return_inverse=True)
    order = np.argsort(code, kind="stable")
    rows = dict(zip(names.tolist(), np.split(order, np.cumsum(np.bincount(code))[:-1]), strict=True))
    cell = _cells(ratings)
    found: list[OddListener] = []
    for question, scores in ratings.scores.items():
        found += _alike(scores, rows, question)
        found += _against(normalized_ranks(scores, code), rows, cell, question)
    return tuple(sorted(found, key=lambda odd: (odd.listener, odd.question)))


def _cells(ratings: Ratings) -> IntArray:
    """A number per kind of stimulus: system, original or anonymized, target or nontarget, data set where known."""
    parts = (
        ratings.system.tolist(),
        ratings.target.tolist(),
        ratings.anonymized.tolist(),
        *(values.tolist() for values in ratings.columns.values()),
    )
    numbers: dict[tuple[object, ...], int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in zip(*parts, strict=True)], dtype=np.int64)


def _alike(scores: FloatArray, rows: Mapping[str, IntArray], question: str) -> list[OddListener]:
    odd = []
    for name, own in rows.items():
        answers = scores[own][~np.isnan(scores[own])]
        if answers.size >= FEWEST_RATINGS:
            share = float(np.unique(answers, return_counts=True)[1].max() / answers.size)
            if share >= ALIKE:
                odd.append(OddListener(name, question, "alike", share, int(answers.size)))
    return odd


def _against(ranks: FloatArray, rows: Mapping[str, IntArray], cell: IntArray, question: str) -> list[OddListener]:
    """Spearman's correlation of a listener's ranks with what the others, on average, said of the same kind of stimulus."""
    answered = ~np.isnan(ranks)
    size = int(cell.max()) + 1
    total = np.bincount(cell[answered], ranks[answered], size)
    count = np.bincount(cell[answered], minlength=size)
    figures: dict[str, tuple[float, float, int]] = {}
    for name, every in rows.items():
        own = every[answered[every]]
        others = count - np.bincount(cell[own], minlength=size)
        sums = total - np.bincount(cell[own], ranks[own], size)
        own = own[others[cell[own]] > 0]
        mean = sums[cell[own]] / others[cell[own]]
        if own.size < FEWEST_RATINGS or np.ptp(ranks[own]) == 0 or np.ptp(mean) < 1e-12:
            continue
        figures[name] = (*spearman(ranks[own], mean), int(own.size))
    corrected = holm([p for _, p, _ in figures.values()])
    return [
        OddListener(name, question, "against", correlation, size)
        for (name, (correlation, _, size)), p in zip(figures.items(), corrected, strict=True)
        if p < LEVEL
    ]
