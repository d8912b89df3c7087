"""What makes figures of voices look better or worse than the voices are: said where it is so, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, ORIGINAL

from stripeless.assessment.assess import assess_scores
from stripeless.attackers.voice_checks import examine_voices
from stripeless.attackers.voices import Encoded, Played
from stripeless.scores.trials import TrialScores

HEARD = Encoded("x", ORIGINAL, ANONYMIZED)
TELLS_APART, GUESSES = 2.0, 0.0  # distance of the classes: EERs of about 16 and 50 %


def played(attacker: str, distance: float) -> Played:
    rng = np.random.default_rng(0)
    scores = TrialScores(rng.normal(distance, 1, 400), rng.normal(0, 1, 4000))
    unknown: Any = None
    return Played("x", attacker, "cosine", scores, assess_scores(scores, attacker=attacker), unknown, unknown)


@pytest.mark.parametrize(("side", "named"), [("original", "original"), ("lazy-informed", "anonymized")])
def test_a_room_that_tells_people_apart_is_said_of_the_side_it_is_heard_on(side: str, named: str) -> None:
    found = examine_voices(HEARD, [played(side, TELLS_APART)], {})
    assert [(finding.code, finding.severity) for finding in found] == [("room", "caution")]
    assert f"of the {named} recordings reaches an EER of 1" in found[0].message


def test_a_room_that_tells_nothing_is_not_spoken_of() -> None:
    """Nor is the ignorant attacker, who compares two rooms."""
    quiet = [played("original", GUESSES), played("lazy-informed", GUESSES), played("ignorant", TELLS_APART)]
    assert examine_voices(HEARD, quiet, {}) == []


@pytest.mark.parametrize(("lazy", "semi", "told"), [(2.0, 1.0, True), (1.0, 2.0, False), (1.0, 1.0, False)])
def test_retraining_that_made_the_attacker_weaker_is_told(lazy: float, semi: float, told: bool) -> None:
    results = {name: played(name, d).assessment for name, d in (("lazy-informed", lazy), ("semi-informed", semi))}
    assert [finding.code for finding in examine_voices(HEARD, [], results)] == ["weak-retraining"] * told


def test_without_a_semi_informed_attacker_nothing_is_said_of_retraining() -> None:
    assert examine_voices(HEARD, [], {"lazy-informed": played("lazy-informed", 2.0).assessment}) == []


def test_recordings_that_equal_their_originals_are_counted() -> None:
    vectors = ANONYMIZED.vectors.copy()
    vectors[:3] = ORIGINAL.vectors[:3]
    (found,) = examine_voices(replace(HEARD, anonymized=replace(ANONYMIZED, vectors=vectors)), [], {})
    assert (found.code, found.severity) == ("not-anonymized", "serious")
    assert found.message.startswith(f"3 of {len(ORIGINAL)} anonymized recordings")
