"""Findings about attackers who listen to recordings, from the checks that `evaluate` makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from encoded_voices import ANONYMIZED, CORPUS, ORIGINAL

from finding_cases.case import case
from stripeless._weights import WeightsFile, records
from stripeless.assessment.assess import assess_scores
from stripeless.attackers.voice_checks import examine_voices, only_weak, semi_missing
from stripeless.attackers.voices import Encoded, Played
from stripeless.scores.trials import TrialScores
from stripeless.studies.weights import weights_findings
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class Named:
    """An encoder is known by its name."""

    name: str
    file: WeightsFile | None = None


def played(attacker: str, distance: float) -> Played:
    rng = np.random.default_rng(0)
    scores = TrialScores(rng.normal(distance, 1, 400), rng.normal(0, 1, 4000))
    return Played("x", attacker, "cosine", scores, assess_scores(scores, attacker=attacker))


def heard(after: str = "hidden", *, twice: bool = False) -> Encoded:
    """Vectors of sixteen people; `twice` gives a trial recording the vector of an enrollment recording."""
    before = ORIGINAL.vectors.copy()
    if twice:
        before[2] = before[0]
    original = replace(ORIGINAL, vectors=before)
    return Encoded("x", original, original if after == "same" else ANONYMIZED)


def examined(encoded: Encoded, room: float = 0.0, lazy: float = 1.0, semi: float = 1.5) -> Iterable[Finding]:
    results = {one.attacker: one.assessment for one in (played("lazy-informed", lazy), played("semi-informed", semi))}
    return examine_voices(encoded, [played("original", room)], results, CORPUS.enrollment)


def encoders(*names: str) -> Iterable[Finding]:
    return only_weak([Named(name) for name in names])  # type: ignore[misc]


def weights(digest: str) -> Iterable[Finding]:
    """An encoder of a known name whose file has this digest."""
    named = Named("campplus", WeightsFile(Path("campplus.pt"), digest, digest == records()["campplus"].sha256))
    return weights_findings([named])  # type: ignore[list-item]


CASES = {
    "weights_not_on_record": case(lambda: weights("0" * 64), lambda: weights(records()["campplus"].sha256)),
    "not-anonymized": case(lambda: examined(heard("same")), lambda: examined(heard())),
    "room": case(lambda: examined(heard(), room=2.0), lambda: examined(heard())),
    "copies": case(lambda: examined(heard(twice=True)), lambda: examined(heard())),
    "weak-retraining": case(lambda: examined(heard(), semi=0.5), lambda: examined(heard())),
    "weak-encoder": case(lambda: encoders("compact", "statistics"), lambda: encoders("compact", "campplus")),
    "no-semi-informed": case(
        lambda: semi_missing({"lazy-informed": None}), lambda: semi_missing({"semi-informed": None})
    ),
}
