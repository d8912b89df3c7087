"""Many systems side by side: cells found from results, tables, rankings with letters, Pareto front, commands."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stripeless.assessment.assess import assess
from stripeless.cli import group
from stripeless.errors import InputError, TrialMismatch
from stripeless.listening.objective import objective_against_subjective, published_objective
from stripeless.listening.ratings import write_ratings
from stripeless.listening.simulate import simulate_ratings
from stripeless.listening.study import listening_study
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.measures.uncertainty.ordering import group_letters, rank_over_conditions, rank_systems
from stripeless.papers.published import select
from stripeless.report.grids import as_csv, as_latex, as_markdown, grids_of
from stripeless.results.evaluation import Evaluation
from stripeless.results.listening import ListenedVerification, ListeningStudy
from stripeless.results.systems import Cell, Systems
from stripeless.scores.trials import Factor, TrialScores
from stripeless.studies.systems import collect_cells, compare_systems, pareto_front, unique


def result(name: str, shift: float, **extra: Any) -> dict[str, Any]:
    rng = np.random.default_rng(len(name))
    return assess(rng.normal(shift, 1, 200), rng.normal(0, 1, 300), name=name).to_dict() | extra


def trials(shift: float, seed: int, speakers: int = 25) -> TrialScores:
    """The same trials for every system: what all find hard is shared, what a system adds is its own."""
    shared, own = np.random.default_rng(0), np.random.default_rng(seed)
    people = np.repeat(np.arange(speakers), 8)
    other = (people + 1 + shared.integers(0, speakers - 1, people.size)) % speakers
    hard = shared.normal(0, 0.7, speakers)
    target = shift + hard[people] + own.normal(0, 1, people.size)
    nontarget = own.normal(0, 1, people.size)
    names = tuple(f"s{k}" for k in range(speakers))
    return TrialScores(
        target, nontarget, trial_digest="same",
        enrollment_speakers=Factor(names, people.astype(np.int32), people.astype(np.int32)),
        trial_speakers=Factor(names, people.astype(np.int32), other.astype(np.int32)),
    )  # fmt: skip


def test_cells_come_from_what_results_say_of_themselves() -> None:
    labeled = result("B9", 1.0, attacker="ignorant", labels={"dataset": "libri", "split": "test", "sex": "f"})
    whole = assess([1.0, 2.0], [0.0, 1.5], name="a")
    evaluation = Evaluation("X", (whole,), original=whole).to_dict()
    cells = collect_cells([labeled, evaluation])
    found = {(c.system, c.dataset, c.split, c.sex, c.attacker) for c in cells}
    assert ("B9", "libri", "test", "female", "ignorant") in found
    assert ("X", "all", "", "all", "") in found
    assert ("Orig", "all", "", "all", "original") in found
    value = next(c.value for c in cells if c.system == "B9" and c.measure == "eer")
    assert value == labeled["measures"]["eer"]["value"]


def test_groups_inside_a_result_become_conditions() -> None:
    one = result("B9", 1.0)
    one["groups"] = {"sex": {"m": {"measures": {"eer": {"value": 0.25}}, "counts": {}}}}
    assert Cell("B9", "all", "", "male", "", "eer", 0.25, source="B9") in collect_cells([one])


def test_two_values_for_one_place_are_refused() -> None:
    with pytest.raises(InputError, match="has two values of"):
        compare_systems([result("same", 1.0), result("same", 2.0, labels={})])
    twice = [Cell("a", "d", "", "all", "", "eer", 0.5)] * 2
    assert len(unique(twice)) == 1


def test_a_users_b1_stays_apart_from_the_published_one() -> None:
    systems = compare_systems([result("B1", 1.0)], among="voiceprivacy2020")
    assert {"B1", "B1 (yours)"} <= {c.system for c in systems.cells}
    assert "no-shared-condition" in {w.code for w in systems.warnings}
    labels = {"dataset": "librispeech", "split": "test", "sex": "female"}
    fits = compare_systems(
        [result("mine", 1.0, labels=labels, attacker="ignorant")], among="voiceprivacy2020", split="test"
    )
    assert "no-shared-condition" not in {w.code for w in fits.warnings}


def test_tables_are_those_of_the_paper() -> None:
    systems = compare_systems([], among="voiceprivacy2020", split="test")
    grid = next(g for g in grids_of(systems) if g.measure == "cllr_min" and g.attacker == "lazy-informed")
    assert grid.rows == tuple(
        (d, s) for d in ("librispeech", "vctk-different", "vctk-common") for s in ("female", "male")
    )
    assert grid.systems[:4] == ("Orig", "A1", "A2", "B1")
    for row, values in zip(grid.rows, grid.values, strict=True):
        for system, value in zip(grid.systems, values, strict=True):
            (printed,) = select(
                table="3", measure="cllr_min", attacker="lazy-informed", dataset=row[0], sex=row[1], system=system
            )
            assert value == printed.value
    text = as_markdown([grid])
    assert "| librispeech | female | 0.183 |" in text
    assert text.count("**") == 2 * len(grid.rows)
    assert r"\textbf{0.960}" in as_latex([grid]) or r"\textbf{0." in as_latex([grid])


def test_no_prize_for_an_eer_beyond_chance() -> None:
    cells = [Cell(name, "d", "", "all", "x", "eer", v) for name, v in (("a", 0.60), ("b", 0.52), ("c", 0.49))]
    grid = grids_of(Systems(tuple(cells)))[0]
    assert {grid.systems[k] for k in grid.best[0]} == {"c"}  # 49 % is nearer to chance than 52 % and 60 %


def test_csv_holds_every_cell_and_no_formula() -> None:
    cells = [Cell("=cmd()", "d", "", "all", "", "eer", 0.123456789)]
    rows = list(csv.DictReader(io.StringIO(as_csv(cells))))
    assert rows[0]["system"] == "'=cmd()"
    assert float(rows[0]["value"]) == 0.123456789


def test_letters_of_known_groups() -> None:
    assert group_letters(["a", "b", "c"], set()) == {"a": "a", "b": "a", "c": "a"}
    every = {frozenset(p) for p in (("a", "b"), ("a", "c"), ("b", "c"))}
    assert group_letters(["a", "b", "c"], every) == {"a": "a", "b": "b", "c": "c"}


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda p: p[0] < p[1])))
def test_two_share_a_letter_exactly_if_they_do_not_differ(pairs: set[tuple[int, int]]) -> None:
    order = [f"s{k}" for k in range(7)]
    different = {frozenset((order[i], order[j])) for i, j in pairs}
    letters = group_letters(order, different)
    for i, one in enumerate(order):
        for two in order[i + 1 :]:
            assert bool(set(letters[one]) & set(letters[two])) == (frozenset((one, two)) not in different)


def test_ranking_over_speakers_finds_what_differs_and_spares_twins() -> None:
    systems = {"weak": trials(0.2, 1), "twin one": trials(1.5, 2), "twin two": trials(1.5, 3), "open": trials(4.0, 4)}
    ranking = rank_systems(systems, measure="eer", resamples=200)
    letters = {place.system: place.letters for place in ranking.places}
    assert ranking.places[0].system == "weak"
    assert ranking.places[-1].system == "open"
    assert letters["weak"] != letters["twin one"] == letters["twin two"] != letters["open"]
    assert "speakers" in ranking.method
    again = rank_systems(systems, measure="eer", resamples=200)
    assert again.to_dict() == ranking.to_dict()


def test_twins_are_rarely_told_apart() -> None:
    """20 pairs of systems of equal quality: at most 3 are called different at 5 % (p = 0.016 otherwise)."""
    called = 0
    for seed in range(20):
        pair = {"a": trials(1.5, 100 + seed), "b": trials(1.5, 200 + seed)}
        called += rank_systems(pair, measure="eer", resamples=150).p[("a", "b")] < 0.05
    assert called <= 3


def test_systems_on_other_trials_cannot_be_ranked_over_speakers() -> None:
    with pytest.raises(TrialMismatch, match="a and b"):
        rank_systems({"a": trials(1.0, 1), "b": trials(1.0, 2, speakers=30)})
    with pytest.raises(InputError, match="at least two"):
        rank_systems({"a": trials(1.0, 1)})


def test_ranking_over_conditions_needs_shared_ones() -> None:
    private = dict(enumerate((0.1, 0.2, 0.1, 0.15, 0.1, 0.2)))
    exposed = {**dict(enumerate((0.6, 0.71, 0.62, 0.7, 0.6, 0.65))), 9: 9.0}
    ranking = rank_over_conditions({"a": private, "b": exposed}, "d_ece")
    assert [(p.system, p.letters) for p in ranking.places] == [("a", "a"), ("b", "b")]
    assert ranking.p[("a", "b")] < 0.05
    few = rank_over_conditions({"a": {k: private[k] for k in range(5)}, "b": exposed}, "d_ece")
    assert [(p.system, p.letters) for p in few.places] == [("a", ""), ("b", "")]
    assert few.p == {}
    assert few.method == "mean over 5 shared conditions; no test: it takes 6"
    with pytest.raises(InputError, match="no condition"):
        rank_over_conditions({"a": {1: 0.1}, "b": {2: 0.1}}, "d_ece")


def test_pareto_front_of_known_points() -> None:
    points = {"best": (0.1, -1.0), "private": (0.05, -9.0), "useful": (0.6, -0.5), "beaten": (0.2, -2.0)}
    cells = [Cell(n, "d", "", "all", "lazy", "d_ece", p) for n, (p, _) in points.items()]
    cells += [Cell(n, "d", "", "all", "", "gain_of_voice_distinctiveness", u) for n, (_, u) in points.items()]
    front = pareto_front(cells, "d_ece", "gain_of_voice_distinctiveness")
    assert front is not None
    assert {p.system for p in front.points if p.front} == {"best", "private", "useful"}


def test_a_stronger_attacker_that_only_some_have_met_does_not_count() -> None:
    cells = [Cell(n, "d", "", "all", "lazy", "d_ece", 0.1) for n in ("a", "b")]
    cells += [Cell("a", "d", "", "all", "semi", "d_ece", 0.7)]
    cells += [Cell(n, "d", "", "all", "", "gain_of_voice_distinctiveness", -1.0) for n in ("a", "b")]
    front = pareto_front(cells, "d_ece", "gain_of_voice_distinctiveness")
    assert front is not None
    assert front.attackers == ("lazy",)
    assert {p.privacy for p in front.points} == {0.1}


def test_objective_and_subjective_meet_by_system_and_condition() -> None:
    """With Table 18 on both sides, the correlation is that of the paper's own numbers."""
    rows: dict[tuple[str, str, str], dict[str, Measure]] = {}
    for r in select(table="18", evaluation="subjective"):
        name = "original" if r.system == "Orig" else r.system
        rows.setdefault((name, r.dataset, r.sex), {})[r.measure] = Measure(MEASURES[r.measure], r.value)
    heard = [ListenedVerification(name, m, dataset=data, sex=sex) for (name, data, sex), m in rows.items()]
    found = objective_against_subjective(ListeningStudy(tuple(heard), {}, {}), published_objective())
    assert len(found["eer"].points) == 60
    assert found["eer"].rho == pytest.approx(0.4644, abs=1e-4)
    assert found["eer"].rho_anonymized == pytest.approx(0.2656, abs=1e-4)


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(group, [str(a) for a in arguments])


def test_compare_reads_a_folder_and_writes_every_table(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for name, shift in (("one", 0.5), ("two", 2.0)):
        (folder / f"{name}-x.json").write_text(json.dumps(result(name, shift, attacker="ignorant")))
    (folder / "package.json").write_text('{"name": "not ours"}')
    tables = [tmp_path / f"t{suffix}" for suffix in (".md", ".tex", ".csv", ".json")]
    options = [part for table in tables for part in ("--table", table)]
    done = run("compare", folder, *options, "--html", tmp_path / "x.html", "--json")
    assert done.exit_code == 0, done.output
    systems = json.loads(done.stdout)
    assert {c["system"] for c in systems["cells"]} == {"one", "two"}
    assert "1 other JSON files" in done.stderr
    assert all(table.stat().st_size > 100 for table in tables)
    assert "<script" not in (tmp_path / "x.html").read_text()
    assert run("compare", folder, "--table", tmp_path / "t.doc").exit_code == 2
    assert run("compare", tmp_path / "nothing.json", "--rank").exit_code == 1


def test_compare_ranks_score_files_of_the_same_trials(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    (tmp_path / "trials").write_text(
        "".join(f"m{k % 9} u{k} {'target' if k % 3 else 'nontarget'}\n" for k in range(300))
    )
    for name, shift in (("a", 0.2), ("b", 3.0), ("c", 3.0)):
        rows = [f"m{k % 9} u{k} {rng.normal(shift if k % 3 else 0.0):.5f}\n" for k in range(300)]
        (tmp_path / name).write_text("".join(rows))
    files = [tmp_path / name for name in "abc"]
    done = run("compare", *files, "--trials", tmp_path / "trials", "--rank", "--resamples", "100", "--json")
    assert done.exit_code == 0, done.output
    (ranking,) = json.loads(done.stdout)["rankings"]
    assert ranking["places"][0]["system"] == "a"
    assert "paired bootstrap" in ranking["method"]


def test_listen_analyzes_a_file_and_leaves_listeners_out_on_request(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(write_ratings(simulate_ratings(listeners=12, against=1, seed=2)))
    done = run("listen", path, "--json", "--resamples", "100", "--html", tmp_path / "l.html", "--published")
    assert done.exit_code == 0, done.output
    study = json.loads(done.stdout)
    assert {o["listener"] for o in study["listeners"]} == {"L011"}
    assert "objective" in study
    assert "L011" in (tmp_path / "l.html").read_text()
    without = json.loads(run("listen", path, "--without", "L011", "--json", "--resamples", "0").stdout)
    assert without["listeners"] == []
    assert without["counts"]["listeners"] == 11
    assert run("listen", path, "--without", "nobody").exit_code == 1
    text = run("listen", path, "--resamples", "0").stdout
    assert "hides the speaker from listeners best" in text
    assert "Naturalness: means" in text


def test_every_figure_of_both_kinds_has_its_data(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need pip install 'stripeless[plots]'")
    from stripeless.report.kinds import figure_data_of, figures_of

    labels = {"dataset": "librispeech", "split": "test", "sex": "female"}
    mine = [result(name, shift, labels=labels, attacker="ignorant") for name, shift in (("one", 0.5), ("two", 2.0))]
    study = listening_study(simulate_ratings(listeners=6, per_group=2), resamples=0).to_dict()
    for whole in (compare_systems(mine, among="voiceprivacy2020", split="test").to_dict(), study):
        names = list(figures_of(whole))
        assert len(names) >= 8
        for name in names:
            assert len(figure_data_of(whole, name).splitlines()) > 2, name


def test_only_results_of_scores_stand_side_by_side(tmp_path: Path) -> None:
    study = tmp_path / "study.json"
    study.write_text(json.dumps(listening_study(simulate_ratings(listeners=6, per_group=2), resamples=0).to_dict()))
    done = run("compare", study, study)
    assert done.exit_code == 1
    assert "kind 'listening'" in str(done.exception)


def test_summary_on_one_page(tmp_path: Path) -> None:
    scores = tmp_path / "s.txt"
    scores.write_text("".join(f"{k % 7 + 3 * (k % 2)} {'target' if k % 2 else 'nontarget'}\n" for k in range(200)))
    page = tmp_path / "summary.html"
    assert run("assess", scores, "--summary", page, "--resamples", "0").exit_code == 0
    text = page.read_text()
    assert all(word in text for word in ("Singling out", "Linkability", "Inference", "ZEBRA category", "cannot say"))
    assert "<script" not in text


def test_rankings_follow_the_one_rule_for_more_private() -> None:
    """52 % is nearer to chance than 58 %; a Cllr ranks nobody."""
    ranking = rank_over_conditions({"misled": {1: 0.58, 2: 0.57}, "chance": {1: 0.52, 2: 0.51}}, "eer")
    assert [place.system for place in ranking.places] == ["chance", "misled"]
    with pytest.raises(InputError, match="cllr says nothing about who is more private"):
        rank_over_conditions({"a": {1: 0.9}, "b": {1: 1.9}}, "cllr")
    cells = [Cell(n, "d", "", "all", "lazy", "eer", v) for n, v in (("misled", 0.58), ("chance", 0.49))]
    cells += [Cell(n, "d", "", "all", "", "gain_of_voice_distinctiveness", -1.0) for n in ("misled", "chance")]
    front = pareto_front(cells, "eer", "gain_of_voice_distinctiveness")
    assert front is not None
    assert [point.system for point in front.points if point.front] == ["chance"]
