"""The sheet for a privacy officer: three criteria, answered from what there is and from nothing else."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sample_results import evaluation, simulated
from study_results import attack, rank, study

from stripeless.cli import group
from stripeless.errors import InputError
from stripeless.report.kinds import html_of, markdown_of, text_of
from stripeless.report.summary import render_summary
from stripeless.results.judged import verdict
from stripeless.results.kinds import result_from_dict
from stripeless.studies.summary import criteria_of, summarize_results
from stripeless.verdicts.codes import CODES

CHROMIUM = os.environ.get("STRIPELESS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def answers(*others: dict[str, Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in criteria_of(evaluation(), others):
        found.setdefault(one.criterion, set()).add(one.answer)
    return found


def test_what_nothing_answers_is_not_tested() -> None:
    page = render_summary(evaluation())
    assert page.count("not tested") == 2
    assert "not tested" not in render_summary(evaluation(), [attack(), rank(), study("attribute")])


def test_results_that_count_other_people_or_read_other_files_are_told() -> None:
    scores = {**evaluation(), "original": None}
    people = scores["attackers"][0]["counts"]["speakers"]
    unlike = summarize_results([scores, attack(), rank()])
    assert people not in (None, 12)
    assert f"count different numbers of people ({people} in the scores, 12 in attack" in " ".join(unlike.notes)
    assert unlike.notes[0] in html.unescape(html_of(unlike))
    assert "different numbers of people" in " ".join(text_of(unlike).split())
    assert result_from_dict(unlike.to_dict()).notes == unlike.notes
    same = {**attack(), "counts": {**attack()["counts"], "speakers": people}}
    assert summarize_results([scores, same]).notes == ()
    files = [[{"path": "a.npz", "sha256": digest}] for digest in ("aa", "bb")]
    apart = summarize_results([scores, {**same, "inputs": files[0]}, {**_ranked(people), "inputs": files[1]}])
    assert apart.notes[0].startswith("Attack and rank read no file in common.")
    alike = summarize_results([scores, {**same, "inputs": files[0]}, {**_ranked(people), "inputs": files[0]}])
    assert alike.notes == ()


def _ranked(people: int) -> dict[str, Any]:
    found = rank()
    return {**found, "features": [{**one, "speakers": people} for one in found["features"]]}


def test_an_attack_answers_singling_out_and_linkability() -> None:
    """Candidates are the 3 women and 3 men of a group: enough to link, too few to single out more often than strangers do."""
    assert answers(attack()) == {"singling out": {"not shown"}, "linkability": {"possible"}}
    ground = next(c.ground for c in criteria_of(evaluation(), [attack()]) if c.criterion == "linkability")
    assert "of 6 people" in ground
    assert "guessing: 16.7 %" in ground


def without_lookup(result: dict[str, Any]) -> dict[str, Any]:
    """The same, had nobody asked whether pseudonyms return."""
    return {**result, "evidence": {name: one for name, one in result["evidence"].items() if name != "pseudonym_lookup"}}


def test_a_rate_of_the_strongest_of_many_attacks_counts_only_where_the_choice_is_paid_for() -> None:
    luck = without_lookup(attack())
    luck["evidence"]["unlinkability"]["p"] = 0.06
    assert answers(luck)["linkability"] == {"not shown"}
    unclear = without_lookup(attack())
    for rate in unclear["identification"]["rates"]:
        rate["p"] = 0.06
    assert answers(unclear)["linkability"] == {"not shown"}
    old = attack()
    old["evidence"] = {}
    assert answers(old)["linkability"] == {"possible"}, "a result of 0.1 has its interval alone"


def test_an_attack_that_only_guesses_shows_nothing() -> None:
    assert answers(attack(noise=1e6))["linkability"] == {"not shown"}


def test_ranks_answer_singling_out_where_they_have_an_interval() -> None:
    assert answers(rank()) == {"singling out": {"possible"}}
    assert answers(rank(noise=1e6)) == {"singling out": {"not shown"}}
    bare = rank()
    bare["features"][0]["measures"]["id_rate"].update(low=None, high=None)
    assert answers(bare) == {"singling out": {"unclear"}}


def test_attributes_answer_inference_by_their_verdict() -> None:
    proof = study("attribute")
    assert answers(proof) == {"inference": {"possible"}}
    untested = {**proof, "evidence": None}
    assert answers(untested) == {"inference": {"unclear"}}, "a result of 0.1 holds no test"


@pytest.mark.parametrize("semi", [0.0, 2.5])
def test_the_sheet_says_the_verdict_word_for_word(semi: float) -> None:
    """Margin, people and attackers as in the report of that result, in every form."""
    result = evaluation(semi=semi, lazy=0.0)
    said = verdict(result)
    whole = summarize_results([result])
    for form in (text_of(whole), markdown_of(whole), html_of(whole)):
        words = " ".join(html.unescape(re.sub("<[^>]+>", "", form)).replace("\\", "").split())
        for sentence in (said.headline, *said.sentences, said.basis):
            assert " ".join(sentence.split()) in words, sentence


def test_findings_reach_the_sheet() -> None:
    group = {"code": "exposed_group", "severity": "caution", "message": "Four women."}
    swapped = {"code": "few_speakers", "severity": "caution", "message": "Few."}
    result = evaluation()
    result["attackers"][0]["warnings"] = [group, swapped]  # not the attacker who leads
    for form in (text_of(summarize_results([result])), render_summary(result)):
        assert "a group of people is recognized, though the average is not" in " ".join(form.split())
        assert "too few speakers" not in form
    result["attackers"][2]["warnings"] = [swapped, {**swapped, "code": "own", "severity": "remark"}]
    sheet = " ".join(text_of(summarize_results([result])).split())
    assert "Findings to know of: " + CODES["few_speakers"].title[0].lower() in sheet
    assert "own" not in sheet.split("Findings to know of: ")[1].split(". The report")[0].split("; ")
    result["attackers"] = [{**one, "warnings": []} for one in result["attackers"]]
    assert "Findings to know of" not in render_summary(result)


def test_one_leak_outweighs_another_result_without() -> None:
    page = text_of(summarize_results([evaluation(), rank(noise=1e6), rank()]).to_dict())
    assert "picked out of all? Possible." in page


def test_an_attack_contradicts_scores_that_show_nothing() -> None:
    page = render_summary(simulated(0.0, name="B2").to_dict(), [attack()])
    assert "Other results of this system find one: " in page
    assert "The scores by themselves: Cannot tell." in page


def test_pseudonyms_that_return_are_linkability() -> None:
    result = attack()
    grounds = [c.ground for c in criteria_of(simulated(0.0).to_dict(), [result]) if c.criterion == "linkability"]
    assert any(ground.startswith("Pseudonyms return.") for ground in grounds)
    grounds = [c.ground for c in criteria_of(simulated(0.0).to_dict(), [without_lookup(result)])]
    assert not any(ground.startswith("Pseudonyms return.") for ground in grounds)


def test_ranks_of_an_evaluation_of_voices_are_used() -> None:
    bits = {"mean_disclosure": 1.0, "max_disclosure": 4.0, "templates": 20}
    ranks = {"original": {"id_rate": 1.0, **bits}, "ignorant": {"id_rate": 0.25, **bits}}
    voices = {"ranks": ranks, "listeners": [], "similarity": {}, "encoder": "statistics"}
    (one,) = criteria_of({**evaluation(), "voices": voices})
    assert (one.criterion, one.answer) == ("singling out", "unclear")
    assert "25.0 %" in one.ground


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([attack()], "exactly one assessment or evaluation, got 0"),
        ([evaluation(), evaluation()], "got 2 \\('B1', 'B1'\\)"),
        ([evaluation(), study("similarity")], "'similarity' answers none"),
    ],
)
def test_a_summary_is_of_one_system(results: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        summarize_results(results)


def test_the_command_takes_files_and_folders(tmp_path: Path) -> None:
    for name, result in (("scores", evaluation()), ("attack", attack()), ("rank", rank())):
        (tmp_path / f"{name}.json").write_text(json.dumps(result))
    (tmp_path / "other.json").write_text("{}")
    sheet = tmp_path / "summary.html"
    done = CliRunner().invoke(group, ["summary", str(tmp_path), "--html", str(sheet)])
    assert done.exit_code == 0, done.output
    assert "3 results, 1 other JSON files left aside" in done.stderr
    assert "Joined with these scores" in sheet.read_text()
    assert "picked out of all? Possible." in done.stdout
    listed = CliRunner().invoke(
        group, ["summary", str(tmp_path / "scores.json"), str(tmp_path / "rank.json"), "--json"]
    )
    assert json.loads(listed.stdout)["kind"] == "summary"


@pytest.mark.skipif(CHROMIUM is None or shutil.which("pdfinfo") is None, reason="needs Chromium and poppler-utils")
@pytest.mark.parametrize("crowded", [False, True])
def test_it_prints_on_one_sheet(tmp_path: Path, crowded: bool) -> None:
    others = [attack(), rank()] * (3 if crowded else 1)
    page, paper = tmp_path / "summary.html", tmp_path / "summary.pdf"
    page.write_text(html_of(summarize_results([evaluation(), *others])))
    print_it = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    subprocess.run(
        [str(CHROMIUM), *print_it, f"--print-to-pdf={paper}", page.as_uri()], capture_output=True, timeout=120
    )
    facts = subprocess.run(["pdfinfo", str(paper)], capture_output=True, text=True, check=True).stdout
    assert "Pages:           1" in facts
    assert "(A4)" in facts
