"""Results side by side: shared originals, verdicts in the comparison, and what is compared over people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.groups import assess_groups
from stripeless.report.compared import compare_verdict
from stripeless.report.text import render_text
from stripeless.report.view import view_of
from stripeless.results.assessment import Assessment
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import result_from_dict
from stripeless.studies.comparison import compare_results
from stripeless.tables.inputs import InputFile
from stripeless.verdicts.finding import Finding
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores

WORLD = ScoreWorld(people=24, recordings=6)


@cache
def assessed(eer: float, attacker: str = "lazy-informed", seed: int = 1, by: str = "speaker") -> Assessment:
    """Scores of the same trials for every EER, with the values of each speaker."""
    drawn = simulate_scores(replace(WORLD, eer=eer), seed=seed)
    scores = replace(drawn.original if attacker == "original" else drawn.scores, trial_digest="trials")
    groups = {by: assess_groups(scores, by)} if by else {}
    result = assess_scores(scores, resamples=100, name=f"EER {eer:g}", attacker=attacker)
    return replace(result, groups=groups)


def evaluated(name: str, eer: float, **changes: Any) -> Evaluation:
    return Evaluation(name, (replace(assessed(eer), **changes),), assessed(0.5, "original", seed=9))


@pytest.fixture(scope="module")
def both() -> Comparison:
    return compare_results([evaluated("strong", 0.5), evaluated("weak", 0.2)])


def test_systems_may_share_their_original(both: Comparison) -> None:
    assert "identical" not in {finding.code for finding in both.warnings}
    assert [part.name for part in both.results] == ["original speech", "strong: lazy-informed", "weak: lazy-informed"]
    said = compare_verdict(both)
    assert said.label == "Comparison"
    assert said.headline == 'Of these 2, "strong: lazy-informed" gives away least and "weak: lazy-informed" most.'


def test_originals_of_one_file_that_differ_in_a_number_are_no_twins_either() -> None:
    """Such as limits from other resamples: both stand there."""
    file = (InputFile("original.txt", "ab"),)
    first, second = (
        replace(
            evaluated(name, eer), original=replace(assessed(0.5, "original", seed=9), inputs=file, n_target=targets)
        )
        for name, eer, targets in (("a", 0.5, 144), ("b", 0.2, 143))
    )
    both = compare_results([first, second])
    assert [part.attacker for part in both.results].count("original") == 2
    assert "identical" not in {finding.code for finding in both.warnings}


def test_protected_results_that_agree_are_twins_still() -> None:
    twins = compare_results([evaluated("one", 0.2), evaluated("two", 0.2)])
    assert [finding.code for finding in twins.warnings] == ["identical"]
    assert compare_verdict(twins).label == "No verdict"
    unprotected = replace(assessed(0.2), attacker="original")
    assert [f.code for f in compare_results([assessed(0.2), unprotected]).warnings] == ["identical"]


def test_each_verdict_stands_in_the_comparison_with_its_margin(both: Comparison) -> None:
    strong, weak = both.verdicts
    assert (strong.system, strong.label, strong.margin, strong.people) == ("strong", "Cannot tell", 40.0, 24)
    assert (weak.label, weak.places, strong.places) == ("Strong leak", (0, 2), (0, 1))
    text = " ".join(render_text(both).split())
    assert '"strong" by itself: Cannot tell (margin EER 40 %, 24 people).' in text
    assert '"weak" by itself: Strong leak (margin EER 40 %, 24 people).' in text
    again = result_from_dict(both.to_dict())
    assert isinstance(again, Comparison)
    assert again.verdicts == both.verdicts
    assert compare_verdict(again) == compare_verdict(both)


def test_a_result_without_verdict_is_not_ranked() -> None:
    broken = (Finding("constant_scores", "serious", "All alike."),)
    said = compare_verdict(compare_results([evaluated("silent", 0.5, warnings=broken), evaluated("weak", 0.2)]))
    assert said.label == "Cannot tell"
    assert "silent" not in said.headline
    assert any('"silent" by itself: No verdict' in sentence for sentence in said.sentences)
    alone = Evaluation("silent", (assessed(0.5),), None, warnings=broken)
    three = compare_verdict(compare_results([alone, evaluated("weak", 0.2), evaluated("open", 0.05)]))
    assert three.headline == 'Of these 2, "weak: lazy-informed" gives away least and "open: lazy-informed" most.'


def test_a_system_counts_by_its_strongest_attacker() -> None:
    weak = replace(evaluated("weak", 0.2), attackers=(assessed(0.5, "ignorant", seed=4), assessed(0.2)))
    said = compare_verdict(compare_results([evaluated("middle", 0.35), weak]))
    assert said.headline.endswith('"middle: lazy-informed" gives away least and "weak, lazy-informed" most.')


def test_the_worst_protected_are_people_who_are_protected(both: Comparison) -> None:
    assert view_of(both).subject == "strong: lazy-informed", "whose numbers lead"
    captions = [table.caption for table in view_of(both).groups]
    assert captions == [
        "strong: lazy-informed: by speaker, the worst protected first",
        "weak: lazy-informed: by speaker, the worst protected first",
    ]


def test_stored_results_are_compared_over_speakers(both: Comparison) -> None:
    ((pair, rows),) = both.differences.items()
    assert pair == "strong: lazy-informed - weak: lazy-informed"
    for measure in ("eer", "d_ece"):
        assert (rows[measure].more_private, rows[measure].unit) == (1, "speakers")
        assert rows[measure].p_value < 0.001
        assert rows[measure].low <= rows[measure].difference <= rows[measure].high
    assert any("(over the values of the same speakers)" in sentence for sentence in compare_verdict(both).sentences)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (replace(assessed(0.2), trial_digest="others"), "their trials are not known to be the same"),
        (assessed(0.2, by=""), "they hold no values per speaker (assess --by speaker, or give the score files)"),
        (
            replace(assessed(0.2), groups={"speaker": dict(list(assessed(0.2).groups["speaker"].items())[:5])}),
            "5 speakers have values in both, and it takes 6",
        ),
    ],
)
def test_what_cannot_be_compared_over_speakers_says_why(second: Assessment, why: str) -> None:
    compared = compare_results([assessed(0.5), second])
    assert not compared.differences
    (finding,) = compared.warnings
    assert finding.code == "not_paired"
    assert (
        finding.message == f"Not compared over speakers, so only their intervals can tell. EER 0.5 and EER 0.2: {why}."
    )


def test_systems_of_equal_worth_are_rarely_told_apart_over_speakers() -> None:
    """20 pairs without a difference: at most 3 are told apart at 5 % (p = 0.016 otherwise)."""
    told = 0
    for seed in range(20):
        pair = [replace(assessed(0.3, seed=40 + 2 * seed + k), name=f"s{k}") for k in (0, 1)]
        (rows,) = compare_results(pair).differences.values()
        told += rows["d_ece"].p_value <= 0.05
        assert all(row.more_private == 0 or row.p_value <= 0.05 for row in rows.values())
    assert told <= 3


def with_values(name: str, values: Sequence[float], whole: float) -> Assessment:
    """A result whose speakers have these values, and which has `whole` altogether."""
    result = assessed(0.3, seed=6)
    one, *_ = result.groups["speaker"].values()
    people = {
        f"p{k:03}": replace(one, measures={"d_ece": replace(one.measures["d_ece"], value=value)})
        for k, value in enumerate(values)
    }
    measures = {**result.measures, "d_ece": replace(result.measures["d_ece"], value=whole, low=None, high=None)}
    return replace(result, name=name, groups={"speaker": people}, measures=measures)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ([0.1] * 18 + [0.0] * 2, [0.09] * 18 + [0.4] * 2, "the interval of the mean difference holds 0"),
        ([0.1] * 18 + [0.0] * 2, [0.09] * 18 + [0.1, 0.0], "the interval of the mean difference holds 0"),
        ([0.1] * 80 + [0.0] * 20, [0.09] * 80 + [0.4] * 20, "the mean points one way and the ranks the other"),
        ([0.2] * 24, [0.3] * 24, "it finds the other one of them the more private"),
    ],
)
def test_two_are_told_apart_only_where_ranks_interval_and_direction_agree(
    first: list[float], second: list[float], why: str
) -> None:
    """The first is the worse one altogether; p is small."""
    compared = compare_results([with_values("first", first, 0.31), with_values("second", second, 0.3)])
    test = compared.differences["first - second"]["d_ece"]
    assert test.p_value < 0.05
    said = compare_verdict(compared)
    assert said.label == "Cannot tell"
    (sentence,) = [one for one in said.sentences if one.startswith("Paired comparison")]
    assert f"but {why}, so this does not tell them apart" in sentence
    assert "luck" not in sentence


def test_results_of_one_name_are_compared_each_and_told_apart() -> None:
    values = [[base + 0.001 * k for k in range(24)] for base in (0.3, 0.2, 0.1)]
    results = [with_values(name, own, own[0]) for name, own in zip("ABB", values, strict=True)]
    compared = compare_results(results)
    assert list(compared.differences) == ["A - B, lazy-informed (1)", "A - B, lazy-informed (2)"]
    means = [rows["d_ece"].second for rows in compared.differences.values()]
    assert means == pytest.approx([0.2115, 0.1115])
    said = compare_verdict(compared)
    assert said.headline == 'Of these 3, "B, lazy-informed (2)" gives away least and "A, lazy-informed" most.'
    assert any("corrected for 2 pairs after Holm, more than luck" in one for one in said.sentences)
    attackers = [replace(one, attacker=who) for one, who in zip(results, ("x", "ignorant", "y"), strict=True)]
    assert list(compare_results(attackers).differences) == ["A - B, ignorant", "A - B, y"]


def test_a_shared_original_is_judged_once() -> None:
    original = assessed(0.5, "original", seed=9)
    compared = compare_results([original, assessed(0.2), original, assessed(0.35)])
    assert [(one.system, one.places) for one in compared.verdicts] == [
        ("EER 0.5", (0,)), ("EER 0.2", (1,)), ("EER 0.35", (2,))
    ]  # fmt: skip
    again = compare_results([compared, original])
    assert [one.places for one in again.verdicts] == [(0,), (1,), (2,)]
