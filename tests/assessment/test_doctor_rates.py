"""How often the doctor is wrong: silent on sound score files, and heard on those with one thing wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sound_scores import FAULTS, FRESH, ROUNDED, SPOILED, false_alarms, sound, table, told

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "findings.md"


@pytest.mark.parametrize("digits", ROUNDED)
def test_sound_files_bring_no_finding_about_faults(digits: int | None) -> None:
    found = told(sound(seed, digits=digits) for seed in range(40))
    assert {code: found[code] for code in FAULTS if found[code]} == {}
    assert found["chance"] > 5  # files that do not leak are among them, and the doctor looked


@pytest.mark.parametrize("code", SPOILED)
@pytest.mark.parametrize("strength", [0, 1, 2])
def test_one_thing_wrong_is_found(code: str, strength: int) -> None:
    _, spoil, strengths = SPOILED[code]
    found = Counter(told(spoil(seed, strengths[strength]) for seed in range(3)))
    assert found[code] == 3


@pytest.mark.slow
def test_no_code_is_wrong_in_more_than_one_sound_file_of_a_hundred() -> None:
    for code, times in false_alarms(200, FRESH + 200).items():
        assert max(times) <= 2, code


@pytest.mark.slow
def test_the_table_of_the_page_is_what_is_measured() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [row for row in table() if row not in text] == []
