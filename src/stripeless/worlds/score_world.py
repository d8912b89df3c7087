"""Scores of known truth: how a population of scores is made up, and how much it gives away.

A score of model i and a recording of person j is what belongs to i, to j, to the pair, and to this one recording; labels of
groups, sessions or rooms add offsets of their own. None of that is identity. Identity is one more term, in trials where
the model's own person speaks: without it the best attacker in the world guesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import InputError

Shape = Literal["normal", "skewed", "cosine", "plda"]
LabelKind = Literal["group", "recording", "match", "own"]


@dataclass(frozen=True)
class ScoreLabel:
    """A label of trials that moves scores and knows nothing of identity.

    Attributes:
        name: what the column of trials is called, such as "session".
        kind: "group": people belong to one value each, such as a sex, and `shifts[v]` moves trials in which both sides
            have value v; "recording": each person's recordings have all values in turn, and `shifts[v]` moves the
            recordings of value v; "match": models and recordings draw values at random, and `shifts[v]` moves trials
            in which both have value v; "own": every person has values that nobody else has, such as rooms, and their
            shifts are drawn with deviation `shifts[0]`.
        shifts: one number per value, in standard deviations of a score; for "own" one number.
        sizes: for "group" how many people have each value, in turn where empty; for "own" (n,): n values a person.
        across: for "group" how far trials between two values are moved; None leaves such trials out.
    """

    name: str
    kind: LabelKind
    shifts: tuple[float, ...]
    sizes: tuple[int, ...] = ()
    across: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("group", "recording", "match", "own") or not self.shifts:
            raise InputError(
                f"{self.name}: expected a group, recording, match or own label with one shift per value, got {self.kind!r} "
                f"and {self.shifts}"
            )


@dataclass(frozen=True)
class ScoreWorld:
    """How scores are made up; the defaults are forty people of two sexes about whom the scores say nothing.

    Attributes:
        people: how many people are judged.
        recordings: how many recordings of each are tried.
        eer: equal error rate of the planted leak, from 0 to 0.5, among those who leak; 0.5 plants none.
        leaking: share of people who leak, the first ones; with `leaking_label` share of those with its first value.
        leaking_label: name of a label; only trials with its first value leak. Empty for all trials.
        dispersion: spread of target scores against nontarget scores; below 1 the distance from the middle tells people
            apart, which no threshold sees.
        pair_share: share of a score's variance that belongs to the pair of model and person, from 0 to 1.
        person_spread: deviation of what belongs to a model, and of what belongs to a person.
        heavy: whether pairs have heavy tails (Student's t with three degrees of freedom).
        uneven: whether people have unequal numbers of recordings, from a quarter to almost twice `recordings`.
        labels: labels of the trials with their offsets.
        enrolled: how many of the people are enrolled; None for all.
        others: how many other people each model meets; None for everybody in its groups.
        own: how many of a person's recordings are compared with their own model; None for all.
        attackers: how many attackers score the same trials.
        shared: share of variance that the attackers' scores have in common.
        shape: the scale that a kind of recognizer gives scores; the order of the scores is the same on all.
        named: whether the trials say who is who.
        original_eer: equal error rate of the scores before anonymization.
    """

    people: int = 40
    recordings: int = 8
    eer: float = 0.5
    leaking: float = 1.0
    leaking_label: str = ""
    dispersion: float = 1.0
    pair_share: float = 0.3
    person_spread: float = 0.3
    heavy: bool = False
    uneven: bool = False
    labels: tuple[ScoreLabel, ...] = ()
    enrolled: int | None = None
    others: int | None = None
    own: int | None = None
    attackers: int = 1
    shared: float = 0.5
    shape: Shape = "normal"
    named: bool = True
    original_eer: float = 0.02

    def __post_init__(self) -> None:
        shares = {
            "leaking": self.leaking,
            "pair_share": self.pair_share,
            "shared": self.shared,
            "eer": 2 * self.eer,
            "original_eer": 2 * self.original_eer,
        }
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise InputError(
                    f"{name}: expected a number from 0 to {'0.5' if 'eer' in name else '1'}, got {getattr(self, name)}"
                )
        if self.people < 2 or self.recordings < 1 or self.attackers < 1:
            raise InputError(
                "expected 2 or more people and 1 or more recordings and attackers, got "
                f"{self.people}, {self.recordings} and {self.attackers}"
            )
        if self.leaking_label and self.leaking_label not in [label.name for label in self.labels]:
            raise InputError(f"leaking_label: there is no label {self.leaking_label!r}")

    @property
    def deviation(self) -> float:
        """Standard deviation of a score without its labels."""
        return sqrt(1 + 2 * self.person_spread**2)

    def shift_of(self, eer: float) -> float:
        """How far targets must lie above nontargets for this `eer`, both normal with the same deviation.

        >>> round(ScoreWorld(person_spread=0.0).shift_of(0.4), 3)
        0.507
        """
        from scipy.special import ndtri

        return float(-2 * ndtri(max(eer, 1e-12)) * self.deviation)

    @property
    def leaking_trials(self) -> float:
        """Share of the target trials that leak, in a large population."""
        label = next((label for label in self.labels if label.name == self.leaking_label), None)
        if label is None:
            return self.leaking
        if label.kind == "group" and label.sizes:
            return self.leaking * label.sizes[0] / sum(label.sizes)
        return self.leaking / len(label.shifts)

    def auc(self) -> float | None:
        """Chance that a target scores above a nontarget of the same group, in a large population; None where no formula is
        known.

        >>> round(ScoreWorld(eer=0.4).auc() or 0, 3), ScoreWorld().auc()
        (0.64, 0.5)
        """
        from scipy.special import ndtr

        if self.eer == 0.5:
            return 0.5
        if self.heavy:
            return None
        wider = self.deviation * sqrt(1 + self.dispersion**2)
        share = self.leaking_trials
        return float(share * ndtr(self.shift_of(self.eer) / wider) + (1 - share) * ndtr(0.0))

    def true_eer(self) -> float | None:
        """Equal error rate of all trials within their groups, in a large population; None where no formula is known.

        >>> ScoreWorld(eer=0.3).true_eer(), round(ScoreWorld(eer=0.2, leaking=0.5).true_eer() or 0, 3)
        (0.3, 0.364)
        """
        from scipy.optimize import brentq
        from scipy.special import ndtr

        if self.eer == 0.5:
            return 0.5
        if self.heavy or (self.leaking_trials < 1 and self.dispersion != 1):
            return None
        if self.leaking_trials == 1 and self.dispersion == 1:
            return self.eer
        share, shift, spread = self.leaking_trials, self.shift_of(self.eer) / self.deviation, self.dispersion

        def too_many_misses(limit: float) -> float:
            miss = share * ndtr((limit - shift) / spread) + (1 - share) * ndtr(limit / spread)
            return float(miss - ndtr(-limit))

        return float(ndtr(-brentq(too_many_misses, -10.0, 10.0)))


def shaped(scores: NDArray[np.float64], shape: Shape) -> NDArray[np.float64]:
    """The same order of scores on the scale of another recognizer.

    >>> bool((np.diff(shaped(np.linspace(-6, 6, 100), "plda")) > 0).all())
    True
    """
    if shape == "skewed":
        return np.asarray(np.exp(scores / 2))
    if shape == "cosine":
        return np.asarray(np.tanh(0.12 * scores + 0.1))
    if shape == "plda":  # low log-likelihood ratios lie far below
        return np.asarray(8 * scores - 0.8 * scores**2 * (scores < 0) - 12)
    return scores
