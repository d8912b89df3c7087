"""Synthetic voices: a small source-filter synthesizer, so that a bare clone has speakers to hide and to recognize.

A speaker is a pitch, a length of the vocal tract, a voice quality and a speaking rate; what they say is a string of digits
made of vowels and consonants by rule. Glottal pulses with jitter and a falling spectrum, or noise, pass through five
resonances that glide from sound to sound. It sounds like a robot, but one speaker's utterances are alike, two speakers'
are not, and an anonymizer changes what it would change in a person. No figure measured on them says anything about people.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.corpus_files import write_kaldi_corpus
from stripeless.audio.lpc import all_pole
from stripeless.audio.recordings import RATE, Recording, Samples, write_recording

# F1, F2, F3 in Hz of an adult man after Peterson and Barney (1952); voicing 1 voice, 0 noise; loudness; length in ms
SOUNDS: dict[str, tuple[float, float, float, float, float, float]] = {
    "i": (270, 2290, 3010, 1.0, 1.0, 120), "I": (390, 1990, 2550, 1.0, 1.0, 90), "e": (530, 1840, 2480, 1.0, 1.0, 110),
    "a": (730, 1090, 2440, 1.0, 1.0, 120), "V": (640, 1190, 2390, 1.0, 1.0, 100), "o": (570, 840, 2410, 1.0, 1.0, 120),
    "u": (300, 870, 2240, 1.0, 0.9, 120), "E": (490, 1350, 1690, 1.0, 0.8, 90), "n": (250, 1100, 2400, 1.0, 0.35, 70),
    "w": (300, 700, 2200, 1.0, 0.5, 60), "r": (350, 1100, 1500, 1.0, 0.5, 70), "v": (300, 1300, 2300, 0.7, 0.25, 60),
    "z": (300, 1700, 2600, 0.6, 0.25, 70), "f": (1000, 2400, 3600, 0.0, 0.12, 90), "s": (1500, 4300, 5200, 0.0, 0.2, 110),
    "T": (1200, 2800, 4200, 0.0, 0.1, 80), "t": (1200, 3200, 4200, 0.0, 0.25, 40), "k": (1000, 1900, 3000, 0.0, 0.25, 45),
    "_": (500, 1500, 2500, 0.0, 0.0, 60),
}  # fmt: skip

DIGITS = {
    "zero": "zirou", "one": "wVn", "two": "tu", "three": "Tri", "four": "for", "five": "faIv", "six": "sIks",
    "seven": "sevEn", "eight": "eIt", "nine": "naIn",
}  # fmt: skip

FRAME = RATE // 100


@dataclass(frozen=True)
class SyntheticSpeaker:
    """What makes a voice: pitch in Hz, vocal tract relative to a man of 17.5 cm, pace, breath, slope, own formant color."""

    name: str
    sex: str
    pitch: float
    tract: float
    pace: float
    breath: float
    tilt: float
    color: tuple[float, ...]


def synthetic_speaker(number: int, seed: int = 0) -> SyntheticSpeaker:
    """Speaker `number`; even numbers are women. Values are spread as in adults."""
    rng = np.random.default_rng([seed, number, 1])
    female = number % 2 == 0
    return SyntheticSpeaker(
        name=f"voice{number:02d}",
        sex="f" if female else "m",
        pitch=float(np.clip(rng.normal(205, 28) if female else rng.normal(118, 20), 75, 290)),
        tract=float(np.clip(rng.normal(0.86, 0.045) if female else rng.normal(1.0, 0.05), 0.75, 1.15)),
        pace=float(np.clip(rng.normal(1.0, 0.12), 0.7, 1.4)),
        breath=float(rng.uniform(0.01, 0.08)),
        tilt=float(rng.uniform(0.84, 0.97)),
        color=tuple(float(c) for c in np.clip(rng.normal(1.0, 0.07, 5), 0.85, 1.15)),
    )


def speak(speaker: SyntheticSpeaker, words: str, seed: int = 0) -> Recording:
    """`words` (digits, separated by blanks) in the voice of `speaker`, 16 kHz; each seed is another rendering.

    >>> speak(synthetic_speaker(1), "one two").rate
    16000
    """
    rng = np.random.default_rng([seed, 2])
    tracks = sound_tracks(speaker, words, rng)
    source = glottal_source(speaker, tracks, rng)
    voice = through_tract(source, speaker, tracks)
    room = rng.standard_normal(len(voice)) * 1e-3  # the same hiss for everybody: no speaker has a room of their own
    return Recording(0.3 * voice / np.abs(voice).max() + room, RATE)


def sound_tracks(speaker: SyntheticSpeaker, words: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """One row per 10 ms: F1, F2, F3, voicing, loudness; gliding from sound to sound."""
    rows = []
    for word in words.split():
        for sound in ("_", *DIGITS[word]):
            *values, length = SOUNDS[sound]
            frames = max(2, round(length / 10 / speaker.pace * rng.uniform(0.85, 1.15)))
            rows.append(np.tile(np.array(values) * np.append(rng.normal(1, 0.02, 3), [1, 1]), (frames, 1)))
    track = np.concatenate([*rows, np.tile([500.0, 1500, 2500, 0, 0], (6, 1))])
    smooth = np.hanning(7)[1:-1] / np.hanning(7).sum()
    padded = np.pad(track, ((2, 2), (0, 0)), mode="edge")
    return np.asarray(sum(weight * padded[i : i + len(track)] for i, weight in enumerate(smooth)))


def glottal_source(speaker: SyntheticSpeaker, tracks: NDArray[np.float64], rng: np.random.Generator) -> Samples:
    """Pulses at the speaker's falling pitch, and noise, mixed by how voiced each moment is."""
    from scipy.signal import lfilter

    frames, total = len(tracks), len(tracks) * FRAME
    melody = 1.08 - 0.16 * np.arange(frames) / frames + 0.02 * np.cumsum(rng.normal(0, 0.12, frames))
    pitch = speaker.pitch * np.clip(melody, 0.8, 1.25) * (1 + 0.01 * rng.standard_normal(frames))
    phase = np.cumsum(np.repeat(pitch, FRAME)) / RATE
    pulses = np.diff(np.floor(phase), prepend=0.0)
    voiced, loud = (np.interp(np.arange(total), np.arange(frames) * FRAME, tracks[:, k]) for k in (3, 4))
    glottis = lfilter([1.0], [1.0, -2 * speaker.tilt, speaker.tilt**2], pulses - pulses.mean())
    glottis /= np.abs(glottis).max() + 1e-9
    noise = rng.standard_normal(total) * 0.3
    return np.asarray(loud * (voiced * glottis + (1 - voiced + speaker.breath) * noise))


def through_tract(source: Samples, speaker: SyntheticSpeaker, tracks: NDArray[np.float64]) -> Samples:
    """The source through five resonances per 10 ms frame; frames overlap by half so that they glide."""
    from stripeless.audio.frames import root_hann
    from stripeless.audio.polynomial_roots import product

    formants = np.column_stack([tracks[:, :3], np.tile([3500.0, 4500.0], (len(tracks), 1))])
    formants = np.minimum(formants * np.array(speaker.color) / speaker.tract, 0.47 * RATE)
    bandwidth = 50 + 0.05 * formants
    radius, angle = np.exp(-np.pi * bandwidth / RATE).T, (2 * np.pi * formants / RATE).T
    first, second = np.repeat(-2 * radius * np.cos(angle), 2, axis=0), np.repeat(radius**2, 2, axis=0)
    first[1::2] = second[1::2] = 0.0  # each pair fills two rows, as `product` counts
    framing = root_hann(RATE)
    padded = np.pad(np.diff(source, prepend=0.0), framing.length)  # lips radiate the derivative
    count = 1 + (len(padded) - framing.length) // FRAME
    rows = np.clip(np.arange(count) - 1, 0, len(tracks) - 1)
    filters = product(first, second)[:, rows]
    output = np.zeros(len(padded))
    framing.overlap_add(all_pole(framing.frames(padded, 0, count), filters), output, 0)
    return output[framing.length : framing.length + len(source)]


def synthetic_corpus(
    folder: str | PathLike[str],
    *,
    speakers: int = 12,
    utterances: int = 8,
    digits: int = 5,
    seed: int = 0,
    prefix: str = "voice",
) -> Corpus:
    """A corpus of synthetic voices as a Kaldi data directory with text and trials; same seed, same bytes.

    Another seed makes other people; give them another `prefix` for their names.
    """
    folder = Path(folder)
    (folder / "wav").mkdir(parents=True, exist_ok=True)
    listed = []
    for number in range(speakers):
        speaker = replace(synthetic_speaker(number, seed), name=f"{prefix}{number:02d}")
        for index in range(utterances):
            draw = np.random.default_rng([seed, number, index, 3])
            words = " ".join(draw.choice(list(DIGITS), digits))
            name = f"{speaker.name}-{index:02d}"
            path = folder / "wav" / f"{name}.wav"
            write_recording(path, speak(speaker, words, seed=int(draw.integers(2**31))))
            listed.append(Utterance(name, path, speaker.name, speaker.sex, words))
    corpus = replace(with_trials(Corpus(folder, tuple(listed))), notes=())
    write_kaldi_corpus(folder, corpus)
    return corpus
