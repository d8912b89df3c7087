"""Attackers on one system side by side are no systems: none is more private, one finds more."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.measures.uncertainty.paired import Difference
from stripeless.report.compared import compare_verdict
from stripeless.report.text import render_text
from stripeless.report.view import view_of
from stripeless.results.assessment import Assessment
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.studies.comparison import compare_results
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores


@cache
def assessed(eer: float) -> Assessment:
    scores = simulate_scores(ScoreWorld(people=24, recordings=6, eer=eer), seed=1).scores
    return assess_scores(replace(scores, trial_digest="trials"), resamples=100, name=f"EER {eer:g}")


def evaluated(name: str, eer: float, **changes: Any) -> Evaluation:
    return Evaluation(name, (replace(assessed(eer), **changes),))


def attackers(system: str = "", **names: float) -> Comparison:
    named = {name.replace("_", "-"): eer for name, eer in names.items()}
    files = [replace(assessed(eer), name=f"{name}.csv") for name, eer in named.items()]
    files[0] = replace(files[0], labels={"system": system} if system else {})
    first, second = (one.name for one in files)
    tested = Difference("d_ece", 0.1, 0.3, -0.2, -0.3, -0.1, 0.001, 1, "speakers", 100)
    return compare_results(files, {f"{first} - {second}": {"d_ece": tested}})


def test_attackers_on_one_system_are_not_more_or_less_private() -> None:
    both = attackers(lazy_informed=0.5, semi_informed=0.2)
    assert compare_verdict(both).headline == (
        'Of these 2 attackers, "semi-informed.csv" finds most and "lazy-informed.csv" least.'
    )
    view = view_of(both)
    table = view.tables["differences"]
    assert (table.head[-1], table.rows[0][-1].value) == ("Finds more", "semi-informed.csv")
    assert view.attackers is not None
    assert view.attackers.head[0] == "Attacker"
    assert not any(cell.best for row in view.rows for cell in row.cells)
    assert "private" not in render_text(both).split("Paired")[1]


@pytest.mark.parametrize(
    "systems",
    [
        attackers(b1=0.5, b2=0.2),
        attackers(lazy_informed=0.5, b2=0.2),
        attackers(original=0.2, lazy_informed=0.5),
        attackers("another", lazy_informed=0.5, semi_informed=0.2),
        compare_results(
            [evaluated("strong", 0.5, attacker="lazy-informed"), evaluated("weak", 0.2, attacker="semi-informed")]
        ),
    ],
)
def test_systems_stay_systems(systems: Comparison) -> None:
    assert "attackers" not in compare_verdict(systems).headline
    shown = view_of(systems).attackers
    assert shown is not None
    assert shown.head[0] == "System"
