"""Worlds of a hidden attribute: nothing left to find, a leak of stated size, wrong data. Two classes unless told."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from verdict_doors import label_of, refusal
from verdict_kinds import FALSE_ALARM, HARDLY_PASSES, NO_PASS, NO_VERDICT, PASSES, Kind, Rule, found
from verdict_real import B1, there

from stripeless import Embeddings, judge_protection, read_embeddings

QUICK = ("logistic", "neighbors", "angles")  # no minutes for each draw


@dataclass(frozen=True)
class AttributeWorld:
    """Vectors of people whose attribute was hidden, and the vectors before.

    `people`: how many of each class; `person`, `session`: deviation of what belongs to a person, and to one of the two
    sessions of a person, where that of an utterance is 1; `eer`: what an ideal listener reaches who averages all utterances of
    a speaker; `of`: the share of utterances in which the leak is; `scatter`: by how much utterances of the second class
    vary more; `heavy`: people lie far out now and then.
    """

    people: tuple[int, ...] = (20, 20)
    recordings: int = 8
    uneven: bool = False
    dimensions: int = 16
    person: float = 0.7
    session: float = 0.0
    eer: float = 0.5
    of: float = 1.0
    scatter: float = 1.0
    heavy: bool = False


@dataclass(frozen=True)
class Drawn:
    """One draw: rows before and after, whose they are, and the class of each."""

    before: np.ndarray
    after: np.ndarray
    labels: tuple[str, ...]
    speakers: tuple[str, ...]


def drawn(world: AttributeWorld, seed: int) -> Drawn:
    """One world; speakers are numbered across the classes."""
    rng = np.random.default_rng([41, seed])
    classes = np.repeat(np.arange(len(world.people)), world.people)
    many = classes.size
    each = rng.integers(3, 16, many) if world.uneven else np.full(many, world.recordings)
    who = np.repeat(np.arange(many), each)
    code, size = classes[who], (who.size, world.dimensions)

    def voices() -> np.ndarray:
        own = rng.standard_t(3, (many, world.dimensions)) if world.heavy else rng.normal(size=(many, world.dimensions))
        when = rng.normal(size=(2 * many, world.dimensions))[2 * who + np.arange(who.size) % 2]
        return np.asarray(world.person * own[who] + world.session * when)

    after = voices() + rng.normal(size=size) * np.where(code == 1, world.scatter, 1.0)[:, None]
    leaking = rng.random(who.size) < world.of
    after[:, 0] += np.where(leaking, distance(world), 0.0) * (code == 0)
    before = voices() + rng.normal(size=size)
    before[np.arange(who.size), code] += 5.0
    names = tuple(f"s{number:03d}" for number in rng.permutation(many)[who])
    return Drawn(before, after, tuple("fmx"[one] for one in code), names)


def distance(world: AttributeWorld) -> float:
    """Between the classes, in the vectors of utterances, so that the mean of a speaker gives this EER."""
    variance = world.person**2 + world.session**2 / 2 + 1 / world.recordings
    return -2 * NormalDist().inv_cdf(world.eer) * sqrt(variance) / world.of


def judged(
    data: Drawn, *, seed: int, names: Sequence[str] | None = QUICK, margin: float | None = None, **more: object
) -> str:
    """Through `judge_protection`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few speakers
        proof = judge_protection(
            data.after, data.labels, data.speakers, original=data.before, classifiers=names, margin=margin, seed=seed % 2**31,
            **more,  # type: ignore[arg-type]
        )  # fmt: skip
    return label_of(proof, margin)


def play(world: AttributeWorld, seed: int, *, names: Sequence[str] | None = QUICK, margin: float | None = None) -> str:
    """One draw."""
    return judged(drawn(world, seed), seed=seed, names=names, margin=margin)


def changed(change: Callable[[Drawn], Drawn], world: AttributeWorld, seed: int, **more: object) -> str:
    """One draw with wrong data."""
    return refusal(lambda: judged(change(drawn(world, seed)), seed=seed, **more))  # type: ignore[arg-type]


def through_protect(world: AttributeWorld, seed: int) -> str:
    """Through `protect_study`, all that the command does: half of the speakers fit, the others are judged."""
    from stripeless import protect_study

    data = drawn(world, seed)
    rows = Embeddings(data.before, tuple(f"u{k}" for k in range(len(data.labels))), data.speakers, data.labels)
    hidden = Embeddings(data.after, rows.utterances, rows.speakers, rows.sex)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = protect_study(rows, protected=hidden, classifiers=QUICK, resamples=0, seed=seed % 2**31)
    return label_of(study.proof)


def two_labels(data: Drawn) -> Drawn:
    """One utterance of one speaker is given the other label."""
    other = "m" if data.labels[0] == "f" else "f"
    return replace(data, labels=(other, *data.labels[1:]))


def copied(data: Drawn) -> Drawn:
    """A quarter of the people are there a second time, under other names."""
    people = sorted(set(data.speakers))[::4]
    rows = [row for row, who in enumerate(data.speakers) if who in people]
    return Drawn(
        np.concatenate([data.before, data.before[rows]]),
        np.concatenate([data.after, data.after[rows]]),
        data.labels + tuple(data.labels[row] for row in rows),
        data.speakers + tuple("x" + data.speakers[row] for row in rows),
    )


def available() -> bool:
    """Whether classifiers can be trained here."""
    return find_spec("sklearn") is not None


def real_there() -> bool:
    """Whether the x-vectors are here as well."""
    return available() and there()


@cache
def real_vectors(end: str) -> Embeddings:
    """X-vectors of the enrollment utterances and of all trial utterances, before ("") or after ("_anon") B1."""
    parts = [
        read_embeddings(B1 / "xvectors" / "original" / f"{part}{end}.scp", utt2spk=B1 / part / "utt2spk",
                        spk2gender=B1 / part / "spk2gender")
        for part in ("enrolls", "trials_f", "trials_m")
    ]  # fmt: skip
    return Embeddings(
        np.concatenate([part.vectors for part in parts]),
        tuple(name for part in parts for name in part.utterances),
        tuple(name for part in parts for name in part.speakers or ()),
        tuple(sex for part in parts for sex in part.sex or ()),
    )


def real_dealt(seed: int, most: int = 8) -> str:
    """X-vectors after B1; the sexes are dealt anew among the speakers."""
    after, before, rng = real_vectors("_anon"), real_vectors(""), np.random.default_rng([42, seed])
    speakers = np.array(after.speakers)
    people = sorted(set(speakers.tolist()))
    sex = dict(zip(after.speakers or (), after.sex or (), strict=True))
    dealt = dict(zip(people, rng.permutation([sex[who] for who in people]).tolist(), strict=True))
    rows = np.concatenate([rng.permutation(np.flatnonzero(speakers == who))[:most] for who in people])
    labels = tuple(dealt[who] for who in speakers[rows].tolist())
    data = Drawn(before.vectors[rows], after.vectors[rows], labels, tuple(speakers[rows].tolist()))
    return judged(data, seed=seed, names=("logistic", "neighbors", "angles"))


def real_sex(seed: int, most: int = 8) -> str:
    """The same with the sexes as they are: B1 keeps the sex."""
    after, before, rng = real_vectors("_anon"), real_vectors(""), np.random.default_rng([43, seed])
    speakers = np.array(after.speakers)
    people = sorted(set(speakers.tolist()))
    rows = np.concatenate([rng.permutation(np.flatnonzero(speakers == who))[:most] for who in people])
    labels, names = (tuple(np.array(each)[rows].tolist()) for each in (after.sex, after.speakers))
    return judged(
        Drawn(before.vectors[rows], after.vectors[rows], labels, names), seed=seed, names=("logistic", "neighbors")
    )


def kind(name: str, what: str, truth: str, *rules: Rule, draws: int = 200, sample: int = 0, margin: float | None = None,
         names: Sequence[str] | None = QUICK, **world: Any) -> Kind:  # fmt: skip
    """A world that goes through `judge_protection`."""
    made = partial(play, AttributeWorld(**world), names=names, margin=margin)
    return Kind(f"g-attribute-{name}", "g", f"attribute: {what}", truth, made, rules, draws, sample, available)


def attribute_kinds() -> Iterator[Kind]:
    """Everything about attributes."""
    yield from nothing_left()
    yield from leaks()
    yield from wrong_data()
    yield from real_people()


def null(name: str, what: str, **more: Any) -> Kind:
    """No attribute in the vectors."""
    return kind(name, what, "no leak", FALSE_ALARM, **more)


def nothing_left() -> Iterator[Kind]:
    """Nothing to find, whatever else people differ in."""
    yield null("noise", "20 + 20 people x 8, noise for each utterance", person=0.0)
    yield null("people", "20 + 20 x 8, people .7 of the noise", sample=4)
    yield null("pseudo-voices", "20 + 20 x 8, a voice for each person three times the noise", person=3.0)
    yield null("sessions", "20 + 20 x 8, two sessions for each person", session=1.5)
    yield null("heavy", "20 + 20 x 8, people lie far out now and then", person=2.0, heavy=True)
    yield null("uneven", "20 + 20, 3 to 15 utterances each", person=1.5, uneven=True)
    yield null("two-each", "20 + 20, two utterances each", recordings=2)
    yield null("8-32", "8 + 32 people x 8", people=(8, 32))
    yield null("4-16", "4 + 16 people x 8, people 1.5", people=(4, 16), person=1.5)
    yield null("12-people", "6 + 6 people x 8", people=(6, 6))
    yield null("20-people", "10 + 10 people x 8, people twice the noise", people=(10, 10), person=2.0)
    yield null("three-classes", "three classes of 14", people=(14, 14, 14), draws=100)
    yield null("wide", "20 + 20 x 8, 96 dimensions", dimensions=96)
    yield null(
        "svm", "20 + 20 x 8, people twice the noise, a support vector machine", person=2.0, names=("svm",), draws=100
    )
    yield null("all-six", "20 + 20 x 4, all six classifiers", recordings=4, names=None, draws=60)


def leaks() -> Iterator[Kind]:
    """Leaks of stated size, and systems that keep nothing tested on many people."""
    for eer, rules in ((0.4, ()), (0.35, ()), (0.2, (found(0.6), HARDLY_PASSES)), (0.1, (found(0.95), HARDLY_PASSES))):
        yield kind(
            f"eer-{100 * eer:g}",
            f"20 + 20 x 8, EER {100 * eer:g} % from all of a speaker",
            "leak",
            *rules,
            NO_PASS,
            eer=eer,
            draws=60,
        )
    yield kind("eer-20-8-32", "8 + 32 x 8, EER 20 %", "leak", NO_PASS, people=(8, 32), eer=0.2, draws=60)
    yield kind(
        "single",
        "20 + 20 x 8, one utterance in eight leaks, EER 5 % from all",
        "leak",
        found(0.65),
        eer=0.05,
        of=0.125,
        draws=60,
    )
    yield kind("scatter", "20 + 20 x 8, utterances of one class vary by half as much again", "leak", found(0.9), HARDLY_PASSES,
               person=2.0, scatter=1.5, draws=60, sample=2)  # fmt: skip
    yield kind("margin-400", "200 + 200 x 4, EER 40 %, margin 40 %", "leak", NO_PASS, people=(200, 200), recordings=4, eer=0.4,
               dimensions=8, names=("logistic", "neighbors"), draws=100)  # fmt: skip
    yield kind("perfect-400", "200 + 200 x 4, nothing left", "no leak", FALSE_ALARM, PASSES, people=(200, 200), recordings=4,
               dimensions=8, names=("logistic", "neighbors"), draws=100)  # fmt: skip


def wrong_data() -> Iterator[Kind]:
    """What must not end in a verdict."""
    world = AttributeWorld()
    for name, what, change, more in (
        ("two-labels", "a speaker with two labels", two_labels, {}),
        ("copied", "a quarter of the people a second time under other names", copied, {}),
        (
            "trained-on-original",
            "classifiers that never saw protected vectors",
            lambda data: data,
            {"trained_on": "original"},
        ),
    ):
        play_it = partial(changed, change, world, **more)
        yield Kind(
            f"g-attribute-{name}", "g", f"attribute: {what}", "wrong data", play_it, (NO_VERDICT,), 40, 0, available
        )


def real_people() -> Iterator[Kind]:
    """X-vectors of LibriSpeech after B1, and all of `protect` at once."""
    yield Kind("g-attribute-real-dealt", "g", "attribute: x-vectors after B1, sexes dealt anew among speakers", "no leak",
               real_dealt, (FALSE_ALARM,), available=real_there)  # fmt: skip
    yield Kind("g-attribute-real-sex", "g", "attribute: x-vectors after B1, sexes as they are", "leak", real_sex,
               (found(0.95),), 20, available=real_there)  # fmt: skip
    yield Kind("g-attribute-protect", "g", "attribute: 20 + 20 people x 8 through protect_study", "no leak",
               partial(through_protect, AttributeWorld()), (FALSE_ALARM,), 100, available=available)  # fmt: skip
