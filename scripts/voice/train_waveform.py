"""Trains the waveform model: python scripts/voice/train_waveform.py DATA OUT [--steps 4000] [--seed 0] [--work FOLDER].

Hears the training speakers of `corpus.py` only. Pieces of 1.5 s are copied (mel and F0 of the recording, embedding of its
speaker) and compared with the recording by spectra of four sizes and by the mel spectrum. Mel spectra are blurred and noised
at random on the way in, as those of an acoustic model are. Every draw follows from the seed and the number of the step; a
training that was cut short goes on from WORK/waveform.part.safetensors as if nothing had happened.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corpus import training_corpora

import stripeless
from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.embeddings.safetensors_file import read_safetensors, write_safetensors
from stripeless.synthesis.excitation import excitation
from stripeless.synthesis.grid import FLOOR, HOP, SIZE, WINDOW, at_level, bands, hann, log_mel
from stripeless.synthesis.spectral_ops import SpectralTorchOps
from stripeless.synthesis.waveform import described, drawn_weights, sound

PIECE, BATCH, MARGIN = 150, 8, 8  # frames of a piece; pieces of a step; frames at both ends that are not compared
SIZES = (2048, 1024, 512, 256)
LEAST = 3e-5  # amplitude below which spectra are not told apart; speech has 0.05
RATES = (1.5e-3, 2e-5)  # of learning: first, last
WARM = 100  # steps until the first rate is reached
SAVE = 120  # seconds between checkpoints
OPS = SpectralTorchOps()


@dataclass(frozen=True, eq=False)
class Take:
    """One recording, ready to be cut: samples, mel, F0, pulses, and the row of its speaker's voice."""

    samples: np.ndarray
    mel: np.ndarray
    f0: np.ndarray
    voice: int


def takes(data: str, encoder: str) -> tuple[list[Take], np.ndarray, np.ndarray]:
    """(training recordings, voice of each speaker, mean embedding that was taken off)."""
    hears = make_encoder(encoder)
    found: list[Take] = []
    vectors: dict[str, list[np.ndarray]] = {}
    for corpus in training_corpora(data):
        start = time.time()
        for utterance in corpus.utterances:
            heard = utterance.read(RATE).samples
            speaker = f"{corpus.folder.name}/{utterance.speaker}"
            vectors.setdefault(speaker, []).append(unit(hears.embed(heard)))
            samples, _ = at_level(heard)
            mel, f0 = log_mel(samples), pitch_track(samples, RATE)
            found.append(Take(samples.astype(np.float32), mel, f0, list(vectors).index(speaker)))
        print(f"{corpus.folder.name}: {len(corpus.utterances)} recordings, {time.time() - start:.0f} s", flush=True)
    means = np.array([np.mean(of, axis=0) for of in vectors.values()])
    mean = means.mean(axis=0)
    return found, np.array([unit(row - mean) for row in means], np.float32), mean.astype(np.float32)


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


def batch(train: list[Take], voices: np.ndarray, random: np.random.Generator) -> tuple[list[Any], Any]:
    """(what `sound` is given, the sound that should come out)."""
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
        driven = [np.pad(signal, (HOP, 0)) for signal in excitation(f0, PIECE * HOP, int(random.integers(2**31)))]
        mel = blurred(mel, random).astype(np.float32)
        voice = voices[take.voice] + random.normal(0, 0.3 / np.sqrt(voices.shape[1]), voices.shape[1])
        rows.append([described(mel, f0), mel, unit(voice).astype(np.float32)[None], *driven, wanted])
    *given, target = (torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))
    return given, target


def amplitudes(x: Any, size: int) -> Any:
    window = torch.hann_window(size)
    spectrum = torch.stft(x, size, size // 4, window=window, center=False, return_complex=True)
    return spectrum.abs() * (2.0 / float(window.sum()))


def mel_of(x: Any) -> Any:
    frames = x.unfold(-1, WINDOW, HOP) * OPS.constant(hann())
    amplitude = torch.fft.rfft(frames, SIZE).abs() * (2.0 / float(hann().sum()))
    return torch.log(torch.clamp_min(amplitude @ OPS.constant(bands()).T, FLOOR))


def loss_of(made: Any, wanted: Any) -> tuple[Any, dict[str, float]]:
    """Log amplitudes, amplitudes, and log mel amplitudes, over all frames of all pieces."""
    both = torch.cat([made, wanted])[:, MARGIN * HOP : -MARGIN * HOP]
    logs, lines = [], []
    for size in SIZES:
        mine, true = amplitudes(both, size).chunk(2)
        logs.append((torch.log(mine + LEAST) - torch.log(true + LEAST)).abs().mean())
        lines.append((mine - true).abs().sum() / true.sum())
    mine, true = mel_of(both).chunk(2)
    mel = (mine - true).abs().mean()
    log, line = sum(logs) / len(SIZES), sum(lines) / len(SIZES)
    parts = {"log": float(log.detach()), "linear": float(line.detach()), "mel": float(mel.detach())}
    return log + 0.5 * line + mel, parts


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
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--encoder", default="campplus")
    parser.add_argument("--work", default=".")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    train, voices, mean = takes(asked.data, asked.encoder)
    seconds = sum(len(take.samples) for take in train) / RATE
    print(f"{len(train)} recordings, {seconds / 60:.0f} minutes, {len(voices)} speakers", flush=True)

    part = Path(asked.work) / "waveform.part.safetensors"
    drawn = drawn_weights(voices.shape[1], asked.seed)
    fixed = {"dilations": drawn.pop("dilations")}
    first = 0
    state: dict[str, np.ndarray] = {}
    if part.is_file():
        state, about = read_safetensors(part)
        first = int(about["step"])
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
        write(part, {**arrays(), **moments}, {"step": str(step)})

    seen: dict[str, float] = {}
    start = saved = time.time()
    for step in range(first, asked.steps):
        given, wanted = batch(train, voices, np.random.default_rng([asked.seed, step]))
        for group in optimizer.param_groups:
            group["lr"] = rate(step, asked.steps)
        loss, parts = loss_of(sound(OPS, *given, {**weights, **fixed}), wanted)
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
        "command": "python scripts/voice/train_waveform.py " + " ".join(sys.argv[1:]),
        "data": f"training speakers of digits, libri251, libri-mini: {len(voices)} speakers, {seconds / 60:.0f} minutes",
        "encoder": asked.encoder,
        "seed": str(asked.seed),
        "steps": str(asked.steps),
        "loss": ", ".join(f"{name} {value:.4f}" for name, value in seen.items()),
        "versions": f"stripeless {stripeless.__version__}, torch {torch.__version__}, numpy {np.__version__}",
    }
    write(Path(asked.out), {**small, "mean": mean.astype(np.float16)}, about)
    print(f"{asked.out}: {Path(asked.out).stat().st_size / 1e6:.2f} MB, {about['loss']}", flush=True)


if __name__ == "__main__":
    main()
