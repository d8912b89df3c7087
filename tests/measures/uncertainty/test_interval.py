"""Intervals hold their value, stay in range, and are honest where units are few or resamples agree."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_trials import corpus

import stripeless as s
from stripeless.measures.uncertainty.bootstrap import Resampler, people_in, resampled_values
from stripeless.measures.uncertainty.interval import interval, small_sample_factor


def test_every_interval_holds_its_value_and_stays_in_range() -> None:
    for shift in (0.0, 1.5, 6.0):
        result = s.assess_scores(corpus(shift), resamples=100)
        for name, measure in result.measures.items():
            if isinstance(measure.value, float) and measure.low is not None:
                assert measure.low <= measure.value <= measure.high, name  # type: ignore[operator]
                assert measure.low >= 0, name  # type: ignore[operator]
        assert result.measures["cllr_min"].high <= 1.0  # type: ignore[operator]


def test_near_chance_the_interval_reaches_the_truth_that_percentiles_miss() -> None:
    scores = corpus(shift=0.0, spread=0.0, seed=5)
    values = resampled_values(Resampler(scores.target, scores.nontarget, people_in(scores)), ("cllr_min",), 200, 0)
    value = s.cllr_min(scores.target, scores.nontarget)
    ends = interval("cllr_min", value, values["cllr_min"], 24)
    assert ends is not None
    assert np.quantile(values["cllr_min"], 0.975) < ends[1] <= 1.0
    assert ends[1] > 0.999


def test_few_units_widen_as_students_t() -> None:
    assert small_sample_factor(2) == pytest.approx(12.7062 / 1.95996 * np.sqrt(2), rel=1e-4)
    assert small_sample_factor(1) == np.inf


def test_one_unit_has_no_interval() -> None:
    result = s.assess([0.4], [0.5], resamples=100)
    assert all(m.low is None and m.high is None for m in result.measures.values())
    assert interval("eer", 0.3, np.linspace(0.2, 0.4, 100), 1) is None


def test_no_exception_among_thirty_is_not_certainty() -> None:
    """All resamples agree: a rate gets the limit of so many units without an exception, others get none."""
    result = s.assess(np.arange(30.0) + 100, np.arange(2000.0) / 100, resamples=100)
    assert result.measures["eer"].value == 0.0
    assert result.measures["eer"].high == pytest.approx(0.1157, abs=1e-4)  # Clopper-Pearson, 0 of 30
    assert result.measures["linkability"].low is None
    rng = np.random.default_rng(1)
    rate = s.assess(rng.normal(-3, 1, 30), rng.normal(0, 1, 2000), resamples=100).measures["hit_rate_1pct"]
    assert rate.value == 0.0
    assert float(rate.high) > 0.1  # type: ignore[arg-type]
