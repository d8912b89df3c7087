"""Promises that every measure keeps, over a table of all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stripeless as s
from stripeless.errors import InputError, NotANumber, OneClassOnly

MEASURES: dict[str, Callable[..., Any]] = {
    "eer": s.eer,
    "eer_rocch": s.eer_rocch,
    "eer_kaldi": s.eer_kaldi,
    "cllr": s.cllr,
    "cllr_min": s.cllr_min,
    "zebra": s.zebra,
    "linkability": s.linkability,
    "linkability_binned": s.linkability_binned,
    "key_length": s.key_length,
    "hit_rate": lambda t, n: s.hit_rate(t, n, false_alarm_rate=0.2),
    "low_false_alarm": lambda t, n: s.low_false_alarm(t, n, false_alarm_rate=0.2),
    "eer_by_tool": s.eer_by_tool,
    "assess": lambda t, n: s.assess(t, n).to_dict(),
}
RNG = np.random.default_rng(5)
TARGET, NONTARGET = RNG.normal(1, 1, 60), RNG.normal(-1, 1, 90)
everywhere = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


@everywhere
def test_a_list_is_as_good_as_an_array(measure: Callable[..., Any]) -> None:
    assert measure(TARGET.tolist(), NONTARGET.tolist()) == measure(TARGET, NONTARGET)


@everywhere
def test_the_scores_are_left_as_they_were(measure: Callable[..., Any]) -> None:
    target, nontarget = TARGET.copy(), NONTARGET.copy()
    measure(target, nontarget)
    assert (target == TARGET).all()
    assert (nontarget == NONTARGET).all()


@everywhere
def test_order_does_not_matter(measure: Callable[..., Any]) -> None:
    assert measure(TARGET[::-1], RNG.permutation(NONTARGET)) == measure(TARGET, NONTARGET)


@everywhere
def test_nan_is_refused_with_its_place(measure: Callable[..., Any]) -> None:
    with pytest.raises(NotANumber, match=r"nontarget: 1 of 3 scores are NaN \(the first at index 1\)"):
        measure([1.0, 2.0], [0.0, np.nan, 1.0])


@everywhere
@pytest.mark.parametrize("empty", ["target", "nontarget", "both"])
def test_one_class_is_refused(measure: Callable[..., Any], empty: str) -> None:
    target = [] if empty in ("target", "both") else [1.0]
    nontarget = [] if empty in ("nontarget", "both") else [1.0]
    with pytest.raises(OneClassOnly, match=r"empty"):
        measure(target, nontarget)


@everywhere
def test_tables_text_and_ragged_rows_are_refused(measure: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"target: expected a flat list of scores, got an array of shape \(2, 1\)"):
        measure([[1.0], [2.0]], [0.0])
    with pytest.raises(InputError, match="nontarget: expected numbers"):
        measure([1.0], ["high"])
    with pytest.raises(InputError, match="rows of unequal length"):
        measure([[1.0], [2.0, 3.0]], [0.0])


@everywhere
def test_whole_numbers_and_float32_are_numbers(measure: Callable[..., Any]) -> None:
    target, nontarget = np.arange(20, 60), np.arange(55)
    assert measure(target, nontarget) == measure(target.astype(float), nontarget.astype(np.float32))


def test_importing_the_package_wakes_nothing_heavy() -> None:
    import subprocess
    import sys

    code = (
        "import sys, stripeless, stripeless.cli\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'matplotlib', 'torch', 'jinja2', 'h5py'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_masked_scores_are_refused() -> None:
    with pytest.raises(InputError, match="masked"):
        s.eer(np.ma.array([1.0, 2.0, -999.0], mask=[0, 0, 1]), [0.0, -1.0])


@pytest.mark.parametrize("rate", [0.0, -0.1, 2.0, float("nan")])
def test_hit_rate_refuses_what_is_no_rate(rate: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        s.hit_rate([1.0], [0.0], false_alarm_rate=rate)
