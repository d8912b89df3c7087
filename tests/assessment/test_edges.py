"""Faults that a review found once; each test failed before its fault was mended."""

from __future__ import annotations

import json

import numpy as np
import pytest

import stripeless as s
from stripeless.errors import InputError, NotANumber, TrialMismatch
from stripeless.measures.curves import curves_of
from stripeless.measures.one_pass import score_pass
from stripeless.measures.uncertainty.bootstrap import people_in
from stripeless.measures.uncertainty.interval import interval
from stripeless.scores.trials import Factor, TrialScores


def codes(result: s.Assessment) -> dict[str, str]:
    return {finding.code: finding.severity for finding in result.warnings}


def test_an_eer_at_chance_does_not_hide_a_recognized_tail() -> None:
    """A tenth of the targets stand out; the rest lie a little below the nontargets."""
    rng = np.random.default_rng(0)
    for below in (-0.14, -0.26):
        target = np.concatenate([rng.normal(8, 0.5, 100), rng.normal(below, 1, 900)])
        for resamples in (0, 200):
            result = s.assess(target, rng.normal(0, 1, 20_000), resamples=resamples)
            assert float(result["eer"]) > 0.49  # type: ignore[arg-type]
            assert codes(result).get("tail_leak") == "caution", (below, resamples)
            assert not {"chance", "signs_swapped"} & set(codes(result))


def test_one_unit_has_no_interval() -> None:
    result = s.assess([0.4], [0.5], resamples=100)
    assert all(m.low is None and m.high is None for m in result.measures.values())
    assert interval("eer", 0.3, np.linspace(0.2, 0.4, 100), 1) is None


def test_no_exception_among_thirty_is_not_certainty() -> None:
    """All resamples agree: a rate gets the limit of so many units without an exception, others get none."""
    result = s.assess(np.arange(30.0) + 100, np.arange(2000.0) / 100, resamples=100)
    assert result.measures["eer"].value == 0.0
    assert result.measures["eer"].high == pytest.approx(0.1157, abs=1e-4)  # Clopper-Pearson, 0 of 30
    assert result.measures["linkability"].low is None
    rng = np.random.default_rng(1)
    rate = s.assess(rng.normal(-3, 1, 30), rng.normal(0, 1, 2000), resamples=100).measures["hit_rate_1pct"]
    assert rate.value == 0.0
    assert float(rate.high) > 0.1  # type: ignore[arg-type]


def test_pairing_refuses_rows_whose_speakers_differ() -> None:
    rng = np.random.default_rng(0)
    names = ("a", "b", "c")
    own, other = rng.integers(0, 3, 60).astype(np.int32), rng.integers(0, 3, 90).astype(np.int32)

    def system(order: np.ndarray) -> TrialScores:
        factor = Factor(names, own, other[order])
        return TrialScores(rng.normal(1, 1, 60), rng.normal(0, 1, 90), factor, factor)

    same, mixed = np.arange(90), rng.permutation(90)
    assert s.compare_scores(system(same), system(same), resamples=100)["eer"].unit == "speakers"
    with pytest.raises(TrialMismatch, match="differ from row to row"):
        s.compare_scores(system(same), system(mixed), resamples=100)


def test_files_without_ids_do_not_pair_by_labels_alone(tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    rows = [f"{x},{int(k < 20)},s{k % 5},t{k % 7}" for k, x in enumerate(np.linspace(0, 1, 60))]
    head = "score,label,enrollment_speaker,trial_speaker\n"
    (tmp_path / "a.csv").write_text(head + "\n".join(rows) + "\n")
    (tmp_path / "b.csv").write_text(head + "\n".join(rows[:20] + rows[20:][::-1]) + "\n")
    a, b = s.read_scores(tmp_path / "a.csv"), s.read_scores(tmp_path / "b.csv")
    assert a.trial_digest != b.trial_digest
    assert a.trial_digest.startswith("rows:")


def test_the_actual_ece_of_many_scores_is_cllr_at_even_odds() -> None:
    rng = np.random.default_rng(0)
    target, nontarget = rng.normal(1, 1.4, 100_000), rng.normal(-1, 1.4, 300_000)
    for outlier in (0.0, -1e6):
        target[0] = outlier
        actual = curves_of(score_pass(target, nontarget))["ece"]["actual"]
        assert actual[80] == pytest.approx(s.cllr(target, nontarget), rel=1e-4)
    nontarget[0] = np.inf
    assert curves_of(score_pass(target, nontarget))["ece"]["actual"] is None


@pytest.mark.parametrize(
    "scores",
    [
        ([1e20] * 30, [1e20] * 30),
        ([1e17] * 30, [1e17] * 29 + [1e17 + 16]),
        ([1.7e308] * 30, [-1.7e308] * 30),
        ([5e-324] * 30, [0.0] * 30),
    ],
)
def test_finite_scores_of_any_size_give_json(scores: tuple[list[float], list[float]]) -> None:
    result = s.assess(*scores).to_dict()
    json.dumps(result, allow_nan=False)
    assert np.diff(result["curves"]["histogram"]["edges"]).min() >= 0
    binned = result["measures"]["linkability_binned"]
    assert binned["value"] is not None or "too close together" in binned["reason"]


def test_small_scores_keep_their_figures() -> None:
    rng = np.random.default_rng(0)
    edges = s.assess(1e-8 * rng.normal(1, 1, 100), 1e-8 * rng.normal(-1, 1, 100)).to_dict()["curves"]["histogram"][
        "edges"
    ]
    assert len(set(edges)) == 61


def test_scikit_learn_is_met_on_tied_scores() -> None:
    """Golden: scikit-learn 1.9's roc_curve, mean of FPR and FNR where they are closest."""
    assert s.eer_by_tool([1.0, 0.0, 5.0], [0.0, 1.0])["scikit_learn"] == pytest.approx(1 / 3)
    tied = s.eer_by_tool([2.0, 3.0, 3.0, 3.0, 4.0], [0.0, 4.0, 0.0, 4.0, 0.0, 4.0])
    assert tied["scikit_learn"] == pytest.approx(0.65)
    assert tied["scikit_learn_folded"] == pytest.approx(0.35)


def test_quasi_separated_scores_have_no_logistic_calibration() -> None:
    with pytest.raises(InputError, match="infinite"):
        s.fit_logistic_calibration([1.0, 2.0, 3.0], [0.0, -1.0, 1.0])
    assert s.fit_logistic_calibration([1.0, 1.0], [1.0]).scale == 0.0


def test_calibrations_refuse_nan() -> None:
    for fit in (s.fit_pav([1.0, 3.0], [0.0, 2.0]), s.fit_logistic_calibration([1.0, 3.0], [0.0, 2.0])):
        with pytest.raises(NotANumber):
            fit.apply([0.0, np.nan])


def test_masked_scores_are_refused() -> None:
    with pytest.raises(InputError, match="masked"):
        s.eer(np.ma.array([1.0, 2.0, -999.0], mask=[0, 0, 1]), [0.0, -1.0])


@pytest.mark.parametrize("rate", [0.0, -0.1, 2.0, float("nan")])
def test_hit_rate_refuses_what_is_no_rate(rate: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        s.hit_rate([1.0], [0.0], false_alarm_rate=rate)


def test_more_than_fifty_groups_get_no_intervals() -> None:
    rng = np.random.default_rng(0)
    group = Factor(tuple(f"g{k:02d}" for k in range(60)), np.repeat(np.arange(60), 6).astype(np.int32),
                   np.repeat(np.arange(60), 6).astype(np.int32))  # fmt: skip
    scores = TrialScores(rng.normal(1, 1, 360), rng.normal(0, 1, 360), columns={"g": group})
    found = s.assess_groups(scores, "g", resamples=100)
    assert len(found) == 60
    assert found["g00"]["measures"]["eer"]["low"] is None


def test_swapped_signs_are_less_sure_where_nobody_is_named() -> None:
    """A slightly reversed test: serious over speakers who agree on it, a caution where trials may be alike."""
    rng = np.random.default_rng(0)
    target, nontarget = rng.normal(-0.2, 1, 2000), rng.normal(0, 1, 8000)
    people = Factor(tuple(f"s{k}" for k in range(100)), rng.integers(0, 100, 2000).astype(np.int32),
                    rng.integers(0, 100, 8000).astype(np.int32))  # fmt: skip
    named = TrialScores(target, nontarget, people, people)
    assert people_in(named) is not None
    assert codes(s.assess_scores(named, resamples=100))["signs_swapped"] == "serious"
    assert codes(s.assess(target, nontarget, resamples=100))["signs_swapped"] == "caution"


def test_an_output_never_overwrites_an_input(tmp_path: object) -> None:
    from pathlib import Path

    from click.testing import CliRunner

    from stripeless.cli import group

    assert isinstance(tmp_path, Path)
    scores = tmp_path / "scores.txt"
    content = "".join(f"{x} {int(x > 2)}\n" for x in range(6))
    for option in ("--html", "--summary"):
        scores.write_text(content)
        done = CliRunner().invoke(
            group, ["assess", str(scores), option, str(tmp_path / "." / "scores.txt"), "--resamples", "0"]
        )
        assert "named twice" in str(done.exception), option
        assert scores.read_text() == content


def test_groups_are_printed(tmp_path: object) -> None:
    from stripeless.report import render_text

    rng = np.random.default_rng(0)
    sex = Factor(("female", "male"), (np.arange(100) % 2).astype(np.int32), (np.arange(300) % 2).astype(np.int32))
    scores = TrialScores(rng.normal(1, 1, 100), rng.normal(0, 1, 300), columns={"sex": sex})
    result = s.assess_scores(scores).to_dict() | {"groups": {"sex": s.assess_groups(scores, "sex")}}
    text = render_text(result)
    assert "By sex, the worst protected first" in text
    assert "female" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_list_of_speakers_that_names_nobody_is_refused(tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    (tmp_path / "s").write_text("a a-1 1 target\na b-1 0 nontarget\n")
    (tmp_path / "u").write_text("a f\nb m\n")
    with pytest.raises(InputError, match="names none of the 2 trial utterances"):
        s.read_scores(tmp_path / "s", utt2spk=tmp_path / "u")
