"""Listeners as speaker verifiers: EER, ROCCH-EER, Cllr and Cllr_min of their similarity ratings (Table 18).

The ratings enter as normalized ranks. Only those, read as log-likelihood ratios between 0 and 1, give the Cllr of about
0.9 to 1.1 that the paper prints; it is kept for comparison, and says little: a rank is no log-likelihood ratio.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from stripeless.listening.ratings import ORIGINAL, Ratings, Texts
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.measures.one_pass import score_pass
from stripeless.measures.uncertainty.bootstrap import People, Resampler, resampled_values
from stripeless.measures.uncertainty.interval import interval
from stripeless.results.listening import ListenedVerification
from stripeless.scores.check import FloatArray, IntArray

NAMES = ("eer", "eer_rocch", "cllr", "cllr_min")


def verification(
    ranks: FloatArray, target: IntArray, nontarget: IntArray, listeners: Texts, resamples: int, seed: int
) -> dict[str, Measure]:
    """The four measures of these rows; with `resamples`, 95 % intervals from drawing listeners."""
    one_pass = score_pass(ranks[target], ranks[nontarget])
    measures = {name: Measure(MEASURES[name], MEASURES[name].of(one_pass)) for name in NAMES}
    if not resamples:
        return measures
    number = np.unique(np.concatenate([listeners[target], listeners[nontarget]]), return_inverse=True)[1]
    codes_t, codes_n = number[: target.size], number[target.size :]
    people = People(int(number.max()) + 1, (codes_t, codes_t), (codes_n, codes_n))
    if people.count < 2:
        return measures
    resampler = Resampler(ranks[target], ranks[nontarget], people)
    for name, values in resampled_values(resampler, NAMES, resamples, seed).items():
        ends = interval(name, MEASURES[name].of(one_pass), values, people.count)
        if ends is not None:
            measures[name] = replace(measures[name], low=ends[0], high=ends[1])
    return measures


def verification_rows(
    ratings: Ratings, ranks: FloatArray, labels: Mapping[str, str], resamples: int, seed: int
) -> list[ListenedVerification]:
    """One row per system, and one for original speech: anonymized targets against anonymized nontargets.

    Where a system has no anonymized nontargets, original nontargets stand in, and `against` says so.
    """
    answered = ~np.isnan(ranks)
    for column, value in labels.items():
        answered &= ratings.columns[column] == value
    rows = []
    for system in (ORIGINAL, *ratings.systems):
        own = answered & (ratings.system == system) & (ratings.anonymized == (system != ORIGINAL))
        target, nontarget = np.flatnonzero(own & ratings.target), np.flatnonzero(own & ~ratings.target)
        against = "original" if system == ORIGINAL else "anonymized"
        if not nontarget.size:
            nontarget, against = np.flatnonzero(answered & ~ratings.anonymized & ~ratings.target), "original"
        if target.size and nontarget.size:
            measures = verification(ranks, target, nontarget, ratings.listener, resamples, seed)
            rows.append(
                ListenedVerification(
                    system,
                    measures,
                    against=f"{against} nontargets",
                    n_target=int(target.size),
                    n_nontarget=int(nontarget.size),
                    **labels,
                )
            )
    return rows
