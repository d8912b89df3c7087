"""Scores at the ends of what a number can hold: the measures of the same scores on a plain scale, and no warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from stripeless import assess, cllr, linkability_binned
from stripeless.results.stored import parse_result, result_text

RNG = np.random.default_rng(0)
TARGET, NONTARGET = RNG.normal(1, 1, 100), RNG.normal(0, 1, 300)
BY_ORDER = ("eer", "eer_rocch", "cllr_min", "d_ece", "linkability", "key_length")


@pytest.mark.parametrize("power", [-1070, -1030, -900, 900, 1018])
def test_another_scale_is_the_same_order(power: int) -> None:
    target, nontarget = np.ldexp(np.round(TARGET, 1), power), np.ldexp(np.round(NONTARGET, 1), power)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = assess(target, nontarget, resamples=0)
        parse_result(result_text(result.to_dict()).encode(), "again")
        shifted = assess(np.ldexp(target, -power // 2), np.ldexp(nontarget, -power // 2), resamples=0)
    for name in BY_ORDER:
        assert result[name] == shifted[name], name


@pytest.mark.parametrize("power", [-1000, -900, 900])
def test_bins_of_any_scale_are_the_same(power: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        there = linkability_binned(np.ldexp(TARGET, power), np.ldexp(NONTARGET, power))
    assert there == pytest.approx(linkability_binned(TARGET, NONTARGET), rel=1e-9)


@pytest.mark.parametrize("power", [-1070, 1018])
def test_intervals_and_figures_of_them_are_silent_too(power: int) -> None:
    pytest.importorskip("matplotlib")
    from stripeless.report.kinds import html_of

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = assess(np.ldexp(np.round(TARGET, 1), power), np.ldexp(np.round(NONTARGET, 1), power), resamples=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what others draw
        assert "<svg" in html_of(result)


def test_a_sum_beyond_any_number_has_a_mean() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cllr([1e308], [1e308] * 10) == pytest.approx(1e308 / (2 * np.log(2)), rel=1e-12)
    assert cllr([1.0], [np.inf]) == np.inf
