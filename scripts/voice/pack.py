"""Puts trained networks into the package: python scripts/voice/pack.py WORK. Halves the precision, notes where they came from."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from learning import load

from stripeless.embeddings.safetensors_file import write_safetensors
from stripeless.synthesis.content import TRAININGS
from stripeless.synthesis.shipped import FOLDER

ABOUT = {
    "data": "training speakers (scripts/voice/corpus.py) of AudioMNIST digit strings (MIT), LibriSpeech train-clean-100 and "
    "test-other excerpts (CC BY 4.0)",
    "license": "MIT",
    "versions": json.dumps({name: version(name) for name in ("numpy", "torch", "pocketsphinx")}),
}


def pack(name: str, tensors: dict[str, np.ndarray], commands: str) -> None:
    """One file, float16."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.safetensors"
    halves = {key: tensors[key].astype(np.float16) for key in sorted(tensors)}
    write_safetensors(path, halves, {**ABOUT, "commands": commands})
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, {sum(v.size for v in halves.values()):,} numbers")


def main(work_name: str) -> None:
    work = Path(work_name)
    content = {
        f"{training}/{key}": value
        for training in TRAININGS
        for key, value in load(work / f"content-{training}.npz").items()
        if not key.startswith("symbols")  # needed for training only
    }
    steps = "; ".join(f"train_content.py WORK {training}" for training in TRAININGS)
    pack("content", content, f"prepare.py DATA WORK; {steps}")
    acoustic = load(work / "acoustic.npz")
    pack(
        "acoustic",
        acoustic,
        "follow_pitch.py DATA WORK; embed_training.py DATA WORK; train_acoustic.py WORK WORK/voices.npz",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
