"""Training the adversarial auto-encoder: a classifier learns to see the attribute, the encoder learns to leave it
out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless._extras import need
from stripeless.errors import InputError
from stripeless.protections.adversarial import AdversarialProtection, Floats32, decoded, encoded
from stripeless.protections.coupling import network
from stripeless.protections.labels import check_labeled
from stripeless.protections.networks import new_network, numpy_network
from stripeless.protections.settings import AdversarialSettings, Clock, OnProgress, few_threads


def fit_adversarial_protection(
    vectors: ArrayLike,
    labels: Sequence[object],
    *,
    speakers: Sequence[object] | None = None,
    settings: AdversarialSettings | None = None,
    device: str = "cpu",
    progress: OnProgress | None = None,
    seed: int = 0,
) -> AdversarialProtection:
    """Learn to rebuild vectors from a squeezed form without the attribute and from the attribute, told apart.

    Vectors come back changed even where they carry nothing of the attribute: the rebuilding is not exact. That is the
    price the paper's flow does not pay.

    Parameters:
        vectors: embeddings to learn from, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        speakers: who speaks in each row, so that people and not rows are counted; None takes every row as a person.
        settings: sizes and pace of the training; None takes the defaults of `AdversarialSettings`.
        device: where torch computes, such as "cpu" or "cuda".
        progress: called after each epoch with a `TrainingProgress` (done, total, seconds left, loss).
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A protection: `apply(vectors)` hides the attribute, `save(path)` writes it.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(80, 4)); vectors[:40, 0] += 2
    >>> quick = AdversarialSettings(epochs=1, hidden=8, code=3)
    >>> fit_adversarial_protection(vectors, ["f"] * 40 + ["m"] * 40, settings=quick).apply(vectors).shape
    (80, 4)
    """
    torch = need("torch", "flow", "fit_adversarial_protection")
    settings = settings or AdversarialSettings()
    data = check_labeled(vectors, labels, speakers)
    center, scale = data.vectors.mean(axis=0), data.vectors.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = ((data.vectors - center) / scale).astype(np.float32)
    axes = principal_axes(scaled, settings.code)
    with few_threads(torch, settings.hidden):
        game = Game(torch, settings, axes, len(data.classes), device, seed)
        history = game.play(torch.tensor(scaled, device=device), torch.tensor(data.codes, device=device), progress)
    return AdversarialProtection(
        classes=data.classes,
        center=center.astype(np.float32),
        scale=scale.astype(np.float32),
        axes=axes,
        encoder=numpy_network(game.encoder),
        decoder=numpy_network(game.decoder),
        training={"settings": settings.to_dict(), "seed": seed, **history},
    )


def principal_axes(scaled: Floats32, code: int) -> Floats32:
    """Columns on which the networks build: an auto-encoder without them needs far more vectors to rebuild others."""
    axes = np.linalg.svd(scaled, full_matrices=False)[2][: min(code, *scaled.shape)]
    return np.ascontiguousarray(axes.T, dtype=np.float32)


class Game:
    """Encoder and decoder against the classifier. Lives inside `fit_adversarial_protection` only."""

    def __init__(
        self, torch: Any, settings: AdversarialSettings, axes: Floats32, classes: int, device: str, seed: int
    ) -> None:
        self.torch, self.settings, self.classes, self.device = torch, settings, classes, device
        self.random = torch.Generator().manual_seed(seed)
        self.axes = torch.tensor(axes, device=device)
        (dimension, code), wide = axes.shape, settings.hidden
        squeeze = [(dimension, wide), (wide, wide), (wide, code)]
        rebuild = [(code + classes, wide), (wide, wide), (wide, dimension)]
        self.encoder = new_network(torch, squeeze, self.random, device, last=0.0)
        self.decoder = new_network(torch, rebuild, self.random, device, last=0.0)
        self.classifier = new_network(torch, [(code, wide), (wide, wide), (wide, classes)], self.random, device)
        hiding = [*self.encoder, *self.decoder]
        self.hide = torch.optim.AdamW(hiding, lr=settings.learning_rate, weight_decay=settings.weight_decay)
        self.seek = torch.optim.Adam(list(self.classifier), lr=settings.learning_rate)

    def play(self, rows: Any, classes: Any, progress: OnProgress | None) -> dict[str, Any]:
        """All epochs; what was lost in rebuilding, and how well the classifier saw through, in the last one."""
        settings, clock = self.settings, Clock(self.settings.epochs, progress)
        shares = self.torch.nn.functional.one_hot(classes, self.classes).float()
        rebuilding = seeing = math.nan
        for epoch in range(1, settings.epochs + 1):
            order = self.torch.randperm(len(rows), generator=self.random).to(self.device)
            rebuilding = seeing = 0.0
            for chosen in order.split(settings.batch):
                seen = self._seek(rows[chosen], classes[chosen])
                rebuilt = self._hide(rows[chosen], shares[chosen])
                rebuilding += rebuilt * len(chosen) / len(rows)
                seeing += seen * len(chosen) / len(rows)
            if not math.isfinite(rebuilding + seeing):
                raise InputError("vectors: training diverged; give a lower learning rate, or look for outliers")
            clock.tick(epoch, rebuilding)
        return {"rebuilding_error": rebuilding, "classifier_cross_entropy": seeing}

    def _code(self, rows: Any) -> Any:
        return encoded(self.axes, self.encoder, rows, self.torch)

    def _seek(self, rows: Any, classes: Any) -> float:
        """Steps of the classifier; the encoder stays as it is."""
        with self.torch.no_grad():
            code = self._code(rows)
        loss = 0.0
        for _ in range(self.settings.classifier_steps):
            cost = self.torch.nn.functional.cross_entropy(network(self.classifier, code, self.torch), classes)
            self.seek.zero_grad(set_to_none=True)
            cost.backward()
            self.seek.step()
            loss = float(cost.detach())
        return loss

    def _hide(self, rows: Any, shares: Any) -> float:
        """One step of encoder and decoder: rebuild the rows, and leave the classifier undecided."""
        torch = self.torch
        code = self._code(rows)
        rebuilt = decoded(self.axes, self.decoder, code, shares, torch)
        rebuilding = (rebuilt - rows).square().mean()
        undecided = torch.full_like(shares, 1.0 / self.classes)
        fooling = torch.nn.functional.cross_entropy(network(self.classifier, code, torch), undecided)
        self.hide.zero_grad(set_to_none=True)
        (rebuilding + self.settings.adversary * fooling).backward()
        self.hide.step()
        return float(rebuilding.detach())
