"""What the doctor says of exact values and spread: the numbers in its messages, and what it must tell apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sound_scores import narrow, sound

import stripeless as s
from stripeless.assessment.doctor.listed import WINDOW, WINDOWS, listed_times, multiplicities
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.finding import Finding


def finding(scores: TrialScores, code: str) -> Finding | None:
    return next((one for one in s.assess_scores(scores, curves=False).warnings if one.code == code), None)


def drawn(seed: int = 0, shift: float = 1.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, 500), rng.normal(0, 1, 8000)


def test_infinite_scores_are_counted_by_sign_and_class() -> None:
    target, nontarget = drawn()
    target[:3], target[3:5], nontarget[:7] = np.inf, -np.inf, -np.inf
    found = finding(TrialScores(target, nontarget), "infinite_scores")
    assert found is not None
    assert (
        "minus infinity in 2 target and 7 nontarget trials; plus infinity in 3 target and 0 nontarget" in found.message
    )
    assert found.severity == "caution"
    nontarget[0] = np.inf
    target[3:5] = 0.0
    assert finding(TrialScores(target, nontarget), "infinite_scores").severity == "caution"  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [-999.0, -1e6, 999.0, 1e6])
def test_a_mark_of_failure_is_no_copy_whatever_its_sign(value: float) -> None:
    target, nontarget = drawn()
    target[:50] = value
    scores = TrialScores(target, nontarget)
    assert finding(scores, "failed_scores").severity == "caution"  # type: ignore[union-attr]
    assert finding(scores, "self_comparison") is None
    assert finding(scores, "filler_score") is None


def test_zeros_where_all_others_are_far_away() -> None:
    target, nontarget = drawn()
    target, nontarget = target + 50, nontarget + 50
    target[:30], nontarget[:500] = 0.0, 0.0
    found = finding(TrialScores(target, nontarget), "failed_scores")
    assert found is not None
    assert "30 target and 500 nontarget trials score 0," in found.message
    assert "6.0 % of the targets, 6.2 % of the nontargets" in found.message


def test_failures_are_serious_where_one_class_alone_has_many() -> None:
    target, nontarget = drawn()
    target[:150] = -999
    assert finding(TrialScores(target, nontarget), "failed_scores").severity == "serious"  # type: ignore[union-attr]
    nontarget[:2400] = -999  # the same share
    assert finding(TrialScores(target, nontarget), "failed_scores").severity == "caution"  # type: ignore[union-attr]


@pytest.mark.parametrize("digits", [2, 4, 6])
def test_rounded_probabilities_at_one_are_sure_not_copies(digits: int) -> None:
    target, nontarget = (np.round(1 / (1 + np.exp(-8 * part)), digits) for part in drawn(shift=2.0))
    assert (target == 1).sum() > 5
    assert finding(TrialScores(target, nontarget), "self_comparison") is None


def test_nearly_all_sure_at_both_ends_are_no_copies() -> None:
    target = np.concatenate([np.ones(480), np.linspace(0.3, 0.6, 20)])
    nontarget = np.concatenate([np.zeros(7900), np.linspace(0.1, 0.5, 100)])
    assert finding(TrialScores(target, nontarget), "self_comparison") is None


def test_copies_are_copies_though_the_last_bits_differ_and_below_a_distance_of_zero() -> None:
    target, nontarget = (np.tanh(part / 4) for part in drawn(shift=0.5))
    target[:40] = 1 + np.arange(-20, 20) * 1e-9
    assert finding(TrialScores(target, nontarget), "self_comparison") is not None
    close = [np.tanh(part / 20) for part in drawn()]  # the top lies far from all others
    close[0][:40] = 1.0
    assert finding(TrialScores(*close), "self_comparison") is not None
    assert finding(TrialScores(*close), "failed_scores") is None
    far = [-np.abs(np.random.default_rng(k).normal(20, 3, size)) for k, size in ((1, 500), (2, 8000))]
    far[0][:40] = 0.0
    assert finding(TrialScores(*far), "self_comparison") is not None
    far[1][:1] = 0.0  # somebody else reaches it
    assert finding(TrialScores(*far), "self_comparison") is None


def test_a_filler_is_named_with_its_share_of_both_classes() -> None:
    target, nontarget = drawn()
    target[:300], nontarget[:1600] = 0.25, 0.25
    found = finding(TrialScores(target, nontarget), "filler_score")
    assert found is not None
    assert found.message.startswith("60.0 % of the targets and 20.0 % of the nontargets score exactly 0.25,")


# --- trials listed several times ------------------------------------------------------------------------------------


def test_most_trials_listed_several_times() -> None:
    target, nontarget = drawn()
    mixed = np.concatenate([np.repeat(target[:150], 10), target[150:]])  # 1,500 of 1,850 rows
    found = finding(TrialScores(mixed, nontarget), "repeated_trials")
    assert found is not None
    assert "most target trials 10 times are listed" in found.message
    few = np.concatenate([np.repeat(target[:50], 3), target[50:]])
    assert finding(TrialScores(few, nontarget), "repeated_trials") is None


@pytest.mark.parametrize("rate", [0.3, 1.0, 1.6, 2.5, 6.0, 30.0])
def test_rounding_gives_multiplicities_that_say_nothing(rate: float) -> None:
    for seed in range(50):
        times = np.random.default_rng(seed).poisson(rate, 200)
        assert listed_times(times[times > 0]) is None


def test_of_many_scores_a_part_is_enough() -> None:
    many = np.sort(np.repeat(np.random.default_rng(0).normal(size=100_000), 3))
    times = multiplicities(many)
    assert times.sum() <= WINDOWS * WINDOW < many.size
    assert listed_times(times) == 3


def test_copies_among_rounded_scores_show_where_people_are_named() -> None:
    rng = np.random.default_rng(0)
    who = rng.integers(0, 40, 1500).astype(np.int32)
    first, second = rng.integers(0, 40, (2, 9000)).astype(np.int32)
    target, nontarget = np.round(rng.normal(1, 1, 1500), 2), np.round(rng.normal(0, 1, 9000), 2)
    rows = np.concatenate([np.repeat(np.arange(1200), 3), np.arange(1200, 1500)])  # a fifth is listed once

    def scores(rows: NDArray[np.int64]) -> TrialScores:
        names = tuple(f"s{k}" for k in range(40))
        return TrialScores(target[rows], nontarget, Factor(names, who[rows], first), Factor(names, who[rows], second))

    assert finding(scores(rows), "repeated_trials") is not None
    assert finding(TrialScores(target[rows], nontarget), "repeated_trials") is None
    assert finding(scores(np.arange(1500)), "repeated_trials") is None


# --- spread ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.1, 0.5, 2.0])
def test_the_attacker_on_the_distance_is_right_as_often_as_the_message_says(spread: float) -> None:
    rng = np.random.default_rng(0)
    target, nontarget = spread * rng.normal(size=500), rng.normal(size=8000)
    sign = -1 if spread < 1 else 1
    middle = np.sort(nontarget)[4000]
    by_distance = s.eer(sign * np.abs(target - middle), sign * np.abs(nontarget - middle))
    found = finding(TrialScores(target, nontarget), "narrow_targets")
    assert found is not None
    assert f"is right {100 * (1 - by_distance):.0f} of 100 times" in found.message
    assert f"for more alike {100 * (1 - s.eer(target, nontarget)):.0f} of 100." in found.message


def test_a_leak_that_the_score_shows_is_not_about_spread() -> None:
    rng = np.random.default_rng(0)
    assert finding(TrialScores(rng.normal(2, 0.3, 500), rng.normal(0, 1, 8000)), "narrow_targets") is None


def test_eight_people_of_whom_each_has_one_place_are_no_spread() -> None:
    """Trials of one pair of people are alike: unnamed they look narrow in many files, named in next to none."""
    found = {True: 0, False: 0}
    for seed in range(60):
        rng = np.random.default_rng([3, seed])
        place = 2 * rng.normal(size=(8, 8))
        who = np.arange(400, dtype=np.int32) % 8
        first = rng.integers(0, 8, 8000).astype(np.int32)
        second = ((first + rng.integers(1, 8, 8000)) % 8).astype(np.int32)
        target = place[who, who] + rng.normal(size=400)
        nontarget = place[first, second] + rng.normal(size=8000)
        names = tuple(f"s{k}" for k in range(8))
        people = Factor(names, who, first), Factor(names, who, second)
        found[True] += finding(TrialScores(target, nontarget, *people), "narrow_targets") is not None
        found[False] += finding(TrialScores(target, nontarget), "narrow_targets") is not None
    assert found[True] <= 1
    assert found[False] > 3


def test_what_is_no_score_is_no_spread_either() -> None:
    target, nontarget = drawn(shift=1.5)
    target[:200] = -999
    assert finding(TrialScores(target, nontarget), "narrow_targets") is None


# --- from files, and in any order -----------------------------------------------------------------------------------


def test_sorted_on_disk_the_same_is_found(tmp_path: Path) -> None:
    target, nontarget = drawn()
    target[:300], nontarget[:4800] = 0.0, 0.0
    lines = [f"{x!r} target" for x in target.tolist()] + [f"{x!r} nontarget" for x in nontarget.tolist()]
    (tmp_path / "scores.txt").write_text("\n".join(lines) + "\n")
    on_disk = s.assess_files(tmp_path / "scores.txt").warnings
    assert [one.code for one in on_disk] == [one.code for one in s.assess(target, nontarget).warnings]
    assert "filler_score" in {one.code for one in on_disk}


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_changes_no_word(seed: int) -> None:
    for scores in (sound(seed), narrow(seed, 0.3)):
        rng = np.random.default_rng(seed)
        t, n = rng.permutation(scores.target.size), rng.permutation(scores.nontarget.size)

        def mixed(factor: Factor | None, t: NDArray[np.int64] = t, n: NDArray[np.int64] = n) -> Factor | None:
            return None if factor is None else Factor(factor.names, factor.target[t], factor.nontarget[n])

        columns = {name: Factor(f.names, f.target[t], f.nontarget[n]) for name, f in scores.columns.items()}
        people = mixed(scores.enrollment_speakers), mixed(scores.trial_speakers)
        again = TrialScores(scores.target[t], scores.nontarget[n], *people, columns)
        assert s.assess_scores(again).warnings == s.assess_scores(scores).warnings
