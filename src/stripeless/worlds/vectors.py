"""Vectors of known truth: people before and after an anonymizer, and what an attacker has to learn from.

A vector before anonymization is a voice, what changes from session to session, and what changes from one utterance to the
next. Anonymization keeps a share of the voice (in amplitude), turns everything by a secret rotation, and hides the rest
in one of three ways. All of it is Gaussian, so that the best possible attacker is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.embedded import Embedded, Training
from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError, check_choice
from stripeless.scores.check import FloatArray

Hides = Literal["noise", "session", "utterance"]
Taught = Literal["sound", "shuffled", "unprotected", "judged", "none"]


@dataclass(frozen=True)
class VectorWorld:
    """How vectors are made up; the defaults are forty people whom the anonymizer hides perfectly.

    Attributes:
        people: how many people are judged; every second one is a woman.
        recordings: how many utterances of each are tried.
        enrollment: how many utterances of each enroll.
        dimension: how many numbers a vector has.
        kept: how much of a voice is left, in amplitude: 0 hides it perfectly, 1 leaves it.
        hides: "noise" for nothing but utterances that differ at random; "session" for a pseudo-voice, drawn for each
            person anew in each session; "utterance" for loud noise drawn anew for each utterance, without a rotation.
        pseudo: deviation of pseudo-voices against that of voices.
        training: what the semi-informed attacker learns from: "sound" speech of other people, anonymized in the same way;
            "shuffled", the same with wrong names; "unprotected" speech of others; the very utterances that are "judged",
            under other names; or "none".
        training_people: how many people that is.
        training_recordings: how many utterances of each.
        training_sessions: how many sessions these are from.
    """

    people: int = 40
    recordings: int = 8
    enrollment: int = 4
    dimension: int = 64
    kept: float = 0.0
    hides: Hides = "noise"
    pseudo: float = 0.5
    training: Taught = "sound"
    training_people: int = 100
    training_recordings: int = 8
    training_sessions: int = 4

    def __post_init__(self) -> None:
        if self.people < 4 or self.dimension < 2 or min(self.recordings, self.enrollment) < 1:
            raise InputError(
                "expected 4 or more people, 2 or more dimensions and 1 or more utterances, got "
                f"{self.people}, {self.dimension}, {self.recordings} and {self.enrollment}"
            )
        if not 0 <= self.kept <= 1:
            raise InputError(f"kept: expected a number from 0 (all hidden) to 1 (nothing), got {self.kept}")
        check_choice("hides", self.hides, ("noise", "session", "utterance"))

    @property
    def between(self) -> FloatArray:
        """Variance of voices along each direction: a few tell much, most tell little."""
        return np.asarray(2.0 * 0.94 ** np.arange(self.dimension))

    @property
    def loudness(self) -> float:
        """Deviation of what changes from one anonymized utterance to the next."""
        return 6.0 if self.hides == "utterance" else 1.0

    @property
    def leaks(self) -> bool:
        """Whether anonymized vectors say anything about who speaks."""
        return self.kept > 0

    def best_auc(self, draws: int = 20_000, seed: int = 0) -> float:
        """What a listener who knows every parameter reaches: the chance that a true pair of one enrollment and one trial
        looks more alike than a wrong one, from so many `draws` with this `seed`.

        >>> VectorWorld().best_auc()
        0.5
        """
        if not self.leaks:
            return 0.5
        rng = np.random.default_rng([19, seed])
        voice = self.kept**2 * self.between
        session = self.pseudo**2 * self.between if self.hides == "session" else np.zeros(self.dimension)
        noise = self.loudness**2
        left, right = session + noise / self.enrollment, session + noise
        people = rng.normal(size=(draws, self.dimension)) * np.sqrt(voice)
        enrolled = people + rng.normal(size=people.shape) * np.sqrt(left)
        tried = people + rng.normal(size=people.shape) * np.sqrt(right)
        true, wrong = (_evidence(enrolled, other, voice, left, right) for other in (tried, np.roll(tried, 1, axis=0)))
        below = np.searchsorted(np.sort(wrong), true)
        return float(below.mean() / draws)


def _evidence(
    enrolled: FloatArray, tried: FloatArray, voice: FloatArray, left: FloatArray, right: FloatArray
) -> FloatArray:
    """Log-likelihood ratio of one voice against two, up to a constant."""
    a, b = voice + left, voice + right
    det = a * b - voice**2
    same = (b * enrolled**2 - 2 * voice * enrolled * tried + a * tried**2) / det
    return np.asarray(((enrolled**2 / a + tried**2 / b) - same).sum(axis=1) / 2)


@dataclass(frozen=True, eq=False)
class SimulatedVectors:
    """Vectors whose truth is known, ready for `play_attackers`.

    Attributes:
        original: enrollment and trials before anonymization.
        anonymized: the same utterances after it.
        training: what back-ends learn from.
        world: how they were made up.
    """

    original: Embedded
    anonymized: Embedded
    training: Training
    world: VectorWorld


@dataclass(frozen=True, eq=False)
class _Session:
    """Utterances of one session: the voice and the moment of each, and who speaks."""

    voices: FloatArray  # one row per person
    moment: FloatArray  # one row per utterance
    speaker: NDArray[np.int64]


class _Hider:
    """One anonymizer: its secret rotation, and the draws it makes."""

    def __init__(self, world: VectorWorld, rng: np.random.Generator) -> None:
        self.world, self.rng = world, rng
        turn = np.linalg.qr(rng.normal(size=(world.dimension, world.dimension)))[0]
        self.rotation = np.eye(world.dimension) if world.hides == "utterance" else turn

    def voices(self, people: int) -> FloatArray:
        return self.rng.normal(size=(people, self.world.dimension)) * np.sqrt(self.world.between)

    def session(self, voices: FloatArray, utterances: int) -> _Session:
        speaker = np.repeat(np.arange(len(voices)), utterances)
        return _Session(voices, self.rng.normal(size=(speaker.size, self.world.dimension)), speaker)

    def before(self, session: _Session) -> FloatArray:
        return np.asarray(session.voices[session.speaker] + session.moment)

    def after(self, session: _Session) -> FloatArray:
        """What the anonymizer makes of a session; each call draws new pseudo-voices."""
        kept = self.world.kept * session.voices[session.speaker]
        if self.world.hides == "session":
            pseudo = self.world.pseudo * self.voices(len(session.voices))
            kept = kept + pseudo[session.speaker]
        fresh = self.world.loudness * self.rng.normal(size=session.moment.shape)
        return np.asarray((kept + fresh) @ self.rotation)


def simulate_vectors(world: VectorWorld | None = None, *, seed: int = 0) -> SimulatedVectors:
    """Draw vectors whose truth is known: enrollment and trials before and after anonymization, and training speech.

    Parameters:
        world: how the vectors are made up; None takes forty people whom the anonymizer hides perfectly.
        seed: start of the random draws; the same seed gives the same vectors.
    Returns:
        A `SimulatedVectors`: what `play_attackers` takes.

    >>> drawn = simulate_vectors(VectorWorld(people=12, training_people=30))
    >>> len(drawn.anonymized.trials), drawn.anonymized.trials.dimension, drawn.world.leaks
    (96, 64, False)
    """
    world = world or VectorWorld()
    hider = _Hider(world, np.random.default_rng([18, seed]))
    people = hider.voices(world.people)
    sessions = {"e": hider.session(people, world.enrollment), "t": hider.session(people, world.recordings)}
    before = [_named(hider.before(one), one.speaker, "p", part) for part, one in sessions.items()]
    after = [_named(hider.after(one), one.speaker, "p", part) for part, one in sessions.items()]
    judged = Embedded(*before), Embedded(*after)
    if world.training == "none":
        return SimulatedVectors(*judged, Training(), world)
    if world.training == "judged":
        return SimulatedVectors(*judged, Training(_renamed(judged[0]), _renamed(judged[1])), world)
    return SimulatedVectors(*judged, _training(world, hider), world)


def _training(world: VectorWorld, hider: _Hider) -> Training:
    """Original and anonymized speech of other people to learn from."""
    voices = hider.voices(world.training_people)
    each = max(1, world.training_recordings // world.training_sessions)
    sessions = [hider.session(voices, each) for _ in range(world.training_sessions)]
    speaker = np.concatenate([one.speaker for one in sessions])
    before = np.concatenate([hider.before(one) for one in sessions])
    after = np.concatenate([hider.after(one) for one in sessions])
    original = _named(before, speaker, "other", "o")
    if world.training == "unprotected":
        return Training(original, _named(before, speaker, "other", "a"))
    if world.training == "shuffled":
        women = speaker % 2 == 0
        for sex in (women, ~women):
            speaker[sex] = hider.rng.permutation(speaker[sex])
    return Training(original, _named(after, speaker, "other", "a"))


def _renamed(judged: Embedded) -> Embeddings:
    """The very utterances that are judged, under other names."""
    vectors = np.concatenate([part.vectors for part in (judged.enrollment, judged.trials)])
    speakers = (judged.enrollment.speakers or ()) + (judged.trials.speakers or ())
    return _named(vectors, np.array([int(name[1:]) for name in speakers]), "other", "j")


def _named(vectors: FloatArray, speaker: NDArray[np.int64], people: str, part: str) -> Embeddings:
    """Vectors with names that say nothing but the order."""
    return Embeddings(
        vectors,
        tuple(f"{people}-{part}{row:05d}" for row in range(len(vectors))),
        tuple(f"{people}{who:03d}" for who in speaker),
        tuple("fm"[who % 2] for who in speaker),
    )
