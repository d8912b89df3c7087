"""Trains the acoustic model: python scripts/voice/train_acoustic.py WORK VOICES.npz [STEPS].

WORK holds what prepare.py, follow_pitch.py and train_content.py made. VOICES.npz holds `utterances` and `vectors`, the speaker
embedding of every recording. Goes on from WORK/acoustic.npz where that exists.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from learning import Item, cut, items, load, parameters, save, steps

from stripeless.audio.network_layers import TorchOps
from stripeless.synthesis.acoustic import MEAN, SPREAD, new_acoustic, pitch_inputs, spectrum
from stripeless.synthesis.content import BOTTLENECKS, ContentModel, training_of, width
from stripeless.synthesis.grid import BANDS

PIECE, BATCH = 180, 24
TAUGHT = (*BOTTLENECKS, "frames")  # one for each entrance
OPS = TorchOps()


def inputs_of(
    train: list[Item], work: Path, kind: str, f0: dict[str, np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Content features and pitch of every recording."""
    model = ContentModel(load(work / f"content-{training_of(kind)}.npz"))
    return [model.features(item.mel, kind).astype(np.float16) for item in train], [
        pitch_inputs(f0[item.name]) for item in train
    ]


def normal(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def loss_of(out: Any, wanted: Any, inside: Any) -> Any:
    """Distance of log amplitudes, and of how they change from frame to frame and from band to band."""
    apart = (out - wanted).abs()
    change = (out.diff(dim=1) - wanted.diff(dim=1)).abs()
    shape = (out.diff(dim=2) - wanted.diff(dim=2)).abs()
    weight = inside[..., None]
    return (apart * weight).mean() + 0.5 * (change * weight[:, 1:]).mean() + 0.5 * (shape * weight).mean()


def main(work_name: str, voices: str, count: str = "1600") -> None:
    work = Path(work_name)
    random = np.random.default_rng(int(count))
    with np.load(voices) as file:
        vectors = dict(zip(file["utterances"].tolist(), file["vectors"].astype(np.float32), strict=True))
    with np.load(work / "f0.npz") as file:
        f0 = {name: file[name] for name in file.files}
    train = [item for item in items(work, "train") if item.name in vectors]
    held = [item for item in items(work, "held-out") if item.name in vectors][::6]
    voice = {name: normal(vector) for name, vector in vectors.items()}
    dimension = len(next(iter(voice.values())))
    of_speaker: dict[str, list[np.ndarray]] = {}
    for item in [*train, *held]:
        of_speaker.setdefault(item.speaker, []).append(voice[item.name])
    means = {speaker: normal(np.mean(own, axis=0)) for speaker, own in of_speaker.items()}
    content = {kind: inputs_of(train, work, kind, f0) for kind in TAUGHT}
    content_held = {kind: inputs_of(held, work, kind, f0) for kind in TAUGHT}
    chances = np.array([len(item.mel) for item in train], float)
    chances /= chances.sum()
    place = work / "acoustic.npz"
    start = load(place) if place.is_file() else new_acoustic(0, dimension)
    weights = parameters({name: value for name, value in start.items() if name not in ("spread", "mean")})
    optimizer = torch.optim.AdamW(weights.values(), weight_decay=1e-3, lr=2e-3)
    again = place.is_file()  # goes on gently
    peak = 1e-3 if again else 2e-3
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, peak, total_steps=int(count), pct_start=0.1)
    seen: dict[str, float] = {}

    def judged() -> str:
        """Mean distance in log amplitude on held-out speakers, with their own voice and with somebody else's."""
        own, other = [], []
        with torch.no_grad():
            for row, item in enumerate(held):
                features, pitch = (content_held["adversarial-bottleneck"][k][row].astype(np.float32) for k in (0, 1))
                for who, kept in ((item, own), (held[(row + 7) % len(held)], other)):
                    vector = torch.from_numpy(means[who.speaker])[None, None]
                    out = spectrum(
                        OPS,
                        torch.from_numpy(features)[None],
                        torch.from_numpy(pitch)[None],
                        vector,
                        weights,
                        "adversarial-bottleneck",
                    )
                    kept.append(float((out[0] * SPREAD + MEAN - torch.from_numpy(item.mel)).abs().mean()))
        return f"held-out {np.mean(own):.3f} with own voice, {np.mean(other):.3f} with another"

    def report(step: int) -> str:
        text = " ".join(f"{name} {value:.3f}" for name, value in sorted(seen.items()))
        return f"{text} {judged()}" if (step + 1) % 200 == 0 else text

    for step in steps(int(count), 50, report):
        kind = TAUGHT[step % len(TAUGHT)]
        chosen = random.choice(len(train), BATCH, p=chances)
        x, pitch = np.zeros((BATCH, PIECE, width(kind)), np.float32), np.zeros((BATCH, PIECE, 3), np.float32)
        mel, inside = np.zeros((BATCH, PIECE, BANDS), np.float32), np.zeros((BATCH, PIECE), np.float32)
        who = np.zeros((BATCH, 1, dimension), np.float32)
        for row, index in enumerate(chosen):
            item = train[index]
            first, length, _ = cut(len(item.mel), PIECE, random)
            x[row, :length] = content[kind][0][index][first : first + length]
            pitch[row, :length] = content[kind][1][index][first : first + length]
            mel[row, :length] = (item.mel[first : first + length] - MEAN) / SPREAD
            inside[row, :length] = 1
            same = of_speaker[item.speaker]
            vector = means[item.speaker] if random.random() < 0.5 else same[random.integers(len(same))]
            who[row, 0] = normal(vector + random.normal(0, 0.3 / np.sqrt(len(vector)), len(vector)))
        out = spectrum(OPS, torch.from_numpy(x), torch.from_numpy(pitch), torch.from_numpy(who), weights, kind)
        loss = loss_of(out, torch.from_numpy(mel), torch.from_numpy(inside))
        seen[kind] = 0.9 * seen.get(kind, loss.item()) + 0.1 * loss.item()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), 2.0)
        optimizer.step()
        schedule.step()
        if (step + 1) % 200 == 0:
            save(work / "acoustic.part.npz", weights)
    # how much flatter than real speech the predictions are, by band
    ratios = []
    with torch.no_grad():
        for row in range(0, len(train), 7):
            kind = TAUGHT[row % len(TAUGHT)]
            features, pitch_row = (content[kind][k][row].astype(np.float32)[None] for k in (0, 1))
            vector = torch.from_numpy(means[train[row].speaker])[None, None]
            out = spectrum(OPS, torch.from_numpy(features), torch.from_numpy(pitch_row), vector, weights, kind)[
                0
            ].numpy()
            ratios.append((train[row].mel.std(axis=0) / SPREAD) / np.maximum(out.std(axis=0), 0.05))
    spread = np.clip(np.median(ratios, axis=0), 1.0, 1.5).astype(np.float32)
    print("spread", spread.round(2).tolist())
    save(place, {**weights, "spread": torch.from_numpy(spread)})


if __name__ == "__main__":
    main(*sys.argv[1:])
