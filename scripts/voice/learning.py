"""What the trainings share: recordings from `prepare.py`, random pieces of them, torch weights, checkpoints, progress."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from stripeless.synthesis.grid import BANDS

torch.set_num_threads(1)


@dataclass(frozen=True, eq=False)
class Item:
    """One prepared recording."""

    name: str
    corpus: str
    speaker: str
    sex: str
    mel: np.ndarray
    states: np.ndarray


def items(work: str | Path, part: str) -> list[Item]:
    """All prepared recordings of `train` or `held-out`, sorted by name."""
    found = []
    for folder in sorted(path.parent for path in (Path(work) / part).glob("*/speakers.json")):
        about = json.loads((folder / "speakers.json").read_text())
        for name, (speaker, sex) in sorted(about.items()):
            with np.load(folder / f"{name}.npz") as file:
                # pocketsphinx counts frames from their first sample, the grid from their middle: one and a quarter later
                states = np.concatenate([file["states"][:1], file["states"][:-1]]).astype(np.int64)
                found.append(Item(name, folder.name, speaker, sex, file["mel"].astype(np.float32), states))
    return found


@cache
def warp(factor: float) -> np.ndarray:
    """(80, 80): the bands of a vocal tract longer or shorter by `factor`."""
    top = 15 + 27 * np.log(8.0) / np.log(6.4)
    mel = np.linspace(0, top, BANDS + 2)[1:-1]
    hz = np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))
    moved = np.minimum(hz * factor, hz[-1])
    back = np.where(moved < 1000, moved * 3 / 200, 15 + 27 * np.log(np.maximum(moved, 1) / 1000) / np.log(6.4))
    place = np.clip(back / (top / (BANDS + 1)) - 1, 0, BANDS - 1)
    left = np.minimum(place.astype(int), BANDS - 2)
    matrix = np.zeros((BANDS, BANDS), np.float32)
    matrix[np.arange(BANDS), left] = 1 - (place - left)
    matrix[np.arange(BANDS), left + 1] += place - left
    return matrix


def cut(length: int, piece: int, random: np.random.Generator) -> tuple[int, int, int]:
    """(first frame, frames, where they go in the piece): a random stretch; shorter recordings are padded behind."""
    start = int(random.integers(0, max(1, length - piece + 1)))
    return start, min(piece, length - start), 0


def parameters(weights: dict[str, np.ndarray]) -> dict[str, torch.nn.Parameter]:
    """The weights as torch parameters."""
    return {name: torch.nn.Parameter(torch.from_numpy(np.array(value, np.float32))) for name, value in weights.items()}


def arrays(weights: dict[str, Any]) -> dict[str, np.ndarray]:
    """Torch parameters as arrays."""
    return {name: value.detach().numpy().copy() for name, value in weights.items()}


def save(path: Path, weights: dict[str, Any]) -> None:
    """A checkpoint, whole or not at all."""
    with path.with_suffix(".tmp").open("wb") as file:
        np.savez(file, **arrays(weights))
    path.with_suffix(".tmp").rename(path)


def load(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def steps(count: int, every: int, report: Callable[[int], str]) -> Iterator[int]:
    """Count to `count`, with what `report` says and the time left every so often."""
    start = time.time()
    for step in range(count):
        yield step
        if (step + 1) % every == 0 or step + 1 == count:
            left = (time.time() - start) / (step + 1) * (count - step - 1)
            print(f"{step + 1}/{count} {report(step)}  {left / 60:.1f} min left", flush=True)
