"""Every sentence of a verdict from evidence written down by hand: which label, who, how often, against what, on which basis."""

from __future__ import annotations

from dataclasses import replace

import pytest
from written_evidence import CEILING, CONTROL, LEAKS, QUIET, at_chance, leaking, result, shown

from stripeless.verdicts.evidence import Planted, Reached, Refit
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.margins import margin_auc
from stripeless.verdicts.verdict import Verdict, judge

RETRAINS = "An attacker who uses the same anonymizer and retrains on its output"


SEEM = "On unprotected speech the same attackers seem right "
HARDLY = (
    "The attackers hardly recognize unprotected speech (the person's recording 60 of 100 times; needed: more than 71"
)
BEYOND = "It may be that the attacker semi-informed is right 65 of 100 times"
BASIS = "Basis: exchange of enrollments of the semi-informed attacker; 1,000 target and 10,000 nontarget trials, 40 speakers."


def test_no_leak_seen_names_margin_attackers_people_limits_and_controls() -> None:
    assert judge(at_chance(QUIET)) == Verdict(
        "quiet",
        "No leak beyond EER 40 % seen, with 1 attacker on 40 people.",
        (
            "Asked which of two recordings is the person's and which a stranger's, no attacker is right more than 55 of 100 "
            "times (95 % limit; guessing which of the two: 50; the margin allows 64 of 100). "
            "The finest margin that these limits pass is EER "
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
        ({"original": replace(CONTROL, low=0.707)}, SEEM + "99 of 100 times, but with 40 people only 71 of 100 are sure."),
        ({"original": replace(CONTROL, auc=0.75, low=0.26)}, SEEM + "75 of 100 times, but with 40 people that can be luck."),
        ({"original": replace(CONTROL, auc=0.75, low=0.504)}, SEEM + "75 of 100 times, but with 40 people that can be luck."),
        ({"original": replace(CONTROL, auc=0.75, low=0.51)}, SEEM + "75 of 100 times, but with 40 people only 51 of 100 are"),
        ({"original": replace(CONTROL, auc=0.6, low=0.3)}, HARDLY),
        ({"original": replace(CONTROL, low=None)}, SEEM + "99 of 100 times, but with 40 people that can be luck."),
        ({"planted": Planted(5, 3, 20.0)}, "Leaks planted so that an ideal listener has an EER of 20 % were found 3 of 5 times"),
        ({"planted": Planted(reason="all alike")}, "Whether these attackers would find a leak could not be tested: all alike."),
        ({"people": 11}, "11 people are too few"),
        ({"attackers": (Reached("", "semi-informed", 0.6, 0.55, 0.65, 0.3),)}, BEYOND),
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
    assert (
        "the attacker lazy-informed (B) is right 66 of 100 times when choosing between the person and a"
        in said.headline
    )
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
        f"{RETRAINS}, asked which of two recordings is the person's and which a stranger's, is right 69 of 100 times "
        "(guessing which of the two: 50).",
        (
            "Without a leak, so clear a sign would come up by luck with probability 0.001 (999 exchanges of who is "
            "enrolled as whom).",
            "Over 40 people, at least 64 of 100 and at most 74 of 100 right choices (95 % limits).",
            "Asked whether two recordings are of the same person, an attacker who uses the same anonymizer and retrains on its "
            "output is right 64 of 100 times (guessing yes or no: 50, unprotected speech gives 98 of 100).",
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
    assert "; that 2 attackers were tried is counted in" in said.sentences[0]
    assert "(95 % limits of semi-informed, a)" in said.sentences[1]
    assert (
        "The best of 2 attackers was in part lucky: AUC 0.690 as measured, 0.660 with that luck taken off."
        in said.sentences
    )


def test_an_attacker_without_a_name_of_its_own_is_named_once() -> None:
    several = tuple(replace(LEAKS.attackers[0], name=name) for name in ("semi-informed", "b"))
    assert "(95 % limits of semi-informed)" in judge(leaking(replace(LEAKS, attackers=several))).sentences[1]


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


@pytest.mark.parametrize("worst", [400.0, 10**14], ids=["a number", "a whole number"])
def test_evidence_beyond_all_numbers_is_said_with_the_most_that_data_can_show(worst: float) -> None:
    """A stored result may claim it; ten to its power fills the memory, or is no number."""
    from stripeless.assessment.assess import assess
    from stripeless.verdicts.sentences import worst_sentence

    given = assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5])
    claimed = replace(given.measures["log10_lr"], value=worst)
    said = worst_sentence(replace(given, measures={**given.measures, "log10_lr": claimed}))
    assert "about 1,000,000,000,000 to 1" in said
