"""How large can the leak be: AUC of an attacker on everything of a speaker, with limits over speakers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata, t

from stripeless.attributes.exchange import SHARED_TRAINING, standard_deviation
from stripeless.attributes.levels import Attack, People, ranks_of
from stripeless.scores.check import FloatArray

LIMIT = 0.95


@dataclass(frozen=True)
class Reach:
    """`auc`, its standard error over speakers, and its one-sided 95 % limits."""

    auc: float
    error: float
    low: float
    high: float


def reach_of(attack: Attack, people: People, by_luck: float) -> Reach:
    """AUC within folds, mean over them. `by_luck`: by how many deviations the best of all attackers leads by chance,
    which the lower limit pays for.
    """
    ranks = ranks_of(attack, people)
    weights = fold_weights(people, attack.code)
    whole = float(weights.sum())
    auc = 0.5 + float(ranks[people.classes == attack.code].sum()) / whole
    by_chance = standard_deviation(ranks, people, attack.code) / whole
    error = max(by_chance, placement_error(attack, people, auc, weights))
    far = float(t.ppf(LIMIT, people.count - 2)) * SHARED_TRAINING
    return Reach(auc, error, auc - max(by_luck, far) * error, auc + far * error)


def fold_weights(people: People, code: int) -> FloatArray:
    """Speakers of the class times the others, by all, in each fold: sums of ranks over this are AUC less one half."""
    count = np.bincount(people.folds).astype(np.float64)
    ours = np.bincount(people.folds, people.classes == code)
    return np.asarray(ours * (count - ours) / count)


def placement_error(attack: Attack, people: People, auc: float, weights: FloatArray) -> float:
    """Standard error by how much the speakers differ in the share of others that they are above (DeLong et al. 1988)."""
    total = 0.0
    for fold, weight in enumerate(weights):
        here = np.flatnonzero(people.folds == fold)
        scores, ours = attack.llr[here], people.classes[here] == attack.code
        ranks = rankdata(scores)
        for one in (ours, ~ours):
            if 0 < one.sum() < one.size:
                place = (ranks[one] - rankdata(scores[one])) / (~one).sum()
                middle = auc if one is ours else 1 - auc
                total += weight**2 * float(np.square(place - middle).sum()) / float(one.sum()) ** 2
    return float(np.sqrt(total * people.count / (people.count - 2)) / weights.sum())
