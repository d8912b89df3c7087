"""The three criteria from figures written down by hand: which rate is told, against what, and what follows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from study_results import attack, rank, study

from stripeless.measures.singling_out import Rate
from stripeless.results.attack import AttackStudy, Identification
from stripeless.results.attribute import AttributeProof
from stripeless.results.judged import verdict
from stripeless.results.kinds import as_results
from stripeless.results.ranks import RankReport
from stripeless.results.summary import Criterion
from stripeless.results.voices import VoiceEvaluation, VoiceRanks, Voices
from stripeless.studies.summary import criteria_of, summarize_results
from stripeless.tables.inputs import InputFile


def loaded(result: dict[str, Any]) -> Any:
    return as_results([result])[0]


def rate(name: str, low: float, chance: float, people: int, utterances: int) -> Rate:
    return Rate(name, low + 0.1, low, low + 0.2, chance, people, utterances, {})


@pytest.fixture(scope="module")
def scores() -> Any:
    from sample_results import scores_of

    return scores_of(1.0)


def told(scores: Any, *rates: Rate) -> list[Criterion]:
    attacks: AttackStudy = loaded(attack())
    attacks = replace(attacks, evidence={k: v for k, v in attacks.evidence.items() if k != "pseudonym_lookup"})
    return criteria_of(scores, [replace(attacks, identification=Identification("ridge", rates))])


def test_the_rate_among_all_people_at_the_most_telling_length_is_told(scores: Any) -> None:
    (one,) = told(
        scores,
        rate("singling_out", 0.9, 0.5, 10, 3),  # fewer people
        rate("singling_out", 0.30, 0.25, 1200, 1),
        rate("singling_out", 0.28, 0.05, 1200, 3),  # farthest above its chance
        rate("singling_out", 0.40, 0.39, 1200, 10),
    )
    assert one == Criterion(
        "singling out",
        "possible",
        "From 3 utterances (the most telling of 3 lengths), exactly one of 1,200 people is picked out in 38.0 % of the tries "
        "(95 %: 28.0 to 48.0; guessing: 5.0 %), with the attack ridge.",
        "attack",
    )


def test_of_equals_the_fewest_utterances_and_chance_is_not_shown(scores: Any) -> None:
    rates = [rate("one_to_n_linkability", 0.1, 0.1, 12, count) for count in (3, 1)]
    (one,) = told(scores, *rates)
    assert (one.criterion, one.answer) == ("linkability", "not shown")
    assert one.ground.startswith(
        "From one utterance (the most telling of 2 lengths), a recording is linked to the right one of 12"
    )
    (alone,) = told(scores, rates[1])
    assert alone.ground.startswith("From one utterance, a recording")
    assert told(scores) == []


def test_ranks_are_held_against_one_of_all(scores: Any) -> None:
    report: RankReport = loaded(rank())
    feature = report.features[0]

    def answer(low: float | None, high: float | None) -> Criterion:
        measure = replace(feature.measures["id_rate"], value=0.125, low=low, high=high)
        changed = replace(feature, name="F0", n=20, measures={**feature.measures, "id_rate": measure})
        (one,) = criteria_of(scores, [replace(report, features=(changed,))])
        return one

    sure = answer(0.0501, 0.2)
    assert (sure.criterion, sure.answer, sure.source) == ("singling out", "possible", "rank")
    bits = feature.model.mean_disclosure
    assert sure.ground == (
        "Ranked by F0, the most similar of 20 people is the right one in 12.5 % of the cases (95 %: 5.0 to 20.0; guessing: "
        f"5.0 %); {bits:.1f} bit on average."
    )
    assert answer(0.05, 0.2).answer == "not shown"
    for missing in ((None, 0.2), (0.06, None)):
        assert answer(*missing).answer == "unclear"
        assert "no interval; guessing" in answer(*missing).ground


def test_an_attribute_is_answered_by_the_verdict_on_it(scores: Any) -> None:
    proof: AttributeProof = loaded(study("attribute"))
    (one,) = criteria_of(scores, [proof])
    said = verdict(proof)
    assert said.label in ("Leak", "Strong leak")
    assert (one.answer, one.source) == ("possible", "protect")
    assert one.ground == f"Whether a person is {' or '.join(proof.classes)}: {said.label}. {said.headline}"
    (bare,) = criteria_of(scores, [replace(proof, evidence=None)])
    assert bare.answer == "unclear"


def test_the_attacker_who_ranks_best_is_told_and_the_ceiling_is_none() -> None:
    def of(**rates: float) -> list[Criterion]:
        ranks = {name.replace("_", "-"): VoiceRanks(1.0, value, 3.0, 40) for name, value in rates.items()}
        return criteria_of(VoiceEvaluation("B1", (), None, voices=Voices((), ranks, {}, "statistics")))

    (one,) = of(original=1.0, ignorant=0.05, lazy_informed=0.2)
    assert one == Criterion(
        "singling out",
        "unclear",
        "The lazy-informed attacker ranks the right one of 40 people first in 20.0 % of the cases (guessing: 2.5 %; no interval, "
        "run stripeless rank for one).",
        "evaluate",
    )
    assert of(original=1.0) == []
    assert criteria_of(VoiceEvaluation("B1", (), None)) == []


def test_a_summary_names_what_it_rests_on(scores: Any) -> None:
    attacks = replace(loaded(attack()), name="turned", inputs=(InputFile("a.npz", "ab"), InputFile("b.npz", "cd")))
    summary = summarize_results([loaded(rank()), scores, attacks])
    assert summary.name == scores.name
    assert summary.result is scores
    assert [one.kind for one in summary.joined] == ["rank", "attack"]
    assert summary.joined[1].name == "turned"
    assert summary.inputs[-2:] == attacks.inputs
    assert list(summary.criteria) == criteria_of(scores, [loaded(rank()), attacks])
