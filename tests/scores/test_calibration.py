"""Calibration is refused where it would be infinite, and refuses NaN."""

from __future__ import annotations

import numpy as np
import pytest

import stripeless as s
from stripeless.errors import InputError, NotANumber


def test_quasi_separated_scores_have_no_logistic_calibration() -> None:
    with pytest.raises(InputError, match="infinite"):
        s.fit_logistic_calibration([1.0, 2.0, 3.0], [0.0, -1.0, 1.0])
    assert s.fit_logistic_calibration([1.0, 1.0], [1.0]).scale == 0.0


def test_calibrations_refuse_nan() -> None:
    for fit in (s.fit_pav([1.0, 3.0], [0.0, 2.0]), s.fit_logistic_calibration([1.0, 3.0], [0.0, 2.0])):
        with pytest.raises(NotANumber):
            fit.apply([0.0, np.nan])
