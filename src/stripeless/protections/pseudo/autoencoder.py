"""S1c1 and S2c1: an auto-encoder whose code should not tell who speaks; S1 and S2: the same on top of B1.

After Espinoza-Cuadros et al. 2020 (no full text found; sizes are our choice). Nothing is drawn: what the vector is, decides.
Accents, the third label of the authors, are not known for our pools.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.vectors import FloatArray
from stripeless.protections.pseudo.farthest import FarthestMean
from stripeless.protections.pseudo.singular import Scale
from stripeless.protections.pseudo.system import Person, PseudoSpeakers


class Layer(NamedTuple):
    """A linear layer."""

    weight: Any
    bias: Any


@dataclass(frozen=True, eq=False)
class Squeeze:
    """Encoder (tanh after each layer) and decoder (linear) on scaled vectors."""

    scale: Scale
    encoder: tuple[Layer, ...]
    decoder: tuple[Layer, ...]
    training: dict[str, Any]

    def code(self, vectors: FloatArray) -> NDArray[Any]:
        """The squeezed form of each row."""
        return np.asarray(through_encoder(self.encoder, self.scale.apply(vectors), np))

    def apply(self, vectors: FloatArray) -> FloatArray:
        """The rows as rebuilt."""
        return self.scale.undo(np.asarray(through_decoder(self.decoder, self.code(vectors)), dtype=np.float64))


def through_encoder(layers: tuple[Layer, ...], rows: Any, xp: Any) -> Any:
    """The code of scaled rows, in NumPy or torch."""
    for layer in layers:
        rows = xp.tanh(rows @ layer.weight + layer.bias)
    return rows


def through_decoder(layers: tuple[Layer, ...], code: Any) -> Any:
    """Scaled rows rebuilt from codes."""
    for layer in layers:
        code = code @ layer.weight + layer.bias
    return code


@dataclass(frozen=True, eq=False, kw_only=True)
class Autoencoded(PseudoSpeakers):
    """The rebuilt vector; with `first`, that of B1's pseudo-speaker."""

    name: ClassVar[str] = "s1c1"
    draws: ClassVar[bool] = False
    squeeze: Squeeze
    first: FarthestMean | None = None

    def options(self) -> dict[str, Any]:
        return {**self.squeeze.training, **({} if self.first is None else self.first.options())}

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        if self.first is not None:
            vector = replace(self.first, seed=self.seed, per=self.per, roles=self.roles).make(vector, person)
        rebuilt: FloatArray = self.squeeze.apply(vector[None])[0]
        return rebuilt


class AutoencodedTuned(Autoencoded):
    """S2c1: S1c1 with its strength and code size searched."""

    name: ClassVar[str] = "s2c1"


class FarthestAutoencoded(Autoencoded):
    """S1: S1c1 on B1."""

    name: ClassVar[str] = "s1"
    draws: ClassVar[bool] = True


class FarthestAutoencodedTuned(FarthestAutoencoded):
    """S2: S2c1 on B1."""

    name: ClassVar[str] = "s2"
