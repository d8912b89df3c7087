"""How a neural protection is trained: settings with their reasons, and the progress that it reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from stripeless.errors import InputError, check_choice

WIDE = 512  # hidden units from which a second thread pays


@dataclass(frozen=True)
class TrainingProgress:
    """How far training is: what `progress` functions of fits and attacks are called with.

    Attributes:
        done: how many epochs, or other steps, are done.
        total: how many there are at most.
        seconds_left: seconds that are left at this pace.
        loss: the loss on held-out rows, or on all where none are held out; NaN where a step has no loss.
    """

    done: int
    total: int
    seconds_left: float
    loss: float


Progress = TrainingProgress  # the older name, kept
OnProgress: TypeAlias = Callable[[TrainingProgress], None]


@dataclass(frozen=True)
class FlowSettings:
    """Settings of `fit_flow_protection`. The defaults suit thousands of vectors; `FlowSettings.paper()` is the paper's.

    Attributes:
        couplings: how many affine couplings follow each other.
        hidden: units in each hidden layer of a coupling's networks.
        components: how many coordinates the couplings act on, those of the largest variance beside the evidence; None
            for all.
        pca: project on so many principal components first and leave the rest out for good; None for no projection. With
            few speakers, or vectors full of exact zeros, what is left out gives more away than it is worth.
        start: "gaussian" begins at the exact solution for Gaussian classes (linear discriminant analysis) and lets the
            couplings learn what that misses; "standardize" begins at the vectors, scaled.
        shrinkage: how far the covariance is pulled to a multiple of the identity, 0 to 1, or "auto" (Ledoit and Wolf).
        learning_rate: step size of Adam at the start.
        batch: rows per step.
        epochs: passes over all rows, at most.
        decay: let the learning rate fall to zero.
        noise: standard deviation of noise added to the scaled training vectors; keeps the flow from learning single
            persons.
        weight_decay: how strongly weights are pulled to zero (AdamW).
        held_out: share of the speakers whose rows are watched instead of trained on, where `patience` is not 0.
        patience: stop when held-out rows have not become likelier for so many epochs, and go back to the best; 0 trains
            to the end on all rows.
        mu_memory: share of the old value in the moving average of the spread of the evidence (mu, Eq. 6), 0 to below 1.
        mu_start: where that average begins for "standardize", 10 unless told; "gaussian" takes it from the data.
    """

    couplings: int = 6
    hidden: int = 128
    components: int | None = 64
    pca: int | None = None
    start: str = "gaussian"
    shrinkage: float | str = "auto"
    learning_rate: float = 1e-3
    batch: int = 256
    epochs: int = 60
    decay: bool = True
    noise: float = 0.3
    weight_decay: float = 1e-4
    held_out: float = 0.2
    patience: int = 0
    mu_memory: float = 0.95
    mu_start: float | None = None

    @classmethod
    def paper(cls) -> FlowSettings:
        """As published: all dimensions, wide networks, ten epochs, no early stop; mu starts at 10, alpha is 0.99."""
        return cls(
            hidden=1024,
            components=None,
            start="standardize",
            shrinkage=0.0,
            learning_rate=1e-4,
            batch=64,
            epochs=10,
            decay=False,
            noise=0.0,
            weight_decay=0.0,
            patience=0,
            mu_start=10.0,
            mu_memory=0.99,
        )

    def __post_init__(self) -> None:
        check_positive(self, "couplings", "hidden", "learning_rate", "batch", "epochs")
        if self.components is not None and self.components < 2:
            raise InputError(f"components: expected 2 or more, or None for all, got {self.components}")
        if self.pca is not None and self.pca < 2:
            raise InputError(f"pca: expected 2 or more, or None for no PCA, got {self.pca}")
        check_choice("start", self.start, ("gaussian", "standardize"))
        if not 0.0 <= self.mu_memory < 1.0 or not 0.0 < self.held_out < 1.0:
            raise InputError(
                f"mu_memory and held_out: expected shares below 1, got {self.mu_memory} and {self.held_out}"
            )

    def to_dict(self) -> dict[str, Any]:
        """These settings by name, as plain values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class AdversarialSettings:
    """Settings of `fit_adversarial_protection`.

    Attributes:
        code: numbers in the squeezed form of a vector.
        hidden: units in each hidden layer of the three networks.
        adversary: what it is worth to the encoder that the classifier sees nothing, against 1 for rebuilding the
            vector.
        classifier_steps: steps that the classifier takes for one of the encoder's, so that there is something to learn
            against.
        learning_rate: step size of Adam.
        batch: rows per step.
        epochs: passes over all rows.
        weight_decay: how strongly weights of encoder and decoder are pulled to zero (AdamW).
    """

    code: int = 128
    hidden: int = 256
    adversary: float = 1.0
    classifier_steps: int = 3
    learning_rate: float = 1e-3
    batch: int = 128
    epochs: int = 60
    weight_decay: float = 1e-2

    def __post_init__(self) -> None:
        check_positive(self, "code", "hidden", "adversary", "classifier_steps", "learning_rate", "batch", "epochs")

    def to_dict(self) -> dict[str, Any]:
        """These settings by name, as plain values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_positive(settings: object, *names: str) -> None:
    """Refuse settings that must be above zero and are not."""
    for name in names:
        if not getattr(settings, name) > 0:
            raise InputError(f"{name}: expected a number above 0, got {getattr(settings, name)}")


@contextmanager
def few_threads(torch: Any, hidden: int) -> Iterator[None]:
    """One thread for small networks: more would mostly wait for each other, and would change the last digits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1 if hidden < WIDE else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Clock:
    """Turns epochs, or other steps, done into seconds left."""

    def __init__(self, total: int, tell: OnProgress | None) -> None:
        self.total, self.tell, self.start, self.done = total, tell, time.monotonic(), 0

    def step(self) -> None:
        """One more step, without a loss."""
        self.done += 1
        self.tick(self.done, float("nan"))

    def tick(self, done: int, loss: float) -> None:
        if self.tell is not None:
            spent = time.monotonic() - self.start
            self.tell(TrainingProgress(done, self.total, spent / done * (self.total - done), loss))
