"""Recordings of known truth: short noises, and an encoder that hears in each the vector that a `VectorWorld` drew for it.

What is tried on them is everything between a corpus and a verdict. The noises are files like any other, made once in a
folder and used by every draw; which vector belongs to which noise is known to the encoder alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.recordings import RATE, Recording, Samples, write_recording
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.worlds.vectors import SimulatedVectors

SECONDS = 0.25
KEY = 16  # samples that tell one noise from another


@dataclass(frozen=True, eq=False)
class LookUpEncoder:
    """An encoder that knows the vector of every recording it will ever hear."""

    vectors: dict[bytes, Vector]
    name: str = "look-up"
    identity: str = "look-up"

    def embed(self, samples: Samples) -> Vector:
        """The vector that belongs to these samples."""
        return self.vectors[key_of(samples)]


@dataclass(frozen=True, eq=False)
class SimulatedVoices:
    """Recordings before and after anonymization, anonymized speech of other people, and the encoder that hears them."""

    original: Corpus
    anonymized: Corpus
    training: Corpus | None
    encoder: LookUpEncoder


def simulate_voices(drawn: SimulatedVectors, folder: Path) -> SimulatedVoices:
    """Recordings in `folder` that sound, to the encoder, like the vectors that were drawn.

    The folder can be used again: a noise that lies there is not made anew. An anonymized recording is another noise than
    its original; its name is the same.
    """
    known: dict[bytes, Vector] = {}
    sides = {}
    for side, embedded in (("original", drawn.original), ("anonymized", drawn.anonymized)):
        parts = embedded.enrollment, embedded.trials
        utterances = [one for part in parts for one in _utterances(part, folder / side, known)]
        enrolls = parts[0].utterances if side == "original" else ()
        sides[side] = Corpus(folder / side, tuple(utterances), enrolls)
    training = None
    if drawn.training.anonymized is not None:
        others = _utterances(drawn.training.anonymized, folder / "training", known)
        training = Corpus(folder / "training", tuple(others))
    return SimulatedVoices(with_trials(sides["original"]), sides["anonymized"], training, LookUpEncoder(known))


def key_of(samples: Samples) -> bytes:
    """What tells one noise from another: its first samples, in steps of 16 bits."""
    return np.round(np.asarray(samples[:KEY]) * 32768).astype(np.int32).tobytes()


def _utterances(part: Embeddings, folder: Path, known: dict[bytes, Vector]) -> list[Utterance]:
    """A noise for each row, whose vector the encoder is told."""
    folder.mkdir(parents=True, exist_ok=True)
    speakers, sexes = part.speakers or (), part.sex or ()
    utterances = []
    for name, vector, speaker, sex in zip(part.utterances, part.vectors, speakers, sexes, strict=True):
        path = folder / f"{name}.wav"
        utterance = Utterance(name, path, speaker, sex)
        known[_noise_at(path)] = vector.astype(np.float32)
        utterances.append(utterance)
    return utterances


def _noise_at(path: Path) -> bytes:
    """The key of the noise of this file, which is made where it is not there yet."""
    seed = int.from_bytes(f"{path.parent.name}/{path.stem}".encode(), "big")
    noise = np.round(np.random.default_rng(seed).normal(scale=0.1, size=round(SECONDS * RATE)).clip(-1, 0.99) * 32768)
    samples = np.asarray(noise / 32768)
    if not path.exists():
        write_recording(path, Recording(samples, RATE))
    return key_of(samples)
