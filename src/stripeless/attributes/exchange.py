"""Does the attribute show at all? Labels are exchanged among the speakers of a fold, and every attacker counts.

Without the attribute every way of giving the labels out to the speakers of a fold is as likely as the real one: folds
hold as many speakers of each class whoever they are. So a test is exact, whatever else speakers differ in, if all that
depends on labels is done again for the exchanged ones, training above all. Keeping the scores is no such test: the
labels of one fold taught the classifiers of the others, so that one lucky pair of speakers counts twice, and p is too
small. It is what the quick test does. Counting every pair twice doubles the variance at most, so a sign that is clear
after division by the root of two is a sign; one that is not even clear before is none; between the two, classifiers are
trained anew, as many as can be afforded, and the others stay with the cautious p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stripeless.attributes.levels import EVERYTHING, Attack, Attackers, People, people_of, ranks_of
from stripeless.embeddings.embeddings import Vectors
from stripeless.protections.labels import LabeledVectors
from stripeless.scores.check import FloatArray

EXCHANGES = 999
REFITS = 99
CLEAR, UNLIKELY = 0.005, 0.10  # between them the quick test decides nothing
LEAK = 0.05
SHARED_TRAINING = float(
    np.sqrt(2.0)
)  # each label also taught the classifiers of the other folds: twice the variance, at most
ANEW = 0.8  # of the 5 % that belong to those who are trained anew, where others are not


@dataclass(frozen=True, eq=False)
class Exchanged:
    """What the quick test found.

    `p`: how often exchanged labels were as clear a sign, over all attackers; `careful`: the same with the sign divided by
    the root of two, for each attacker among all; `seen`: the sign of each attacker, in standard deviations of its own law;
    `luck`: the same for every exchange, a row each.
    """

    p: float
    careful: FloatArray
    seen: FloatArray
    luck: FloatArray

    def by_luck(self, attacks: Sequence[Attack]) -> float:
        """The clearest sign at the level of everything of a speaker, 95 % below it."""
        whole = [attack.level in EVERYTHING for attack in attacks]
        return float(np.quantile(self.luck[:, whole].max(axis=1), 0.95))

    def careful_p(self, some: NDArray[np.bool_]) -> float:
        """Of some of the attackers, among themselves; 1 where there is none."""
        if not some.any():
            return 1.0
        strongest = float(self.seen[some].max()) / SHARED_TRAINING
        return (1 + int((self.luck[:, some].max(axis=1) >= strongest - 1e-9).sum())) / (1 + len(self.luck))


def exchanged_codes(people: People, rng: np.random.Generator, times: int) -> NDArray[np.int64]:
    """So many ways to give the labels of each fold out to its speakers, a row each."""
    found = np.empty((times, people.count), dtype=np.int64)
    for fold in range(int(people.folds.max()) + 1):
        here = np.flatnonzero(people.folds == fold)
        found[:, here] = rng.permuted(np.tile(people.classes[here], (times, 1)), axis=1)
    return found


def standard_deviation(ranks: FloatArray, people: People, code: int) -> float:
    """Of the sum of ranks of a class, over all ways to give the labels out."""
    total = 0.0
    for fold in range(int(people.folds.max()) + 1):
        here = people.folds == fold
        count, ours = int(here.sum()), int((people.classes[here] == code).sum())
        if count > 1:
            total += ours * (count - ours) / (count * (count - 1)) * float(np.square(ranks[here]).sum())
    return float(np.sqrt(total))


def signs(attacks: Sequence[Attack], people: People, labels: NDArray[np.int64]) -> FloatArray:
    """How clear a sign each attacker gives (a column each) under each row of labels, in standard deviations."""
    columns = []
    for attack in attacks:
        ranks = ranks_of(attack, people)
        spread = standard_deviation(ranks, people, attack.code)
        columns.append((labels == attack.code) @ ranks / spread if spread > 1e-12 else np.zeros(len(labels)))
    return np.column_stack(columns)


def quick_test(attacks: Sequence[Attack], people: People, seed: int) -> Exchanged:
    """Exchange labels under the scores at hand."""
    labels = exchanged_codes(people, np.random.default_rng(seed), EXCHANGES)
    real = signs(attacks, people, people.classes[None])[0]
    luck = signs(attacks, people, labels)
    highest = np.sort(luck.max(axis=1))

    def share(sign: FloatArray) -> FloatArray:
        above = len(highest) - np.searchsorted(highest, sign - 1e-9, side="left")
        return np.asarray((1 + above) / (1 + EXCHANGES))

    return Exchanged(float(share(real).min()), share(real / SHARED_TRAINING), real, luck)


def clear(quick: Exchanged) -> bool:
    """Whether nobody need be trained anew: there is no sign, or one beyond doubt."""
    return quick.p > UNLIKELY or float(quick.careful.min()) <= CLEAR


@dataclass(frozen=True, eq=False)
class Anew:
    """One exchange with classifiers trained anew; it travels to other processes."""

    data: LabeledVectors
    seen: Vectors
    folds: NDArray[np.int64]
    attackers: Attackers

    def __call__(self, classes: NDArray[np.int64]) -> float:
        """The clearest sign under these labels of the speakers."""
        data = replace(self.data, codes=classes[self.data.speakers])
        attacks = self.attackers.attacks(data, self.seen, self.folds)
        return float(signs(attacks, people_of(data, self.folds), classes[None]).max())


def refit_labels(people: People, seed: int) -> list[tuple[NDArray[np.int64]]]:
    """The exchanges for which classifiers are trained anew, as arguments of calls."""
    found = exchanged_codes(people, np.random.default_rng([seed, 1]), REFITS)
    return [(labels,) for labels in found]


def refit_p(
    found: Iterator[float], strongest: float, watch: Callable[[int], None] | None = None, level: float = LEAK
) -> tuple[float, int]:
    """p from exchanges with training anew, and how many it took; ends when p cannot be `level` or less any more.

    After `hits` exchanges that show as much, p = hits / draws (Besag and Clifford 1991), else (1 + hits) / (1 + draws):
    both are exact.

    >>> refit_p(iter([1.0, 3.0] * 50), 2.0), refit_p(iter([1.0] * 99), 2.0)
    ((0.5, 10), (0.01, 99))
    """
    most = int(level * (1 + REFITS) + 1e-9)  # so many are too many
    hits = draws = 0
    for value in found:
        draws += 1
        hits += value >= strongest - 1e-9
        if watch is not None:
            watch(draws)
        if hits == most:
            return max(hits / draws, (1 + hits) / (1 + REFITS)), draws
    return (1 + hits) / (1 + draws), draws
