"""What the order of the rows says where nobody is named: trials of one person that stand together are alike."""

from __future__ import annotations

from math import sqrt

import numpy as np

from stripeless.assessment.doctor.runs import Finite
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.finding import Finding

ENOUGH = 100  # trials of a class: fewer show no clusters for sure
WINDOWS, WINDOW = 8, 1 << 13  # stretches of rows that are looked at where there are many
ALIKE = 0.15  # correlation of neighboring rows: sure but smaller ones change little
BEYOND = 5.0  # standard errors


def clustered_trials(scores: Finite, trials: TrialScores | None) -> Finding | None:
    """Rows that stand together are alike, and nobody says whose they are: each counts for less than a trial of its own.

    Scores in order of size say nothing: they were sorted.
    """
    if trials is None or trials.enrollment_speakers is not None or trials.trial_speakers is not None:
        return None
    found = {}
    for side, rows, ordered in (
        ("target", trials.target, scores.target),
        ("nontarget", trials.nontarget, scores.nontarget),
    ):
        if rows.size >= ENOUGH and ordered.size == rows.size:
            likeness = neighbors_alike(rows, float(ordered[ordered.size // 2]))
            if likeness is not None:
                found[side] = likeness
    if not found:
        return None
    told = " and ".join(f"neighboring {side} trials (correlation {value:.2f})" for side, value in found.items())
    return Finding(
        "clustered_trials",
        "caution",
        f"Alike are {told}: trials of one person, sex or session stand together, and nobody is named. So there is less evidence "
        "than the number of trials says, and intervals over trials are too short. Name the speakers (--utt2spk).",
    )


def neighbors_alike(rows: FloatArray, middle: float) -> float | None:
    """Correlation of "above the middle" between neighboring rows, where it is large and sure; else None."""
    starts = [0] if rows.size <= WINDOWS * WINDOW else np.linspace(0, rows.size - WINDOW, WINDOWS).astype(int).tolist()
    length = rows.size if len(starts) == 1 else WINDOW
    agree = pairs = 0
    one_way = True
    share = 0.0
    for start in starts:
        part = rows[start : start + length]
        step = np.diff(part)
        one_way = one_way and bool((step >= 0).all() or (step <= 0).all())
        above = part > middle
        share += float(above.mean()) / len(starts)
        agree += int(np.count_nonzero(above[1:] == above[:-1]))
        pairs += above.size - 1
    spread = share * (1 - share)
    if one_way or spread < 0.1:
        return None
    likeness = 1 - (1 - agree / pairs) / (2 * spread)
    return likeness if likeness > ALIKE and likeness * sqrt(pairs) > BEYOND else None
