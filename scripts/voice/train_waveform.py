"""Trains the waveform model: python scripts/voice/train_waveform.py DATA OUT [--steps 3500] [--seed 0] [--work FOLDER].

Hears the training speakers of `corpus.py` only. Pieces of 1.5 s are copied (mel and F0 of the recording, embedding of its
speaker) and compared with the recording by spectra of four sizes and by the mel spectrum. Each piece is made twice, with two
draws of noise, and half the distance between the two is taken off (the energy distance of Gritsenko et al. 2020): else a
buzz, which always misses noise by the same, would be cheaper than noise, which misses it at random. In the last third less is
taken off at low frequencies: what the F0 of a frame does not explain there (jitter, glides) would be made as noise, a rough
voice that DNSMOS likes less.

Mel spectra are blurred and noised at random on the way in, as those of an acoustic model are. Every draw follows from the seed
and the number of the step; a training that was cut short goes on from WORK/waveform.part.safetensors.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corpus import training_corpora

from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.embeddings.safetensors_file import read_safetensors, write_safetensors
from stripeless.synthesis.excitation import excitation
from stripeless.synthesis.filters import centers
from stripeless.synthesis.grid import FLOOR, HOP, SIZE, WINDOW, at_level, bands, hann, log_mel
from stripeless.synthesis.spectral_ops import SpectralTorchOps
from stripeless.synthesis.waveform import described, drawn_weights, gains, sound

PIECE, BATCH, MARGIN = 150, 6, 8  # frames of a piece; pieces of a step; frames at both ends that are not compared
ENCODER = "campplus"
SIZES = (2048, 1024, 512, 256)
LEAST = 3e-5  # amplitude below which spectra are not told apart; speech has 0.05
RATES = (1.5e-3, 2e-5)  # of learning: first, last
WARM = 100  # steps until the first rate is reached
SWITCH, LOW, EDGE = 2475, 0.3, 4500.0  # from this step on, two draws are pushed apart so much less below so many Hz
SAVE = 120  # seconds between checkpoints
OPS = SpectralTorchOps()


@dataclass(frozen=True, eq=False)
class Take:
    """One recording, ready to be cut: samples, mel, F0, and the row of its speaker's voice."""

    samples: np.ndarray
    mel: np.ndarray
    f0: np.ndarray
    voice: int


def takes(data: str) -> tuple[list[Take], list[str], np.ndarray]:
    """Training recordings, their speakers, and CAM++'s embedding of each recording."""
    hears = make_encoder(ENCODER)
    found: list[Take] = []
    vectors: list[np.ndarray] = []
    speakers: dict[str, int] = {}
    for corpus in training_corpora(data):
        start = time.time()
        for utterance in corpus.utterances:
            heard = utterance.read(RATE).samples
            vectors.append(hears.embed(heard))
            voice = speakers.setdefault(f"{corpus.folder.name}/{utterance.speaker}", len(speakers))
            samples, _ = at_level(heard)
            found.append(Take(samples.astype(np.float32), log_mel(samples), pitch_track(samples, RATE), voice))
        print(f"{corpus.folder.name}: {len(corpus.utterances)} recordings, {time.time() - start:.0f} s", flush=True)
    return found, list(speakers), np.array(vectors)


def voices_of(train: list[Take], vectors: np.ndarray) -> np.ndarray:
    """One embedding per speaker, in the space that the encoder `compact` learns: the mean over people off, of length 1."""
    of = np.array([take.voice for take in train])
    speakers = range(of.max() + 1)
    apart = vectors - np.mean([vectors[of == speaker].mean(axis=0) for speaker in speakers], axis=0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    return np.array([unit(apart[of == speaker].mean(axis=0)) for speaker in speakers], np.float32)


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def blurred(mel: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """As an acoustic model might have said it: smoothed over frames and bands, with a little noise."""
    if random.uniform() < 0.35:
        return mel
    for axis in (0, 1):
        side = random.uniform(0, 0.3)
        for _ in range(int(random.integers(0, 3))):
            padded = np.pad(mel, [(1, 1) if axis == a else (0, 0) for a in (0, 1)], mode="edge")
            mel = (1 - 2 * side) * mel + side * (
                padded[:-2] + padded[2:] if axis == 0 else padded[:, :-2] + padded[:, 2:]
            )
    return mel + random.normal(0, random.uniform(0, 0.2), mel.shape)


def batch(train: list[Take], voices: np.ndarray, random: np.random.Generator) -> list[Any]:
    """What the network sees, mel, voice, pulses, two noises, and the sound that should come out."""
    lengths = np.array([len(take.mel) for take in train], float)
    rows: list[list[np.ndarray]] = []
    for index in random.choice(len(train), BATCH, p=lengths / lengths.sum()):
        take = train[index]
        first = int(random.integers(0, max(1, len(take.mel) - PIECE)))
        mel, f0 = take.mel[first : first + PIECE], take.f0[first : first + PIECE]
        short = PIECE - len(mel)
        mel = np.pad(mel, ((0, short), (0, 0)), constant_values=np.log(FLOOR))
        f0 = np.pad(f0, (0, short))
        wanted = take.samples[first * HOP : (first + PIECE - 1) * HOP]
        wanted = np.pad(wanted, (HOP, PIECE * HOP - len(wanted)))
        draws = [excitation(f0, PIECE * HOP, int(random.integers(2**31))) for _ in range(2)]
        driven = [np.pad(signal, (HOP, 0)) for signal in (draws[0][0], draws[0][1], draws[1][1])]
        mel = blurred(mel, random).astype(np.float32)
        voice = voices[take.voice] + random.normal(0, 0.3 / np.sqrt(voices.shape[1]), voices.shape[1])
        rows.append([described(mel, f0), mel, unit(voice).astype(np.float32)[None], *driven, wanted])
    return [torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True)]


def amplitudes(x: Any, size: int) -> Any:
    window = torch.hann_window(size)
    spectrum = torch.stft(x, size, size // 4, window=window, center=False, return_complex=True)
    return spectrum.abs() * (2.0 / float(window.sum()))


def mel_of(x: Any) -> Any:
    frames = x.unfold(-1, WINDOW, HOP) * OPS.constant(hann())
    amplitude = torch.fft.rfft(frames, SIZE).abs() * (2.0 / float(hann().sum()))
    return torch.log(torch.clamp_min(amplitude @ OPS.constant(bands()).T, FLOOR))


def pushed(hz: np.ndarray, step: int) -> Any:
    """How strongly two draws are pushed apart at these frequencies: 0.5 is the energy distance, 0 the plain difference."""
    low = 1.0 if step < SWITCH else LOW
    return torch.from_numpy(0.5 * (low + (1 - low) / (1 + np.exp((EDGE - hz) / 400))).astype(np.float32))


def energy_distance(parts: list[Any], push: Any, scale: Any) -> Any:
    """Of (made, made again, wanted): how far from what is wanted, less how far from one another."""
    made, again, wanted = parts
    near = 0.5 * ((made - wanted).abs() + (again - wanted).abs())
    return (near - push * (made - again).abs()).mean() / scale


def loss_of(made: Any, again: Any, wanted: Any, step: int) -> tuple[Any, dict[str, float]]:
    """Log amplitudes, amplitudes, and log mel amplitudes, over all frames of all pieces."""
    every = torch.cat([made, again, wanted])[:, MARGIN * HOP : -MARGIN * HOP]
    log, line = 0.0, 0.0
    for size in SIZES:
        parts = amplitudes(every, size).chunk(3)
        push = pushed(np.arange(size // 2 + 1) * RATE / size, step)[:, None]
        log = log + energy_distance([torch.log(part + LEAST) for part in parts], push, 1.0) / len(SIZES)
        line = line + energy_distance(parts, push, parts[2].mean()) / len(SIZES)
    mel = energy_distance(mel_of(every).chunk(3), pushed(centers(), step), 1.0)
    told = {name: float(value.detach()) for name, value in (("log", log), ("linear", line), ("mel", mel))}
    return log + 0.5 * line + mel, told


def rate(step: int, steps: int) -> float:
    """Rises for some steps, then falls along half a cosine."""
    if step < WARM:
        return RATES[0] * (step + 1) / WARM
    part = (step - WARM) / max(1, steps - WARM)
    return RATES[1] + (RATES[0] - RATES[1]) * (1 + np.cos(np.pi * part)) / 2


def write(path: Path, tensors: dict[str, np.ndarray], about: dict[str, str]) -> None:
    temporary = path.with_suffix(".tmp")
    write_safetensors(temporary, tensors, about)
    temporary.rename(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=3500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", default=".")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    train, speakers, vectors = takes(asked.data)
    voices = voices_of(train, vectors)
    seconds = sum(len(take.samples) for take in train) / RATE
    print(f"{len(train)} recordings, {seconds / 60:.0f} minutes, {len(voices)} speakers", flush=True)

    part = Path(asked.work) / "waveform.part.safetensors"
    drawn = drawn_weights(voices.shape[1], asked.seed)
    fixed = {"dilations": drawn.pop("dilations")}
    first = 0
    seen: dict[str, float] = {}
    state: dict[str, np.ndarray] = {}
    if part.is_file():
        state, about = read_safetensors(part)
        first, seen = int(about["step"]), json.loads(about["loss"])
        drawn = {name: state[name] for name in drawn}
    weights = {name: torch.nn.Parameter(torch.from_numpy(np.array(value))) for name, value in drawn.items()}
    optimizer = torch.optim.Adam(list(weights.values()), betas=(0.9, 0.98))
    for name, value in weights.items() if state else ():
        optimizer.state[value] = {
            "step": torch.tensor(float(first)),
            "exp_avg": torch.from_numpy(np.array(state[f"{name}/first"])),
            "exp_avg_sq": torch.from_numpy(np.array(state[f"{name}/second"])),
        }

    def arrays() -> dict[str, np.ndarray]:
        return {name: value.detach().numpy().copy() for name, value in weights.items()}

    def checkpoint(step: int) -> None:
        moments = {
            f"{name}/{which}": optimizer.state[value][key].numpy()
            for name, value in weights.items()
            for which, key in (("first", "exp_avg"), ("second", "exp_avg_sq"))
        }
        write(part, {**arrays(), **moments}, {"step": str(step), "loss": json.dumps(seen)})

    start = saved = time.time()
    for step in range(first, asked.steps):
        *shown, pulses, noise, other, wanted = batch(train, voices, np.random.default_rng([asked.seed, step]))
        for group in optimizer.param_groups:
            group["lr"] = rate(step, asked.steps)
        filters = gains(OPS, *shown, {**weights, **fixed})
        loss, parts = loss_of(sound(OPS, pulses, noise, *filters), sound(OPS, pulses, other, *filters), wanted, step)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
        optimizer.step()
        for name, value in parts.items():
            seen[name] = value if name not in seen else 0.98 * seen[name] + 0.02 * value
        if (step + 1) % 50 == 0 or step + 1 == asked.steps:
            left = (time.time() - start) / (step + 1 - first) * (asked.steps - step - 1)
            said = ", ".join(f"{name} {value:.4f}" for name, value in seen.items())
            print(f"step {step + 1}/{asked.steps}: {said}; {left / 60:.1f} min left", flush=True)
        if time.time() - saved > SAVE or step + 1 == asked.steps:
            checkpoint(step + 1)
            saved = time.time()
    small = {name: value.astype(np.float16) for name, value in {**arrays(), **fixed}.items()}
    about = {
        "command": f"python scripts/voice/train_waveform.py DATA OUT --steps {asked.steps} --seed {asked.seed}",
        "data": f"training speakers of digits, libri251, libri-mini: {len(voices)} speakers, {seconds / 60:.0f} minutes",
        "encoder": f"{ENCODER}, mean over {len(speakers)} speakers off, of length 1",
        "seed": str(asked.seed),
        "steps": str(asked.steps),
        "loss": ", ".join(f"{name} {value:.4f}" for name, value in seen.items()),
        "versions": ", ".join(f"{name} {version(name)}" for name in ("stripeless", "torch", "numpy")),
    }
    write(Path(asked.out), small, about)
    print(f"{asked.out}: {Path(asked.out).stat().st_size / 1e6:.2f} MB, {about['loss']}", flush=True)


if __name__ == "__main__":
    main()
