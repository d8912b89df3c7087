"""Listening tests: known ranks, known effects, known impostors among the listeners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stripeless.errors import FileError, InputError
from stripeless.listening.listeners import odd_listeners
from stripeless.listening.ranks import normalized_ranks
from stripeless.listening.ratings import Ratings, read_ratings, write_ratings
from stripeless.listening.significance import pair_tests
from stripeless.listening.simulate import Effect, simulate_ratings
from stripeless.listening.study import listening_study
from stripeless.measures.cllr import cllr, cllr_min
from stripeless.measures.eer import eer, eer_rocch
from stripeless.report.listening import sheet
from stripeless.report.simple import sheet_text

HEADER = "listener,stimulus,system,trial,speech,naturalness,intelligibility,similarity\n"


def test_worked_example_of_normalized_ranks() -> None:
    ranks = normalized_ranks([2, 1, 2, 10, 4, 5, 6, 4, 5, 7], ["a"] * 10)
    assert ranks == pytest.approx([0.15, 0, 0.15, 0.9, 0.35, 0.55, 0.7, 0.35, 0.55, 0.8])


def test_ranks_are_per_listener_and_skip_what_was_not_answered() -> None:
    ranks = normalized_ranks([1, 10, np.nan, 3, 2, 9], ["a", "b", "a", "a", "b", "a"])
    assert ranks == pytest.approx([0, 0.5, np.nan, 1 / 3, 0, 2 / 3], nan_ok=True)


@given(st.lists(st.integers(1, 10), min_size=1, max_size=40), st.integers(1, 5))
def test_ranks_do_not_see_a_listeners_habits(scores: list[int], stretch: int) -> None:
    """A shift and a stretch of the scale, whatever the order of the rows, leave the ranks alone."""
    plain = normalized_ranks(scores, ["a"] * len(scores))
    other = normalized_ranks([stretch * s - 3 for s in scores], ["b"] * len(scores))
    assert plain.tolist() == other.tolist()
    assert ((plain >= 0) & (plain < 1)).all()
    assert plain.mean() == pytest.approx((len(scores) - 1) / 2 / len(scores))


def test_the_analysis_finds_planted_effects_and_no_others() -> None:
    study = listening_study(simulate_ratings(seed=3), resamples=200)
    for view in ("naturalness", "intelligibility"):
        assert study.test(view, "better", "worse").p_holm < 0.01
        assert study.test(view, "twin", "worse").p_holm > 0.01
        for system in ("better", "worse", "twin"):
            assert study.test(view, "original target", system).p_holm < 0.01
            assert study.test(view, system, "original target").p_listeners_holm < 0.01
    means = {group.name: group.mean for group in study.views["similarity_target"]}
    assert means["original target"] > means["worse"] > means["better"]
    assert study.test("similarity_nontarget", "better", "worse").p_holm > 0.01
    assert study.odd == ()


def test_without_an_effect_few_tests_are_significant() -> None:
    """Twins over 60 simulated studies: about 5 % below 0.05, as it must be; three quarters would betray an error."""
    same = {"one": Effect(), "two": Effect()}
    p = [
        listening_study(simulate_ratings(systems=same, listeners=8, per_group=4, seed=k), resamples=0)
        .test("naturalness", "one", "two")
        .p
        for k in range(60)
    ]
    assert np.mean(np.array(p) < 0.05) < 0.15
    assert np.mean(np.array(p) > 0.5) > 0.3


def test_intervals_over_listeners_cover_the_truth() -> None:
    """Truth by a very large test; 40 small ones with 95 % intervals: at least 34 of them hold it (p = 0.003 otherwise)."""
    systems = {"one": Effect(naturalness=0.3)}
    large = listening_study(simulate_ratings(systems=systems, listeners=1500, per_group=3, seed=99), resamples=0)
    truth = {g.name: g.mean for g in large.views["naturalness"]}["one"]
    held = 0
    for seed in range(40):
        ratings = simulate_ratings(systems=systems, listeners=12, per_group=3, seed=seed)
        only = replace(ratings, scores={"naturalness": ratings.scores["naturalness"]})
        study = listening_study(only, resamples=200)
        group = next(g for g in study.views["naturalness"] if g.name == "one")
        assert group.low is not None
        assert group.high is not None
        held += group.low <= truth <= group.high
    assert held >= 34


def test_listeners_who_rate_alike_or_against_are_named_and_nobody_else() -> None:
    odd = odd_listeners(simulate_ratings(listeners=20, alike=1, against=2, seed=5))
    assert {(o.listener, o.kind) for o in odd} == {("L019", "alike"), ("L018", "against"), ("L017", "against")}
    assert all("L01" in o.message for o in odd)


def test_listeners_as_verifiers_equal_the_measures_of_their_ranks() -> None:
    ratings = simulate_ratings(seed=2)
    study = listening_study(ratings, resamples=0)
    ranks = normalized_ranks(ratings.scores["similarity"], ratings.listener)
    rows = {row.system: row for row in study.verification}
    own = ratings.system == "worse"
    target, nontarget = ranks[own & ratings.target], ranks[own & ~ratings.target]
    for name, function in (("eer", eer), ("eer_rocch", eer_rocch), ("cllr", cllr), ("cllr_min", cllr_min)):
        assert rows["worse"].measures[name].value == pytest.approx(function(target, nontarget))
    assert rows["original"].measures["eer"].value < rows["better"].measures["eer"].value
    assert rows["worse"].against == "anonymized nontargets"


def test_cllr_of_ranks_lies_where_the_paper_prints_it() -> None:
    """Table 18 prints 0.90 to 1.09: ranks from 0 to 1 give that, scores from 1 to 10 would give 2 and more."""
    study = listening_study(simulate_ratings(seed=2), resamples=0)
    assert all(0.7 < row.measures["cllr"].value < 1.2 for row in study.verification)


def test_det_of_original_speech_is_the_anchor() -> None:
    study = listening_study(simulate_ratings(seed=1), resamples=0)
    assert set(study.det["naturalness"]) == {"original nontarget", "better", "worse", "twin"}
    assert set(study.det["similarity_target"]) == {"original target", "better", "worse", "twin"}
    curve = study.det["naturalness"]["original nontarget"]
    assert curve["miss"][0] == 0
    assert curve["false_alarm"][-1] == 0


def test_order_of_rows_does_not_show() -> None:
    ratings = simulate_ratings(listeners=8, seed=4)
    rng = np.random.default_rng(0)
    order = rng.permutation(ratings.listener.size)
    shuffled = Ratings(
        ratings.listener[order],
        ratings.stimulus[order],
        ratings.system[order],
        ratings.target[order],
        ratings.anonymized[order],
        {k: v[order] for k, v in ratings.scores.items()},
    )
    a, b = (listening_study(r, resamples=100).to_dict() for r in (ratings, shuffled))
    for view in a["views"]:
        for one, two in zip(a["views"][view]["tests"], b["views"][view]["tests"], strict=True):
            assert one["first"] == two["first"]
            assert one["p"] == pytest.approx(two["p"])
            assert one["p_listeners"] == pytest.approx(two["p_listeners"])


def test_ratings_survive_a_round_trip(tmp_path: Path) -> None:
    ratings = simulate_ratings(listeners=3, per_group=2, seed=1)
    scores = dict(ratings.scores)
    scores["similarity"] = scores["similarity"].copy()
    scores["similarity"][4] = np.nan
    ratings = replace(ratings, scores=scores)
    path = tmp_path / "ratings.csv"
    path.write_text(write_ratings(ratings))
    again = read_ratings(path)
    assert write_ratings(again) == write_ratings(ratings)
    assert len(again.inputs[0].sha256) == 64


def test_semicolons_synonyms_and_a_byte_order_mark_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(
        "﻿Evaluator;Utterance;System;Target;Condition;Gender;Similarity\n"
        "x;u1;B1;non-target;anonymised;f;3\nx;u2;;tar;orig;f;9\n".encode()
    )
    ratings = read_ratings(path)
    assert ratings.system.tolist() == ["B1", "original"]
    assert ratings.target.tolist() == [False, True]
    assert ratings.columns["sex"].tolist() == ["f", "f"]
    assert list(ratings.scores) == ["similarity"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ratings.csv: the file is empty; expected a header and rows"),
        ("listener,stimulus\n", "no column 'system'"),
        (HEADER, "has a header and no ratings"),
        (
            HEADER + "a,u,B1,target,anonymized,11,5,5\n",
            "naturalness: expected a number from 1 to 10, got '11'; say .* --scale",
        ),
        (HEADER + "a,u,B1,target,anonymized,nan,5,5\n", "line 2: naturalness: expected a number"),
        (HEADER + "a,u,B1,maybe,anonymized,1,5,5\n", "line 2: trial: expected target or nontarget, got 'maybe'"),
        (HEADER + "a,u,B1,target,loud,1,5,5\n", "line 2: speech: expected original or anonymized, got 'loud'"),
        (HEADER + "a,u,,target,anonymized,1,5,5\n", "line 2: system is empty"),
        (HEADER + "a,u,B1,target\n", "line 2: has 4 cells where the header has 8"),
        (HEADER.replace("stimulus", "listener"), "two columns called 'listener'"),
        ("listener,stimulus,system,trial,speech\n", "has none of the columns naturalness"),
    ],
)
def test_bad_files_get_a_sentence_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=message):
        read_ratings(path)


def test_a_study_of_one_kind_of_speech_is_refused() -> None:
    ratings = simulate_ratings(seed=0)
    with pytest.raises(InputError, match="nothing can be compared"):
        listening_study(ratings.take((ratings.system == "better") & ratings.target))


def test_warnings_name_what_is_missing() -> None:
    ratings = simulate_ratings(listeners=5, seed=0)
    study = listening_study(ratings.take(ratings.anonymized), resamples=0)
    assert {w.code for w in study.warnings} == {"few-listeners", "no-original"}


def test_pair_tests_need_six_listeners_for_the_test_over_listeners() -> None:
    ratings = simulate_ratings(listeners=5, seed=0)
    rows = {name: np.flatnonzero(ratings.system == name) for name in ("better", "worse")}
    assert np.isnan(pair_tests(ratings.scores["naturalness"], rows, ratings.listener)[0].p_listeners)


def test_a_title_says_a_thing_once() -> None:
    text = sheet_text(sheet(listening_study(simulate_ratings(seed=0), resamples=0)))
    assert "\nNaturalness: means\n" in text
    assert "\nNaturalness: all pairs\n" in text
    assert "\nListeners as speaker verifiers: Similarity ratings as scores\n" in text


def test_only_a_number_beyond_the_scale_asks_for_another_scale(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(HEADER + "a,u,B1,target,anonymized,many,5,5\n")
    with pytest.raises(FileError, match=r"got 'many'$"):
        read_ratings(tmp_path / "r.csv")
