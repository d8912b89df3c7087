"""The x-vector family (B1 and its kin): what is said and its melody are kept, the voice is that of a pseudo-speaker.

A recording is taken apart into content features, F0 and a speaker embedding; the embedding is exchanged for a
pseudo-speaker's; an acoustic model and a waveform model put the voice together again (VoicePrivacy 2020, baseline B1).
The systems differ in who the pseudo-speaker is, in what the content features carry, and in which of the two models is given it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stripeless.anonymizers.anonymizer import Part, Per, SourceVoice, Voices, check_per, keyed_generator
from stripeless.anonymizers.xvector_pool import pitch_near, read_pool
from stripeless.anonymizers.xvector_sex import guessed_sex
from stripeless.anonymizers.xvector_systems import SYSTEMS, System
from stripeless.audio.recordings import RATE, Recording, Samples, resample
from stripeless.embeddings.encoders.compact import CompactEncoder
from stripeless.embeddings.vectors import FloatArray, length_normalized
from stripeless.errors import InputError, check_choice
from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS, make_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import PseudoSpeakers
from stripeless.synthesis.content import BOTTLENECKS, KINDS
from stripeless.synthesis.grid import LEVEL
from stripeless.synthesis.shipped import digest
from stripeless.synthesis.voice import Parts, synthesis

PITCHES = ("keep", "move", "smooth")
MOVES = ("keep", "move")
SMOOTHED = 0.4  # deviation of a smoothed melody as a share of the whole one's
TEMPO_SPREAD = 0.1  # of the logarithm: voices differ in tempo by up to a tenth, whoever they hide


@dataclass(frozen=True, eq=False)
class RebuiltVoice:
    """One system of the family. `content`, `pitch` and `pool` override what the system says.

    `pitch`: `keep` the melody as it is, `move` it to the pseudo-speaker's median and range, `smooth` it as well. `tempo`:
    `keep` it, or `move` every recording to a common one, a little different for each voice.
    `level`: `keep` how loud a recording is, or `move` all to one level. `pool`: a file of compact
    embeddings of other people (`stripeless embed POOL pool.npz --encoder compact`) instead of the artificial ones that are
    shipped. Further options are those of the pseudo-speakers, such as `farthest` of B1 and `epsilon` of K2.
    """

    system: str = "b1"
    content: str = ""
    pitch: str = ""
    tempo: str = ""
    level: str = ""
    pool: str = ""
    per: Per = "speaker"
    seed: int = 0
    pseudo_options: Mapping[str, Any] = field(default_factory=dict)
    voices: Mapping[Part, FloatArray] = field(default_factory=dict)
    sexes: Mapping[str, str] = field(default_factory=dict)
    common_tempo: float = 0.0
    pseudo: PseudoSpeakers | None = None

    def __post_init__(self) -> None:
        check_per(self.per)
        for name, value, known in (
            ("content", self.kind, KINDS),
            ("pitch", self.melody, PITCHES),
            ("tempo", self.pace, MOVES),
            ("level", self.loudness, MOVES),
        ):
            check_choice(name, value, known)
        if self.pace == "move" and self.kind in BOTTLENECKS:
            raise InputError(
                f"tempo: move counts phones, which content={self.kind} does not pass on; add tempo=keep, or take content=frames"
            )
        if self.pseudo is None and self.plan.pseudo:
            object.__setattr__(self, "pseudo", self.made())

    @property
    def name(self) -> str:
        return self.system

    @property
    def listens(self) -> bool:
        return True

    @property
    def plan(self) -> System:
        """What the system says."""
        return SYSTEMS[self.system]

    @property
    def kind(self) -> str:
        """The content features that are used."""
        return self.content or self.plan.content

    @property
    def melody(self) -> str:
        """What becomes of the pitch."""
        return self.pitch or self.plan.pitch

    @property
    def pace(self) -> str:
        """What becomes of the tempo."""
        return self.tempo or self.plan.tempo

    @property
    def loudness(self) -> str:
        """What becomes of the level."""
        return self.level or self.plan.level

    @cached_property
    def others(self) -> Pool:
        """The pool."""
        return read_pool(self.pool or None)

    def made(self) -> PseudoSpeakers:
        """The pseudo-speakers, learned from the pool."""
        own = PSEUDO_SPEAKERS[self.plan.pseudo].options
        options = {"per": self.per, **dict(self.plan.options), **self.pseudo_options}
        if "affinity" in own and self.others.utterances is None:
            options.setdefault("affinity", "cosine")
        return make_pseudo_speakers(self.plan.pseudo, self.others, options, seed=self.seed)

    def settings(self) -> dict[str, Any]:
        """Everything that decides the output, the shipped weights included."""
        return {
            "name": self.system,
            "content": self.kind,
            "pitch": self.melody,
            "tempo": self.pace,
            "level": self.loudness,
            "common": self.common_tempo,
            "weights": digest(),
            "pseudo": self.pseudo.settings() if self.pseudo else None,
            "heard": {"/".join(part): vector.round(4).tolist() for part, vector in sorted(self.voices.items())},
            "seed": self.seed,
        }

    def fitted(self, voices: Voices, sexes: Mapping[str, str]) -> RebuiltVoice:
        """Hears every speaker: a pseudo-speaker is found for the mean of a person's recordings in one role."""
        encoder = CompactEncoder()
        heard = {
            part: np.mean([embedded(encoder, one.samples, one.rate) for one in recordings], axis=0)
            for part, recordings in voices.items()
        }
        known = {
            speaker: sexes.get(speaker) or guessed_sex(heard[speaker, role], voices[speaker, role])
            for speaker, role in sorted(heard)
        }
        tempo = self.tempo_of(voices) if self.pace == "move" else 0.0
        pseudo = self.pseudo.knowing(known) if self.pseudo else None
        return replace(self, voices=heard, sexes=known, common_tempo=tempo, pseudo=pseudo)

    def tempo_of(self, voices: Voices) -> float:
        """The middle of everybody's tempo, in phones per second, from two recordings of each."""
        found = [
            synthesis.take_apart(one.samples, one.rate, self.kind).tempo
            for recordings in voices.values()
            for one in recordings[:2]
        ]
        spoken = [tempo for tempo in found if tempo > 0]
        return float(np.exp(np.mean(np.log(spoken)))) if spoken else 0.0

    def paced(self, parts: Parts, source: SourceVoice) -> Parts:
        """At the common tempo (or, where nobody else was heard, at the recording's own), a little faster or slower."""
        drawn = keyed_generator("tempo", self.seed, source, self.per).uniform(-TEMPO_SPREAD, TEMPO_SPREAD)
        return parts.at_tempo((self.common_tempo or parts.tempo) * float(np.exp(drawn)))

    def apply(self, samples: Samples, rate: int, source: SourceVoice) -> Samples:
        own = self.voices.get((source.speaker, source.role))
        if own is None or not self.plan.pseudo:
            own = embedded(CompactEncoder(), samples, rate)
        parts = synthesis.take_apart(samples, rate, self.kind)
        shown = own
        if self.pseudo is not None:
            sex = source.sex or self.sexes.get(source.speaker) or guessed_sex(own, [Recording(samples, rate)])
            about = {"speaker": source.speaker, "sex": sex, "role": source.role, "utterance": source.utterance}
            shown = self.pseudo.pseudo(own, **about)
            median, spread = pitch_near(shown, sex)
            if self.melody == "move":
                parts = parts.at_pitch(median, spread)
            elif (
                self.melody == "smooth"
            ):  # what is left of a melody is narrower, and scaled to what such a voice has left
                parts = parts.smoothed().at_pitch(median, SMOOTHED * spread, (0.2, 5.0))
        if self.pace == "move" and parts.tempo > 0:
            parts = self.paced(parts, source)
        if self.loudness == "move" and parts.level > 0:
            parts = replace(parts, level=LEVEL)
        shown, own = unit(shown), unit(own)
        acoustic = shown if self.plan.acoustic == "pseudo" else own
        waveform = shown if self.plan.waveform == "pseudo" else own
        seed = int(keyed_generator("noise", self.seed, source, "utterance").integers(2**32))  # no noise is used twice
        sound = synthesis.put_together(parts, acoustic, waveform_voice=waveform, rate=rate, seed=seed)
        return sound if self.pace == "move" else sound[: len(samples)]  # resampling may round up


def unit(vector: FloatArray) -> FloatArray:
    """At length 1: the networks have heard no other."""
    return np.asarray(length_normalized(vector[None])[0])


def embedded(encoder: CompactEncoder, samples: Samples, rate: int) -> FloatArray:
    """The compact embedding of one recording."""
    return np.asarray(encoder.embed(resample(samples, rate, RATE)), dtype=np.float64)
