"""Findings about attackers who listen to recordings, from the checks that `evaluate` makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from encoded_voices import ANONYMIZED, ORIGINAL

from finding_cases.case import case
from stripeless._weights import WeightsFile, records
from stripeless.assessment.assess import assess_scores
from stripeless.attackers.voice_checks import ceiling_doubts, deaf_encoders, examine_voices, only_weak, semi_missing
from stripeless.attackers.voices import Encoded, Played
from stripeless.scores.trials import TrialScores
from stripeless.studies.weights import weights_findings
from stripeless.verdicts.finding import Finding
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores


@dataclass(frozen=True)
class Named:
    """An encoder is known by its name."""

    name: str
    file: WeightsFile | None = None


def played(attacker: str, distance: float) -> Played:
    rng = np.random.default_rng(0)
    scores = TrialScores(rng.normal(distance, 1, 400), rng.normal(0, 1, 4000))
    unknown: Any = None
    return Played("x", attacker, "cosine", scores, assess_scores(scores, attacker=attacker), unknown, unknown)


def heard(after: str = "hidden") -> Encoded:
    """Vectors of sixteen people."""
    return Encoded("x", ORIGINAL, ORIGINAL if after == "same" else ANONYMIZED)


def examined(encoded: Encoded, room: float = 0.0, lazy: float = 1.0, semi: float = 1.5) -> Iterable[Finding]:
    results = {one.attacker: one.assessment for one in (played("lazy-informed", lazy), played("semi-informed", semi))}
    return examine_voices(encoded, [played("original", room)], results)


def under_a_ceiling(lazy: float, ceiling: float) -> Iterable[Finding]:
    """An attacker on anonymized recordings beside what is found in the originals."""
    return ceiling_doubts(
        played("original", ceiling).assessment, {"lazy-informed": played("lazy-informed", lazy).assessment}
    )


def encoders(*names: str) -> Iterable[Finding]:
    return only_weak([Named(name) for name in names])  # type: ignore[misc]


def two_encoders(second: float) -> Iterable[Finding]:
    """What two encoders recognize in unprotected recordings: the first everybody, the second at this EER."""
    worlds = (ScoreWorld(people=16, recordings=4, eer=eer) for eer in (0.02, second))
    drawn = (simulate_scores(world, seed=k).scores for k, world in enumerate(worlds))
    return deaf_encoders(list(zip(("good", "other"), drawn, strict=True)))


def weights(digest: str) -> Iterable[Finding]:
    """An encoder of a known name whose file has this digest."""
    named = Named("campplus", WeightsFile(Path("campplus.pt"), digest, digest == records()["campplus"].sha256))
    return weights_findings([named])  # type: ignore[list-item]


CASES = {
    "weights_not_on_record": case(lambda: weights("0" * 64), lambda: weights(records()["campplus"].sha256)),
    "not-anonymized": case(lambda: examined(heard("same")), lambda: examined(heard())),
    "room": case(lambda: examined(heard(), room=2.0), lambda: examined(heard())),
    "ceiling_below": case(lambda: under_a_ceiling(3.0, 1.0), lambda: under_a_ceiling(1.0, 3.0)),
    "weak-retraining": case(lambda: examined(heard(), semi=0.2), lambda: examined(heard())),
    "weak-encoder": case(lambda: encoders("compact", "statistics"), lambda: encoders("compact", "campplus")),
    "deaf_encoder": case(lambda: two_encoders(0.5), lambda: two_encoders(0.1)),
    "no-semi-informed": case(
        lambda: semi_missing({"lazy-informed": None}), lambda: semi_missing({"semi-informed": None})
    ),
}
