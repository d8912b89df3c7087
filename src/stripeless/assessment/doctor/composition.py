"""A label that tells targets from nontargets by itself: then differences between groups look like recognized people."""

from __future__ import annotations

import numpy as np

from stripeless.measures.shown import percent
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Codes, TrialScores
from stripeless.verdicts.finding import Finding

FEWEST = 20  # trials of a class for each value of a label, so that shares mean something
APART = 0.5  # distance of the shares of both classes, 0 to 1


def uneven_composition(trials: TrialScores) -> Finding | None:
    """Targets and nontargets are of other groups: whoever tells the groups apart seems to recognize people."""
    found = []
    for name, factor in trials.columns.items():
        shares = [_shares(codes, len(factor.names)) for codes in (factor.target, factor.nontarget)]
        least = min(np.count_nonzero(codes >= 0) for codes in (factor.target, factor.nontarget))
        if shares[0] is None or shares[1] is None or least < FEWEST * np.count_nonzero(shares[0] + shares[1]):
            continue
        apart = float(np.abs(shares[0] - shares[1]).sum() / 2)
        if apart > APART:
            value = int(np.argmax(np.abs(shares[0] - shares[1])))
            found.append((apart, name, factor.names[value], float(shares[0][value]), float(shares[1][value])))
    if not found:
        return None
    _, name, label, target, nontarget = max(found)
    return Finding(
        "uneven_composition",
        "caution",
        f"'{name}' is {label!r} in {percent(target)} of the targets and {percent(nontarget)} of the nontargets. Whatever changes "
        f"scores from one {name} to another then looks like recognized people, or hides them. Draw both classes from the same "
        f"groups, and read --by {name}.",
    )


def _shares(codes: Codes, names: int) -> FloatArray | None:
    """Of the trials whose label is known, the share with each value; None where nothing is known."""
    counts = np.bincount(codes[codes >= 0], minlength=names)
    return np.asarray(counts / counts.sum()) if counts.any() else None
