"""Results per speaker, per sex, per any label of the trials: an average can hide the one who is not protected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.selected import column_groups, places_of, select
from stripeless.errors import InputError
from stripeless.results.assessment import Group
from stripeless.scores.check import IntArray
from stripeless.scores.trials import TrialScores

MANY = 50  # groups beyond which none gets an interval
FEW = 5  # targets below which a group's numbers would be noise


def assess_groups(scores: TrialScores, by: str, *, resamples: int = 0, seed: int = 0) -> dict[str, Group]:
    """The main measures for each value of a label.

    A speaker's group holds the target trials of that speaker and every nontarget trial in which they take part on
    either side.

    Parameters:
        scores: both classes of scores with the label, or with the speakers, of each trial.
        by: "speaker", or the name of a column of the trials, such as "sex".
        resamples: how often people are drawn for 95 % intervals; 0, or more than 50 groups, gives none.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        For each value a `Group`: measures and counts, or the `reason` why there are no numbers.
    """
    groups = list(_speaker_groups(scores) if by == "speaker" else column_groups(scores, by))
    if len(groups) > MANY:  # an interval for each would take minutes, and say little with so few trials
        resamples = 0
    return {name: _assess_group(scores, t, n, resamples, seed) for name, t, n in groups}


def _assess_group(scores: TrialScores, t: IntArray, n: IntArray, resamples: int, seed: int) -> Group:
    sizes = int(t.size), int(n.size)
    if t.size < FEW or n.size < FEW:
        return Group(*sizes, reason=f"fewer than {FEW} target or nontarget trials")
    result = assess_scores(select(scores, t, n), resamples=resamples, seed=seed, curves=False)
    return Group(*sizes, {name: one for name, one in result.measures.items() if one.info.by_group})


def _speaker_groups(scores: TrialScores) -> Iterator[tuple[str, IntArray, IntArray]]:
    sides = [side for side in (scores.enrollment_speakers, scores.trial_speakers) if side is not None]
    if not sides:
        raise InputError("cannot group by 'speaker': these trials name no speakers; give --utt2spk or speaker columns")
    names = sides[0].names
    target = [places_of(side.target, len(names)) for side in sides]
    nontarget = [places_of(side.nontarget, len(names)) for side in sides]
    for code in np.argsort(names):
        t = np.unique(np.concatenate([places[code] for places in target]))
        n = np.unique(np.concatenate([places[code] for places in nontarget]))
        if t.size:  # somebody who is only ever a stranger has nothing to lose here
            yield names[code], t, n
