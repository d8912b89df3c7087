"""Curves to draw: they meet the measures, and keep their figures at any size of the scores."""

from __future__ import annotations

import numpy as np
import pytest

import stripeless as s
from stripeless.measures.curves import curves_of
from stripeless.measures.one_pass import score_pass


def test_the_actual_ece_of_many_scores_is_cllr_at_even_odds() -> None:
    rng = np.random.default_rng(0)
    target, nontarget = rng.normal(1, 1.4, 100_000), rng.normal(-1, 1.4, 300_000)
    for outlier in (0.0, -1e6):
        target[0] = outlier
        actual = curves_of(score_pass(target, nontarget))["ece"]["actual"]
        assert actual[80] == pytest.approx(s.cllr(target, nontarget), rel=1e-4)
    nontarget[0] = np.inf
    assert curves_of(score_pass(target, nontarget))["ece"]["actual"] is None


def test_small_scores_keep_their_figures() -> None:
    rng = np.random.default_rng(0)
    edges = s.assess(1e-8 * rng.normal(1, 1, 100), 1e-8 * rng.normal(-1, 1, 100)).to_dict()["curves"]["histogram"][
        "edges"
    ]
    assert len(set(edges)) == 61
