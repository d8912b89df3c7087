"""Results to draw and report on: honest, degenerate and hostile ones, all simulated."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from stripeless.assessment.assess import assess_scores
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation
from stripeless.scores.trials import Factor, TrialScores
from stripeless.tables.inputs import InputFile

HOSTILE = '<script>alert("x")</script>&\'{{7*7}}$\\frac{1}{0}$_|%'


def simulated(
    shift: float,
    *,
    seed: int = 1,
    targets: int = 300,
    nontargets: int = 3000,
    name: str = "",
    attacker: str = "",
    resamples: int = 100,
    path: str = "scores.txt",
) -> Assessment:
    """Normal classes this far apart, spoken by 30 people, each of whom meets the others in turn."""
    rng = np.random.default_rng(seed)
    names = tuple(f"s{k}" for k in range(30))
    who_t, who_n = np.arange(targets, dtype=np.int32) % 30, np.arange(nontargets, dtype=np.int32) % 30
    speakers = Factor(names, who_t, who_n)
    turn = (np.arange(nontargets, dtype=np.int32) // 30) % 29
    other = Factor(names, who_t, (who_n + 1 + turn).astype(np.int32) % np.int32(30))
    scores = TrialScores(
        rng.normal(shift, 1, targets),
        rng.normal(0, 1, nontargets),
        enrollment_speakers=speakers,
        trial_speakers=other,
        inputs=(InputFile(path, "ab" * 32),),
        trial_digest="same",
    )
    return assess_scores(scores, resamples=resamples, seed=0, name=name, attacker=attacker)


@cache
def attacker(kind: str, shift: float) -> Assessment:
    return simulated(shift, seed=int(10 * shift) + 50, name="B1", attacker=kind)


def evaluation(
    *, semi: float = 2.5, lazy: float = 1.0, ignorant: float = 0.0, original: float | None = 3.5
) -> dict[str, Any]:
    """Three attackers and, unless told otherwise, the ceiling."""
    attackers = (attacker("ignorant", ignorant), attacker("lazy-informed", lazy), attacker("semi-informed", semi))
    ceiling = None if original is None else attacker("original", original)
    return Evaluation("B1", attackers, ceiling, "a simulated anonymizer").to_dict()


@cache
def scores_of(shift: float) -> Assessment:
    return simulated(shift, name="B2")


def hostile() -> dict[str, Any]:
    """A result whose every name tries to break out."""
    result = simulated(2.0, name=HOSTILE, attacker=HOSTILE, path=HOSTILE).to_dict()
    measures = {k: result["measures"][k] for k in ("eer", "d_ece", "linkability", "category")}
    group = {"counts": {"target": 5, "nontarget": 9}, "measures": measures, "reason": HOSTILE}
    finding = {"code": "x", "severity": "caution", "message": HOSTILE}
    return {**result, "groups": {HOSTILE: {HOSTILE: group}}, "notes": [HOSTILE], "warnings": [finding]}
