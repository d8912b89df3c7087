"""Hiding an attribute by a normalizing flow (NFzLLR, Noe et al. 2022).

An invertible map takes a vector to coordinates in which the evidence about the attribute stands alone: with two classes
the log-likelihood ratio in one coordinate, with K classes K - 1 coordinates. Set them to zero, map back, and the vector
says nothing about its class that the map knows of, while everything else stays.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless._extras import need
from stripeless.errors import InputError
from stripeless.protections.coupling import Coupling, Network, forward, inverse
from stripeless.protections.evidence import EvidenceBase
from stripeless.protections.lda import check_dimension
from stripeless.protections.tensors import write_tensors

Floats32 = NDArray[np.float32]
ROWS = 4096  # at once: the working set then stays in the cache


@dataclass(frozen=True, eq=False)
class FlowProtection:
    """A fitted flow: an invertible map to coordinates of which the first K - 1 hold all evidence about K classes.

    A vector x becomes `(x - shift) @ into`; the couplings turn the first of these coordinates, as many as they were
    trained on, into the evidence and the residual; the others pass. The evidence is calibrated last, as
    `coordinate @ gain - offset`.

    Attributes:
        classes: names of the classes, in alphabetical order.
        shift: what is taken from each vector first, one number per dimension.
        into: the map to coordinates, dimensions x coordinates.
        back: the map that undoes it, coordinates x dimensions.
        couplings: weights of the affine couplings, in their order.
        gain: calibration of the evidence, K - 1 x K - 1.
        offset: what is taken from the calibrated evidence, K - 1 numbers.
        base: how the evidence is distributed in each class, a Gaussian each.
        training: settings, seed, and how the training ended.
    """

    kind: ClassVar[str] = "flow"
    classes: tuple[str, ...]
    shift: Floats32
    into: Floats32
    back: Floats32
    couplings: tuple[Coupling, ...]
    gain: NDArray[np.float64]
    offset: NDArray[np.float64]
    base: EvidenceBase
    training: dict[str, Any]

    @property
    def components(self) -> int:
        """How many coordinates the couplings act on."""
        first = self.couplings[0].scale
        return int(first.w1.shape[0] + first.w3.shape[1])

    @property
    def mu(self) -> float:
        """Mean LLR of the first of two classes (Eq. 2): how well the attribute shows in what the flow was trained
        on.
        """
        if len(self.classes) != 2:
            raise InputError(f"mu: defined for two classes, this flow has {len(self.classes)}; see base.means")
        return float(self.base.covariance[0, 0]) / 2

    def apply(self, vectors: ArrayLike, *, evidence: ArrayLike = 0.0, device: str = "cpu") -> NDArray[Any]:
        """The `vectors`, rows x dimensions, with their evidence set to `evidence`: zero unless you want something shown.

        With two classes `evidence` is an LLR in favor of `classes[0]`, one for all rows or one per row. In the
        precision that came in; 'cuda' as `device` needs torch.
        """
        rows = check_dimension(vectors, len(self.shift))
        wanted = self._uncalibrated(self._wanted(evidence, len(rows)))
        mapped = np.empty_like(rows)
        into, back = self.into[:, : self.components], self.back[: self.components]
        xp, couplings, into, back, shift = self._on(device, into, back)
        for start in range(0, len(rows), ROWS):
            block = rows[start : start + ROWS]
            seen = (_send(block, xp, device) - shift) @ into
            latent = forward(couplings, seen, xp)[0]
            latent[:, : wanted.shape[1]] = _send(wanted[start : start + ROWS], xp, device)
            # only the change goes back, so that what the couplings do not touch stays exactly as it was
            change = (inverse(couplings, latent, xp) - seen) @ back
            mapped[start : start + ROWS] = self._kept(block) + np.asarray(change.cpu() if device != "cpu" else change)
        return mapped

    def evidence(self, vectors: ArrayLike) -> NDArray[np.float64]:
        """K - 1 coordinates for each row of `vectors`; with two classes the LLR in favor of `classes[0]`, in nats."""
        rows = check_dimension(vectors, len(self.shift))
        into = self.into[:, : self.components]
        parts = [
            forward(self.couplings, (block.astype(np.float32) - self.shift) @ into, np)[0][:, : len(self.classes) - 1]
            for block in _blocks(rows)
        ]
        evidence: NDArray[np.float64] = np.concatenate(parts) @ self.gain - self.offset
        return evidence

    def llr(self, vectors: ArrayLike) -> NDArray[np.float64]:
        """Natural-log likelihood ratio of each row of `vectors`, in favor of `classes[0]` over `classes[1]`."""
        if len(self.classes) != 2:
            raise InputError(f"llr: needs two classes, this flow has {len(self.classes)}; use log_likelihoods")
        return self.evidence(vectors)[:, 0]

    def log_likelihoods(self, vectors: ArrayLike) -> NDArray[np.float64]:
        """Natural-log likelihood of each class for each row of `vectors`, centered over the classes."""
        return self.base.log_likelihoods(self.evidence(vectors))

    def latent(self, vectors: ArrayLike) -> Floats32:
        """All coordinates of each row of `vectors`: evidence first, then the residual, Gaussian if the flow fits, then
        what passes.
        """
        rows = check_dimension(vectors, len(self.shift))
        parts = []
        for block in _blocks(rows):
            seen = (block.astype(np.float32) - self.shift) @ self.into
            inner = forward(self.couplings, seen[:, : self.components], np)[0]
            inner[:, : len(self.gain)] = inner[:, : len(self.gain)] @ self.gain - self.offset
            parts.append(np.concatenate([inner, seen[:, self.components :]], axis=1))
        return np.concatenate(parts)

    def from_latent(self, latent: ArrayLike) -> Floats32:
        """The vectors whose coordinates these are: the inverse of `latent`, up to what PCA left out."""
        rows = check_dimension(latent, self.into.shape[1])
        parts = []
        for block in _blocks(rows):
            seen = block.astype(np.float32)
            seen[:, : len(self.gain)] = self._uncalibrated(seen[:, : len(self.gain)])
            inner = inverse(self.couplings, seen[:, : self.components], np)
            parts.append(np.concatenate([inner, seen[:, self.components :]], axis=1) @ self.back + self.shift)
        return np.concatenate(parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file at `path`; `load_protection` reads it, without torch."""
        tensors: dict[str, NDArray[Any]] = {"shift": self.shift, "into": self.into, "back": self.back}
        tensors |= {"gain": self.gain, "offset": self.offset, "covariance": self.base.covariance}
        for index, coupling in enumerate(self.couplings):
            for part, net in coupling._asdict().items():
                tensors |= {f"coupling.{index}.{part}.{name}": array for name, array in net._asdict().items()}
        about = {"classes": self.classes, "couplings": len(self.couplings), "training": self.training}
        write_tensors(path, tensors, {"kind": self.kind, "version": 1, **about})

    @classmethod
    def restore(cls, tensors: dict[str, NDArray[Any]], about: dict[str, Any]) -> FlowProtection:
        """The protection from the content of its file: `tensors` by name, and what it says `about` them."""
        couplings = tuple(
            Coupling(
                *(
                    Network(*(tensors[f"coupling.{index}.{part}.{name}"] for name in Network._fields))
                    for part in Coupling._fields
                )
            )
            for index in range(about["couplings"])
        )
        arrays = {name: tensors[name] for name in ("shift", "into", "back", "gain", "offset")}
        base = EvidenceBase(tensors["covariance"])
        return cls(tuple(about["classes"]), couplings=couplings, base=base, training=about["training"], **arrays)

    def _kept(self, block: NDArray[Any]) -> NDArray[Any]:
        """The block itself, or after PCA what its components hold of it."""
        if self.into.shape[1] == len(self.shift):
            return block
        return np.asarray((block.astype(np.float32) - self.shift) @ self.into @ self.back + self.shift)

    def _uncalibrated(self, evidence: NDArray[Any]) -> NDArray[np.float64]:
        """What the couplings call this evidence."""
        return np.asarray(np.linalg.solve(self.gain.T, (evidence + self.offset).T).T, dtype=np.float64)

    def _wanted(self, evidence: ArrayLike, rows: int) -> Floats32:
        size = len(self.classes) - 1
        wanted = np.asarray(evidence, dtype=np.float32)
        if wanted.ndim == 1 and size == 1:
            wanted = wanted[:, None]
        if wanted.ndim and wanted.shape not in ((rows, size), (1, size)):
            raise InputError(f"evidence: expected one number, or {size} per row ({rows}), got shape {wanted.shape}")
        if not np.isfinite(wanted).all():
            raise InputError("evidence: expected finite numbers; proof beyond doubt has no place in the latent space")
        return np.broadcast_to(wanted, (rows, size))

    def _on(self, device: str, into: Floats32, back: Floats32) -> tuple[Any, Any, Any, Any, Any]:
        """The module to compute with, and everything the map needs as its arrays."""
        if device == "cpu":
            return np, self.couplings, np.ascontiguousarray(into), np.ascontiguousarray(back), self.shift
        torch = need("torch", "flow", f"Applying a protection on {device!r}")

        def move(array: NDArray[Any]) -> Any:
            return torch.tensor(np.ascontiguousarray(array), device=device)

        couplings = tuple(
            Coupling(*(Network(*(move(array) for array in net)) for net in coupling)) for coupling in self.couplings
        )
        return torch, couplings, move(into), move(back), move(self.shift)


def _send(block: NDArray[Any], xp: Any, device: str) -> Any:
    """The block as single precision, on the device."""
    single = np.ascontiguousarray(block, dtype=np.float32)
    return single if xp is np else xp.tensor(single, device=device)


def _blocks(rows: NDArray[Any]) -> list[NDArray[Any]]:
    return [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]
