"""Trains the content networks: python scripts/voice/train_content.py WORK STAGE, where STAGE is frames, sequence or adversarial.

`prepare.py` must have filled WORK. `frames` starts from nothing, `sequence` from `frames`, `adversarial` from `sequence`.
Weights go to WORK/content-STAGE.npz; `pack.py` puts them into the package.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from learning import Item, cut, items, load, parameters, save, steps, warp

from stripeless.audio.network_layers import TorchOps
from stripeless.synthesis.content import PHONES, WIDTH, bottleneck, heard, new_content
from stripeless.synthesis.grid import BANDS

PIECE, BATCH = 180, 24
STEPS = {"frames": 1100, "sequence": 350, "adversarial": 600}
RATES = {"frames": 2e-3, "sequence": 8e-4, "adversarial": 8e-4}
OPS = TorchOps()


def spoiled(mel: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same words from another vocal tract, in another room, with noise, and with holes."""
    mel = mel @ warp(round(float(random.uniform(0.86, 1.16)), 2)).T
    tilt = random.normal(0, 0.35) * np.linspace(-1, 1, BANDS) + random.normal(0, 0.3) * np.cos(
        np.linspace(0, 2 * np.pi, BANDS) * random.uniform(0.5, 2) + random.uniform(0, 6)
    )
    noise = random.uniform(-11.5, -6.5) + random.normal(0, 0.8) * np.linspace(-1, 1, BANDS)
    mel = np.logaddexp(mel + tilt, noise + random.normal(0, 0.4, mel.shape))
    return mel.astype(np.float32)


def holes(mel: np.ndarray, random: np.random.Generator) -> None:
    """Bands and frames left out, so that no single one decides."""
    band, high = random.integers(0, BANDS), random.integers(0, 10)
    mel[:, band : band + high] = 0
    frame, wide = random.integers(0, len(mel)), random.integers(0, 12)
    mel[frame : frame + wide] = 0


def batch(train: list[Item], chances: np.ndarray, random: np.random.Generator) -> tuple[Any, Any, np.ndarray]:
    """Spectra, phone states (-1 where unknown) and which recording each piece is from."""
    chosen = random.choice(len(train), BATCH, p=chances)
    x = np.zeros((BATCH, PIECE, BANDS), np.float32)
    states = np.full((BATCH, PIECE), -1, np.int64)
    for row, index in enumerate(chosen):
        item = train[index]
        first, count, _ = cut(len(item.mel), PIECE, random)
        mel = spoiled(item.mel[first : first + count], random)
        x[row, :count] = (mel - mel.mean(axis=0)) / 1.5
        holes(x[row, :count], random)
        states[row, :count] = item.states[first : first + count]
    return torch.from_numpy(x), torch.from_numpy(states), chosen


def frame_loss(logits: Any, states: Any) -> Any:
    return torch.nn.functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), states.reshape(-1), ignore_index=-1, label_smoothing=0.05
    )


def sequence_loss(logits: Any, states: Any) -> Any:
    """CTC on the sequence of phones, silence left out."""
    targets, lengths = [], []
    for row in states.numpy():
        phones = row[row >= 0] // 3
        changes = phones[np.flatnonzero(np.diff(phones, prepend=-1))]
        kept = changes[changes > 0]
        targets.append(torch.from_numpy(kept))
        lengths.append(len(kept))
    logs = logits.log_softmax(-1).transpose(0, 1)
    full = torch.full((len(lengths),), logits.shape[1])
    return torch.nn.functional.ctc_loss(logs, torch.cat(targets), full, torch.tensor(lengths), zero_infinity=True)


class Adversary(torch.nn.Module):
    """Names the speaker from a stretch of bottleneck features: convolutions, then mean and deviation."""

    def __init__(self, speakers: int) -> None:
        super().__init__()
        self.frames = torch.nn.Sequential(
            torch.nn.Conv1d(WIDTH, 160, 5, padding=2),
            torch.nn.ReLU(),
            torch.nn.Conv1d(160, 160, 3, padding=1),
            torch.nn.ReLU(),
        )
        self.last = torch.nn.Sequential(torch.nn.Linear(320, 160), torch.nn.ReLU(), torch.nn.Linear(160, speakers))

    def forward(self, narrow: Any) -> Any:
        x = self.frames(narrow.transpose(1, 2))
        return self.last(torch.cat([x.mean(-1), (x.var(-1) + 1e-5).sqrt()], -1))


class Reversed(torch.autograd.Function):
    """The same forward, the gradient turned round behind it."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: float) -> Any:
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return -ctx.weight * gradient, None


def accuracy(weights: dict[str, Any], held: list[Item]) -> str:
    """Share of frames whose phone is named, silence left out, by corpus."""
    told: dict[str, list[float]] = {}
    with torch.no_grad():
        for item in held[::5]:
            x = torch.from_numpy((item.mel - item.mel.mean(axis=0))[None] / 1.5)
            states = heard(OPS, bottleneck(OPS, x, weights), weights)
            spoken = item.states >= 3
            if spoken.any():
                right = states[0].argmax(-1).numpy()[spoken] // 3 == item.states[spoken] // 3
                told.setdefault(item.corpus, []).append(float(right.mean()))
    return ", ".join(f"{name} {np.mean(values):.3f}" for name, values in told.items())


def main(work: str, stage: str) -> None:
    torch.manual_seed(0)
    random = np.random.default_rng(["frames", "sequence", "adversarial"].index(stage))
    train, held = items(work, "train"), items(work, "held-out")
    chances = np.array([len(item.mel) * (2.0 if item.corpus == "libri-mini" else 1.0) for item in train], float)
    chances /= chances.sum()
    speakers = sorted({item.speaker for item in train})
    labels = np.array([speakers.index(item.speaker) for item in train])
    before = {"sequence": "frames", "adversarial": "sequence"}.get(stage)
    start = load(Path(work) / f"content-{before}.npz") if before else new_content(0)
    if stage == "sequence":  # a phone is any of its states: so the sequence is not learned from nothing
        for part in ("weight", "bias"):
            states = start[f"states.{part}"]
            start[f"symbols.{part}"] = states.reshape(*states.shape[:-1], len(PHONES), 3).mean(axis=-1)
    weights = parameters(start)
    groups: list[dict[str, Any]] = [{"params": list(weights.values()), "lr": RATES[stage]}]
    adversary = Adversary(len(speakers)) if stage == "adversarial" else None
    rates = [RATES[stage]]
    if adversary is not None:
        groups.append({"params": list(adversary.parameters()), "lr": 2e-3})
        rates.append(2e-3)
    optimizer = torch.optim.AdamW(groups, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=STEPS[stage], pct_start=0.15)
    seen: dict[str, float] = {}

    def report(step: int) -> str:
        text = " ".join(f"{name} {value:.3f}" for name, value in seen.items())
        return f"{text}  {accuracy(weights, held)}" if (step + 1) % 200 == 0 or step + 1 == STEPS[stage] else text

    for step in steps(STEPS[stage], 50, report):
        x, states, chosen = batch(train, chances, random)
        narrow = bottleneck(OPS, x, weights)
        loss = frame_loss(heard(OPS, narrow, weights), states)
        seen["frame"] = 0.95 * seen.get("frame", loss.item()) + 0.05 * loss.item()
        if stage != "frames":
            ctc = sequence_loss(heard(OPS, narrow, weights, "symbols"), states)
            seen["ctc"] = 0.95 * seen.get("ctc", ctc.item()) + 0.05 * ctc.item()
            loss = 0.5 * loss + 0.5 * ctc
        if adversary is not None:
            strength = min(1.0, step / (0.4 * STEPS[stage]))
            wanted = torch.from_numpy(labels[chosen])
            told = torch.nn.functional.cross_entropy(adversary(Reversed.apply(narrow, strength)), wanted)
            # the adversary learns ahead on features that it cannot change
            more = torch.nn.functional.cross_entropy(adversary(narrow.detach()), wanted)
            seen["speaker"] = 0.95 * seen.get("speaker", told.item()) + 0.05 * told.item()
            loss = loss + 0.5 * told + 0.5 * more
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), 5.0)
        optimizer.step()
        schedule.step()
        if (step + 1) % 200 == 0:
            save(Path(work) / f"content-{stage}.part.npz", weights)
    save(Path(work) / f"content-{stage}.npz", weights)


assert len(PHONES) == 40
if __name__ == "__main__":
    main(*sys.argv[1:])
