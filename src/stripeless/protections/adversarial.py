"""Hiding an attribute by an adversarial auto-encoder (Noe et al. 2021; the second baseline of Noe et al. 2022).

An encoder squeezes a vector, a decoder rebuilds it from that and the attribute, and a classifier tries to read the
attribute off the squeezed form, against which the encoder learns to leave it out. Afterwards the decoder is told that
every class is equally likely: 0.5 with two classes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.protections.coupling import Network, network
from stripeless.protections.lda import check_dimension
from stripeless.protections.tensors import write_tensors

Floats32 = NDArray[np.float32]
ROWS = 4096


@dataclass(frozen=True, eq=False)
class AdversarialProtection:
    """A fitted encoder and decoder: vectors are squeezed without the attribute, and rebuilt with every class as likely.

    Attributes:
        classes: names of the classes, in alphabetical order.
        center: what is taken from each vector first, one number per dimension.
        scale: what each dimension is then divided by.
        axes: principal axes of the scaled vectors, dimensions x numbers in the squeezed form; what the networks add to
            projecting on them and back is what was learned.
        encoder: weights of the network that squeezes.
        decoder: weights of the network that rebuilds.
        training: settings, seed, and how the training ended.
    """

    kind: ClassVar[str] = "adversarial"
    classes: tuple[str, ...]
    center: Floats32
    scale: Floats32
    axes: Floats32
    encoder: Network
    decoder: Network
    training: dict[str, Any]

    def apply(self, vectors: ArrayLike, *, attribute: ArrayLike | None = None) -> NDArray[Any]:
        """The `vectors`, rows x dimensions, as rebuilt when the decoder is told `attribute`: one share per class, equal
        shares if not given.
        """
        rows = check_dimension(vectors, len(self.center))
        count = len(self.classes)
        told = np.full(count, 1.0 / count) if attribute is None else np.asarray(attribute)
        shares = np.broadcast_to(told.astype(np.float32), (len(rows), count))
        mapped = np.empty_like(rows)
        for start in range(0, len(rows), ROWS):
            block = slice(start, start + ROWS)
            code = self.encode(rows[block])
            mapped[block] = decoded(self.axes, self.decoder, code, shares[block], np) * self.scale + self.center
        return mapped

    def encode(self, vectors: ArrayLike) -> Floats32:
        """The squeezed form of these `vectors`, one row each, in which the classifier was trained to see nothing."""
        rows = check_dimension(vectors, len(self.center))
        scaled = (rows.astype(np.float32) - self.center) / self.scale
        code: Floats32 = encoded(self.axes, self.encoder, scaled, np)
        return code

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file at `path`; `load_protection` reads it, without torch."""
        tensors: dict[str, NDArray[Any]] = {"center": self.center, "scale": self.scale, "axes": self.axes}
        for part, net in (("encoder", self.encoder), ("decoder", self.decoder)):
            tensors |= {f"{part}.{name}": array for name, array in net._asdict().items()}
        write_tensors(
            path, tensors, {"kind": self.kind, "version": 1, "classes": self.classes, "training": self.training}
        )

    @classmethod
    def restore(cls, tensors: dict[str, NDArray[Any]], about: dict[str, Any]) -> AdversarialProtection:
        """The protection from the content of its file: `tensors` by name, and what it says `about` them."""
        encoder, decoder = (
            Network(*(tensors[f"{part}.{name}"] for name in Network._fields)) for part in ("encoder", "decoder")
        )
        return cls(
            classes=tuple(about["classes"]),
            center=tensors["center"],
            scale=tensors["scale"],
            axes=tensors["axes"],
            encoder=encoder,
            decoder=decoder,
            training=about["training"],
        )


def encoded(axes: Any, encoder: Network, scaled: Any, xp: Any) -> Any:
    """The squeezed form: the principal components, and what the encoder changes in them."""
    return scaled @ axes + network(encoder, scaled, xp)


def decoded(axes: Any, decoder: Network, code: Any, shares: Any, xp: Any) -> Any:
    """The scaled vectors rebuilt from the squeezed form and from what is told about the attribute."""
    return code @ axes.T + network(decoder, xp.concatenate([code, shares], axis=1), xp)
