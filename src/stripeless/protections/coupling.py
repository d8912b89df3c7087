"""Real NVP: an invertible map built of affine couplings (Dinh et al. 2017), for NumPy arrays and torch tensors alike.

Each coupling leaves one half of the coordinates alone and scales and shifts the other half by what two small networks
make of the first. The same functions train in torch, where gradients are needed, and apply in NumPy, where torch is
not. `xp` is the module, numpy or torch, whose arrays come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

Array: TypeAlias = Any  # a NumPy array or a torch tensor
LEAK = 0.01


class Network(NamedTuple):
    """Three linear layers, LeakyReLU between them.

    Attributes:
        w1, w2, w3: weights of each layer, numbers in x numbers out.
        b1, b2, b3: what each layer adds.
    """

    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    b3: Array


class Coupling(NamedTuple):
    """Scale and shift of one half of the coordinates, given the other.

    Attributes:
        scale: the network whose output, through tanh, is the log of the scale.
        shift: the network whose output is added.
    """

    scale: Network
    shift: Network


def network(net: Network, x: Array, xp: Any) -> Array:
    """The network's output for each row."""
    hidden = x @ net.w1 + net.b1
    hidden = xp.maximum(hidden, LEAK * hidden)
    hidden = hidden @ net.w2 + net.b2
    hidden = xp.maximum(hidden, LEAK * hidden)
    return hidden @ net.w3 + net.b3


def forward(couplings: Sequence[Coupling], x: Array, xp: Any) -> tuple[Array, Array]:
    """Latent coordinates of each row, and the log-determinant of the Jacobian there."""
    half = x.shape[1] // 2
    halves = [x[:, :half], x[:, half:]]
    volume = 0.0
    for index, coupling in enumerate(couplings):
        given, moved = index % 2, 1 - index % 2
        log_scale = xp.tanh(network(coupling.scale, halves[given], xp))
        halves[moved] = halves[moved] * xp.exp(log_scale) + network(coupling.shift, halves[given], xp)
        volume = volume + log_scale.sum(1)
    return xp.concatenate(halves, axis=1), volume


def inverse(couplings: Sequence[Coupling], z: Array, xp: Any) -> Array:
    """The rows whose latent coordinates these are."""
    half = z.shape[1] // 2
    halves = [z[:, :half], z[:, half:]]
    for index in reversed(range(len(couplings))):
        coupling, given, moved = couplings[index], index % 2, 1 - index % 2
        log_scale = xp.tanh(network(coupling.scale, halves[given], xp))
        halves[moved] = (halves[moved] - network(coupling.shift, halves[given], xp)) * xp.exp(-log_scale)
    return xp.concatenate(halves, axis=1)


def shapes(dimension: int, hidden: int, count: int) -> list[list[tuple[int, int]]]:
    """For each coupling the (inputs, outputs) of the three layers of its networks."""
    half = dimension // 2
    sizes = (half, dimension - half)
    return [[(sizes[i % 2], hidden), (hidden, hidden), (hidden, sizes[1 - i % 2])] for i in range(count)]
