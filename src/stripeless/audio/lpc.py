"""Linear prediction of many frames at once: Burg's method, inverse filter, all-pole filter.

A frame of speech is modeled as a source that passes through resonances. Burg's method finds the prediction filter
A(z) = 1 + a_1 z^-1 + ... + a_p z^-p; filtering with A leaves the source (the residual), filtering with 1/A puts the
resonances back. Everything here works on arrays in which *column* j is frame j, so that one NumPy call serves all
frames; `BLOCK` frames at a time bound the memory.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Columns: TypeAlias = NDArray[np.float64]

BLOCK = 1024


def burg(frames: Columns, order: int) -> Columns:
    """Prediction filters, shape (order + 1, frames), of the columns of `frames`; row 0 is 1.

    Burg's recursion with the energy updated instead of summed again. All filters are minimum phase.

    >>> decay = 0.5 ** np.arange(60.0)[:, None]
    >>> np.round(burg(decay, 1)[:, 0], 3).tolist()
    [1.0, -0.8]
    """
    forward = np.array(frames[1:], dtype=np.float64)
    backward = np.array(frames[:-1], dtype=np.float64)
    filters = np.zeros((order + 1, frames.shape[1]))
    filters[0] = 1.0
    energy = np.einsum("tf,tf->f", forward, forward) + np.einsum("tf,tf->f", backward, backward)
    tiny = np.finfo(np.float64).tiny
    scratch = np.empty_like(forward)
    for step in range(1, order + 1):
        reflection = np.einsum("tf,tf->f", backward, forward)
        reflection *= -2.0 / np.maximum(energy, tiny)
        np.clip(reflection, -1.0, 1.0, out=reflection)  # |k| <= 1 holds exactly; rounding must not break it
        filters[1 : step + 1] += reflection * filters[step - 1 :: -1] if step > 1 else reflection * filters[:1]
        next_forward = np.multiply(backward, reflection, out=scratch)
        next_forward += forward
        forward *= reflection
        backward += forward
        forward, scratch = next_forward[1:], forward[1:]
        last = backward[-1]
        backward = backward[:-1]
        energy = (1.0 - reflection**2) * energy - last**2 - next_forward[0] ** 2
    return filters


def residual(frames: Columns, filters: Columns) -> Columns:
    """What linear prediction leaves of each frame: the source. Filters each column with its own A(z)."""
    source = frames.copy()
    product = np.empty_like(frames)
    for lag in range(1, len(filters)):
        np.multiply(frames[:-lag], filters[lag], out=product[lag:])
        source[lag:] += product[lag:]
    return source


def all_pole(source: Columns, filters: Columns) -> Columns:
    """Each column passed through its own 1/A(z): the resonances put (back) on a source."""
    order = len(filters) - 1
    length, count = source.shape
    output = np.zeros((length + order, count))
    reversed_filters = np.ascontiguousarray(filters[:0:-1])
    product = np.empty_like(reversed_filters)
    for time in range(length):
        np.multiply(reversed_filters, output[time : time + order], out=product)
        np.subtract(source[time], product.sum(axis=0), out=output[time + order])
    return output[order:]


def refiltered(frames: Columns, analysis: Columns, synthesis: Columns) -> Columns:
    """Each column through its A(z) of `analysis` and 1/A(z) of `synthesis` in one go: `residual`, then `all_pole`.

    Input and output lie side by side, so that each moment is one sum over the past of both.
    """
    order = len(analysis) - 1
    length, count = frames.shape
    past = np.zeros((length + order, 2, count))
    past[order:, 0] = frames
    weights = np.empty((order, 2, count))
    weights[:, 0] = analysis[:0:-1]
    weights[:, 1] = -synthesis[:0:-1]
    for time in range(length):
        moment = past[time + order, 1]
        np.einsum("kjf,kjf->f", weights, past[time : time + order], out=moment)
        moment += frames[time]
    return past[order:, 1]
