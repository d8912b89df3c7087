"""Small torch networks: made with a seed, handed back as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

from stripeless.protections.coupling import Network


def new_network(torch: Any, sizes: list[tuple[int, int]], random: Any, device: str, last: float = 1.0) -> Network:
    """Three linear layers that start uniform, as torch's own do; `last` scales the last one."""
    arrays = []
    for place, (inputs, outputs) in enumerate(sizes):
        bound = (last if place == len(sizes) - 1 else 1.0) / math.sqrt(inputs)
        for shape in ((inputs, outputs), (outputs,)):
            array = (2 * torch.rand(shape, generator=random) - 1) * bound  # drawn on the CPU: the same on every device
            arrays.append(array.to(device).requires_grad_())
    return Network(*arrays)


def numpy_network(net: Network) -> Network:
    """The same network as NumPy arrays of its own."""
    return Network(*(array.detach().cpu().numpy().copy() for array in net))
