"""People of two sexes for the systems of pseudo-speakers, and settings that take no time."""

from __future__ import annotations

from typing import Any

import numpy as np

from stripeless.embeddings.embeddings import Embeddings
from stripeless.protections.pseudo.pool import Pool

SMALL: dict[str, dict[str, Any]] = {
    "b1": {"farthest": 10, "draw": 5},
    "a1": {"clusters": 4},
    "a2": {"clusters": 4},
    "k2": {},
    "o1": {"dimensions": 5, "components": 2},
    "o1c1": {"dimensions": 5, "components": 2},
    "s1c1": {"epochs": 2, "code": 8},
    "s2c1": {"epochs": 1},
    "s1": {"epochs": 2, "code": 8, "farthest": 10, "draw": 5},
    "s2": {"epochs": 1, "farthest": 10, "draw": 5},
    "apart": {"dimensions": 5, "components": 2, "candidates": 200},
}


def population(
    people: int = 60, utterances: int = 4, dimensions: int = 16, seed: int = 0, prefix: str = "p"
) -> Embeddings:
    """People of two sexes, some utterances each."""
    rng = np.random.default_rng(seed)
    sex = ["f" if person % 2 else "m" for person in range(people)]
    center = np.array([np.r_[3.0, rng.normal(size=dimensions - 1)] + (s == "f") * np.eye(dimensions)[1] for s in sex])
    rows = [(person, take_) for person in range(people) for take_ in range(utterances)]
    vectors = np.array([center[person] + 0.3 * rng.normal(size=dimensions) for person, _ in rows])
    names = tuple(f"{prefix}{person:03d}" for person, _ in rows)
    return Embeddings(
        vectors, tuple(f"{n}-{k}" for n, (_, k) in zip(names, rows, strict=True)), names, tuple(sex[p] for p, _ in rows)
    )


POOL = Pool.of(population())
SOURCES = population(10, seed=1, prefix="s")
