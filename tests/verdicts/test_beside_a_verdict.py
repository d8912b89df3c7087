"""What stands beside a verdict: no names, no test, broken numbers, several files, ceilings, findings that speak against it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from written_evidence import CEILING, CONTROL, LEAKS, QUIET, Given, at_chance, leaking, result, shown

from stripeless.results.evaluation import Evaluation
from stripeless.verdicts.evidence import Evidence, Reached
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.strongest import strongest_of
from stripeless.verdicts.verdict import judge, judge_together, of_100, with_interval


def test_without_names_the_worst_case_is_named_and_how_many_people_it_takes() -> None:
    reached = Reached("", "semi-informed", 0.7, 0.2, 1.0, 0.3, corrected=0.7)
    unnamed = Evidence("clusters", 0.3, (reached,), 2)
    said = judge(replace(leaking(unnamed), n_speakers=None))
    assert said.label == "Cannot tell"
    assert said.headline == (
        "Nobody is named, so this result can come about by who happens to speak, without a leak. It would be a leak from 7 "
        "people on: name them (speaker columns, utt2spk), or state how many there are (--people)."
    )
    stated = replace(unnamed, people=5, people_stated=True)
    told = judge(replace(leaking(stated), n_speakers=None))
    assert told.headline.startswith("If they are 5, this result can come about")
    assert told.basis.endswith("5 speakers by your word.")
    few = judge(replace(leaking(replace(unnamed, attackers=(replace(reached, auc=1.0),))), n_speakers=None))
    assert few.headline.startswith("Nobody is named and the trials are few")
    none = judge(replace(leaking(replace(unnamed, attackers=(replace(reached, auc=0.5),))), n_speakers=None))
    assert none.headline.startswith("No sign of a leak was found, but without names nothing bounds")
    sure = judge(replace(leaking(replace(stated, p=0.01)), n_speakers=None))
    assert sure.label == "Leak"
    assert sure.sentences[0].startswith(
        "Without a leak, 5 people who speak about equally often show so much with probability 0.01"
    )


def test_without_a_test_nothing_is_said() -> None:
    assert judge(at_chance(None)).headline.startswith("This result holds no test for a leak")
    said = judge(at_chance(Evidence(reason="most people are compared with nobody", said=("A.",))))
    assert (said.label, said.headline, said.sentences) == (
        "Cannot tell", "There was no test for a leak: most people are compared with nobody.", ("A.",),
    )  # fmt: skip


def test_broken_numbers_are_not_read() -> None:
    broken = (Finding("x", "serious", ""),)
    for evidence in (QUIET, LEAKS, None):
        said = judge(replace(at_chance(evidence), warnings=broken))
        assert said.label == "No verdict"
        assert said.sentences == ("For the record: the equal error rate of these scores is 49.0 % (46.0 to 51.0 %).",)
        assert said.basis.startswith("Basis: the findings of this report")
    assert judge(replace(at_chance(QUIET), warnings=(Finding("not_llr", "serious", ""),))).label == "No leak seen"
    swapped = (Finding("signs_swapped", "serious", ""),)
    assert judge(replace(leaking(shown(0.001, by="top")), warnings=swapped)).label != "No verdict", (
        "some are recognized all the same"
    )
    assert judge(replace(leaking(), warnings=swapped)).label == "No verdict"
    together = Evaluation("B1", (leaking(),), CEILING, warnings=broken, evidence=LEAKS)
    assert judge_together(together).label == "No verdict", "the finding is about the data of all"


def test_what_a_sound_attacker_shows_stands_beside_a_broken_one() -> None:
    bad = replace(at_chance(shown()), warnings=(Finding("constant", "serious", ""),))
    good = leaking(shown(0.001, 0.69, attacker="lazy-informed"), "lazy-informed")
    rows = (*shown().attackers, *good.evidence.attackers)  # type: ignore[union-attr]
    said = judge_together(Evaluation("B1", (good, bad), CEILING, evidence=replace(LEAKS, attackers=rows)))
    assert said.label == "Leak"
    assert (
        said.sentences[-1].startswith("An attacker who retrains")
        or "the least that can be learned" in said.sentences[-1]
    )
    assert any("the least that can be learned" in s for s in said.sentences)
    assert "lazy-informed" in said.basis
    only_bad = (replace(LEAKS.attackers[0]), *shown(0.4, attacker="lazy-informed").attackers)
    said = judge_together(Evaluation("B1", (good, bad), CEILING, evidence=replace(LEAKS, attackers=only_bad)))
    assert said.label == "No verdict", "the sign is that of the broken attacker"
    quiet = Evaluation("B1", (at_chance(QUIET, "lazy-informed"), bad), CEILING, evidence=QUIET)
    assert judge_together(quiet).label == "No verdict"


def test_a_control_that_is_broken_or_stands_beside_a_file_is_taken_as_it_is() -> None:
    control = result("original", evidence=shown(0.001, 0.98, 0.02, attacker="original"), eer=0.02, d_ece=0.6)
    beside = replace(at_chance(replace(QUIET, original=None)), original=control)
    assert judge(beside).label == "No leak seen", "the test on the original file is the control"
    broken = replace(control, warnings=(Finding("constant", "serious", ""),))
    said = judge(replace(beside, original=broken))
    assert (said.label, said.headline) == (
        "Cannot tell",
        "The control on original data has a serious finding, so it shows nothing.",
    )


def test_several_files_are_joined_and_each_pays_for_all() -> None:
    one, two = at_chance(shown(0.02), "a"), at_chance(shown(0.4), "b")
    assert judge_together(Evaluation("", (one,))).label == "Leak"
    assert judge_together(Evaluation("", (one, replace(two, evidence=shown(0.024))))).label == "Leak"
    three = replace(two, evidence=shown(0.41))
    assert judge_together(Evaluation("", (one, two, three))).label == "Cannot tell", "0.02 three times is 0.06"
    assert judge_together(Evaluation("", (one, two, two))).label == "Leak", "the same attacker twice is one"


def test_an_attacker_who_retrains_and_was_not_tried_is_named_beside_a_leak() -> None:
    lazy = judge(leaking(shown(0.001, 0.69, attacker="lazy-informed"), "lazy-informed"))
    assert "An attacker who retrains on anonymized speech was not tried and may learn more." in lazy.sentences
    nobody = judge(leaking(shown(0.001, 0.69, attacker=""), ""))
    assert (
        "An attacker who retrains on anonymized speech is not named among these and may learn more." in nobody.sentences
    )
    assert not any("may learn more" in s for s in judge(leaking()).sentences)
    bare = judge(leaking(shown(0.001, 0.69, attacker="original"), "original"))
    assert not any("may learn more" in s for s in bare.sentences)
    assert "of the original attacker" not in bare.basis


@pytest.mark.parametrize(
    ("mine", "theirs", "more"),
    [
        (0.718, 0.715, False), (0.715 * 1.11, 0.715, True),
        ((0.718, 0.7, 0.74), (0.715, 0.70, 0.73), False), ((0.3, 0.25, 0.35), (0.2, 0.15, 0.26), False),
        ((0.3, 0.27, 0.35), (0.2, 0.15, 0.26), True),
    ],
)  # fmt: skip
def test_more_than_the_ceiling_is_said_only_where_it_is_sure(mine: Given, theirs: Given, more: bool) -> None:
    subject, ceiling = leaking(d_ece=mine), result("original", eer=0.02, d_ece=theirs)
    said = judge(replace(subject, original=ceiling))
    assert any("so the ceiling is none" in sentence for sentence in said.sentences) == more
    assert any("as far as these trials can tell" in sentence for sentence in said.sentences) != more


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
    last = judge(leaking(log10_lr=log10, category=category)).sentences[-1]
    assert last.endswith(said) if said else "strongest single" not in last


def test_counts_of_a_hundred() -> None:
    assert [of_100(share) for share in (0.0, 0.005, 0.006, 0.3, 0.994, 0.995, 1.0)] == [
        "none of 100", "fewer than 1 of 100", "1 of 100", "30 of 100", "99 of 100", "more than 99 of 100", "all of 100",
    ]  # fmt: skip
    assert with_interval(result(eer=0.49), "eer") == "49.0 %"


# Who is strongest


def test_leaks_come_first_then_enough_trials_then_the_private_end() -> None:
    leak = leaking(attacker="a", d_ece=(0.1, 0.05, 0.2))
    loud = result("b", evidence=shown(), eer=(0.49, 0.46, 0.51), d_ece=(0.9, 0.8, 1.0))
    few = result("c", ("few_trials",), shown(), eer=(0.49, 0.46, 0.51), d_ece=(1.0, 0.9, 1.0))
    broken = result("d", ("x!",), LEAKS, eer=(0.1, 0.05, 0.15), d_ece=(0.95, 0.7, 1.0))
    assert [strongest_of(some) for some in ((loud, leak), (few, loud), (loud, broken), (few,))] == [1, 1, 0, 0]
    wide, narrow = result(d_ece=(0.5, 0.1, 0.9), eer=0.5), result(d_ece=(0.4, 0.3, 0.5), eer=0.5)
    assert strongest_of((wide, narrow)) == 1
    assert strongest_of((result(d_ece=0.5, eer=0.5), result(d_ece=0.4, eer=0.5))) == 0
    assert strongest_of((result(d_ece=None, eer=0.5), result(d_ece=0.4, eer=0.5))) == 1
    by_eer = result(eer=(0.45, 0.3, 0.6)), result(eer=(0.48, 0.4, 0.55))
    assert strongest_of(by_eer, by="eer") == 1, "55 % at worst is less private than 60 %"
    assert strongest_of((result(eer=0.48), result(eer=0.45)), by="eer") == 1


@pytest.mark.parametrize("code", ["tail_leak", "few_distinct_scores", "failed_scores", "filler_score"])
def test_a_finding_that_speaks_against_it_forbids_no_leak_seen(code: str) -> None:
    said = judge(replace(at_chance(QUIET), warnings=(Finding(code, "caution", "Look here."),)))
    assert (said.label, said.headline) == ("Cannot tell", "A finding about these scores speaks against it. Look here.")
    harmless = replace(at_chance(QUIET), warnings=(Finding("few_speakers", "caution", "Look there."),))
    assert judge(harmless).label == "No leak seen"


def test_the_chance_that_is_told_beside_a_broken_attacker_is_that_of_the_sound_one() -> None:
    bad = replace(at_chance(shown()), warnings=(Finding("constant", "serious", ""),))
    good = leaking(shown(0.04, 0.69, attacker="lazy-informed"), "lazy-informed")
    rows = (replace(LEAKS.attackers[0], p=0.001), *good.evidence.attackers)  # type: ignore[union-attr]
    said = judge_together(Evaluation("B1", (good, bad), CEILING, evidence=replace(LEAKS, attackers=rows, p=0.001)))
    assert said.label == "Leak"
    assert said.sentences[0].startswith("Without a leak, so clear a sign would come up by luck with probability 0.04 ")


def test_files_with_different_margins_are_judged_by_the_narrowest() -> None:
    one, two = (
        at_chance(shown(0.4 + k / 100, reach=0.1, margin=margin, original=CONTROL), "semi-informed")
        for k, margin in enumerate((45.0, 35.0))
    )
    for order in ((one, two), (two, one)):
        said = judge_together(Evaluation("", order))
        assert said.label == "Cannot tell"
        assert "the margin, EER 45 %, allows 57 of 100" in said.headline
