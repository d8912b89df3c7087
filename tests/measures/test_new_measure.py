"""The recipe of CONTRIBUTING.md for a new measure, followed to the letter: one file, one entry, and it is everywhere."""

from __future__ import annotations

import doctest
import importlib.util
import json
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from simulated_trials import NONTARGET, TARGET, corpus

import stripeless as s
from stripeless.assessment.groups import assess_groups
from stripeless.measures import catalog, one_pass
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import MeasureInfo
from stripeless.measures.shown import shown
from stripeless.measures.uncertainty.interval import interval
from stripeless.report.kinds import html_of, latex_of, markdown_of, numbers_of, text_of
from stripeless.scores.trials import TrialScores

RECIPE = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.fixture
def file(tmp_path: Path) -> ModuleType:
    """The file of the recipe, as a module."""
    code, _ = re.findall(r"```python\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.S)
    path = tmp_path / "somers_d.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("somers_d", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def entry(file: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[MeasureInfo]:
    """The entry of the recipe, in the catalog while a test runs."""
    _, code = re.findall(r"```python\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.S)
    info = eval(code, {"MeasureInfo": MeasureInfo, **vars(one_pass), **vars(file)})
    monkeypatch.setitem(MEASURES, info.name, info)
    yield info
    monkeypatch.undo()
    assert "somers_d" not in s.assess(TARGET, NONTARGET).measures


def test_the_example_of_the_recipe_is_right(file: ModuleType) -> None:
    assert doctest.testmod(file).failed == 0
    assert doctest.testmod(file).attempted == 1
    pairs = np.sign(TARGET[:, None] - NONTARGET[None, :])
    assert file.somers_d(TARGET, NONTARGET) == pytest.approx(pairs.mean(), abs=1e-12)


def test_it_is_computed_with_an_interval_in_its_range(entry: MeasureInfo, file: ModuleType) -> None:
    measure = s.assess(TARGET, NONTARGET, resamples=100)["somers_d"]
    assert measure == file.somers_d(TARGET, NONTARGET)
    close = s.assess_scores(corpus(shift=4.0), resamples=100).measures["somers_d"]
    assert -1.0 <= close.low <= close.value <= close.high <= 1.0  # type: ignore[operator]


def test_its_range_and_nothing_else_cuts_the_interval(entry: MeasureInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    resampled = np.linspace(0.90, 0.99, 100)
    assert interval("somers_d", 0.98, resampled, 24)[1] == 1.0  # type: ignore[index]
    for wide in (replace(entry, highest=None), replace(entry, highest=2.0)):
        monkeypatch.setitem(MEASURES, "somers_d", wide)
        assert interval("somers_d", 0.98, resampled, 24)[1] > 1.05  # type: ignore[index]
    monkeypatch.setitem(MEASURES, "somers_d", replace(entry, lowest=0.95))
    assert interval("somers_d", 0.98, np.linspace(0.97, 1.2, 100), 24)[0] == 0.95  # type: ignore[index]


def test_nothing_is_cut_at_a_range_that_nobody_gave() -> None:
    low, high = interval("bits of nobody", 3.2, np.linspace(2.8, 3.6, 100), 30)  # type: ignore[misc]
    assert (low, high) == pytest.approx((3.2 - 0.4 * 1.04, 3.2 + 0.4 * 1.04), abs=0.02)


def test_only_a_rate_has_the_limit_of_so_many_without_an_error(
    entry: MeasureInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = np.zeros(100)
    assert interval("somers_d", 0.0, same, 30) is None
    monkeypatch.setitem(MEASURES, "somers_d", replace(entry, rate=True))
    assert interval("somers_d", 0.0, same, 30)[1] == pytest.approx(0.1157, abs=1e-4)  # type: ignore[index]


def test_it_is_shown_with_its_digits_or_in_percent(entry: MeasureInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown("somers_d", 0.123456) == "0.1235"
    monkeypatch.setitem(MEASURES, "somers_d", replace(entry, digits=1))
    assert shown("somers_d", 0.123456) == "0.1"
    monkeypatch.setitem(MEASURES, "somers_d", replace(entry, rate=True))
    assert shown("somers_d", 0.123456) == "12.3 %"


@pytest.mark.parametrize("render", [text_of, html_of, markdown_of, latex_of])
def test_reports_hold_it(entry: MeasureInfo, render: Callable[[object], str]) -> None:
    result = s.assess(TARGET, NONTARGET, resamples=100).to_dict()
    page = render(result)
    assert "Somers" in page
    assert f"{result['measures']['somers_d']['value']:.4f}" in page
    assert f"{result['measures']['somers_d']['low']:.4f} to" in page


def test_it_opens_a_report_where_the_entry_says_so(entry: MeasureInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    result = s.assess(TARGET, NONTARGET).to_dict()
    assert html_of(result).count(entry.meaning) == 2  # as a key number, and in the table of all measures
    monkeypatch.setitem(MEASURES, "somers_d", replace(entry, headline=0))
    assert html_of(result).count(entry.meaning) == 1


def test_json_and_csv_hold_it_and_it_travels_between_processes(entry: MeasureInfo) -> None:
    result = s.assess(TARGET, NONTARGET, resamples=100)
    plain = json.loads(json.dumps(result.to_dict()))["measures"]["somers_d"]
    assert plain["private_end"] == "low"
    assert plain["low"] <= plain["value"] <= plain["high"]
    assert f"{plain['value']}" in numbers_of(result.to_dict())
    for info in MEASURES.values():
        if info is not entry:  # whose module lives in this test only
            assert pickle.loads(pickle.dumps(info)) == info


def test_groups_hold_it_where_the_entry_says_so(entry: MeasureInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all("somers_d" in group.measures for group in assess_groups(corpus(), "sex").values())
    monkeypatch.setitem(MEASURES, "somers_d", replace(entry, by_group=False))
    assert not any("somers_d" in group.measures for group in assess_groups(corpus(), "sex").values())


def test_systems_are_compared_and_ranked_by_it(entry: MeasureInfo) -> None:
    hidden, plain = corpus(shift=0.5), corpus(shift=3.0)
    found = s.compare_scores(hidden, plain, measures=("somers_d",), resamples=100)["somers_d"]
    assert found.more_private == 1
    systems: dict[str, TrialScores] = {"plain": plain, "hidden": hidden}
    assert s.rank_systems(systems, measure="somers_d", resamples=100).places[0].system == "hidden"


def test_a_file_of_a_measure_does_not_know_the_catalog() -> None:
    """So that `import stripeless.measures.eer` reads one measure, and none can wait for itself."""
    read = "from stripeless.measures.catalog import"
    folder = Path(catalog.__file__).parent
    files = re.findall(r"^from stripeless\.measures\.(\w+) import", Path(catalog.__file__).read_text("utf-8"), re.M)
    assert "eer" in files
    assert not [name for name in files if read in (folder / f"{name}.py").read_text("utf-8")]
