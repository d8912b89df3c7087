"""Who speaks, from the content features alone: python scripts/voice/judge_content.py WORK [KIND ...].

An attacker who is given nothing but the features learns on the training speakers and is tried on the held-out ones: by mean and
deviation over the recording with a relearned comparison (protocols.retraining), and by a network trained on the features
from nothing. EER in percent by corpus; 50 would be no trace. `mel` is what there was to hide.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from learning import Item, cut, items, load

from stripeless.attackers.backends import fit_backend
from stripeless.measures.eer import eer
from stripeless.synthesis.content import KINDS, ContentModel, centered, training_of

PIECE, BATCH, STEPS = 200, 32, 250


def pooled(features: list[np.ndarray]) -> np.ndarray:
    """Mean and deviation over each recording."""
    return np.array([np.concatenate([f.mean(axis=0), f.std(axis=0)]) for f in features], dtype=np.float64)


class Listener(torch.nn.Module):
    """Convolutions, mean and deviation, 96 numbers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        parts: list[Any] = []
        for inputs, dilation in ((width, 1), (128, 2), (128, 3)):
            parts += [torch.nn.Conv1d(inputs, 128, 3, dilation=dilation), torch.nn.ReLU(), torch.nn.BatchNorm1d(128)]
        self.frames = torch.nn.Sequential(*parts)
        self.last = torch.nn.Linear(256, 96)

    def forward(self, x: Any) -> Any:
        x = self.frames(x.transpose(1, 2))
        return self.last(torch.cat([x.mean(-1), (x.var(-1) + 1e-5).sqrt()], -1))


def trained(features: list[np.ndarray], labels: np.ndarray) -> Listener:
    """A network that tells the training speakers apart (additive-margin softmax)."""
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    network = Listener(features[0].shape[1])
    centers = torch.nn.Parameter(torch.randn(int(labels.max()) + 1, 96) * 0.1)
    optimizer = torch.optim.AdamW([*network.parameters(), centers], lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=STEPS)
    for _ in range(STEPS):
        chosen = random.integers(len(features), size=BATCH)
        x = np.zeros((BATCH, PIECE, features[0].shape[1]), np.float32)
        for row, index in enumerate(chosen):
            first, length, _ = cut(len(features[index]), PIECE, random)
            x[row, :length] = features[index][first : first + length]
        wanted = torch.from_numpy(labels[chosen])
        vectors = torch.nn.functional.normalize(network(torch.from_numpy(x)))
        cosine = vectors @ torch.nn.functional.normalize(centers).T
        margin = 0.15 * torch.nn.functional.one_hot(wanted, len(centers))
        loss = torch.nn.functional.cross_entropy(20 * (cosine - margin), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return network.eval()


def rate(vectors: np.ndarray, people: list[Item], scores: np.ndarray, corpus: str) -> float:
    """EER in percent over all pairs of recordings of one corpus between people of one sex, not of one recording."""
    rows = [k for k, item in enumerate(people) if item.corpus == corpus]
    target, nontarget = [], []
    for place, i in enumerate(rows):
        for j in rows[:place]:
            if people[i].sex == people[j].sex:
                (target if people[i].speaker == people[j].speaker else nontarget).append(scores[i, j])
    return 100 * eer(target, nontarget)


def main(work_name: str) -> None:
    work = Path(work_name)
    train, held = items(work, "train"), items(work, "held-out")
    train = [item for item in train if item.corpus != "digits" or item.name[-2:] in ("00", "04", "08", "12")]
    held = [item for item in held if item.corpus != "digits" or item.name[-2:] in ("01", "05", "09", "13")]
    names = sorted({item.speaker for item in train})
    labels = np.array([names.index(item.speaker) for item in train])
    kinds = sys.argv[2:] or ["mel", *KINDS]
    print("features     attacker        digits  libri251")
    for kind in kinds:
        if kind == "mel":
            both = [[centered(item.mel) for item in part] for part in (train, held)]
        else:
            path = work / f"content-{training_of(kind)}.npz"
            if not path.is_file():
                continue
            model = ContentModel(load(path))
            both = [[model.features(item.mel, kind) for item in part] for part in (train, held)]
        known, tried = (pooled(part) for part in both)
        scale = known.mean(axis=0), known.std(axis=0) + 1e-6
        known, tried = ((part - scale[0]) / scale[1] for part in (known, tried))
        backend, name = fit_backend(known, [item.speaker for item in train], [item.sex for item in train])
        scores = backend.scores(tried, tried, np.ones(len(tried)))
        found = [rate(tried, held, scores, corpus) for corpus in ("digits", "libri251")]
        print(f"{kind:<12} {'pooled, ' + name:<15} {found[0]:6.1f}  {found[1]:8.1f}", flush=True)
        network = trained(both[0], labels)
        with torch.no_grad():
            heard = [torch.nn.functional.normalize(network(torch.from_numpy(f)[None]))[0].numpy() for f in both[1]]
        vectors = np.array(heard)
        found = [rate(vectors, held, vectors @ vectors.T, corpus) for corpus in ("digits", "libri251")]
        print(f"{kind:<12} {'network':<15} {found[0]:6.1f}  {found[1]:8.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
