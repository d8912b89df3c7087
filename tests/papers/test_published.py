"""The shipped tables of the VoicePrivacy 2020 supplement, and the statements made about them."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

import pytest

from stripeless.papers.published import SYSTEMS, of_same_systems, read_published, read_published_tests, select
from stripeless.papers.statements import reproduce_statements

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize(
    ("table", "measure", "attacker", "dataset", "sex", "system", "printed"),
    [  # looked up by eye, the corners and the traps of the tables
        ("2", "eer_kaldi", "ignorant", "librispeech", "female", "Orig", "8.66"),
        ("3", "eer_kaldi", "ignorant", "librispeech", "male", "M1c4", "19.6"),
        ("3", "cllr_min", "lazy-informed", "vctk-common", "male", "A2", "0.614"),
        ("5", "log10_lr", "lazy-informed", "librispeech", "female", "B1", "2.486"),
        ("7", "linkability_binned", "lazy-informed", "vctk-common", "male", "S2c1", "0.182"),
        ("9", "gain_of_voice_distinctiveness", "lazy-informed", "vctk-different", "female", "K2", "0.25"),
        ("9", "de_identification", "ignorant", "vctk-common", "male", "S2c1", "99.1"),
        ("13", "log10_lr", "semi-informed", "vctk-different", "male", "S2", "3.137"),
        ("14", "linkability_binned", "semi-informed", "vctk-different", "male", "B1", "0.726"),
        ("15", "linkability_binned", "semi-informed", "vctk-different", "male", "K2", "0.865"),
        ("18", "cllr", "listener", "vctk-different", "male", "K2", "1.050"),
        ("18", "eer", "ignorant", "librispeech", "female", "B2", "26.090"),
    ],
)
def test_cells_are_those_of_the_paper(
    table: str, measure: str, attacker: str, dataset: str, sex: str, system: str, printed: str
) -> None:
    rows = select(table=table, measure=measure, attacker=attacker, dataset=dataset, sex=sex, system=system)
    assert [row.printed for row in rows] == [printed]


def test_every_condition_has_both_sexes_once() -> None:
    keys = [
        (r.table, r.measure, r.attacker, r.evaluation, r.dataset, r.split, r.sex, r.system) for r in read_published()
    ]
    assert len(keys) == len(set(keys)) == 4152
    assert sum(r.sex == "female" for r in read_published()) == 2076


def test_percentages_become_shares() -> None:
    assert all(0 <= row.value <= 1 for row in read_published() if row.measure in ("eer_kaldi", "de_identification"))


def test_a_misread_digit_would_leave_the_line_of_d_ece_and_cllr_min() -> None:
    """The two are linear within 0.013 bit, so a wrong digit in any of 1,080 cells of Tables 2-5 and 10-13 shows."""
    for attacker in ("ignorant", "lazy-informed", "semi-informed"):
        x, y = of_same_systems("cllr_min", "d_ece", attacker, (*SYSTEMS, "Orig"))
        assert max(abs(d - 0.7213475 * (1 - c)) for c, d in zip(x, y, strict=True)) < 0.014


def test_significance_tables_are_whole_and_symmetric() -> None:
    tests = {(t.table, t.first, t.second): t.printed for t in read_published_tests()}
    assert len(tests) == 440
    assert tests["16a", "B1", "I1"] == tests["16a", "I1", "B1"] == "0.660"
    assert tests["17b", "B2", "I1"] == "0.0059"
    assert tests["16b", "Tar", "K2"] == "<<0.01"


def test_shipped_files_come_from_the_text_of_the_paper(paper2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    module = __import__("extract_voiceprivacy2020")
    values, tests = module.extract(paper2.read_text(encoding="utf-8"))
    data = files("stripeless").joinpath("data")
    assert values == data.joinpath("voiceprivacy2020.csv").read_text(encoding="utf-8")
    assert tests == data.joinpath("voiceprivacy2020_significance.csv").read_text(encoding="utf-8")
    sys.modules.pop("extract_voiceprivacy2020")


def test_statements_hold_where_the_tables_bear_them_out() -> None:
    lines = reproduce_statements()
    verdict = {(line["line"], line["what"]): line["verdict"] for line in lines}
    assert all({"line", "what", "published", "ours", "difference", "verdict"} <= line.keys() for line in lines)
    assert sum(v == "does not hold" for v in verdict.values()) == 3
    refuted = {line["line"] for line in lines if line["verdict"] == "does not hold"}
    assert refuted == {"Fig. 19a", "Table 17a", "Table 17b"}
    alone = [line for line in lines if line["line"] == "Fig. 27" and "anonymized speech only" in line["what"]]
    assert alone[0]["ours"] == pytest.approx(0.2656, abs=1e-4)
    assert alone[0]["verdict"] == "holds in part"


def test_a_changed_cell_changes_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks read the tables: raise one G_VD of B1 above 0 and the statement about loss no longer holds fully."""
    from dataclasses import replace

    from stripeless.papers import published

    rows = list(read_published())
    at = next(i for i, r in enumerate(rows) if r.measure == "gain_of_voice_distinctiveness" and r.system == "B1")
    rows[at] = replace(rows[at], value=0.1)
    monkeypatch.setattr(published, "read_published", lambda: tuple(rows))
    line = next(line for line in reproduce_statements() if "loses distinctiveness" in line["what"])
    assert line["verdict"] == "holds in part"
    assert line["ours"] < 1
