"""Reports as text, Markdown and LaTeX; what all formats share."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_results import evaluation, hostile, scores_of, simulated

from stripeless.assessment.assess import assess, assess_scores
from stripeless.assessment.groups import assess_groups
from stripeless.errors import InputError
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.report import render_html, render_latex, render_markdown, render_text
from stripeless.report.tables import groups_of
from stripeless.report.text import width
from stripeless.report.view import view_of
from stripeless.report.voices import encoder_table, voices_text
from stripeless.results.assessment import Group
from stripeless.results.evaluation import Evaluation
from stripeless.results.voices import PlayedRow, Voices
from stripeless.scores.trials import Factor, TrialScores
from stripeless.studies.comparison import compare_results


@pytest.mark.parametrize("render", [render_html, render_markdown, render_text, render_latex])
def test_every_format_takes_every_kind(render: Any) -> None:
    one = scores_of(1.5).to_dict()
    ceiling = simulated(3.5, attacker="original").to_dict()
    for results in (
        one,
        evaluation(),
        [one, evaluation()],
        compare_results([one, evaluation()]).to_dict(),
        {**one, "original": ceiling},
        {**one, "curves": {}},
        [one],
        scores_of(1.5),
    ):
        assert render(results)
    for wrong in ({"kind": "ranks"}, {}, 7, []):
        with pytest.raises(InputError):
            render(wrong)


def test_paired_differences_are_shown() -> None:
    d = {
        "measure": "eer",
        "first": 0.3,
        "second": 0.2,
        "difference": 0.1,
        "low": 0.05,
        "high": 0.15,
        "p_value": 0.004,
        "more_private": 1,
        "unit": "speakers",
    }
    result = compare_results([scores_of(0.5).to_dict(), scores_of(1.5).to_dict()]).to_dict()
    text = render_text({**result, "differences": {"x/a.txt - x/b.txt": {"eer": d}}})
    assert "a.txt minus b.txt" in text
    row = next(line for line in text.splitlines() if line.startswith("  EER"))
    assert " ".join(row.split()) == "EER 10.0 points (5.0 to 15.0 points) 0.004 a.txt"


def test_names_that_share_a_folder_show_what_differs() -> None:
    results = [{**scores_of(1.5).to_dict(), "name": f"/a/very/long/folder/{name}"} for name in ("b1/f.txt", "b2/f.txt")]
    assert [one.label for one in view_of(results).series] == ["b1/f.txt", "b2/f.txt"]


def test_text_fits_eighty_columns_and_is_aligned() -> None:
    wide = {**scores_of(1.5).to_dict(), "name": "語" * 60 + "e\u0301" * 30}
    for result in (wide, evaluation(), hostile(), [wide, evaluation()], assess([1.0], [0.0]).to_dict()):
        lines = render_text(result).splitlines()
        assert max(map(width, lines)) <= 80
    lines = render_text(scores_of(1.5).to_dict()).splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("measure"))
    end = {width(line) for line in lines[head : head + 8]}
    assert end == {width(lines[head + 1])}


def test_text_says_value_interval_chance_and_reason() -> None:
    result = scores_of(1.5).to_dict()
    eer = result["measures"]["eer"]
    row = next(line for line in render_text(result).splitlines() if line.startswith("Equal error rate"))
    interval = f"{100 * eer['low']:.1f} to {100 * eer['high']:.1f} %"
    assert row.split("  ")[0] == "Equal error rate"
    assert f"{100 * eer['value']:.1f} %" in row
    assert interval in row
    assert row.endswith("50.0 %    0.0 %")
    assert "3000 nontarget trials are too few; 10000" in " ".join(render_text(result).split())


def test_terminal_controls_never_reach_the_terminal() -> None:
    result = {**scores_of(1.5).to_dict(), "name": "a\x1b[31mred\u202e\nb", "notes": ["x\x1b]0;t\x07"]}
    text = render_text([result, result])
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x1b" not in render_text(result)


def test_markdown_keeps_its_columns() -> None:
    for result in (hostile(), evaluation()):
        text = render_markdown(result)
        assert "<script" not in text
        for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
            columns = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(columns) == 1


def test_latex_is_escaped_and_rectangular() -> None:
    text = render_latex([hostile(), {**scores_of(0.5).to_dict(), "name": "A_1 & 50 %"}])
    assert r"A\_1 \& 50 \%" in text
    assert r"\textless{}script\textgreater{}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {4}
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert len(re.findall(r"(?<!\\)[%]", text)) == 1  # the comment on top
    assert r"\textbf{" in text


def test_best_values_leave_out_cllr_and_broken_results() -> None:
    swapped = assess(np.arange(300.0) - 400, np.arange(3000.0), name="swapped").to_dict()
    rows = {row.name: row for row in view_of([scores_of(0.5), scores_of(1.5), swapped]).rows}
    assert [cell.best for cell in rows["eer"].cells] == [True, False, False]
    assert not any(cell.best for cell in rows["cllr"].cells)


def test_real_scores_give_the_published_legend(librispeech: Any) -> None:
    """Paper 1, Fig. 3: the unprotected system is (0.58, 3.98, C)."""
    from stripeless.plots.ece import evidence
    from stripeless.scores.files import read_scores

    scores = read_scores(librispeech / "scores/original/oo_f.txt", librispeech / "trials_f/trials")
    assert evidence(assess(scores.target, scores.nontarget)) == "(0.58, 3.98, C)"


def test_the_terminal_explains_the_rows_that_are_read_wrongly() -> None:
    rng = np.random.default_rng(0)
    text = render_text(assess(rng.normal(3, 1, 100), rng.normal(0, 1, 1000)))
    below = {
        line.split("  ")[0]: " ".join(rest)
        for line, *rest in zip(*(text.splitlines()[k:] for k in range(4)), strict=False)
    }
    assert "histogram estimate of the VoicePrivacy tables" in below["Linkability as in the tables"]
    assert "A lower limit (95 %), no measured value" in below["Proven privacy loss"]
    assert re.search(r"Proven privacy loss +[0-9.]+ nat", text)
    few = render_text(assess(rng.normal(3, 1, 100), rng.normal(0, 1, 100)))
    assert "no measured value" not in few, "where there is no value, the reason stands there"


def groups_with(**eer: float | None) -> dict[str, Group]:
    return {
        name: Group(
            8, 80, {} if value is None else {"eer": Measure(MEASURES["eer"], value)}, "" if value else "too few"
        )
        for name, value in eer.items()
    }


def test_groups_are_ordered_by_the_measure_that_is_shown() -> None:
    of = {"speaker": groups_with(a=0.4, none=None, b=0.609, c=0.1, d=0.45)}
    table = groups_of(replace(scores_of(1.0), groups=of))[0]
    assert [row[0].value for row in table.rows] == ["c", "b", "a", "d", "none"], "60.9 % counts as 39.1 %"
    assert table.caption == "By speaker, the worst protected first"
    assert table.note.startswith("The order is by Equal error rate.")
    assert "beyond 50 %" in table.note
    assert "beyond 50 %" not in groups_of(replace(scores_of(1.0), groups={"x": groups_with(a=0.4)}))[0].note


def test_groups_without_any_measure_have_no_order() -> None:
    result = replace(scores_of(1.0), groups={"speaker": groups_with(a=None, b=None)})
    assert groups_of(result)[0].caption == "By speaker, without an order"
    assert "No measure can be shown: too few." in render_text(result)
    assert "worst protected" not in render_text(result)


def test_the_terminal_names_how_recordings_were_compared_and_why_trials_are_fewer() -> None:
    folded = replace(simulated(1.5, attacker="semi-informed"), backend="compact, WCCN 1, cross-fitted", n_nontarget=7)
    plain = replace(simulated(0.5, attacker="ignorant"), backend="compact, cosine")
    text = " ".join(render_text(Evaluation("x", (plain, folded))).split())
    assert "semi-informed by compact, WCCN 1, cross-fitted" in text
    assert "leaves 300 target and 7 nontarget trials of 300 and 3,000." in text
    alone = render_text(Evaluation("x", (plain, replace(plain, name="y"))))
    assert "Cross-fitted" not in alone


def test_the_table_of_encoders_says_which_comparison_it_shows_and_stays_aligned() -> None:
    rows = tuple(
        PlayedRow("compact", who, how, "all", eer, "B", 0.1, 0.2, 1.0, 0.3)
        for who, how, eer in (
            ("ignorant", "cosine", 0.3),
            ("semi-informed", "WCCN 0.05, cross-fitted", 0.1),
            ("semi-informed", "PLDA, cross-fitted", 0.2),
        )
    )
    voices = Voices(rows, {}, {}, "compact")
    assert [row[0].note for row in encoder_table(voices).rows] == [
        "compact, cosine",
        "compact, WCCN 0.05, cross-fitted",
    ]
    assert "lowest EER" in encoder_table(voices).note
    lines = voices_text(voices).splitlines()
    assert "lowest EER" in " ".join(lines)
    head, *below = lines[next(k for k, line in enumerate(lines) if line.startswith("encoder")) :][:3]
    assert {line.index("all") for line in below} == {head.index("sex")}


def test_groups_are_printed() -> None:
    rng = np.random.default_rng(0)
    sex = Factor(("female", "male"), (np.arange(100) % 2).astype(np.int32), (np.arange(300) % 2).astype(np.int32))
    scores = TrialScores(rng.normal(1, 1, 100), rng.normal(0, 1, 300), columns={"sex": sex})
    result = replace(assess_scores(scores), groups={"sex": assess_groups(scores, "sex")}).to_dict()
    text = render_text(result)
    assert "By sex, the worst protected first" in text
    assert "The order is by Equal error rate." in text
    assert "female" in text
    assert max(map(len, text.splitlines())) <= 80
