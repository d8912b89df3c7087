"""Training the couplings by maximum likelihood (Eq. 4, 5), the evidence's spread by Eq. 6 with a moving average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless._extras import need
from stripeless.embeddings.vectors import FloatArray
from stripeless.errors import InputError
from stripeless.protections.coupling import Coupling, Network, forward, shapes
from stripeless.protections.evidence import EvidenceBase, check_covariance, contrast
from stripeless.protections.flow import FlowProtection
from stripeless.protections.gaussian import class_gaussians
from stripeless.protections.labels import LabeledVectors, ProtectionWarning, check_labeled, warn
from stripeless.protections.networks import new_network, numpy_network
from stripeless.protections.settings import Clock, FlowSettings, OnProgress, few_threads
from stripeless.protections.start import fit_start

MANY_ZEROS = 0.1
ENOUGH_HELD_OUT = 4  # speakers of each class: fewer give no zero to trust


def fit_flow_protection(
    vectors: ArrayLike,
    labels: Sequence[object],
    *,
    speakers: Sequence[object] | None = None,
    settings: FlowSettings | None = None,
    device: str = "cpu",
    progress: OnProgress | None = None,
    seed: int = 0,
) -> FlowProtection:
    """Learn an invertible map in which the evidence about the attribute stands alone, so that it can be set to zero.

    Any number of classes from two on; cut a continuous attribute into classes with `bin_attribute` first. Same vectors,
    settings, seed and number of threads, same flow. Paper 3, section 3.

    Parameters:
        vectors: embeddings to learn from, rows x dimensions.
        labels: the class of each row, such as "f" and "m"; two classes or more.
        speakers: who speaks in each row, so that rows held out to stop in time are of other people; None takes every
            row as a person.
        settings: sizes and pace of the training; None takes the defaults of `FlowSettings`.
        device: where torch computes, such as "cpu" or "cuda".
        progress: called after each epoch with a `TrainingProgress` (done, total, seconds left, loss).
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A protection: `apply(vectors)` hides the attribute, `evidence` and `llr` say what it sees, `save(path)` writes
        it.

    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.normal(size=(200, 4)); vectors[:100, 0] += 2
    >>> quick = FlowSettings(epochs=1, hidden=8, couplings=2)
    >>> flow = fit_flow_protection(vectors, ["f"] * 100 + ["m"] * 100, settings=quick)
    >>> bool(abs(flow.llr(flow.apply(vectors))).max() < 1e-3)
    True
    """
    torch = need("torch", "flow", "fit_flow_protection")
    settings = settings or FlowSettings()
    data = check_labeled(vectors, labels, speakers)
    if data.vectors.shape[1] < max(2, len(data.classes)):
        raise InputError(
            f"vectors: {data.vectors.shape[1]} dimensions cannot hold {len(data.classes)} classes and a residual"
        )
    trained, held_out = split_rows(data, settings, np.random.default_rng(seed))
    warn_of_zeros(data, settings)
    start = fit_start(data, settings)  # on every speaker: class means are what few speakers know least of
    width = start.into.shape[1]
    size = max(min(settings.components or width, width), len(data.classes))
    coordinates = ((data.vectors - start.shift) @ start.into[:, :size]).astype(np.float32)
    with few_threads(torch, settings.hidden):
        trainer = Trainer(torch, settings, size, start.base, device, seed)
        history = trainer.train(coordinates, data.codes, trained, held_out, progress)
    couplings = trainer.exported()
    judged = held_out if enough(data, held_out) else trained
    gain, offset, base = calibration(pick(data, judged), forward(couplings, coordinates[judged], np)[0])
    return FlowProtection(
        classes=data.classes,
        shift=start.shift.astype(np.float32),
        into=start.into.astype(np.float32),
        back=start.back.astype(np.float32),
        couplings=couplings,
        gain=gain,
        offset=offset,
        base=base,
        training={"settings": settings.to_dict(), "seed": seed, "trained_mu": trainer.mu, **history},
    )


def warn_of_zeros(data: LabeledVectors, settings: FlowSettings) -> None:
    """Exact zeros move by what is taken away from a vector, and so tell how much evidence there was."""
    zeros = float((data.vectors == 0).mean())
    if zeros > MANY_ZEROS and settings.pca is None:
        text = (
            f"{100 * zeros:.0f} % of all values are exactly zero, as after a rectifier; a protected vector shows there what "
            "was taken from it, so set pca to a number of components well below the number of speakers"
        )
        warn(ProtectionWarning(text, "exact_zeros"))


def calibration(data: LabeledVectors, latent: NDArray[Any]) -> tuple[FloatArray, FloatArray, EvidenceBase]:
    """Make the evidence coordinates what they claim to be on rows that did not train the couplings.

    In these K - 1 coordinates the classes are Gaussian with one covariance, if training came to its end; where it
    stopped before, scale and zero are a little off. Linear discriminant analysis in them alone puts that right.
    """
    evidence = latent[:, : len(data.classes) - 1]
    gaussians = class_gaussians(replace(data, vectors=evidence), 0.0)
    gain, offset = gaussians.evidence_map()
    return gain, offset, EvidenceBase(check_covariance(gain.T @ gaussians.covariance @ gain))


def enough(data: LabeledVectors, rows: NDArray[np.int64]) -> bool:
    """Whether these rows hold enough speakers of each class to calibrate on."""
    people = np.unique(data.speakers[rows])
    return bool((np.bincount(data.speaker_classes[people], minlength=len(data.classes)) >= ENOUGH_HELD_OUT).all())


def split_rows(
    data: LabeledVectors, settings: FlowSettings, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to train on and rows of other speakers to watch; at least two speakers of each class stay in training."""
    rows = np.arange(len(data.codes))
    if not settings.patience:
        return rows, rows[:0]
    chosen: list[int] = []
    for people in (np.flatnonzero(data.speaker_classes == k) for k in range(len(data.classes))):
        count = min(max(1, round(settings.held_out * len(people))), len(people) - 2)
        chosen += rng.permutation(people)[: max(count, 0)].tolist()
    watched = np.isin(data.speakers, chosen)
    return rows[~watched], rows[watched]


def pick(data: LabeledVectors, rows: NDArray[np.int64]) -> LabeledVectors:
    """The same data, these rows only."""
    return LabeledVectors(data.vectors[rows], data.classes, data.codes[rows], data.speakers[rows])


class Trainer:
    """Couplings and evidence base while they learn. Lives inside `fit_flow_protection` only."""

    def __init__(
        self, torch: Any, settings: FlowSettings, size: int, base: EvidenceBase, device: str, seed: int
    ) -> None:
        self.torch, self.settings, self.device = torch, settings, device
        self.random = torch.Generator().manual_seed(seed)
        self.couplings = [
            Coupling(self._network(s), self._network(s)) for s in shapes(size, settings.hidden, settings.couplings)
        ]
        self.evidence = len(base.covariance)
        self.contrast = self._tensor(contrast(base.classes))
        self.unmix = self._tensor(np.linalg.pinv(contrast(base.classes)))
        self.factor = self._tensor(np.linalg.cholesky(base.covariance)).requires_grad_(self.evidence > 1)
        weights = [array for coupling in self.couplings for net in coupling for array in net]
        groups = [{"params": weights, "weight_decay": settings.weight_decay}]
        if self.evidence > 1:  # more than two classes: no closed form, so the spread learns by gradient too
            groups.append({"params": [self.factor], "weight_decay": 0.0, "lr": 1e-2})
        self.optimizer = torch.optim.AdamW(groups, lr=settings.learning_rate)

    def train(
        self,
        coordinates: NDArray[np.float32],
        codes: NDArray[np.int64],
        trained: NDArray[np.int64],
        held_out: NDArray[np.int64],
        progress: OnProgress | None,
    ) -> dict[str, Any]:
        """Epochs until the end, or until held-out rows stop becoming likelier; then back to the best."""
        rows, classes = self._tensor(coordinates), self._tensor(codes)
        mine, others = self._tensor(trained), self._tensor(held_out)
        watching = len(held_out) > 0
        best = self._loss_of(rows[others], classes[others]) if watching else math.inf
        kept, best_epoch, losses = self._copy(), 0, [best]
        clock = Clock(self.settings.epochs, progress)
        for epoch in range(1, self.settings.epochs + 1):
            loss = self._epoch(rows, classes, mine, 1.0 - (epoch - 1) / self.settings.epochs)
            if watching:
                loss = self._loss_of(rows[others], classes[others])
            losses.append(loss)
            clock.tick(epoch, loss)
            if loss < best or not watching:
                best, best_epoch, kept = loss, epoch, self._copy()
            elif epoch - best_epoch >= self.settings.patience:
                break
        self._put(kept)
        return {"epochs": best_epoch, "loss": best, "losses": [x for x in losses if math.isfinite(x)]}

    def negative_log_likelihood(self, rows: Any, classes: Any) -> tuple[Any, Any]:
        """Mean over rows, in nats per coordinate (Eq. 4, 5, without the constant), and the evidence of each row."""
        torch = self.torch
        latent, volume = forward(self.couplings, rows, torch)
        covariance = self.factor @ self.factor.T
        spread = torch.diagonal(self.contrast @ covariance @ self.contrast.T)
        means = self.contrast @ covariance - 0.5 * (self.unmix @ spread)
        # The couplings give the evidence in units of its spread, so that they need not follow while the spread is
        # learned; scaling it and dividing by the spread again leaves the likelihood as it is.
        unit, residual = latent[:, : self.evidence], latent[:, self.evidence :]
        white = unit - torch.linalg.solve_triangular(self.factor, means.T, upper=False).T[classes]
        fit = 0.5 * white.square().sum(1) + 0.5 * residual.square().sum(1) - volume
        return fit.mean() / rows.shape[1], (unit @ self.factor.T).detach()

    @property
    def mu(self) -> float:
        """Half the mean variance of the evidence within a class, as the moving average has it."""
        return float(self.factor.detach().square().sum()) / (2 * self.evidence)

    def exported(self) -> tuple[Coupling, ...]:
        """The couplings as NumPy arrays."""
        return tuple(
            Coupling(numpy_network(coupling.scale), numpy_network(coupling.shift)) for coupling in self.couplings
        )

    def _epoch(self, rows: Any, classes: Any, mine: Any, left: float) -> float:
        torch, settings = self.torch, self.settings
        if settings.decay:
            self.optimizer.param_groups[0]["lr"] = settings.learning_rate * left
        order = mine[torch.randperm(len(mine), generator=self.random).to(self.device)]
        total = 0.0
        for chosen in order.split(settings.batch):
            batch = rows[chosen]
            if settings.noise:
                batch = batch + settings.noise * torch.randn(batch.shape, generator=self.random).to(self.device)
            loss, evidence = self.negative_log_likelihood(batch, classes[chosen])
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self._follow(evidence)
            total += float(loss.detach()) * len(chosen)
        if not math.isfinite(total):
            raise InputError(
                "vectors: training diverged; give a lower learning rate, or look for outliers in the vectors"
            )
        return total / len(mine)

    def _follow(self, evidence: Any) -> None:
        """Two classes: mu moves towards its maximum-likelihood value on this batch (Eq. 6 and the update after it)."""
        if self.evidence > 1:
            return
        mu = self.factor.square() / 2
        estimate = (1.0 + evidence.square().mean()).sqrt() - 1.0
        mu = self.settings.mu_memory * mu + (1.0 - self.settings.mu_memory) * estimate
        self.factor = (2 * mu).sqrt().detach()

    def _loss_of(self, rows: Any, classes: Any) -> float:
        with self.torch.no_grad():
            return float(self.negative_log_likelihood(rows, classes)[0])

    def _copy(self) -> tuple[list[Any], Any]:
        arrays = [array.detach().clone() for coupling in self.couplings for net in coupling for array in net]
        return arrays, self.factor.detach().clone()

    def _put(self, kept: tuple[list[Any], Any]) -> None:
        arrays = iter(kept[0])
        self.couplings = [
            Coupling(*(Network(*(next(arrays) for _ in net)) for net in coupling)) for coupling in self.couplings
        ]
        self.factor = kept[1]

    def _network(self, sizes: list[tuple[int, int]]) -> Network:
        """The last layer starts at zero, so that training starts at the identity."""
        return new_network(self.torch, sizes, self.random, self.device, last=0.0)

    def _tensor(self, array: NDArray[Any]) -> Any:
        kind = self.torch.int64 if array.dtype.kind == "i" else self.torch.float32
        return self.torch.tensor(np.ascontiguousarray(array), dtype=kind, device=self.device)
