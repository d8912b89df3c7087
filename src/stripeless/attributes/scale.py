"""Vectors whose numbers are too large or too small to be squared, brought near 1 by a power of two, which loses no digit."""

from __future__ import annotations

import numpy as np

from stripeless.embeddings.embeddings import Vectors
from stripeless.errors import InputError

USUAL = 40  # powers of two around 1 within which nothing is changed
APART = 80  # powers of two between vectors that are held against each other


def exponent_of(vectors: Vectors) -> int:
    """The power of two just above the largest absolute value; 0 where all are 0."""
    return int(np.frexp(np.abs(vectors).max())[1])


def near_one(vectors: Vectors, exponent: int) -> Vectors:
    """The vectors over this power of two, where it is none of the usual ones."""
    if abs(exponent) <= USUAL:
        return vectors
    moved: Vectors = np.ldexp(vectors, -exponent)
    return moved


def shared_exponent(**parts: Vectors) -> int:
    """The power of two of the largest value in vectors that are held against each other, refused where they cannot be."""
    exponents = {name: exponent_of(vectors) for name, vectors in parts.items()}
    most, least = max(exponents, key=exponents.__getitem__), min(exponents, key=exponents.__getitem__)
    if exponents[most] - exponents[least] > APART:
        sizes = [f"{float(np.abs(parts[name]).max()):.2g}" for name in (most, least)]
        raise InputError(
            f"{least}: numbers up to {sizes[1]}, but up to {sizes[0]} in {most}; what learns from one and judges the other needs "
            "both on one scale"
        )
    return exponents[most]
