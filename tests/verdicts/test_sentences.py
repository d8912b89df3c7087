"""Every sentence of a verdict from evidence written down by hand: which label, who, how often, against what, on which basis."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.assessment import Assessment, IntervalMethod
from stripeless.results.evaluation import Evaluation
from stripeless.verdicts.evidence import Evidence, Planted, Reached, Refit
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.margins import margin_auc
from stripeless.verdicts.strongest import strongest_of
from stripeless.verdicts.verdict import Verdict, judge, judge_together, of_100, with_interval

Given = float | tuple[float, float | None, float | None] | str | None
CONTROL = Reached("x", "original", 0.99, 0.95, 1.0, 0.001)
FOUND = Planted(5, 5, 20.0)


def result(
    attacker: str = "", codes: tuple[str, ...] = (), evidence: Evidence | None = None, **given: Given
) -> Assessment:
    """An assessment of 1,000 target and 10,000 nontarget trials of 40 people with these values (and intervals)."""
    measures = {}
    for name, value in {"d_ece": 0.0, **given}.items():
        measures[name] = Measure(MEASURES[name], *(value if isinstance(value, tuple) else (value,)))
    findings = tuple(Finding(code.rstrip("!"), "serious" if "!" in code else "caution", "") for code in codes)
    return Assessment(
        measures,
        1000,
        10_000,
        40,
        attacker=attacker,
        intervals=IntervalMethod("speakers", 40, 200),
        warnings=findings,
        evidence=evidence,
    )


def shown(
    p: float = 0.4,
    auc: float = 0.5,
    reach: float = 0.05,
    attacker: str = "semi-informed",
    by: str = "rank",
    **more: object,
) -> Evidence:
    """What a test of one attacker on 40 people shows."""
    reached = Reached("", attacker, auc, auc - reach, auc + reach, p, by, auc)
    return replace(Evidence("exchange", p, (reached,), 40, {"f": 20, "m": 20}, 999), **more)  # type: ignore[arg-type]


QUIET = shown(original=CONTROL, planted=FOUND)
LEAKS = shown(0.001, 0.69, 0.05)


def at_chance(evidence: Evidence | None, attacker: str = "semi-informed") -> Assessment:
    return result(attacker, evidence=evidence, eer=(0.49, 0.46, 0.51), d_ece=0.001)


def leaking(evidence: Evidence = LEAKS, attacker: str = "semi-informed", **given: Given) -> Assessment:
    return result(attacker, evidence=evidence, **{"eer": (0.36, 0.33, 0.4), "d_ece": 0.1, **given})  # type: ignore[arg-type]


CEILING = result("original", eer=(0.02, 0.01, 0.03), d_ece=0.6)
RETRAINS = "An attacker who uses the same anonymizer and retrains on its output"
BASIS = "Basis: exchange of enrollments of the semi-informed attacker; 1,000 target and 10,000 nontarget trials, 40 speakers."


def test_no_leak_seen_names_margin_attackers_people_limits_and_controls() -> None:
    assert judge(at_chance(QUIET)) == Verdict(
        "quiet",
        "No leak beyond EER 40 % seen, with 1 attacker on 40 people.",
        (
            "Asked which of two recordings is the person's and which a stranger's, no attacker is right more than 55 of 100 "
            "times (95 % limit; guessing: 50; the margin allows 64 of 100). The finest margin that these limits pass is EER "
            "46.4 %.",
            "On unprotected speech the same attackers are right at least 95 of 100 times.",
            "A leak planted so that an ideal listener has an EER of 20 % was found 5 of 5 times.",
            "Attackers: semi-informed.",
        ),
        BASIS,
    )
    assert judge(at_chance(QUIET)).label == "No leak seen"
    files = judge(at_chance(replace(QUIET, planted=None)))
    assert files.label == "No leak seen"
    assert "Whether this attack could have found a leak was not tested." in files.sentences


@pytest.mark.parametrize(
    ("change", "headline"),
    [
        ({"original": None}, "There is no control on original data"),
        ({"original": replace(CONTROL, low=0.707)}, "Unprotected speech is recognized (99 of 100 right"),
        ({"original": replace(CONTROL, auc=0.6, low=0.5)}, "The attackers hardly recognize unprotected speech"),
        ({"original": replace(CONTROL, low=None)}, "The attackers hardly recognize unprotected speech"),
        ({"planted": Planted(5, 3, 20.0)}, "Leaks planted so that an ideal listener has an EER of 20 % were found 3 of 5 times"),
        ({"planted": Planted(reason="all alike")}, "Whether these attackers would find a leak could not be tested: all alike."),
        ({"people": 11}, "11 people are too few"),
        ({"attackers": (Reached("", "semi-informed", 0.6, 0.55, 0.65, 0.3),)}, "For the attacker semi-informed, up to 65 of 100"),
        ({"attackers": (Reached("", "semi-informed", 0.5, None, None, 0.3),)}, "There are no limits for every attacker"),
    ],
)  # fmt: skip
def test_one_condition_that_fails_is_enough_to_be_unable_to_tell_and_is_named(
    change: dict[str, object], headline: str
) -> None:
    said = judge(at_chance(replace(QUIET, **change)))  # type: ignore[arg-type]
    assert said.label == "Cannot tell"
    assert said.headline.startswith(headline), said.headline
    assert said.sentences[0].startswith(
        "No sign of a leak was found (p = 0.40), but that alone is no evidence for privacy."
    )


def test_every_attacker_must_stay_below_the_margin() -> None:
    worst = Reached("B", "lazy-informed", 0.56, 0.45, 0.66, 0.3)
    said = judge(at_chance(replace(QUIET, attackers=(*QUIET.attackers, worst))))
    assert said.label == "Cannot tell"
    assert "lazy-informed (B), up to 66 of 100 right choices between the person and a stranger" in said.headline
    assert said.headline.endswith("It would take about 63 people such as these.")
    beyond = replace(worst, auc=0.65, high=0.7)
    assert judge(at_chance(replace(QUIET, attackers=(beyond,)))).headline.endswith(
        "by luck or not: more people would tell."
    )


@pytest.mark.parametrize(
    ("margin", "people", "high", "label"),
    [
        (None, 40, 0.639, "No leak seen"),
        (None, 40, 0.641, "Cannot tell"),
        (45.0, 40, 0.57, "No leak seen"),
        (45.0, 40, 0.572, "Cannot tell"),
        (30.0, 40, 0.77, "No leak seen"),
        (None, 19, 0.70, "No leak seen"),  # below 20 people the margin is 35 %
        (None, 20, 0.70, "Cannot tell"),
        (None, 12, 0.70, "No leak seen"),
        (None, 11, 0.60, "Cannot tell"),
    ],
)
def test_the_margin_decides_by_the_auc(margin: float | None, people: int, high: float, label: str) -> None:
    evidence = replace(QUIET, people=people, attackers=(Reached("", "semi-informed", 0.5, 0.4, high, 0.4),))
    said = judge(at_chance(evidence), margin)
    assert said.label == label
    if label == "No leak seen":
        percent = margin or (40 if people >= 20 else 35)
        assert said.headline.startswith(f"No leak beyond EER {percent:g} % seen")
        assert any("With fewer than 20 people, the margin is EER 35 %" in s for s in said.sentences) == (people < 20)
    assert judge(at_chance(replace(evidence, margin=margin))).label == label, "a margin may be kept in the result"
    assert margin_auc(40) == pytest.approx(0.640, abs=5e-4)


def test_the_best_informed_attacker_must_have_been_played_where_all_are_named() -> None:
    lazy = replace(QUIET, attackers=(replace(QUIET.attackers[0], attacker="lazy-informed"),))
    said = judge(at_chance(lazy, "lazy-informed"))
    assert said.label == "Cannot tell"
    assert said.headline.startswith("An attacker who retrains on anonymized speech was not tried")
    unnamed = judge(at_chance(lazy, "mine"))
    assert unnamed.label == "No leak seen"
    assert any("Nobody said whether the attacker retrained" in s for s in unnamed.sentences), "not named is not untried"


def test_a_leak_names_the_chance_and_the_limits() -> None:
    said = judge(replace(leaking(), original=CEILING))
    assert said == Verdict(
        "leaking",
        f"{RETRAINS}, asked which of two recordings is the person's and which a stranger's, is right 69 of 100 times (guessing: "
        "50).",
        (
            "The chance of so clear a sign without a leak is 0.001 (999 exchanges of who is enrolled as whom).",
            "Over 40 people, at least 64 of 100 and at most 74 of 100 right choices (95 % limits).",
            "Asked whether two recordings are of the same person, an attacker who uses the same anonymizer and retrains on its "
            "output is right 64 of 100 times (guessing: 50, unprotected speech gives 98 of 100).",
            "On average that is 17 % of the evidence that unprotected speech gives (D_ECE 0.10 of 0.60 bit).",
        ),
        BASIS,
    )
    assert said.label == "Leak"


@pytest.mark.parametrize(
    ("p", "refit", "label"),
    [(0.05, None, "Leak"), (0.051, None, "Cannot tell"), (0.03, 0.06, "Cannot tell"), (0.07, 0.05, "Leak")],
)
def test_the_level_is_five_percent_and_a_refit_decides(p: float, refit: float | None, label: str) -> None:
    evidence = shown(p, refit=None if refit is None else Refit(refit, 99))
    said = judge(leaking(evidence))
    assert said.label == label
    if refit is not None and label == "Leak":
        assert "0.05 (enrollments exchanged and the attackers trained anew 99 times)" in said.sentences[0]


@pytest.mark.parametrize(
    ("low", "corrected", "label"), [(0.708, 0.75, "Strong leak"), (0.706, 0.75, "Leak"), (0.72, 0.73, "Leak")]
)
def test_a_leak_is_strong_by_its_lower_limit_less_the_luck_of_the_best(
    low: float, corrected: float, label: str
) -> None:
    reached = Reached("", "semi-informed", 0.75, low, 0.8, 0.001, "rank", corrected)
    assert judge(leaking(replace(LEAKS, attackers=(reached,)))).label == label


def test_the_best_of_several_is_corrected_beside_its_value() -> None:
    several = tuple(replace(LEAKS.attackers[0], name=name, corrected=0.66) for name in "ab")
    said = judge(leaking(replace(LEAKS, attackers=several)))
    assert "; the choice among 2 attackers is paid for" in said.sentences[0]
    assert "(semi-informed, a) (95 % limits)" in said.sentences[1]
    assert (
        "As the best of 2, part of it is luck: AUC 0.690 as measured, 0.660 less the luck of the best."
        in said.sentences
    )


def test_a_leak_of_a_few_is_told_by_the_hit_rate() -> None:
    top = leaking(shown(0.001, 0.55, by="top"), eer=(0.45, 0.41, 0.51), hit_rate_1pct=(0.12, 0.08, 0.16))
    said = judge(replace(top, original=CEILING))
    assert said.headline.startswith(f"{RETRAINS}, asked which of two recordings"), "one measure in all headlines"
    assert said.sentences[:2] == (
        f"{RETRAINS} recognizes the speaker in 12 of 100 recordings, while mistaking 1 stranger in 100.",
        "95 % interval: 8 to 16 of 100. Guessing would find 1 of 100.",
    )
    better = replace(CEILING, measures={**CEILING.measures, **result(hit_rate_1pct=0.9, d_ece=0.6).measures})
    unprotected = judge(replace(top, original=better)).sentences[1]
    assert unprotected.endswith("Guessing would find 1 of 100, unprotected speech 90 of 100.")
    hides = "The equal error rate hides this: most people cannot be told from strangers, but these can."
    assert hides not in said.sentences[1]
    for change in (
        {"warnings": (Finding("chance", "caution", ""),)},
        {"measures": {**top.measures, **result(eer=0.5).measures}},
    ):
        assert judge(replace(top, **change)).sentences[1].endswith(hides)  # type: ignore[arg-type]


def test_a_leak_by_the_distance_from_the_middle_is_no_higher_score() -> None:
    said = judge(leaking(shown(0.001, by="spread")))
    assert said.headline == (
        f"{RETRAINS} learns who speaks from how far a score lies from the middle, though not by a higher score."
    )


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
        "Without a leak, 5 people who speak about equally often show so much with a chance"
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
    assert said.sentences[0].startswith("The chance of so clear a sign without a leak is 0.04 ")


def test_files_with_different_margins_are_judged_by_the_narrowest() -> None:
    one, two = (
        at_chance(shown(0.4 + k / 100, reach=0.1, margin=margin, original=CONTROL), "semi-informed")
        for k, margin in enumerate((45.0, 35.0))
    )
    for order in ((one, two), (two, one)):
        said = judge_together(Evaluation("", order))
        assert said.label == "Cannot tell"
        assert "the margin of EER 45 % allows 57 of 100" in said.headline
