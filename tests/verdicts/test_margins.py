"""Margins: an EER, the AUC by which it is judged, and who may ask for which."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.verdicts.margins import STRONG, check_margin, margin_auc, margin_eer, margin_for


@pytest.mark.parametrize(("percent", "auc"), [(45, 0.571), (42.5, 0.605), (40, 0.640), (35, 0.707), (30, 0.771)])
def test_the_table_of_margins(percent: float, auc: float) -> None:
    assert margin_auc(percent) == pytest.approx(auc, abs=5e-4)


def test_the_area_is_that_of_two_normal_distributions_with_this_equal_error_rate() -> None:
    from scipy.special import ndtri

    rng = np.random.default_rng(0)
    shift = -2 * ndtri(0.4)
    target, nontarget = rng.normal(shift, 1, 2000), np.sort(rng.normal(0, 1, 2000))
    seen = np.searchsorted(nontarget, target).mean() / 2000
    assert seen == pytest.approx(margin_auc(40), abs=0.02)


@pytest.mark.parametrize("percent", [30.0, 33.3, 40.0, 45.0])
def test_there_and_back(percent: float) -> None:
    assert margin_eer(margin_auc(percent)) == pytest.approx(percent, abs=1e-9)


def test_a_strong_leak_begins_at_35_percent() -> None:
    assert pytest.approx(margin_auc(35), abs=1e-3) == STRONG


def test_an_area_of_one_or_none_has_a_margin_too() -> None:
    assert margin_eer(1.0) < 0.1
    assert margin_eer(0.0) > 99.9


@pytest.mark.parametrize(("people", "percent"), [(12, 35.0), (19, 35.0), (20, 40.0), (200, 40.0)])
def test_the_usual_margin_depends_on_the_people(people: int, percent: float) -> None:
    assert margin_for(people, None) == percent
    assert margin_for(people, 42.5) == 42.5


@pytest.mark.parametrize("percent", [29.9, 45.1, 0.4, 50.0, -40.0])
def test_other_margins_are_refused(percent: float) -> None:
    with pytest.raises(InputError, match=r"margin: expected an EER from 30 to 45, in percent"):
        check_margin(percent)


@pytest.mark.parametrize("percent", [None, 30.0, 40, 45.0])
def test_these_are_not(percent: float | None) -> None:
    check_margin(percent)
