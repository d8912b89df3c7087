"""Whether an attacker is to be trusted: who knows more must not find less, where the difference is more than luck."""

from __future__ import annotations

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, ENROLLS, ORIGINAL

from stripeless.assessment.assess import assess_scores
from stripeless.attackers.checks import check_attackers
from stripeless.attackers.embedded import Embedded, Training
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take
from stripeless.results.assessment import Assessment
from stripeless.scores.trials import TrialScores

WEAKER = "weaker-though-better-informed"


def sides(data: Embeddings) -> Embedded:
    return Embedded(take(data, ENROLLS), take(data, ~ENROLLS))


def played(attacker: str, distance: float, trials: int) -> Assessment:
    """Classes this far apart; few trials have wide intervals."""
    rng = np.random.default_rng(0)
    scores = TrialScores(rng.normal(distance, 1, trials), rng.normal(0, 1, 10 * trials))
    return assess_scores(scores, resamples=100, attacker=attacker)


@pytest.mark.parametrize(
    ("ignorant", "lazy", "semi", "trials", "told"),
    [
        (0.5, 2.0, 1.0, 600, ["lazy-informed"]),
        (2.0, 0.5, 1.0, 600, ["ignorant"]),
        (2.0, 2.0, 1.0, 600, ["lazy-informed", "ignorant"]),
        (0.5, 1.0, 2.0, 600, []),
        (0.5, 1.1, 1.0, 40, []),  # a little weaker, but so few trials say nothing
    ],
)
def test_who_knows_more_and_finds_less_beyond_luck_was_badly_trained(
    ignorant: float, lazy: float, semi: float, trials: int, told: list[str]
) -> None:
    distances = {"ignorant": ignorant, "lazy-informed": lazy, "semi-informed": semi}
    results = [played(name, distance, trials) for name, distance in distances.items()]
    findings = check_attackers(sides(ORIGINAL), sides(ANONYMIZED), results, Training(), 0)
    assert [finding.code for finding in findings] == [WEAKER] * len(told)
    assert all(f"than the {name} one" in finding.message for name, finding in zip(told, findings, strict=True))


def test_without_a_semi_informed_attacker_nobody_is_weaker() -> None:
    results = [played("ignorant", 2.0, 600), played("lazy-informed", 0.5, 600)]
    assert check_attackers(sides(ORIGINAL), sides(ANONYMIZED), results, Training(), 0) == ()
