"""Findings about attackers on embeddings, from `play_attackers`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from attacked_speech import D, anonymized, halves, speech

from finding_cases.case import Producer, case
from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.play import play_attackers
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take
from stripeless.verdicts.finding import Finding

ORIGINAL = halves(speech(range(40)))
TRAIN = speech(range(100, 160), seed=5)


def hidden(strength: float = 3.0) -> Embedded:
    return Embedded(anonymized(ORIGINAL.enrollment, strength, seed=3), anonymized(ORIGINAL.trials, strength))


def played(anonymous: Embedded, training: Training | None = None) -> Iterable[Finding]:
    return play_attackers(ORIGINAL, anonymous, training=training, resamples=100).warnings


def well_trained(strength: float = 3.0) -> Iterable[Finding]:
    return played(hidden(strength), Training(TRAIN, anonymized(TRAIN, strength)))


def misled() -> Iterable[Finding]:
    """Trained where voices vary within a speaker and noise tells speakers apart."""
    rng = np.random.default_rng(0)
    useless = np.repeat([0.0, 1.0], D // 2)
    people = np.repeat(rng.normal(size=(60, D)) * useless, 8, axis=0)
    vectors = people + rng.normal(size=people.shape) * np.repeat([3.0, 0.1], D // 2)
    names = tuple(f"t{i // 8}" for i in range(480))
    bend = np.random.default_rng(42).normal(size=(D, D))
    wrong = Embeddings(vectors @ bend, tuple(f"{n}-{i}" for i, n in enumerate(names)), names)
    return played(hidden(0.5), Training(anonymized=wrong))


def mislabeled() -> Iterable[Finding]:
    train = anonymized(TRAIN, 0.5)
    order = np.random.default_rng(0).permutation(len(train))
    return played(hidden(0.5), Training(anonymized=replace(train, vectors=train.vectors[order])))


def mirrored() -> Iterable[Finding]:
    sides = (replace(side, vectors=-side.vectors) for side in (ORIGINAL.enrollment, ORIGINAL.trials))
    return played(Embedded(*sides))


def overlapping() -> Iterable[Finding]:
    """Some of the judged speakers, none of the enrolled, are among those the attacker trained on."""
    first = take(ORIGINAL.enrollment, np.arange(80))
    few = Embedded(first, ORIGINAL.trials)
    anonymous = Embedded(anonymized(first), anonymized(ORIGINAL.trials))
    training = Training(speech(range(30, 80), seed=5))
    return play_attackers(few, anonymous, training=training, resamples=100).warnings


def manifests(evaluation: float) -> Producer:
    return lambda: played(hidden(), Training(manifests=({"alpha": 0.8}, {"alpha": evaluation})))


def other_anonymizer() -> Iterable[Finding]:
    return played(hidden(), Training(TRAIN, replace(TRAIN, vectors=TRAIN.vectors[:, ::-1] + 4)))


def other_direction() -> Iterable[Finding]:
    """The attacker's own anonymizer keeps of a voice what the evaluated one takes away."""
    rng = np.random.default_rng(2)
    kept = TRAIN.vectors * np.repeat([0.1, 1.0], D // 2)
    noise = 0.5 * rng.normal(size=kept.shape) * np.repeat([1.0, 0.1], D // 2)
    other = replace(TRAIN, vectors=(kept + noise) @ np.random.default_rng(42).normal(size=(D, D)))
    return played(hidden(3.0), Training(anonymized=other))


def few_people() -> Iterable[Finding]:
    """Seven people are too few to learn from some and judge the others."""
    few = halves(speech(range(7)))
    return play_attackers(few, Embedded(anonymized(few.enrollment), anonymized(few.trials)), resamples=0).warnings


CASES = {
    "weaker-though-better-informed": case(misled, well_trained),
    "above-chance": case(mirrored, well_trained),
    "not-anonymized": case(lambda: played(Embedded(ORIGINAL.enrollment, anonymized(ORIGINAL.trials))), well_trained),
    "training-overlap": case(overlapping, well_trained),
    "manifests-differ": case(manifests(0.5), manifests(0.8)),
    "training-mismatch": case(other_direction, well_trained),
    "untrained": case(mislabeled, lambda: well_trained(0.5)),
    "told-apart": case(other_anonymizer, well_trained),
    "no-semi-informed": case(few_people, well_trained),
}
