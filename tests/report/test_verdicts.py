"""The verdict that a report opens with, from scores and from comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sample_results import evaluation, scores_of, simulated

from stripeless.assessment.assess import assess
from stripeless.report import render_html, render_text, verdict
from stripeless.report.compared import compare_verdict
from stripeless.results.evaluation import Evaluation
from stripeless.studies.comparison import compare_results
from stripeless.verdicts.verdict import Verdict


def test_a_strong_leak_names_attacker_number_and_basis() -> None:
    said = verdict(evaluation())
    assert said.level == "exposed"
    assert said.headline.startswith(
        "An attacker who uses the same anonymizer and retrains on its output, asked which of two recordings is the person's and "
        "which a stranger's, is right 96 of 100 times"
    )
    assert "Basis: exchange of enrollments of the semi-informed attacker; 300 target and 3,000" in said.basis
    assert any("% of the evidence that unprotected speech gives" in s for s in said.sentences)


def test_small_leak_is_a_leak() -> None:
    assert verdict(evaluation(semi=0.5, lazy=0.3)).level == "leaking"


def test_chance_without_a_ceiling_is_no_privacy() -> None:
    said = verdict(scores_of(0.0).to_dict())
    assert said.level == "unclear"
    assert "There is no control on original data" in said.headline


def test_chance_of_all_attackers_with_a_ceiling() -> None:
    said = verdict(evaluation(semi=0.0, lazy=0.0))
    assert said.level == "quiet"
    assert said.headline == "No leak beyond EER 40 % seen, with 3 attackers on 30 people."


def test_chance_of_a_weak_attacker_is_not_enough() -> None:
    original, weak = (simulated(s, attacker=a) for s, a in ((3.5, "original"), (0.0, "ignorant")))
    said = verdict(Evaluation("B1", (weak,), original).to_dict())
    assert said.level == "unclear"
    assert "An attacker who retrains on anonymized speech was not tried" in said.headline


def test_attackers_who_fail_on_originals_show_nothing() -> None:
    said = verdict(evaluation(semi=0.0, lazy=0.0, original=0.0))
    assert said.level == "unclear"
    assert said.headline.startswith("The attackers hardly recognize unprotected speech")


@pytest.mark.parametrize(
    "scores", [(np.full(200, 3.0), np.full(200, 3.0)), (np.arange(300.0) - 400, np.arange(3000.0))]
)
def test_constant_and_swapped_scores_get_no_verdict(scores: Any) -> None:
    result = assess(*scores).to_dict()
    said = verdict(result)
    assert said.level == "invalid"
    assert "must not be read as privacy" in said.headline
    page = render_html(result)
    assert page.index('class="finding serious"') < page.index('class="verdict invalid"')
    assert 'class="gauge"' not in page
    text = render_text(result)
    assert text.index("Serious:") < text.index("No verdict")


def test_too_few_trials() -> None:
    said = verdict(assess([1.0, 2.0], [0.0, 0.5]).to_dict())
    assert said.level == "unclear"
    assert said.headline.startswith("Nobody is named and the trials are few")


def test_few_trials_that_leak_still_leak() -> None:
    rng = np.random.default_rng(0)
    said = verdict(assess(rng.normal(4, 1, 60), rng.normal(0, 1, 90)).to_dict())
    assert said.level == "leaking"
    assert said.headline.startswith("The attacker behind these scores, asked which of two recordings is the person's")


def test_a_broken_attacker_cannot_hide_behind_the_others() -> None:
    broken = assess(np.full(300, 1.0), np.full(3000, 1.0)).to_dict() | {"attacker": "semi-informed"}
    leaking = evaluation()
    leaking["attackers"][2] = broken
    leaking["strongest"] = "lazy-informed"
    said = verdict(leaking)
    assert said.level == "exposed"
    assert any("The numbers of another attacker are broken" in s for s in said.sentences)
    silent = evaluation(lazy=0.0)
    silent["attackers"][2] = broken
    silent["strongest"] = "ignorant"
    assert verdict(silent).level == "invalid"


def test_an_uncalibrated_score_does_not_forbid_the_verdict() -> None:
    finding = {"code": "not_llr", "severity": "serious", "message": "Cllr ..."}
    assert verdict({**scores_of(2.0).to_dict(), "warnings": [finding]}).level in ("exposed", "leaking")


def test_comparison_ranks_only_what_intervals_tell_apart() -> None:
    far = compare_verdict([scores_of(0.5), {**scores_of(3.0).to_dict(), "name": "B3"}])
    assert far.headline == 'Of these 2, "B2" gives away least and "B3" most.'
    near = compare_verdict([simulated(1.0, name="x"), simulated(1.02, seed=5, name="y")])
    assert near.level == "unclear"
    assert isinstance(near, Verdict)


def paired(p_values: dict[str, float], more_private: int = 1) -> dict[str, Any]:
    """Three results whose intervals overlap, with paired differences of these p-values."""
    results = [
        {**simulated(s, seed=int(100 * s), name=n).to_dict(), "name": n}
        for s, n in ((1.0, "a"), (1.05, "b"), (1.1, "c"))
    ]
    difference = {
        "first": 0.1, "second": 0.12, "difference": -0.02, "low": -0.03, "high": -0.01, "more_private": more_private,
        "unit": "speakers",
    }  # fmt: skip
    whole = compare_results(results).to_dict()
    return {
        **whole,
        "warnings": [],
        "differences": {k: {"d_ece": {**difference, "measure": "d_ece", "p_value": p}} for k, p in p_values.items()},
    }


def test_paired_differences_decide_the_comparison_after_holm() -> None:
    result = paired({"a - b": 0.04, "a - c": 0.01})
    order = sorted("abc", key=lambda n: result["results"]["abc".index(n)]["measures"]["d_ece"]["value"])
    assert (order[0], order[-1]) == ("a", "c")
    assert compare_verdict(result).level == "compared"
    weak = compare_verdict(paired({"a - b": 0.04, "a - c": 0.03}))  # 0.06 once corrected
    assert weak.level == "unclear"
    assert any("Holm" in sentence for sentence in weak.sentences)
    same = compare_verdict(paired({"a - b": 0.9, "a - c": 0.8}, more_private=0))
    assert same.level == "unclear"
    assert not any("can tell more" in sentence for sentence in same.sentences)


def test_two_that_were_both_compared_with_one_between_them() -> None:
    """The first file given is the middle one, so that no paired test is of the two at the ends."""

    def through_b(p_value: float) -> Any:
        result = paired({"b - a": p_value, "b - c": p_value})
        result["differences"]["b - a"]["d_ece"]["more_private"] = 2
        result["differences"]["b - c"]["d_ece"]["more_private"] = 1
        for one in result["results"]:  # intervals that overlap, so that only the paired tests can tell
            one["measures"]["d_ece"].update(low=0.0, high=0.7)
        return result

    sure = compare_verdict(through_b(0.01))
    assert sure.level == "compared"
    assert any('put "b" between the two' in sentence for sentence in sure.sentences)
    unsure = compare_verdict(through_b(0.4))
    assert unsure.level == "unclear"
    assert any("name one of the two first" in sentence for sentence in unsure.sentences)
    against = through_b(0.01)
    against["differences"]["b - a"]["d_ece"]["more_private"] = 1
    assert compare_verdict(against).level == "unclear"


def test_the_same_file_twice_is_no_comparison() -> None:
    twins = compare_results([scores_of(1.5).to_dict(), scores_of(1.5).to_dict()]).to_dict()
    assert compare_verdict(twins).level == "invalid"
    assert "Serious" in render_text(twins)
