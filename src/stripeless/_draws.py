"""Random draws that depend on names alone: the same in every process, whatever the order of the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def keyed_draws(*parts: str) -> np.random.Generator:
    """A generator seeded with the SHA-256 of these words, such as system, secret seed, speaker and role.

    >>> int(keyed_draws("b1", "0", "anna", "trial").integers(1000))
    834
    """
    return np.random.default_rng(list(hashlib.sha256("\x00".join(parts).encode()).digest()))


def dealt(members: Sequence[T], rng: np.random.Generator, first: int = 0) -> Iterator[tuple[T, int]]:
    """The members in an order that is drawn, numbered on from `first`: whoever is dealt into folds takes the remainder.

    >>> sorted(number for _, number in dealt("abc", np.random.default_rng(0), 5))
    [5, 6, 7]
    """
    for number, place in enumerate(rng.permutation(len(members)).tolist(), first):
        yield members[place], number
