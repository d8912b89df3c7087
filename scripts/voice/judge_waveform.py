"""How good the waveform model's copies are: python scripts/voice/judge_waveform.py DATA [--rated 24] [--heard 60].

Held-out speakers of digits and libri251 are copied: mel and F0 of the recording itself, voice by CAM++. Beside
the copies stand the recordings themselves and what the WORLD vocoder makes of them. Told are the distance of the spectra
(mean difference of log amplitudes, and of amplitudes relative to the original), DNSMOS, words misheard by pocketsphinx
(digits only), seconds of sound made per second of one core, and how near the copy is to its original for CAM++; the last also
with the voice of another person given to the waveform model (M1c3 and M1c4 of VoicePrivacy 2020 rest on what that changes).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from corpus import held_out_part

from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.pitch import pitch_track
from stripeless.audio.quality import dnsmos
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.measures.utility.word_errors import word_errors
from stripeless.recognizers.transcribe import RECOGNIZERS
from stripeless.synthesis.grid import at_level, log_mel
from stripeless.synthesis.waveform import SHIPPED, WaveformModel, read_waveform_model

SIZES = (2048, 1024, 512, 256)
LEAST = 3e-5


@dataclass
class Copier:
    """Copies, and the time that the model itself took."""

    model: WaveformModel
    sound: float = 0.0
    seconds: float = 0.0

    def copy(self, samples: Samples, voice: Any) -> Samples:
        mel, f0 = log_mel(samples), pitch_track(samples, RATE)
        start = time.process_time()
        made = self.model.apply(mel, f0, voice, len(samples))
        self.seconds += time.process_time() - start
        self.sound += len(samples) / RATE
        return made


def world(samples: Samples) -> Samples:
    """The recording taken apart and put together by WORLD, nothing changed."""
    import pyworld

    rough, times = pyworld.dio(samples, RATE)
    pitch = pyworld.stonemask(samples, rough, times, RATE)
    envelope, breath = (part(samples, pitch, times, RATE) for part in (pyworld.cheaptrick, pyworld.d4c))
    made = pyworld.synthesize(pitch, envelope, breath, RATE)
    return np.pad(made, (0, max(0, len(samples) - len(made))))[: len(samples)]


def amplitudes(samples: Samples, size: int) -> Any:
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    frames = np.lib.stride_tricks.sliding_window_view(samples, size)[:: size // 4] * window
    return np.abs(np.fft.rfft(frames)) * 2 / window.sum()


def distance(made: Samples, wanted: Samples) -> tuple[float, float]:
    """Of log amplitudes, and of amplitudes relative to those wanted; means over four sizes of frames."""
    pairs = [(amplitudes(made, size), amplitudes(wanted, size)) for size in SIZES]
    logs = [np.abs(np.log(a + LEAST) - np.log(b + LEAST)).mean() for a, b in pairs]
    return float(np.mean(logs)), float(np.mean([np.abs(a - b).sum() / b.sum() for a, b in pairs]))


def chosen(corpus: Corpus, count: int) -> list[Utterance]:
    """The first recording of each speaker, then the second of each, and so on."""
    rows = [corpus.of_speaker(speaker) for speaker in sorted(corpus.speakers)]
    ordered = [row[place] for place in range(max(map(len, rows))) for row in rows if place < len(row)]
    return ordered[:count]


def cosine(a: Any, b: Any) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def voices_of(recordings: list[Samples]) -> Any:
    """Embeddings of the recordings, their mean off, of length 1: what the model learned with."""
    encoder = make_encoder("campplus")
    vectors = np.array([encoder.embed(samples) for samples in recordings])
    vectors -= vectors.mean(axis=0)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rated(name: str, utterances: list[Utterance], copier: Copier) -> None:
    """Distances, DNSMOS, and what CAM++ says."""
    listener = make_encoder("campplus")
    leveled = [at_level(utterance.read(RATE).samples)[0] for utterance in utterances]
    voices = voices_of(leveled)
    rows = []
    for number, samples in enumerate(leveled):
        other = (number + 1) % len(leveled)
        assert utterances[other].speaker != utterances[number].speaker
        made = copier.copy(samples, voices[number])
        swapped = copier.copy(samples, voices[other])
        resynthesized = world(samples)
        heard = [listener.embed(one) for one in (samples, made, resynthesized, swapped, leveled[other])]
        ratings = [dnsmos(one) for one in (samples, made, resynthesized)]
        rows.append(
            [*distance(made, samples), *distance(resynthesized, samples), *distance(swapped, made)]
            + [rating.overall for rating in ratings]
            + [cosine(heard[0], one) for one in heard[1:]]
            + [cosine(heard[3], heard[4])]
        )
    mean = np.mean(rows, axis=0)
    print(f"{name}, {len(rows)} recordings")
    print(f"  distance, log and linear: copy {mean[0]:.3f} {mean[1]:.3f}, WORLD {mean[2]:.3f} {mean[3]:.3f}")
    print(f"  DNSMOS overall: original {mean[6]:.2f}, copy {mean[7]:.2f}, WORLD {mean[8]:.2f}")
    print(f"  CAM++ cosine to the original: copy {mean[9]:.3f}, WORLD {mean[10]:.3f}, another speaker {mean[12]:.3f}")
    print(
        f"  another's voice to the waveform model: cosine to the original {mean[11]:.3f}, to the other {mean[13]:.3f}; "
        f"distance from the copy {mean[4]:.3f} {mean[5]:.3f}",
        flush=True,
    )


def heard(utterances: list[Utterance], copier: Copier) -> None:
    """Word error rates with the grammar of digits."""
    transcribe = RECOGNIZERS["sphinx-digits"]
    spoken: dict[str, str] = {}
    words: dict[str, dict[str, str]] = {"original": {}, "copy": {}, "WORLD": {}}
    leveled = [at_level(utterance.read(RATE).samples)[0] for utterance in utterances]
    for utterance, samples, voice in zip(utterances, leveled, voices_of(leveled), strict=True):
        spoken[utterance.name] = utterance.text or ""
        forms = samples, copier.copy(samples, voice), world(samples)
        for form, sound in zip(words, forms, strict=True):
            words[form][utterance.name] = transcribe(sound)
    rates = ", ".join(f"{form} {word_errors(spoken, told).rate:.1%}" for form, told in words.items())
    print(f"word error rate, {len(spoken)} recordings of digits: {rates}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--rated", type=int, default=24)
    parser.add_argument("--heard", type=int, default=60)
    parser.add_argument("--weights", type=Path, default=SHIPPED)
    asked = parser.parse_args()
    copier = Copier(read_waveform_model(asked.weights))
    for name in ("digits", "libri251"):
        rated(name, chosen(held_out_part(asked.data, name), asked.rated // 2), copier)
    heard(chosen(held_out_part(asked.data, "digits"), asked.heard), copier)
    print(f"speed: {copier.sound / copier.seconds:.0f} times real time on one core")


if __name__ == "__main__":
    main()
