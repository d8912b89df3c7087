"""The test that a verdict on an attribute rests on: who was tried, what they reached, and how clear a sign that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.attributes.chance import chance_of_ratios, d_ece_of_ratio
from stripeless.attributes.classifiers import AttributeScores
from stripeless.attributes.cost import affordable, trains
from stripeless.attributes.exchange import (
    ANEW,
    EXCHANGES,
    LEAK,
    Anew,
    Exchanged,
    clear,
    quick_test,
    refit_labels,
    refit_p,
)
from stripeless.attributes.levels import EVERYTHING, Attack, Attackers, People, averaged, people_of
from stripeless.attributes.limits import reach_of
from stripeless.embeddings.embeddings import Vectors
from stripeless.parallel.executors import open_workers
from stripeless.protections.labels import LabeledVectors
from stripeless.results.attribute import Everything
from stripeless.verdicts.evidence import Evidence, Reached, Refit

Watch: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Tested:
    """Every attacker on one set of vectors, and the quick test."""

    data: LabeledVectors
    seen: Vectors
    folds: NDArray[np.int64]
    names: tuple[str, ...]
    seed: int
    people: People
    attacks: tuple[Attack, ...]
    quick: Exchanged

    @property
    def clear(self) -> bool:
        """Whether nobody need be trained anew."""
        return clear(self.quick)


def tested_on(
    data: LabeledVectors,
    seen: Vectors,
    folds: NDArray[np.int64],
    names: Sequence[str],
    seed: int,
    one_by_one: Sequence[AttributeScores] | None,
) -> Tested:
    """Put together what was said of single utterances, try everybody on everything of a speaker, and exchange labels."""
    people = people_of(data, folds)
    attacks = Attackers(tuple(names), tuple(names), seed).attacks(data, seen, folds, one_by_one)
    return Tested(data, seen, folds, tuple(names), seed, people, tuple(attacks), quick_test(attacks, people, seed))


def evidence_of_test(test: Tested, *, workers: Any = None, watch: Watch | None = None) -> Evidence:
    """What the verdict rests on; classifiers are trained anew where the quick test is not clear."""
    refit = None if test.clear else trained_anew(test, workers, watch)
    smallest = float(test.quick.careful.min())
    sizes = np.bincount(test.people.classes, minlength=len(test.data.classes)).tolist()
    return Evidence(
        "exchange",
        test.quick.p if test.quick.p > LEAK or refit is not None else smallest,
        reached_by(test),
        test.people.count,
        dict(zip(test.data.classes, sizes, strict=True)),
        EXCHANGES,
        refit,
    )


def trained_anew(test: Tested, workers: Any = None, watch: Watch | None = None) -> Refit:
    """The test in which classifiers learn the exchanged labels. Those whom that would take too long share what is left
    of the 5 %, with a p that is too large if anything.
    """
    afforded = affordable(test.data, int(test.folds.max()) + 1, test.names)
    again = np.array([trains(attack.classifier, attack.level) in afforded for attack in test.attacks])
    if not again.any():
        return Refit(test.quick.careful_p(~again), 0)
    share = ANEW if (~again).any() else 1.0
    chosen = Attackers(
        tuple(name for name in test.names if (name, "rows") in afforded),
        tuple(name for name in test.names if (name, "averages") in afforded),
        test.seed,
    )
    calls = refit_labels(test.people, test.seed)

    def told(done: int) -> None:
        if watch is not None:
            watch(done, len(calls))

    with open_workers(workers, processes=True) as several:
        found: Iterator[float] = several.run(Anew(test.data, test.seen, test.folds, chosen), calls)
        p, times = refit_p(found, float(test.quick.seen[again].max()), told, share * LEAK)
    others = test.quick.careful_p(~again) / (1 - share) if share < 1 else 1.0
    return Refit(min(1.0, p / share, others), times)


def reached_by(test: Tested) -> tuple[Reached, ...]:
    """What each attacker reached; limits where the attacker holds everything of a speaker."""
    luck, several = test.quick.by_luck(test.attacks), len(test.data.classes) > 2
    found = []
    for attack, p in zip(test.attacks, test.quick.careful.tolist(), strict=True):
        about = f" about {test.data.classes[attack.code]}" if several else ""
        name, who = f"{attack.classifier}{about}", attack.classifier
        if attack.level not in EVERYTHING or test.people.count < 4:
            found.append(Reached(name, who, p=p, by=attack.level))
            continue
        reach = reach_of(attack, test.people, luck)
        corrected = reach.auc - float(np.median(test.quick.luck.max(axis=1))) * reach.error
        low, high = max(0.0, reach.low), min(1.0, reach.high)
        found.append(Reached(name, who, reach.auc, low, high, p, attack.level, corrected))
    return tuple(found)


def everything_of(test: Tested, shuffles: int) -> Everything:
    """D_ECE of the strongest attacker who holds everything of a speaker, beside what luck shows."""
    whole = averaged(test.data)
    several = [attack for attack in test.attacks if attack.level in EVERYTHING]
    ratios = [(attack.code, attack.llr) for attack in several]
    values = [d_ece_of_ratio(code, llr, whole.codes) for code, llr in ratios]
    best = int(np.argmax(values))
    return Everything(
        float(values[best]),
        chance_of_ratios(ratios, whole, test.seed, shuffles),
        several[best].classifier,
        several[best].level,
        test.data.classes[several[best].code],
    )
