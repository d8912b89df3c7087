"""Exact values, multiplicities, distances and groups: where each finding about faulty files begins, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stripeless.assessment.doctor import middle, pooled
from stripeless.assessment.doctor.fillers import (
    failed_scores,
    far_ends,
    filler_score,
    infinite_scores,
    range_without,
)
from stripeless.assessment.doctor.listed import few_distinct_scores, listed_times, multiplicities, repeated_trials
from stripeless.assessment.doctor.middle import area_by_score, distances
from stripeless.assessment.doctor.pooled import cross_sex_nontargets, of_people, pooled_groups, within
from stripeless.assessment.doctor.runs import (
    Finite,
    Spike,
    count,
    few_values,
    finite_part,
    next_value,
    spike_at,
    spikes,
    towering,
)
from stripeless.assessment.doctor.themselves import self_comparison
from stripeless.measures.one_pass import score_pass
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.finding import Finding

RNG = np.random.default_rng(1)


def finite(target: Any, nontarget: Any) -> Finite:
    return finite_part(score_pass(np.sort(np.asarray(target, float)), np.sort(np.asarray(nontarget, float))))


def code(finding: Finding | None) -> str:
    return "" if finding is None else f"{finding.code} {finding.severity}"


# Exact values


def test_finite_scores_are_those_between_the_infinities() -> None:
    found = finite([1, np.inf, -np.inf, -np.inf, 2], [0, np.inf])
    assert (found.target.tolist(), found.nontarget.tolist()) == ([1, 2], [0])
    assert (found.lowest, found.highest) == ((2, 0), (1, 1))
    assert not found.enough
    assert finite(np.arange(20), np.arange(20)).enough
    assert not finite(np.arange(19), np.arange(99)).enough


def test_values_are_counted_and_found() -> None:
    scores = finite([1, 2, 2, 5], [0, 2, 3])
    assert (count(scores.target, 2), count(scores.target, 2, 1.0), count(scores.target, 4)) == (2, 3, 0)
    assert spike_at(scores, 2.0) == Spike(2.0, 2, 1)
    assert spike_at(scores, 2.0).trials == 3
    assert [next_value(scores, 2.0, up) for up in (False, True)] == [1.0, 3.0]
    assert (next_value(scores, 5.0, True), next_value(scores, 0.0, False), next_value(scores, 4.0, True)) == (
        None,
        None,
        5.0,
    )
    assert few_values(scores) == 5
    assert few_values(finite(range(10), [3])) == 10
    assert few_values(finite(range(11), [3])) is None


@pytest.mark.parametrize(("times", "stands"), [(10, True), (9, False)])
def test_a_spike_towers_five_times_above_three_neighbors_on_each_side(times: int, stands: bool) -> None:
    near = finite([*range(10), 6.0, *[5.0] * (times - 1)], [100.0])
    assert towering(near, spike_at(near, 5.0)) is stands, "its neighbor 6 occurs twice"
    far = finite([*range(10), 9.0, *[5.0] * 4], [100.0])
    assert towering(far, spike_at(far, 5.0)), "9 lies beyond the three neighbors"


def test_spikes_hold_a_share_of_a_class_and_the_largest_comes_first() -> None:
    scores = finite([*RNG.normal(size=70), *[9.0] * 30], [*RNG.normal(size=160), *[-9.0] * 40])
    assert [one.value for one in spikes(scores, 0.1)] == [-9.0, 9.0]
    assert [one.value for one in spikes(scores, 0.25)] == [9.0]
    assert spikes(scores, 0.31) == []


# Infinity, failures, fillers


@pytest.mark.parametrize(
    ("target", "nontarget", "found"),
    [
        ([-np.inf, 1], [0], "infinite_scores caution"),
        ([1], [np.inf, 0], "infinite_scores caution"),
        ([np.inf, 1], [-np.inf, 0], "infinite_scores remark"),
        ([1], [0], ""),
    ],
)
def test_infinity_is_wrong_on_one_side_only(target: Any, nontarget: Any, found: str) -> None:
    assert code(infinite_scores(finite(target, nontarget))) == found


def test_the_range_leaves_out_one_in_a_hundred_at_both_ends_and_the_end_value() -> None:
    """250 targets from 0 to 249 and marks at -1000: two are left out at each end."""
    scores = finite([*range(250), *[-1000.0] * 3], [100.0, 101.0])
    mark = spike_at(scores, -1000.0)
    assert range_without(scores, mark, lowest=True) == 247 - 2
    high = finite([*range(250), *[1000.0] * 3], [100.0])
    assert range_without(high, spike_at(high, 1000.0), lowest=False) == 247 - 2
    wide = finite([1.0, 2.0], np.arange(-300.0, 300.0))
    assert range_without(wide, Spike(9.0, 0, 0), lowest=True) == (299 - 6) - (-300 + 6)
    assert range_without(finite([5.0], [5.0]), Spike(5.0, 1, 1), lowest=True) == 0.0


@pytest.mark.parametrize(("times", "at", "far"), [(3, -300.0, True), (2, -300.0, False), (3, -90.0, False)])
def test_a_mark_is_shared_by_three_trials_and_lies_further_off_than_the_others_spread(
    times: int, at: float, far: bool
) -> None:
    scores = finite([*range(100), *[at] * times], np.arange(100.0))
    assert [end.value for end in far_ends(scores, above=False)] == [at] * far
    turned = finite([*range(100), *[99.0 - at] * times], np.arange(100.0))
    assert [end.value for end in far_ends(turned, above=True)] == [99.0 - at] * far
    assert far_ends(turned, above=False) == ()


def test_failures_are_serious_where_a_fifth_of_one_class_failed_beyond_chance() -> None:
    scores = finite(RNG.normal(size=100), RNG.normal(size=1000))

    def failed(targets: int, nontargets: int) -> str:
        return code(failed_scores(scores, (Spike(-99.0, targets, nontargets),)))

    assert failed_scores(scores, ()) is None
    assert failed(20, 0) == "failed_scores serious"
    assert failed(19, 0) == "failed_scores caution"
    assert failed(20, 200) == "failed_scores caution"
    assert failed(0, 200) == "failed_scores serious"
    both = failed_scores(scores, (Spike(-99.0, 1, 2), Spike(99.0, 3, 4)))
    assert both is not None
    assert both.message.startswith("4 target and 6 nontarget trials score -99 or 99, far from all others")
    assert "(4.0 % of the targets, 0.6 % of the nontargets)" in both.message


def test_a_filler_is_one_value_in_a_tenth_of_a_class_that_nobody_told_of() -> None:
    scores = finite([*RNG.normal(size=180), *[0.5] * 20], RNG.normal(size=400))
    found = filler_score(scores, [])
    assert code(found) == "filler_score caution"
    assert found is not None
    assert found.message.startswith("10.0 % of the targets and 0.0 % of the nontargets score exactly 0.5, while")
    assert filler_score(scores, [0.5 * (1 + 1e-9)]) is None
    assert filler_score(finite([*RNG.normal(size=182), *[0.5] * 18], RNG.normal(size=400)), []) is None


# Decisions and copies


@pytest.mark.parametrize(
    ("values", "trials", "found"),
    [(2, 20, "two values: a decision"), (2, 19, ""), (4, 40, "4 different values"), (1, 50, ""), (11, 500, "")],
)
def test_a_handful_of_values_in_ten_times_as_many_trials(values: int, trials: int, found: str) -> None:
    every = np.arange(trials) % values
    finding = few_distinct_scores(finite(every[: trials // 2], every[trials // 2 :]))
    assert bool(finding) == bool(found)
    assert found in (finding.message if finding else "")


@pytest.mark.parametrize(
    ("times", "listed"),
    [
        ([2] * 30, 2),
        ([2] * 29, None),  # too few different values
        ([1] * 30, None),
        ([3] * 18 + [1] * 12, 3),  # 60 % of one multiplicity
        ([3] * 17 + [1] * 8 + [2] * 5, None),
        ([2] * 20 + [4] * 10 + [1] * 3, 2),  # 91 % are even
        ([2] * 15 + [4] * 12 + [1] * 4, None),  # 87 % are even, and no multiplicity has 60 %
        ([6] * 15 + [4] * 15, 2),
        ([5] * 25 + [4] * 5 + [1] * 15, 5),  # five times those beside it, and most of the trials
        ([5] * 25 + [4] * 3 + [6] * 3 + [1] * 15, None),  # those on both sides count
        ([5] * 25 + [6] * 5 + [1] * 15, 5),
    ],
)
def test_copies_have_one_multiplicity_where_rounding_has_many(times: list[int], listed: int | None) -> None:
    assert listed_times(np.array(times)) == listed


def test_multiplicities_of_a_part_leave_out_what_is_cut() -> None:
    from stripeless.assessment.doctor.listed import WINDOW, WINDOWS

    assert multiplicities(np.array([1.0, 1.0, 2.0, 3.0, 3.0, 3.0])).tolist() == [2, 1, 3]
    many = np.repeat(np.arange(WINDOWS * WINDOW, dtype=float), 3)
    found = multiplicities(many)
    assert set(found.tolist()) == {3}
    assert found.size >= WINDOWS * (WINDOW // 3 - 2)


def test_repeated_trials_name_the_class_and_how_often() -> None:
    once = RNG.normal(size=60)
    scores = finite(np.repeat(once, 2), RNG.normal(size=300))
    found = repeated_trials(scores, None)
    assert code(found) == "repeated_trials caution"
    assert found is not None
    assert "most target trials 2 times are listed" in found.message
    both = repeated_trials(finite(np.repeat(once, 2), np.repeat(RNG.normal(size=90), 3)), None)
    assert both is not None
    assert "most target trials 2 times and most nontarget trials 3 times" in both.message
    assert repeated_trials(finite(once, RNG.normal(size=300)), None) is None
    assert repeated_trials(finite(np.repeat(once[:9], 2), RNG.normal(size=300)), None) is None, "too few to speak of"


@pytest.mark.parametrize(
    ("top", "found"),
    [(5, "self_comparison serious"), (4, ""), (99, "self_comparison serious"), (100, "self_comparison serious")],
)
def test_recordings_compared_with_themselves(top: int, found: str) -> None:
    target = [*RNG.uniform(-0.5, 0.5, 100 if top < 50 else 200 - top), *[1.0] * top]
    finding = self_comparison(finite(target, RNG.uniform(-0.6, 0.4, 400)))
    assert code(finding[0] if finding else None) == found
    assert finding is None or finding[1] == 1.0
    reached = self_comparison(finite(target, [*RNG.uniform(-0.6, 0.4, 400), 1.0]))
    assert reached is None, "a nontarget reaches the top"


# Distances


def test_shares_within_distances_and_areas_are_those_of_all_pairs() -> None:
    scores = finite(RNG.normal(0, 0.5, 70), RNG.normal(0, 1, 151))
    found = distances(scores)
    assert found.middle == np.sort(scores.nontarget)[75]
    assert np.all(np.diff(found.at) > 0)
    within_target = np.array([(np.abs(scores.target - found.middle) <= at).mean() for at in found.at])
    np.testing.assert_allclose(found.target, within_target, atol=2 / 70)
    near, far = np.abs(scores.target - found.middle), np.abs(scores.nontarget - found.middle)
    pairs = (near[:, None] < far).mean() + (near[:, None] == far).mean() / 2
    assert found.area() == pytest.approx(pairs, abs=0.01)
    small = finite(RNG.normal(0.3, 1, 50), RNG.normal(0, 1, 90))
    whole = (small.target[:, None] > small.nontarget).mean()
    assert area_by_score(small) == pytest.approx(whole, abs=0.02)


def error_of_area(people: Any, sides: str) -> float:
    """The standard error for 90 targets of these people, named on these sides."""
    target, nontarget = np.sort(RNG.normal(0, 0.5, 90)), np.sort(RNG.normal(0, 1, 400))
    names = tuple(f"s{k}" for k in range(40))
    named = Factor(names, np.asarray(people, dtype=np.int32), np.zeros(400, dtype=np.int32))
    factors = {f"{side}_speakers": named for side in sides.split()}
    scores = finite(target, nontarget)
    folded = distances(scores)
    return middle._error_of_area(scores, folded, folded.area(), TrialScores(target, nontarget, **factors))


def test_errors_are_over_people_where_one_side_names_them() -> None:
    from math import sqrt

    plain = sqrt((90 + 400 + 1) / (12 * 90 * 400))
    alone = np.repeat(np.arange(30), 3)
    assert error_of_area(alone, "") == pytest.approx(2 * plain)
    assert error_of_area(np.repeat([0, 1], 45), "enrollment trial") == pytest.approx(2 * plain), (
        "two people are too few"
    )
    assert error_of_area(np.where(alone == 3, -1, alone), "trial") == pytest.approx(2 * plain), "somebody is not named"
    for sides in ("enrollment", "trial", "enrollment trial"):
        few, many = error_of_area(np.repeat([0, 1, 2], 30), sides), error_of_area(alone, sides)
        assert few > 3 * plain, "three people, each of whom lies in one place"
        assert plain <= many < 2 * plain


# Groups


def trials_of(first: Any, second: Any, own: Any, label: str = "sex", values: Any = None) -> TrialScores:
    """Targets of the people `own`, nontargets of first against second; people 0, 1 are of group a, 2, 3 of b."""
    names = tuple("wxyz")
    own, first, second = (np.asarray(part, dtype=np.int32) for part in (own, first, second))
    group = np.array([0, 0, 1, 1], dtype=np.int32)
    factor = Factor(("a", "b"), group[own], group[second])
    scores = TrialScores(
        RNG.normal(size=own.size),
        RNG.normal(size=first.size),
        Factor(names, own, first),
        Factor(names, own, second),
        columns={label: factor},
    )
    return scores if values is None else replace(scores, target=values[0], nontarget=values[1])


@pytest.mark.parametrize(("across", "told"), [(70, False), (71, True)])
def test_seven_of_ten_nontargets_may_be_across_the_sexes(across: int, told: bool) -> None:
    first = np.zeros(100, dtype=int)
    second = np.r_[np.full(across, 2), np.full(100 - across, 1)]
    trials = trials_of(first, second, np.arange(4).repeat(5), "Gender")
    found = cross_sex_nontargets(trials)
    assert code(found) == "cross_sex_nontargets caution" * told
    assert found is None or (found.message.startswith("71.0 % of the nontargets") and "--by Gender" in found.message)
    assert cross_sex_nontargets(trials_of(first, second, np.arange(4).repeat(5), "room")) is None
    assert cross_sex_nontargets(trials_of(first[-19:], np.full(19, 2), np.arange(4).repeat(5))) is None


def test_the_label_of_a_person_is_that_of_their_targets() -> None:
    trials = trials_of([0, 1, 2, 0], [1, 2, 3, 3], [0, 1, 2, 2])
    people = of_people(trials, trials.columns["sex"])
    assert people is not None
    assert [part.tolist() for part in people] == [[0, 0, 1, 0], [0, 1, -1, -1]]
    assert within(trials, trials.columns["sex"]).tolist() == [0, -1, -1, -1]
    two = replace(trials.columns["sex"], target=np.array([0, 0, 1, 0], dtype=np.int32))
    assert of_people(trials, two) is None, "one person with two labels"
    nobody = replace(trials, trial_speakers=None)
    assert of_people(nobody, trials.columns["sex"]) is None
    assert within(nobody, trials.columns["sex"]).tolist() == trials.columns["sex"].nontarget.tolist()


@pytest.mark.parametrize(("shift", "people", "told"), [(0.0, 400, False), (3.0, 80, False), (3.0, 400, True)])
def test_groups_that_score_differently_are_not_pooled(shift: float, people: int, told: bool) -> None:
    """With 80 people a difference of one tenth between two rooms may still be luck."""
    rng = np.random.default_rng(5)
    names = tuple(f"s{k:03d}" for k in range(people))
    own = np.repeat(np.arange(people), 4).astype(np.int32)
    group = (np.arange(people) % 2).astype(np.int32)
    first = np.repeat(np.arange(people), 10).astype(np.int32)
    second = ((first + 2 * rng.integers(1, people // 2, first.size)) % people).astype(np.int32)
    target = rng.normal(1.0, 1, own.size) + shift * group[own]
    nontarget = rng.normal(0, 1, first.size) + shift * group[first]
    trials = TrialScores(
        target, nontarget, Factor(names, own, first), Factor(names, own, second),
        columns={"room": Factor(("a", "b"), group[own], group[first]), "one": Factor(("x",), 0 * own, 0 * first)},
    )  # fmt: skip
    found = list(pooled_groups(0.4, finite(target, nontarget), trials))
    assert [code(one) for one in found] == ["pooled_groups caution"] * told
    if told:
        from stripeless.measures.eer import eer

        inside = np.mean([eer(target[group[own] == k], nontarget[group[first] == k]) for k in (0, 1)])
        assert f"within the groups of 'room' it is {100 * inside:.1f} % on average" in found[0].message
        assert found[0].message.startswith("Pooled, the equal error rate is 40.0 %")


@pytest.mark.parametrize(("gap", "rates", "told"), [(0.021, 0.021, True), (0.019, 0.03, False), (0.03, 0.019, False)])
def test_a_difference_of_two_points_in_area_and_error_rate_matters(
    monkeypatch: pytest.MonkeyPatch, gap: float, rates: float, told: bool
) -> None:
    """Two groups of 100 targets and 200 nontargets; area and error rates are stood in for."""
    cells = pooled.Cells(np.full(200, 3), np.full(400, 3))
    groups = pooled.Groups(cells, np.arange(200) % 2, np.arange(400) % 2, 2)
    assert (groups.kept.tolist(), groups.covered) == ([0, 1], 1.0)
    monkeypatch.setattr(
        pooled, "_below", lambda counts: np.full(counts.shape, 0.5 + (gap if counts.ndim == 1 else 0.0))
    )
    monkeypatch.setattr(pooled, "crossing", lambda stairs: 0.3 + rates if stairs.n_target == 200 else 0.9)
    groups.__dict__["error_rate"] = 0.3
    monkeypatch.setattr(pooled, "_is_sure", lambda *given: True)
    assert groups.differ(trials_of([0], [1], [0])) is told
