"""`listening_study`: the whole analysis of a listening test, as one result."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from stripeless.errors import InputError, TooFewTrials
from stripeless.listening.listeners import odd_listeners
from stripeless.listening.ranks import normalized_ranks
from stripeless.listening.ratings import Ratings, Texts
from stripeless.listening.significance import pair_tests
from stripeless.listening.verification import verification_rows
from stripeless.listening.views import VIEWS, RatingView, det_curves, groups_of
from stripeless.measures.uncertainty.interval import LEVEL, small_sample_factor
from stripeless.results.listening import (
    ListenedVerification,
    ListeningStudy,
    ListeningView,
    OddListener,
    RatedGroup,
)
from stripeless.scores.check import FloatArray, IntArray
from stripeless.verdicts.finding import Finding

BINS = 40  # of a violin: ranks from 0 to 1


def listening_study(ratings: Ratings, *, resamples: int = 1000, seed: int = 0, name: str = "") -> ListeningStudy:
    """Normalized ranks, means with 95 % intervals over listeners, all tests, DET curves, and odd listeners.

    Nobody is left out: odd listeners are named, and the caller decides (`Ratings.take`).

    Parameters:
        ratings: the answers of all listeners.
        resamples: how often listeners are drawn for 95 % intervals: 100 or more, or 0 for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        name: what the test is called in reports.
    Returns:
        A `ListeningStudy`.

    >>> from stripeless.listening.simulate import simulate_ratings
    >>> study = listening_study(simulate_ratings(seed=1), resamples=0)
    >>> study.test("naturalness", "better", "worse").p_holm < 0.01
    True
    """
    if resamples and resamples < 100:
        raise InputError(f"resamples: expected 0 (no intervals) or at least 100, got {resamples}")
    ranks = {question: normalized_ranks(scores, ratings.listener) for question, scores in ratings.scores.items()}
    views = {key: view for key, view in VIEWS.items() if view.question in ranks}
    groups = {key: groups_of(ratings, view, ~np.isnan(ranks[view.question])) for key, view in views.items()}
    if not any(len(found) > 1 for found in groups.values()):
        raise TooFewTrials("ratings: no question was answered for two kinds of speech, so nothing can be compared")
    weights = _listener_weights(ratings.listener, resamples, seed)
    odd = odd_listeners(ratings)
    return ListeningStudy(
        parts={key: _part(ratings, view, ranks[view.question], groups[key], weights) for key, view in views.items()},
        verification=tuple(_verification(ratings, ranks, resamples, seed)),
        odd=odd,
        counts=_counts(ratings),
        warnings=_warnings(ratings, odd),
        inputs=ratings.inputs,
        resamples=resamples,
        seed=seed,
        name=name,
    )


def _part(
    ratings: Ratings, view: RatingView, ranks: FloatArray, groups: Mapping[str, IntArray], weights: FloatArray | None
) -> ListeningView:
    """One view: its groups, their comparisons, their DET curves."""
    return ListeningView(
        view.label,
        view.question,
        view.good,
        tuple(_group(ratings, view, ranks, name, rows, weights) for name, rows in groups.items()),
        pair_tests(ranks, groups, ratings.listener),
        det_curves(ranks, groups, view),
    )


def _listener_weights(listeners: Texts, resamples: int, seed: int) -> FloatArray | None:
    """How often each listener counts in each resample."""
    people = np.unique(listeners).size
    if not resamples or people < 2:
        return None
    rng = np.random.default_rng(seed)
    return rng.multinomial(people, np.full(people, 1 / people), size=resamples).astype(np.float64)


def _group(
    ratings: Ratings, view: RatingView, ranks: FloatArray, name: str, rows: IntArray, weights: FloatArray | None
) -> RatedGroup:
    values = ranks[rows]
    mean = float(values.mean())
    code = np.unique(ratings.listener, return_inverse=True)[1][rows]
    low = high = None
    heard = np.unique(code).size
    if weights is not None and heard > 1:
        low, high = _mean_interval(values, code, weights, mean, heard)
    quartiles = np.quantile(values, [0.25, 0.75])
    counts = np.histogram(values, bins=BINS, range=(0.0, 1.0))[0]
    return RatedGroup(
        name,
        int(rows.size),
        int(heard),
        mean,
        low,
        high,
        float(np.median(values)),
        (float(quartiles[0]), float(quartiles[1])),
        float(ratings.scores[view.question][rows].mean()),
        tuple(float(c) for c in np.round(counts / rows.size * BINS, 6)),
    )


def _mean_interval(
    values: FloatArray, code: IntArray, weights: FloatArray, mean: float, heard: int
) -> tuple[float, float]:
    """Percentiles of the mean over resamples of listeners, widened for few of them."""
    people = weights.shape[1]
    total, count = np.bincount(code, values, people), np.bincount(code, minlength=people)
    drawn = weights @ count
    usable = drawn > 0
    means = (weights[usable] @ total) / drawn[usable]
    tail = (1 - LEVEL) / 2
    below, above = np.quantile(means, [tail, 1 - tail], method="nearest")
    wider = small_sample_factor(heard)
    return max(0.0, mean - wider * (mean - float(below))), min(1.0, mean + wider * (float(above) - mean))


def _verification(
    ratings: Ratings, ranks: Mapping[str, FloatArray], resamples: int, seed: int
) -> list[ListenedVerification]:
    """Over all data, then for each combination of data set and sex where the file names them."""
    if "similarity" not in ranks:
        return []
    rows = verification_rows(ratings, ranks["similarity"], {}, resamples, seed)
    names = list(ratings.columns)
    if names:
        for values in product(*(np.unique(ratings.columns[column]).tolist() for column in names)):
            labels = dict(zip(names, values, strict=True))
            rows += verification_rows(ratings, ranks["similarity"], labels, resamples, seed)
    return rows


def _counts(ratings: Ratings) -> dict[str, int]:
    answered = sum(int((~np.isnan(values)).sum()) for values in ratings.scores.values())
    return {
        "listeners": int(np.unique(ratings.listener).size),
        "stimuli": int(np.unique(ratings.stimulus).size),
        "systems": len(ratings.systems),
        "rows": int(ratings.listener.size),
        "answers": answered,
    }


def _warnings(ratings: Ratings, odd: tuple[OddListener, ...]) -> tuple[Finding, ...]:
    findings = [
        Finding("listener-alike" if o.kind == "alike" else "listener-against", "caution", o.message) for o in odd
    ]
    listeners = np.unique(ratings.listener).size
    if listeners < 10:
        findings.append(
            Finding(
                "few-listeners",
                "caution",
                f"Only {listeners} listeners took part: the ratings say what these heard, not yet what people hear.",
            )
        )
    if not (~ratings.anonymized).any():
        findings.append(
            Finding(
                "no-original",
                "serious",
                "No original speech was rated, so nothing says how far the systems fall short of it.",
            )
        )
    keys = set(zip(ratings.listener, ratings.stimulus, ratings.system, ratings.target, strict=True))
    repeated = ratings.listener.size - len(keys)
    if repeated:
        findings.append(
            Finding(
                "repeated",
                "remark",
                f"{repeated} ratings repeat a stimulus that the listener had rated before; all count.",
            )
        )
    return tuple(findings)
