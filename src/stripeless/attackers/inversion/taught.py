"""Tests and limits where the groups that are judged teach each other.

What group A teaches, judged on group B, is nearly what B teaches, judged on A: for maps that are inner products the two are
the same number. So a sum over groups holds each pair of groups twice, and varies by luck with up to twice the variance
(1.41 times the deviation) that exchanging people under fixed maps shows. Learning anew after every exchange would show
how much it is, at a hundred times the work. In worlds without information (tools/verdict_attack_kinds.py: 12 to 40 people,
8 and 24 dimensions, unequal sexes) mean ranks had 0.9 to 1.27 times the deviation, hits, spread and nearest neighbors 0.8 to
1.26 times, mostly 1.05. What was seen is divided by the factors below before it is held against exchanges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stripeless.scores.trials import TrialScores
from stripeless.verdicts.cells import STATISTICS, cells_of
from stripeless.verdicts.evidence import Evidence, Reached
from stripeless.verdicts.exchange import exchanged_z, together, westfall_young

WIDER = 1.25  # mean ranks, and so limits
NEARLY = 1.1  # all other statistics


def taught_by_each_other(evidence: Evidence, scores: Sequence[TrialScores], *, seed: int = 0) -> Evidence:
    """The same evidence with the test and the limits of attackers who taught each other; unchanged where nothing was tested."""
    cells = [one for one in map(cells_of, scores) if one is not None and one.complete]
    if evidence.p is None or len(cells) < len(scores):
        return evidence
    places, group = together(cells)
    z = exchanged_z(cells, places, group, evidence.permutations, np.random.default_rng([seed, 13]))
    z[0] /= [WIDER if statistic == "rank" else NEARLY for statistic in STATISTICS]
    adjusted, best = westfall_young(z)
    attackers = tuple(
        _wider(replace(one, p=float(p), by=STATISTICS[k]))
        for one, p, k in zip(evidence.attackers, adjusted, best.tolist(), strict=True)
    )
    return replace(evidence, p=float(adjusted.min()), attackers=attackers)


def _wider(reached: Reached) -> Reached:
    """Limits, and the luck of the best, so much farther from the AUC."""
    if reached.auc is None or reached.low is None or reached.high is None:
        return reached
    corrected = None if reached.corrected is None else reached.auc - WIDER * (reached.auc - reached.corrected)
    return replace(
        reached,
        low=max(0.0, reached.auc - WIDER * (reached.auc - reached.low)),
        high=min(1.0, reached.auc + WIDER * (reached.high - reached.auc)),
        corrected=corrected,
    )
