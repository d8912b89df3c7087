"""All attackers with one encoder: who compares what with what, by which back-end, in trials that its people allow.

One `Battery` plays the same attackers on the data as they are, on exchanged enrollments (`exchanged`), and with a leak
planted (`replace` of its vectors): that is what a test, and the test of a test, need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.backends import (
    LEAST_IN_FOLD,
    LEAST_SPEAKERS,
    Backend,
    Matrix,
    backends,
    block_folds,
    block_scores,
    on_one_scale,
)
from stripeless.attackers.embedded import Embedded
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, speaker_codes, speaker_means, standardized
from stripeless.errors import InputError
from stripeless.scores.comparison import cosine_scores, labeled_scores
from stripeless.scores.pairs import TrialList, rows_of
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.strata import FOLD

Conditions = tuple[str, ...]
CONDITIONS: Conditions = ("original", "ignorant", "lazy-informed", "semi-informed")
Learn = Callable[[Embeddings], Mapping[str, Backend]]


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of one attacker.

    Attributes:
        attacker: who attacks; "original" is the control on unprotected data.
        backend: how vectors were compared, such as "cosine".
        learned: whether the back-end learned from people who are judged in other folds.
        scores: its trials, with the sex and the fold of the people where they are known.
    """

    attacker: str
    backend: str
    learned: bool
    scores: TrialScores


@dataclass(frozen=True, eq=False)
class Battery:
    """What one encoder made of everything, and the attackers that are played with it.

    Attributes:
        encoder: its name; empty for vectors of an unknown one.
        original: enrollment and trials before anonymization.
        anonymized: the same utterances after it.
        trials: which model meets which utterance.
        seed: start of the random draws.
        heard: anonymized enrollment and trials as an encoder that was retrained sees them; None where none was.
        taught: back-ends that learned from unprotected speech of others; empty compares by cosine.
        others: anonymized speech of other people, for the semi-informed attacker, who learns fold by fold besides; None for
            that alone.
        learn: what is learned from `others`: back-ends by name.
        standardize: whether each number is put on the scale of the enrollment first.
        conditions: the attackers that are played with it.
    """

    encoder: str
    original: Embedded
    anonymized: Embedded
    trials: TrialList
    seed: int = 0
    heard: Embedded | None = None
    taught: Mapping[str, Backend] | None = None
    others: Embeddings | None = None
    learn: Learn | None = None
    standardize: bool = False
    conditions: Conditions = CONDITIONS

    @cached_property
    def people(self) -> dict[str, str]:
        """Everybody who is enrolled or judged, with their sex; empty where it is not known."""
        found: dict[str, str] = {}
        for side in (self.original.enrollment, self.original.trials):
            sexes = side.sex or ("",) * len(side)
            for name, sex in zip(need_speakers(side, "original"), sexes, strict=True):
                found[name] = found.get(name) or sex
        return dict(sorted(found.items()))

    @cached_property
    def both(self) -> set[str]:
        """Who is both enrolled and judged."""
        spoken = speaker_codes(need_speakers(self.original.trials, "trials"))[0]
        return set(self.trials.models) & set(spoken)

    @cached_property
    def folds(self) -> dict[str, int]:
        """In which fold each person is judged by back-ends that learned from the others; empty where that cannot be."""
        people = self.people
        fold = block_folds(people, self.both, self.seed)
        sizes = np.bincount([one for one in fold.values() if one >= 0], minlength=1)
        return fold if sizes.max() and len(people) - sizes.max() >= LEAST_SPEAKERS else {}

    @property
    def learns_fold_by_fold(self) -> bool:
        """Whether the semi-informed attacker learns from the people judged."""
        return "lazy-informed" in self.conditions and bool(self.folds)

    def unjudged(self) -> str:
        """Who is judged by no attacker that learned fold by fold, in a sentence; empty where everybody is."""
        fold = self.folds
        if not self.learns_fold_by_fold:
            return ""
        gone = sorted(name for name in self.both if fold[name] < 0)
        if not gone:
            return ""
        listed = ", ".join(gone[:5]) + (", ..." if len(gone) > 5 else "")
        return (
            f"{len(gone)} people were not judged by an attacker who learned from the others, because fewer than "
            f"{2 * LEAST_IN_FOLD} people of their sex are there: {listed}."
        )

    def play(self, conditions: Conditions = CONDITIONS) -> Iterator[Scored]:
        """The scores of each of these attackers. The control on original data learns as the semi-informed attacker does."""
        conditions = tuple(one for one in conditions if one in self.conditions)
        if "original" in conditions:
            yield from self._compare("original", self.original.enrollment, self.original.trials)
            yield from self._blocks("original", self.original)
        if "ignorant" in conditions:
            yield from self._compare("ignorant", self.original.enrollment, self.anonymized.trials)
        if "lazy-informed" in conditions:
            yield from self._compare("lazy-informed", self.anonymized.enrollment, self.anonymized.trials)
        if "semi-informed" in conditions:
            yield from self._semi_informed()

    def _semi_informed(self) -> Iterator[Scored]:
        seen = self.heard or self.anonymized
        if self.others is not None:
            assert self.learn is not None
            (others,) = self._scaled(seen.enrollment, self.others)
            yield from self._compare("semi-informed", seen.enrollment, seen.trials, self.learn(others))
        elif self.heard is not None:
            yield from self._compare("semi-informed", seen.enrollment, seen.trials, {})
        if "lazy-informed" in self.conditions or self.heard is None:
            # beside whatever was trained elsewhere, which may have learned little
            yield from self._blocks("semi-informed", self.anonymized)

    def _scaled(self, enrollment: Embeddings, *several: Embeddings) -> list[Embeddings]:
        if not self.standardize:
            return list(several)
        return [on_scale_of(one, enrollment) for one in several]

    def _compare(
        self,
        attacker: str,
        enrollment: Embeddings,
        tests: Embeddings,
        taught: Mapping[str, Backend] | None = None,
    ) -> Iterator[Scored]:
        """Scores by each back-end, or by cosine where there is none."""
        taught = (self.taught or {}) if taught is None else taught
        enrolled, tried = self._scaled(enrollment, enrollment, tests)
        models, counts = models_of(enrolled)
        if not taught:
            matrix = cosine_scores(models.vectors, tried.vectors)
            yield Scored(attacker, "cosine", False, self._labeled(matrix, models, tried))
        for name, backend in taught.items():
            matrix = backend.scores(models.vectors.astype(np.float64), tried.vectors.astype(np.float64), counts)
            yield Scored(attacker, name, False, self._labeled(matrix, models, tried))

    def _blocks(self, attacker: str, sides: Embedded) -> Iterator[Scored]:
        """Scores by every kind of back-end, each fold by what learned from the others; nothing where people are too few."""
        fold = self.folds
        if not fold:
            return
        enrolled, tried = self._scaled(sides.enrollment, sides.enrollment, sides.trials)
        models, counts = models_of(enrolled)
        training = together(enrolled, tried)
        numbers = sorted({one for one in fold.values() if one >= 0})
        for name, fitter in backends().items():
            try:
                matrix = block_scores(models, counts, tried, training, fold, dict.fromkeys(numbers, fitter))
            except InputError:
                continue  # too little data for this kind
            matrix = on_one_scale(matrix, np.array([fold[name] for name in models.utterances]))
            yield Scored(attacker, f"{name}, cross-fitted", True, self._labeled(matrix, models, tried, fold))

    def _labeled(
        self, matrix: Matrix, models: Embeddings, tests: Embeddings, fold: Mapping[str, int] | None = None
    ) -> TrialScores:
        """The scores of the listed trials that are judged, with the sex and the fold of the people."""
        listed = self.trials
        rows = rows_of(listed.models, models.utterances, "models")
        columns = rows_of(listed.utterances, tests.utterances, "utterances")
        flat = matrix[rows[listed.enrollment], columns[listed.trial]]
        judged = ~np.isnan(flat)
        if not judged.all():
            listed = replace(
                listed, enrollment=listed.enrollment[judged], trial=listed.trial[judged], target=listed.target[judged]
            )
            flat = flat[judged]
        scores = labeled_scores(flat, listed, need_speakers(tests, "trials"), columns)
        people = self.people
        if any(people.values()):
            scores = with_label(scores, "sex", people)
        return scores if fold is None else with_label(scores, FOLD, {name: str(k) for name, k in fold.items()})


def models_of(enrollment: Embeddings) -> tuple[Embeddings, Matrix]:
    """One vector per enrolled speaker, and of how many utterances it is the mean."""
    return speaker_means(enrollment), np.bincount(speaker_codes(need_speakers(enrollment, "enrollment"))[1]).astype(
        np.float64
    )


def on_scale_of(embeddings: Embeddings, scale: Embeddings) -> Embeddings:
    """The mean and deviation of `scale` taken out of each number, for encoders whose numbers have units."""
    return replace(embeddings, vectors=standardized(embeddings.vectors, scale.vectors))


def together(enrollment: Embeddings, trials: Embeddings) -> Embeddings:
    """Both sides as speech to learn from; an utterance that is enrolled and tried teaches once."""
    known = set(enrollment.utterances)
    new = [k for k, name in enumerate(trials.utterances) if name not in known]
    sexes = None
    if enrollment.sex is not None and trials.sex is not None:
        sexes = (*enrollment.sex, *(trials.sex[k] for k in new))
    speakers = need_speakers(trials, "trials")
    return Embeddings(
        np.concatenate([enrollment.vectors, trials.vectors[new]]),
        (*enrollment.utterances, *(trials.utterances[k] for k in new)),
        (*need_speakers(enrollment, "enrollment"), *(speakers[k] for k in new)),
        sexes,
    )


def with_label(scores: TrialScores, name: str, of: Mapping[str, str]) -> TrialScores:
    """The scores with a label of the speaker of each trial."""
    side = scores.trial_speakers
    assert side is not None
    values = tuple(sorted({of.get(who, "") for who in side.names} - {""}))
    number = {value: k for k, value in enumerate(values)}
    code = np.array([number.get(of.get(who, ""), -1) for who in side.names], dtype=np.int32)
    return replace(scores, columns={**scores.columns, name: Factor(values, code[side.target], code[side.nontarget])})


def exchanged(battery: Battery, order: Mapping[str, str]) -> Battery:
    """The same with the enrollment recordings of each person given to another one."""

    def dealt(side: Embedded) -> Embedded:
        speakers = tuple(order.get(name, name) for name in need_speakers(side.enrollment, "enrollment"))
        sexes = side.enrollment.sex
        return Embedded(replace(side.enrollment, speakers=speakers, sex=sexes), side.trials)

    return replace(
        battery,
        original=dealt(battery.original),
        anonymized=dealt(battery.anonymized),
        heard=None if battery.heard is None else dealt(battery.heard),
    )


def exchange_order(people: Mapping[str, str], both: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Who gets whose enrollment: people who are both enrolled and judged, dealt anew within each sex."""
    order: dict[str, str] = {}
    for sex in sorted({people[name] for name in both}):
        members = sorted(name for name in both if people[name] == sex)
        places: NDArray[np.int64] = rng.permutation(len(members))
        order.update((name, members[k]) for name, k in zip(members, places.tolist(), strict=True))
    return order
