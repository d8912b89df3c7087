"""Where each finding of the doctor begins: at which number, on which class, and what it says there."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from stripeless.assessment.assess import assess, assess_scores
from stripeless.assessment.doctor.calibration import not_calibrated
from stripeless.assessment.doctor.people import few_speakers
from stripeless.assessment.doctor.scores import (
    constant_scores,
    direction,
    rank_p_value,
    recognized_tail,
    worst_at_reach,
)
from stripeless.assessment.doctor.trials import few_trials, missing_trials
from stripeless.assessment.doctor.twins import find_twins
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.measures.one_pass import ScorePass, score_pass
from stripeless.results.assessment import Assessment, IntervalMethod
from stripeless.scores.trials import Factor, MissingTrials, TrialScores
from stripeless.tables.inputs import InputFile
from stripeless.verdicts.finding import Finding

RNG = np.random.default_rng(0)
GUESSED = score_pass(np.sort(RNG.normal(size=400)), np.sort(RNG.normal(size=900)))


def result(
    n_target: int = 1000, n_nontarget: int = 2000, n_speakers: int | None = 40, unit: str = "speakers", **given: Any
) -> Assessment:
    """An assessment with these values, or (value, low, high, reach), and nothing else known."""
    none = dict.fromkeys(("hit_rate_1pct", "hit_rate_0_1pct", "hit_rate_0_01pct"))
    values = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in {"d_ece": 0.1, "eer": 0.3, **none, **given}.items()
    }
    measures = {name: Measure(MEASURES[name], *value) for name, value in values.items()}
    return Assessment(measures, n_target, n_nontarget, n_speakers, intervals=IntervalMethod(unit, 40, 200))


def code(finding: Finding | None) -> str:
    return "" if finding is None else f"{finding.code} {finding.severity}"


# Direction


@pytest.mark.parametrize("ties", [False, True])
def test_the_rank_test_is_that_of_mann_and_whitney(ties: bool) -> None:
    target, nontarget = RNG.normal(0.2, 1, 80), RNG.normal(0, 1, 300)
    if ties:
        target, nontarget = target.round(1), nontarget.round(1)
    auc, p = rank_p_value(score_pass(target, nontarget))
    theirs = mannwhitneyu(target, nontarget, use_continuity=False, method="asymptotic")
    assert auc == pytest.approx(theirs.statistic / (80 * 300))
    assert p == pytest.approx(theirs.pvalue, rel=1e-9 if not ties else 0.02)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.45, 0.55, "chance caution"),
        (0.50, 0.60, "chance caution"),
        (0.40, 0.50, "chance caution"),
        (0.40, 0.49, ""),
        (0.51, 0.60, "signs_swapped serious"),
    ],
)
def test_the_interval_decides_the_direction(low: float, high: float, found: str) -> None:
    assert code(direction(result(eer=(0.5, low, high)), GUESSED)) == found


def test_without_an_interval_the_exact_test_decides() -> None:
    assert code(direction(result(eer=0.5), GUESSED)) == "chance caution"
    swapped = score_pass(RNG.normal(-1, 1, 400), RNG.normal(0, 1, 900))
    assert code(direction(result(eer=0.69), swapped)) == "signs_swapped serious"
    assert code(direction(result(eer=0.45), swapped)) == ""
    right = score_pass(RNG.normal(1, 1, 400), RNG.normal(0, 1, 900))
    assert code(direction(result(eer=0.51), right)) == ""


def test_swapped_signs_are_sure_over_people_or_far_from_half() -> None:
    trials = result(eer=(0.55, 0.52, 0.58), unit="trials")
    assert code(direction(trials, GUESSED)) == "signs_swapped caution"
    assert "name the speakers" in direction(trials, GUESSED).message  # type: ignore[union-attr]
    assert code(direction(result(eer=(0.61, 0.52, 0.7), unit="trials"), GUESSED)) == "signs_swapped serious"
    assert code(direction(replace(trials, intervals=None), GUESSED)) == "signs_swapped caution"
    assert "name the speakers" not in direction(result(eer=(0.55, 0.52, 0.58)), GUESSED).message  # type: ignore[union-attr]


def test_ten_trials_of_each_class_are_needed_to_call_it_guessing() -> None:
    level = (0.5, 0.4, 0.6)
    assert code(direction(result(10, 2000, eer=level), GUESSED)) == "chance caution"
    assert code(direction(result(9, 2000, eer=level), GUESSED)) == ""
    assert code(direction(result(2000, 9, eer=level), GUESSED)) == ""


def test_one_value_everywhere_is_silence() -> None:
    def passed(target: list[float], nontarget: list[float]) -> ScorePass:
        return score_pass(np.array(target), np.array(nontarget))

    assert code(constant_scores(passed([2.5, 2.5], [2.5]))) == "constant serious"
    assert "Every score is 2.5." in constant_scores(passed([2.5], [2.5])).message  # type: ignore[union-attr]
    for target, nontarget in (([2.5, 2.5], [2.5, 3.0]), ([2.0, 2.5], [2.5, 2.5]), ([2.0, 2.0], [2.5, 2.5])):
        assert constant_scores(passed(target, nontarget)) is None
    assert direction(result(eer=(0.5, 0.4, 0.6)), passed([1.0], [1.0])) is None


# Tails


def test_a_tail_is_recognized_from_twice_chance_on() -> None:
    def told(**given: Any) -> str | None:
        return recognized_tail(result(**given), GUESSED)

    assert told(hit_rate_1pct=(0.12, 0.021, 0.2)) == "12.0 % of the targets are recognized at 1 % false alarms"
    assert told(hit_rate_1pct=(0.12, 0.020, 0.2)) is None
    assert told(hit_rate_0_1pct=(0.05, 0.0021, 0.1)) == "5.0 % of the targets are recognized at 0.1 % false alarms"
    both = told(hit_rate_1pct=(0.12, 0.03, 0.2), hit_rate_0_1pct=(0.05, 0.02, 0.1))
    assert both is not None
    assert "at 1 %" in both
    assert told() is None


def test_a_tail_without_an_interval_is_counted() -> None:
    """Of 400 targets 40 stand above all others: far beyond twice 1 %; 10 are not."""
    for hidden, found in ((40, True), (10, False)):
        target = np.r_[RNG.normal(0, 1, 400 - hidden), np.full(hidden, 9.0)]
        scores = score_pass(target, RNG.normal(0, 1, 3000))
        said = recognized_tail(result(hit_rate_1pct=hidden / 400), scores)
        assert (said is not None) == found


def test_a_tail_is_told_where_the_eer_hides_it() -> None:
    tail = {"hit_rate_1pct": (0.12, 0.05, 0.2)}
    assert code(direction(result(eer=(0.5, 0.45, 0.55), **tail), GUESSED)) == "tail_leak caution"
    assert code(direction(result(eer=(0.6, 0.55, 0.65), **tail), GUESSED)) == "tail_leak caution"
    assert direction(result(eer=(0.3, 0.25, 0.35), **tail), GUESSED) is None


# Reach


@pytest.mark.parametrize(
    ("worst", "reach", "found"),
    [
        (2.5, 2.55, "category_at_reach caution"),  # C, but as good as at its reach
        (2.5, 2.61, "category_at_reach remark"),
        (1.2, 1.9, "category_at_reach caution"),  # B
        (1.9, 2.5, ""),  # B of at most C
        (0.0, 0.0, ""),
        (2.5, None, ""),
    ],
)
def test_a_worst_case_at_its_reach(worst: float, reach: float | None, found: str) -> None:
    assert code(worst_at_reach(result(log10_lr=(worst, None, None, reach)))) == found


# Trials, people, calibration


@pytest.mark.parametrize(
    ("n_target", "n_nontarget", "eer", "found", "said"),
    [
        (99, 5000, 0.4, "few_trials caution", "Only 99 target trials"),
        (5000, 99, 0.4, "few_trials caution", "Only 99 nontarget trials"),
        (99, 99, 0.4, "few_trials caution", "Only 99 target trials"),
        (100, 5000, 0.31, "", ""),
        (100, 5000, 0.29, "few_errors remark", "about 29 errors among the target trials"),
        (5000, 200, 0.1, "few_errors remark", "about 20 errors among the nontarget trials"),
        (100, 5000, 0.30, "", ""),
    ],
)
def test_few_trials_and_few_errors(n_target: int, n_nontarget: int, eer: float, found: str, said: str) -> None:
    finding = few_trials(result(n_target, n_nontarget, eer=eer))
    assert code(finding) == found
    assert said in (finding.message if finding else "")


def test_missing_trials_name_the_class_that_is_missing_more() -> None:
    assert missing_trials(MissingTrials(0, 0), 100, 900) is None
    even = missing_trials(MissingTrials(10, 90, 1234), 100, 900)
    assert code(even) == "missing caution"
    assert even is not None
    assert even.message.startswith("10 target and 90 nontarget trials have no score, 1,234 scores have no trial; they")
    for lost, more in ((MissingTrials(40, 90), "target"), (MissingTrials(0, 400), "nontarget")):
        found = missing_trials(lost, 100, 900)
        assert code(found) == "missing_unbalanced serious"
        assert found is not None
        assert f", and {more} trials are missing more often" in found.message
        assert "scores have no trial" not in found.message


@pytest.mark.parametrize(
    ("speakers", "found"), [(None, "speakers_unknown remark"), (19, "few_speakers caution"), (20, "")]
)
def test_few_or_unknown_people(speakers: int | None, found: str) -> None:
    assert code(few_speakers(result(n_speakers=speakers))) == found


def test_a_tenth_of_a_bit_of_lost_calibration_is_told() -> None:
    assert code(not_calibrated(result(cllr=0.5, cllr_min=0.39), llr=True)) == "not_llr serious"
    assert code(not_calibrated(result(cllr=0.5, cllr_min=0.39), llr=False)) == "not_llr remark"
    assert not_calibrated(result(cllr=0.5, cllr_min=0.41), llr=True) is None
    assert not_calibrated(result(cllr=None, cllr_min=0.41), llr=True) is None


# Twins


def test_twins_come_from_one_file_or_agree_in_every_number() -> None:
    one = replace(result(eer=0.3), name="a", inputs=(InputFile("a.txt", "ab"), InputFile("list", "xx")))
    same = replace(result(eer=0.2), name="b", inputs=(InputFile("b.txt", "ab"),))
    other = replace(result(eer=0.3), name="c", inputs=(InputFile("c.txt", "cd"),))
    bare = result(eer=0.25)
    assert [f.message for f in find_twins([one, same])] == [
        "a and b were read from the same scores: one of the two is probably not the file it should be."
    ]
    (agree,) = find_twins([one, other])
    assert (agree.code, agree.severity) == ("identical", "serious")
    assert "a and c agree in every number" in agree.message
    assert find_twins([same, other, bare]) == []
    assert (
        find_twins([bare, replace(bare, n_target=7), replace(bare, n_nontarget=7), replace(bare, n_speakers=7)]) == []
    )
    assert "a result and another agree" in find_twins([bare, bare])[0].message
    assert len(find_twins([bare, bare, bare])) == 3


# The whole


def test_an_assessment_knows_what_it_was_made_of() -> None:
    codes = np.repeat(np.arange(30), 10).astype(np.int32), np.repeat(np.arange(30), 30).astype(np.int32)
    people = Factor(tuple(f"s{k}" for k in range(30)), *codes)
    scores = TrialScores(
        RNG.normal(1, 1, 300), RNG.normal(0, 1, 900), enrollment_speakers=people, trial_speakers=people,
        notes=("a note",), missing=MissingTrials(1, 2), inputs=(InputFile("x", "ab"),), trial_digest="d",
    )  # fmt: skip
    shares: list[float] = []
    found = assess_scores(scores, resamples=100, seed=7, name="X", attacker="lazy", progress=shares.append)
    assert (found.n_target, found.n_nontarget, found.n_speakers, found.seed) == (300, 900, 30, 7)
    assert (found.name, found.attacker, found.notes, found.missing, found.inputs, found.trial_digest) == (
        "X", "lazy", ("a note",), scores.missing, scores.inputs, "d",
    )  # fmt: skip
    assert found.intervals == IntervalMethod("speakers", 30, 100)
    assert shares == sorted(shares)
    assert 0.9 < shares[-1] <= 1.0
    category = found.measures["category"]
    worst = found.measures["log10_lr"]
    assert category.low == MEASURES["category"].in_words(worst.low)  # type: ignore[misc]
    assert category.high == MEASURES["category"].in_words(worst.high)  # type: ignore[misc]
    assert found.measures["epsilon"].low is None
    assert found.curves
    plain = assess_scores(scores, curves=False)
    assert (plain.intervals, dict(plain.curves), plain.n_speakers) == (None, {}, 30)
    assert all(measure.low is None for name, measure in plain.measures.items() if name != "epsilon")
    nobody = assess(scores.target, scores.nontarget, resamples=100)
    assert nobody.intervals == IntervalMethod("trials", 300, 100)
    assert nobody.n_speakers is None


def test_without_people_drawn_nothing_is_proven_of_people_who_are_named() -> None:
    codes = np.repeat(np.arange(20), 5).astype(np.int32), np.repeat(np.arange(20), 50).astype(np.int32)
    people = Factor(tuple(f"s{k}" for k in range(20)), *codes)
    target, nontarget = RNG.normal(3, 1, 100), RNG.normal(0, 1, 1000)
    scores = TrialScores(target, nontarget, enrollment_speakers=people, trial_speakers=people)
    plain = assess_scores(scores, curves=False, permutations=0).measures["epsilon"]
    assert plain.value is None
    assert "none were drawn" in plain.reason
    assert assess_scores(scores, curves=False, permutations=0, resamples=100).value_of("epsilon") is not None
    assert assess(target, nontarget)["epsilon"] is not None, (
        "nobody is named: trials pass for independent, and it is said"
    )


def test_epsilon_over_people_is_what_the_lower_limits_prove() -> None:
    from math import log

    from stripeless.assessment import assess as module

    ends = {"hit_rate_1pct": (0.05, 0.2), "hit_rate_0_1pct": (0.0101, 0.1), "hit_rate_0_01pct": None}
    asked: list[tuple[str, float, float]] = []

    def interval(name: str, value: float, values: Any, units: int, level: float) -> Any:
        asked.append((name, round(level, 6), units))
        return ends[name]

    measures = {
        **result(hit_rate_1pct=0.12, hit_rate_0_1pct=0.05).measures,
        "epsilon": Measure(MEASURES["epsilon"], 1.0, 0.5, 1.5),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "interval", interval)
        found = module.epsilon_over_people(measures, dict.fromkeys(ends, SimpleNamespace()), 40)
        assert found.value == pytest.approx(log(10.1))
        assert (found.low, found.high) == (None, None)
        assert asked == [("hit_rate_1pct", 0.975, 40), ("hit_rate_0_1pct", 0.975, 40)]
        ends["hit_rate_1pct"] = ends["hit_rate_0_1pct"] = (0.0001, 0.2)
        assert module.epsilon_over_people(measures, dict.fromkeys(ends), 40).value == 0.0  # type: ignore[arg-type]
        none = {**measures, **{name: Measure(MEASURES[name], None) for name in ends}}
        assert module.epsilon_over_people(none, dict.fromkeys(ends), 40) is measures["epsilon"]  # type: ignore[arg-type]


def test_a_measure_without_a_value_has_no_interval() -> None:
    from stripeless.assessment.assess import with_intervals

    measures = {"eer": Measure(MEASURES["eer"], 0.3), "d_ece": Measure(MEASURES["d_ece"], None, reason="why")}
    drawn = RNG.normal(0.3, 0.01, 200)
    found = with_intervals(measures, {"eer": drawn, "d_ece": drawn}, 30)
    assert found["eer"].low is not None
    assert found["d_ece"] is measures["d_ece"]
