"""What other tools would print as "EER" for the same scores, so that two papers can be compared.

They differ by definition, not by accuracy: a step of the ROC, the mean of two rates at the closest step, a folded
value, the convex hull.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.metrics.eer import crossing, kaldi_crossing
from stripeless.scores.check import FloatArray, check_scores
from stripeless.scores.staircase import Staircase, merge_sorted

TOOLS = {
    "stripeless": "eer: the ROC with straight lines between its corners, where miss = false alarm",
    "kaldi": "compute-eer, as in the VoicePrivacy tables: a miss rate at a target score",
    "scikit_learn": "mean of the two rates at the corner of roc_curve where they are closest",
    "scikit_learn_folded": "the same, and 1 - EER where it exceeds 0.5: hides scores that point the wrong way",
    "speechbrain": "mean of the two rates at the score where they are closest",
    "rocch": "the convex hull of the ROC (BOSARIS, PYLLR, llreval): never above 0.5",
}


def eer_by_tool(target: ArrayLike, nontarget: ArrayLike) -> dict[str, float]:
    """EER as each tool defines it; `TOOLS` says how.

    >>> eer_by_tool([1.0, 2.0, 3.0, 4.0], [0.0, 1.5, -1.0, -2.0])["speechbrain"]
    0.25
    """
    target, nontarget = check_scores(target, nontarget)
    target, nontarget = np.sort(target), np.sort(nontarget)
    stairs = merge_sorted(target, nontarget)
    return tools_sorted(target, nontarget, stairs)


def tools_sorted(target: FloatArray, nontarget: FloatArray, stairs: Staircase) -> dict[str, float]:
    """The table from one sorted pass."""
    closest = mean_at_closest(target, nontarget, stairs)
    corner = mean_at_closest_corner(stairs)
    return {
        "stripeless": crossing(stairs),
        "kaldi": kaldi_crossing(target, nontarget),
        "scikit_learn": corner,
        "scikit_learn_folded": min(corner, 1 - corner),
        "speechbrain": closest,
        "rocch": crossing(stairs.hull),
    }


def mean_at_closest_corner(stairs: Staircase) -> float:
    """scikit-learn's roc_curve drops points inside straight lines, so only corners are looked at."""
    miss = np.concatenate([[0.0], stairs.target / stairs.n_target])[::-1]
    false_alarm = np.concatenate([[1.0], 1.0 - stairs.nontarget / stairs.n_nontarget])[::-1]
    k = int(np.argmin(np.abs(miss - false_alarm)))
    return float(miss[k] + false_alarm[k]) / 2


def mean_at_closest(target: FloatArray, nontarget: FloatArray, stairs: Staircase) -> float:
    """At every single score, not only at corners: the closest lies in the step that holds the crossing."""
    miss = np.concatenate([[0.0], stairs.target / stairs.n_target])
    gap = miss - np.concatenate([[1.0], 1.0 - stairs.nontarget / stairs.n_nontarget])
    k = int(np.searchsorted(gap, 0.0))
    start = (0, 0) if k == 1 else (int(stairs.target[k - 2]), int(stairs.nontarget[k - 2]))
    end = (int(stairs.target[k - 1]), int(stairs.nontarget[k - 1]))
    thresholds = np.unique(np.concatenate([target[start[0] : end[0]], nontarget[start[1] : end[1]]]))
    missed = np.concatenate([[start[0]], np.searchsorted(target, thresholds, side="right")]) / target.size
    accepted = 1.0 - np.concatenate([[start[1]], np.searchsorted(nontarget, thresholds, side="right")]) / nontarget.size
    if start == (0, 0):  # accepting everything is no threshold that this rule looks at
        missed, accepted = missed[1:], accepted[1:]
    best = int(np.argmin(np.abs(missed - accepted)))
    return float(missed[best] + accepted[best]) / 2
