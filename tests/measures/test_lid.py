"""Bits disclosed per trial."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stripeless.errors import InputError, NotANumber
from stripeless.measures.lid import fit_lid_slope, lid


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.integers(1, 20), st.floats(0, 5), st.integers(0, 1000))
def test_shares_and_means_add_up(n: int, trials: int, slope: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = lid(rng.normal(size=(trials, n)), rng.integers(0, n, trials), slope)
    assert found.alid == pytest.approx(found.pdr * found.lid_plus + found.ndr * found.lid_minus, abs=1e-9)
    assert found.lid_max <= np.log2(n) + 1e-9
    assert found.pdr + found.ndr == pytest.approx(1)


def test_nothing_and_everything() -> None:
    assert lid(np.ones((3, 4)), [0, 1, 2], 2.0).alid == 0.0
    assert lid(np.eye(8), np.arange(8), 100.0).alid == pytest.approx(3.0)
    assert lid(np.random.default_rng(0).normal(size=(9, 5)), np.zeros(9, int), 0.0).alid == pytest.approx(0.0)


def test_scale_and_shift_of_a_trial_do_not_matter() -> None:
    scores = np.random.default_rng(0).normal(size=(6, 5))
    bent = scores * np.arange(1, 7)[:, None] + np.arange(6)[:, None]
    np.testing.assert_allclose(lid(bent, [0] * 6, 1.2).per_trial, lid(scores, [0] * 6, 1.2).per_trial, atol=1e-9)


def test_slope_grows_with_what_the_scores_tell() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, 400)
    slopes = []
    for signal in (0.0, 1.0, 2.0):
        scores = rng.normal(size=(400, 10))
        scores[np.arange(400), truth] += signal
        slopes.append(fit_lid_slope(scores, truth))
    assert abs(slopes[0]) < 0.2 < slopes[1] < slopes[2]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="true_speaker"):
        lid([[1.0, 2.0]], [2], 1.0)
    with pytest.raises(InputError, match="shape"):
        lid([1.0, 2.0], [0], 1.0)
    with pytest.raises(NotANumber):
        lid([[1.0, np.nan]], [0], 1.0)
