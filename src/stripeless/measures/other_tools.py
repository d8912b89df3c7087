"""What other tools would print as "EER" for the same scores, so that two papers can be compared.

They differ by definition, not by accuracy: a step of the ROC, the mean of two rates at the closest step, a folded
value, the convex hull.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stripeless.measures.eer import crossing, kaldi_crossing
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

    Parameters:
        target: scores of trials in which both recordings are of one person, 1-D; higher must mean more alike.
        nontarget: scores of trials of two different people, 1-D.
    Returns:
        The EER as a share under the name of each tool.

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
    corner = mean_at_closest_corner(target, nontarget, stairs)
    return {
        "stripeless": crossing(stairs),
        "kaldi": kaldi_crossing(target, nontarget),
        "scikit_learn": corner,
        "scikit_learn_folded": min(corner, 1 - corner),
        "speechbrain": closest,
        "rocch": crossing(stairs.hull),
    }


def mean_at_closest_corner(target: FloatArray, nontarget: FloatArray, stairs: Staircase) -> float:
    """scikit-learn's roc_curve keeps a threshold only where the counts at two neighboring scores differ.

    The two rates are closest at a kept threshold next to the crossing, so a window around it is enough; it grows until
    it holds a kept threshold on either side.
    """
    gap = stairs.target / stairs.n_target + stairs.nontarget / stairs.n_nontarget - 1.0
    k, reach = int(np.searchsorted(gap, 0.0)), 2
    while True:
        first, last = max(0, k - reach), min(gap.size - 1, k + reach)
        rates = _kept_rates(target, nontarget, stairs, first, last)
        inside = (first == 0 or bool((rates[0] < rates[1]).any())) and (
            last == gap.size - 1 or bool((rates[0] > rates[1]).any())
        )
        if inside:
            best = int(np.argmin(np.abs(rates[0] - rates[1])[::-1]))  # from the strictest threshold, as argmin there
            return float(rates[0][::-1][best] + rates[1][::-1][best]) / 2
        reach *= 4


def _kept_rates(
    target: FloatArray, nontarget: FloatArray, stairs: Staircase, first: int, last: int
) -> tuple[FloatArray, FloatArray]:
    """Miss and false-alarm rate at the thresholds that scikit-learn keeps among these steps, ascending."""
    start = (0, 0) if first == 0 else (int(stairs.target[first - 1]), int(stairs.nontarget[first - 1]))
    end = (int(stairs.target[last]), int(stairs.nontarget[last]))
    values = np.unique(np.concatenate([target[start[0] : end[0]], nontarget[start[1] : end[1]]]))
    below_t = np.append(np.searchsorted(target, values), end[0])
    below_n = np.append(np.searchsorted(nontarget, values), end[1])
    of_t, of_n = np.diff(below_t), np.diff(below_n)
    kept = np.ones(values.size + 1, dtype=bool)
    kept[1:-1] = (of_t[1:] != of_t[:-1]) | (of_n[1:] != of_n[:-1])
    if last == stairs.target.size - 1 and values.size > 1:
        kept[-2] = True  # the strictest threshold of all is always kept
    kept[0], kept[-1] = first == 0, last == stairs.target.size - 1
    # Rounded as there, so that two thresholds equally far from equal rates are told apart the same way.
    hit = (target.size - below_t[kept]) / target.size
    return 1.0 - hit, (nontarget.size - below_n[kept]) / nontarget.size


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
