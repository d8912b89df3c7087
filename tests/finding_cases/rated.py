"""Findings about listening tests, from `listening_study`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from finding_cases.case import case
from stripeless.listening.ratings import Ratings
from stripeless.listening.simulate import simulate_ratings
from stripeless.listening.study import listening_study
from stripeless.verdicts.finding import Finding


def rated(listeners: int = 12, alike: int = 0, against: int = 0) -> Iterable[Finding]:
    return of(simulate_ratings(listeners=listeners, per_group=6, alike=alike, against=against, seed=3))


def of(ratings: Ratings) -> Iterable[Finding]:
    return listening_study(ratings, resamples=0).warnings


def without_originals() -> Iterable[Finding]:
    ratings = simulate_ratings(listeners=12, seed=3)
    return of(ratings.take(ratings.anonymized))


def rated_again() -> Iterable[Finding]:
    ratings = simulate_ratings(listeners=12, seed=3)
    stimulus = ratings.stimulus.copy()
    stimulus[1] = stimulus[0]
    return of(replace(ratings, stimulus=np.asarray(stimulus)))


CASES = {
    "listener-alike": case(lambda: rated(alike=1), rated),
    "listener-against": case(lambda: rated(against=1), rated),
    "few-listeners": case(lambda: rated(listeners=9), lambda: rated(listeners=10)),
    "no-original": case(without_originals, rated),
    "repeated": case(rated_again, rated),
}
