"""What training costs, by counting: so that a user is told before it starts, and the same attackers are chosen everywhere.

Which attackers are trained anew must depend neither on labels (the test would be wrong) nor on a clock (the same input must
give the same result), so it is the sizes that decide. Seconds are those of one core of an ordinary machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Literal, TypeAlias

from stripeless.attributes.levels import levels_of
from stripeless.protections.labels import LabeledVectors
from stripeless.results.attribute import Level

Trains: TypeAlias = tuple[str, Literal["rows", "averages"]]  # a classifier, on utterances or on one row per speaker
PER_NUMBER = {"perceptron": 5.4e-7, "logistic": 3e-8, "neighbors": 3e-8, "angles": 3e-8, "boosting": 3e-6, "svm": 0.0}
PER_PAIR = {"svm": 1.2e-7, "neighbors": 1e-9, "angles": 1e-9}  # of rows
PER_FIT = {"perceptron": 0.02, "logistic": 0.003, "neighbors": 0.002, "angles": 0.002, "boosting": 0.07, "svm": 0.02}
AFFORDED = 2.0  # seconds of one core for one exchange with training anew
CHEAP = ("logistic", "neighbors", "angles")
# who is trained anew while it can be afforded, the most telling for their price first
ORDER: tuple[Trains, ...] = (
    *((name, "averages") for name in (*CHEAP, "perceptron", "svm")),
    *((name, "rows") for name in (*CHEAP, "svm", "perceptron")),
    ("boosting", "averages"),
    ("boosting", "rows"),
)  # fmt: skip


def seconds_of(name: str, rows: int, dimensions: int, folds: int) -> float:
    """To train this classifier on all folds but one, and try it, for every fold."""
    each = PER_NUMBER.get(name, 0.0) * rows * dimensions + PER_PAIR.get(name, 0.0) * rows**2 + PER_FIT.get(name, 0.02)
    return folds * each


def cost_of(what: Trains, data: LabeledVectors, folds: int) -> float:
    """Seconds to train this classifier on utterances, or on what is made of all utterances of a speaker."""
    name, on = what
    dimensions = data.vectors.shape[1]
    if on == "rows":
        return seconds_of(name, len(data.codes), dimensions, folds)
    ways = len([level for level in levels_of(data) if level in ("vectors", "spread")])
    return ways * seconds_of(name, int(data.speakers.max()) + 1, dimensions, folds)


def affordable(data: LabeledVectors, folds: int, names: Sequence[str]) -> tuple[Trains, ...]:
    """Who can be trained anew a hundred times without trying anybody's patience."""
    left, found = AFFORDED, []
    for what in ORDER:
        cost = cost_of(what, data, folds)
        if what[0] in names and cost <= left:
            left -= cost
            found.append(what)
    return tuple(found)


def trains(classifier: str, level: Level) -> Trains:
    """What has to be trained for an attack: evidence of a speaker is put together from that of utterances."""
    return (classifier, "averages" if level in ("vectors", "spread") else "rows")


def expected_seconds(data: LabeledVectors, folds: int, names: Sequence[str], sets: int = 1) -> tuple[float, float]:
    """Of the quick test on so many sets of vectors, and of one exchange with training anew."""
    once = sum(cost_of((name, on), data, folds) for name in names for on in ("rows", "averages"))
    return sets * 1.3 * once, sum(cost_of(what, data, folds) for what in affordable(data, folds, names))


def rough(seconds: float) -> str:
    """Seconds or minutes, rounded up.

    >>> rough(3.2), rough(48.0), rough(170.0)
    ('5 s', '50 s', '3 min')
    """
    return f"{5 * ceil(seconds / 5)} s" if seconds <= 90 else f"{ceil(seconds / 60)} min"
