"""Every sentence of a verdict from measures written down by hand: who, how often, against what, on which basis."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stripeless.assessment.ceiling import examine_ceiling
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.assessment import Assessment, IntervalMethod
from stripeless.results.evaluation import Evaluation
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import below_chance, recognized_at, shows_leak
from stripeless.verdicts.strongest import strongest_of
from stripeless.verdicts.verdict import Verdict, judge, judge_together, of_100, with_interval

Given = float | tuple[float, float | None, float | None] | str | None


def result(attacker: str = "", codes: tuple[str, ...] = (), **given: Given) -> Assessment:
    """An assessment of 1,000 target and 10,000 nontarget trials of 40 people with these values (and intervals)."""
    measures = {}
    for name, value in {"d_ece": 0.0, **given}.items():
        measures[name] = Measure(MEASURES[name], *(value if isinstance(value, tuple) else (value,)))
    findings = tuple(Finding(code.rstrip("!"), "serious" if "!" in code else "caution", "") for code in codes)
    return Assessment(
        measures, 1000, 10_000, 40, attacker=attacker, intervals=IntervalMethod("speakers", 40, 200), warnings=findings
    )


CHANCE = result("semi-informed", eer=(0.49, 0.46, 0.51), d_ece=0.001)
CEILING = result("original", eer=(0.02, 0.01, 0.03), d_ece=0.6)
LAZY = result("lazy-informed", eer=(0.49, 0.47, 0.51), d_ece=0.0005)
BY_EER = result("semi-informed", eer=(0.2, 0.17, 0.24), d_ece=0.2)
BY_HITS = result("semi-informed", ("tail_leak",), eer=(0.45, 0.41, 0.51), d_ece=0.05, hit_rate_1pct=(0.12, 0.08, 0.16))
BASIS = (
    "Basis: the equal error rate of the semi-informed attacker; 1,000 target and 10,000 nontarget trials, 40 speakers."
)
EXCLUDED = (
    "By an attacker who takes a higher score for more alike, up to 54 of 100 right answers cannot be excluded with these "
    "trials (95 % interval; guessing: 50)."
)
BEFORE = "On unprotected speech the same test is answered right 98 of 100 times."
RETRAINS = "An attacker who uses the same anonymizer and retrains on its output"


def against(subject: Assessment, ceiling: Assessment | None) -> Verdict:
    return judge(replace(subject, original=ceiling))


def test_no_leak_seen() -> None:
    assert against(CHANCE, CEILING) == Verdict(
        "quiet",
        "The attacker tried here did no better than guessing, though unprotected speech is recognized.",
        (BEFORE, EXCLUDED),
        BASIS,
    )
    both = judge_together(Evaluation("B1", (LAZY, CHANCE), CEILING))
    assert both.level == "quiet"
    assert (
        both.headline
        == "None of the 2 attackers tried here did better than guessing, though unprotected speech is recognized."
    )
    assert both.basis == BASIS


def test_chance_without_a_ceiling_says_nothing() -> None:
    said = against(CHANCE, None)
    assert said.level == "unclear"
    assert said.headline == f"{RETRAINS} did no better than guessing, which by itself does not show privacy."
    assert said.sentences[0] == EXCLUDED
    assert said.sentences[1].startswith("A badly trained attacker guesses too.")
    assert (len(said.sentences), said.basis) == (2, BASIS)
    bare = against(replace(CHANCE, intervals=None, measures=result(eer=0.49).measures), None)
    assert bare.level == "unclear"
    assert [sentence.split()[0] for sentence in bare.sentences] == ["A"]


@pytest.mark.parametrize(
    "ceiling", [replace(CHANCE, attacker="original"), replace(CEILING, warnings=(Finding("x", "serious", ""),))]
)
def test_a_ceiling_that_fails_or_is_broken_is_none(ceiling: Assessment) -> None:
    said = against(CHANCE, ceiling)
    assert said.level == "invalid"
    assert said.headline.startswith("The attackers fail even on unprotected speech")
    assert said.sentences == (EXCLUDED, "Repair or retrain the recognizer until it works on the original recordings.")
    assert said.basis == BASIS


def test_without_the_best_informed_attacker_nothing_is_quiet() -> None:
    said = against(LAZY, CEILING)
    assert said.level == "unclear"
    assert said.headline.endswith("did no better than guessing, but a better informed one was not tried enough.")
    assert said.sentences[0] == BEFORE
    assert said.sentences[1] == EXCLUDED.replace("54", "53")
    assert said.sentences[2].startswith("An attacker who retrains")


def test_who_was_not_named_is_not_said_to_be_untried() -> None:
    nobody = replace(LAZY, attacker="")
    assert against(nobody, CEILING).headline.endswith("but a better informed one was not named.")
    assert against(LAZY, CEILING).headline.endswith("but a better informed one was not tried enough.")
    leak = replace(BY_EER, attacker="")
    assert any("speech was not named and may learn more" in sentence for sentence in against(leak, CEILING).sentences)
    both = judge_together(Evaluation("B1", (LAZY, replace(leak, attacker="mine")), CEILING))
    assert any("was not named" in sentence for sentence in both.sentences)


def test_no_bound_is_given_where_the_distance_from_the_middle_tells_more() -> None:
    narrow = replace(CHANCE, warnings=(Finding("narrow_targets", "caution", ""),))
    for said in (
        against(narrow, CEILING),
        against(narrow, None),
        judge_together(Evaluation("", (LAZY, narrow), CEILING)),
    ):
        assert said.level == "unclear"
        assert not any("cannot be excluded" in sentence for sentence in said.sentences)
    assert "but the scores tell more than that" in against(narrow, CEILING).headline
    few = replace(narrow, n_target=20, warnings=(*narrow.warnings, Finding("few_trials", "caution", "")))
    assert against(few, CEILING).sentences == ()


@pytest.mark.parametrize(("low", "bounded"), [(0.5, True), (0.501, False)])
def test_a_bound_below_guessing_is_none(low: float, bounded: bool) -> None:
    said = against(result("semi-informed", eer=(0.55, low, 0.6)), CEILING)
    assert any("cannot be excluded" in sentence for sentence in said.sentences) == bounded


def test_few_trials_and_missing_intervals_are_unclear() -> None:
    few = replace(CHANCE, n_target=1, warnings=(Finding("few_trials", "caution", ""),))
    assert against(few, CEILING).headline == "With 1 trial in the smaller class nothing can be said about privacy yet."
    assert against(few, CEILING).sentences == (EXCLUDED,)
    more = replace(few, n_target=1200, n_nontarget=1100)
    assert "With 1,100 trials in" in against(more, CEILING).headline
    none = replace(CHANCE, measures=result(eer=0.49).measures)
    said = against(none, CEILING)
    assert (said.level, len(said.sentences)) == ("unclear", 1)
    assert said.headline.startswith("There is no interval")
    enough = judge_together(Evaluation("B1", (LAZY, replace(CHANCE, warnings=few.warnings)), CEILING))
    assert enough.level == "unclear", "the best informed attacker had too few trials to count"


def test_a_leak_on_average() -> None:
    said = against(BY_EER, CEILING)
    assert said.level == "leaking"
    assert (
        said.headline == f"{RETRAINS} tells whether two recordings are of the same person and is right 80 of 100 times."
    )
    assert said.sentences == (
        "95 % interval: 76 to 83 of 100. Guessing is right 50 of 100 times, unprotected speech gives 98 of 100.",
        "On average that is 33 % of the evidence that unprotected speech gives (D_ECE 0.20 of 0.60 bit).",
    )
    assert said.basis == BASIS
    alone = against(BY_EER, None)
    assert alone.sentences == (
        "95 % interval: 76 to 83 of 100. Guessing is right 50 of 100 times.",
        "On average that is 28 % of the evidence that an attacker who is never wrong would get (D_ECE 0.20 of 0.72 bit).",
    )
    assert against(BY_EER, replace(CEILING, measures=result(eer=0.02, d_ece=0.4).measures)).level == "exposed"


def test_a_leak_of_some() -> None:
    ceiling = replace(
        CEILING, measures={**CEILING.measures, **result(hit_rate_1pct=0.9).measures, "d_ece": CEILING.measures["d_ece"]}
    )
    said = against(BY_HITS, ceiling)
    assert (
        said.headline
        == f"{RETRAINS} recognizes the speaker in 12 of 100 recordings, while mistaking 1 stranger in 100."
    )
    assert said.sentences[:3] == (
        "95 % interval: 8 to 16 of 100. Guessing would find 1 of 100, unprotected speech 90 of 100.",
        "Asked whether two recordings are of the same person, this attacker is right 55 of 100 times (guessing: 50, "
        "unprotected speech gives 98 of 100).",
        "The equal error rate hides this: most people cannot be told from strangers, but these can.",
    )
    assert said.basis == BASIS.replace("the equal error rate", "the hit rate at 1 % false alarms")
    assert against(BY_HITS, None).sentences[0] == "95 % interval: 8 to 16 of 100. Guessing would find 1 of 100."
    assert "unprotected" not in against(BY_HITS, CEILING).sentences[0], "the ceiling has no such hit rate"


@pytest.mark.parametrize(("eer", "codes", "hidden"), [(0.45, (), False), (0.5, (), True), (0.45, ("chance",), True)])
def test_what_the_equal_error_rate_hides(eer: float, codes: tuple[str, ...], hidden: bool) -> None:
    said = judge(result("", codes, eer=eer, hit_rate_1pct=(0.12, 0.08, 0.16)))
    assert any("hides" in sentence for sentence in said.sentences) == hidden
    assert said.headline.startswith("The attacker behind these scores recognizes")
    assert (
        "speakers unknown"
        in judge(replace(result("", codes, eer=eer, hit_rate_1pct=(0.12, 0.08, 0.16)), n_speakers=None)).basis
    )


def test_more_than_the_ceiling_gives_is_said() -> None:
    low = replace(CEILING, measures=result(eer=0.02, d_ece=0.1).measures)
    said = against(BY_EER, low)
    assert said.level == "exposed"
    assert "more evidence than unprotected speech gives (D_ECE 0.20 of 0.10 bit)" in said.sentences[1]
    same = replace(CEILING, measures=result(eer=0.02, d_ece=0.2).measures)
    assert "100 % of the evidence that unprotected speech gives" in against(BY_EER, same).sentences[1]
    nothing = replace(CEILING, measures=result(eer=0.02, d_ece=0.0).measures)
    assert against(BY_EER, nothing).level == "exposed"


@pytest.mark.parametrize(
    ("mine", "theirs", "more"),
    [
        (0.718, 0.715, False), (0.715 * 1.11, 0.715, True),
        ((0.718, 0.7, 0.74), (0.715, 0.70, 0.73), False), ((0.3, 0.25, 0.35), (0.2, 0.15, 0.26), False),
        ((0.3, 0.27, 0.35), (0.2, 0.15, 0.26), True),
    ],
)  # fmt: skip
def test_more_than_the_ceiling_is_said_only_where_it_is_sure(mine: Given, theirs: Given, more: bool) -> None:
    subject, ceiling = result("semi-informed", eer=(0.02, 0.01, 0.03), d_ece=mine), result(eer=0.02, d_ece=theirs)
    said = against(subject, ceiling)
    assert any("so the ceiling is none" in sentence for sentence in said.sentences) == more
    assert any("as far as these trials can tell" in sentence for sentence in said.sentences) != more
    assert any(finding.code == "ceiling_below" for finding in examine_ceiling(subject, ceiling)) == more


@pytest.mark.parametrize(
    ("log10", "category", "said"),
    [
        (2.5, "C", "about 320 to 1: category C, 100 to 1 up to 10,000 to 1."),
        (0.5, "A", "about 3.2 to 1: category A, weaker than 10 to 1."),
        (1.0, "B", "about 10 to 1: category B, 10 to 1 up to 100 to 1."),
        (None, "B", ""),
        (1.0, None, ""),
    ],
)
def test_the_worst_single_piece_of_evidence(log10: float | None, category: str | None, said: str) -> None:
    worst = replace(
        BY_EER, measures={**BY_EER.measures, **result(log10_lr=log10, category=category, d_ece=0.2).measures}
    )
    last = against(worst, None).sentences[-1]
    assert last.endswith(said) if said else "strongest single" not in last


def test_what_was_not_tried_or_broke_is_said() -> None:
    lazy = replace(BY_EER, attacker="lazy-informed")
    assert any("was not tried" in sentence for sentence in against(lazy, CEILING).sentences)
    assert not any("was not tried" in sentence for sentence in against(BY_EER, CEILING).sentences)
    bare = against(replace(BY_EER, attacker="original"), None)
    assert not any("was not tried" in sentence for sentence in bare.sentences)
    assert "of the original attacker" not in bare.basis
    assert bare.headline.startswith("Without any protection, an attacker tells")
    failed = judge_together(Evaluation("B1", (BY_EER, replace(LAZY, warnings=(Finding("x", "serious", ""),))), CEILING))
    assert any("the least that can be learned" in sentence for sentence in failed.sentences)
    told = judge_together(Evaluation("B1", (BY_EER,), CEILING, warnings=(Finding("x", "serious", ""),)))
    assert any("the least that can be learned" in sentence for sentence in told.sentences)
    few = replace(BY_EER, warnings=(Finding("few_trials", "caution", ""),))
    assert any("trials are few" in sentence for sentence in against(few, CEILING).sentences)
    assert not any("trials are few" in sentence for sentence in against(BY_EER, CEILING).sentences)


def test_broken_numbers_are_not_read() -> None:
    said = against(replace(CHANCE, warnings=(Finding("x", "serious", ""),)), CEILING)
    assert said.level == "invalid"
    assert said.sentences == ("For the record: the equal error rate of these scores is 49.0 % (46.0 to 51.0 %).",)
    assert said.basis == BASIS.replace("the equal error rate", "the warnings of this report")
    assert with_interval(result(eer=0.49), "eer") == "49.0 %"
    assert against(replace(CHANCE, warnings=(Finding("not_llr", "serious", ""),)), CEILING).level == "quiet"
    swapped = Finding("signs_swapped", "serious", "")
    assert against(replace(BY_HITS, warnings=(swapped,)), None).level == "leaking", (
        "targets are recognized all the same"
    )
    assert against(replace(BY_EER, warnings=(swapped,)), None).level == "invalid"


def test_counts_of_a_hundred() -> None:
    assert [of_100(share) for share in (0.0, 0.005, 0.006, 0.3, 0.994, 0.995, 1.0)] == [
        "none of 100", "fewer than 1 of 100", "1 of 100", "30 of 100", "99 of 100", "more than 99 of 100", "all of 100",
    ]  # fmt: skip


# Leaks


def test_an_interval_below_one_half_decides_where_trials_are_enough() -> None:
    assert below_chance(BY_EER)
    assert not below_chance(result(eer=(0.2, 0.1, 0.5)))
    assert not below_chance(result(eer=(0.2, 0.1, None)))
    assert not below_chance(result("", ("chance",), eer=(0.2, 0.17, 0.24)))
    assert not below_chance(result(eer=(0.5, 0.4, 0.499)))
    assert not below_chance(result(d_ece=0.5))
    bare = replace(result(eer=0.46), intervals=None)  # 1,000 + 10,000 trials: p is below 0.001
    assert below_chance(bare)
    assert not below_chance(replace(bare, n_target=100, n_nontarget=1000))


@pytest.mark.parametrize(("codes", "leaks"), [((), True), (("few_trials",), False)])
def test_few_trials_need_a_smaller_p_value(codes: tuple[str, ...], leaks: bool) -> None:
    """EER 35 % of 40 + 40 trials happens by chance more often than once in 1,000 times and less than once in 40."""
    weak = replace(result("", codes, eer=(0.35, 0.3, 0.4)), n_target=40, n_nontarget=40)
    assert below_chance(weak) == leaks


def test_the_mildest_rate_that_is_sure_is_named() -> None:
    both = result(eer=0.5, hit_rate_1pct=(0.12, 0.08, 0.16), hit_rate_0_1pct=(0.05, 0.02, 0.08))
    assert recognized_at(both) == "hit_rate_1pct"
    rare = result(eer=0.5, hit_rate_1pct=(0.012, 0.008, 0.016), hit_rate_0_1pct=(0.05, 0.02, 0.08))
    assert recognized_at(rare) == "hit_rate_0_1pct"
    unsure = result(eer=0.5, hit_rate_1pct=(0.012, 0.008, 0.016), hit_rate_0_1pct=(0.005, 0.0, 0.01))
    assert recognized_at(unsure) == ""
    assert not shows_leak(unsure)
    told = replace(unsure, warnings=(Finding("tail_leak", "caution", ""),))
    assert recognized_at(told) == "hit_rate_0_1pct", "five times chance is more than 1.2 times"
    assert recognized_at(result("", ("tail_leak",), eer=0.5)) == ""
    at_chance = result(eer=0.5, hit_rate_1pct=(0.12, 0.01, 0.16))
    assert recognized_at(at_chance) == "", "the interval ends at chance"
    assert recognized_at(result(eer=0.5, hit_rate_1pct=(0.12, None, None))) == "", "an interval was asked for"


# Who is strongest


def test_leaks_come_first_then_enough_trials_then_the_private_end() -> None:
    leak = result("a", eer=(0.2, 0.17, 0.24), d_ece=(0.1, 0.05, 0.2))
    loud = result("b", eer=(0.49, 0.46, 0.51), d_ece=(0.9, 0.8, 1.0))
    few = result("c", ("few_trials",), eer=(0.49, 0.46, 0.51), d_ece=(1.0, 0.9, 1.0))
    broken = result("d", ("x!",), eer=(0.1, 0.05, 0.15), d_ece=(0.95, 0.7, 1.0))
    assert [strongest_of(some) for some in ((loud, leak), (few, loud), (loud, broken), (few,))] == [1, 1, 0, 0]
    wide, narrow = result(d_ece=(0.5, 0.1, 0.9), eer=0.5), result(d_ece=(0.4, 0.3, 0.5), eer=0.5)
    assert strongest_of((wide, narrow)) == 1
    assert strongest_of((result(d_ece=0.5, eer=0.5), result(d_ece=0.4, eer=0.5))) == 0
    assert strongest_of((result(d_ece=None, eer=0.5), result(d_ece=0.4, eer=0.5))) == 1
    by_eer = result(eer=(0.45, 0.3, 0.6)), result(eer=(0.48, 0.4, 0.55))
    assert strongest_of(by_eer, by="eer") == 1, "55 % at worst is less private than 60 %"
    assert strongest_of((result(eer=0.48), result(eer=0.45)), by="eer") == 1
