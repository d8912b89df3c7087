"""Wasserstein-Procrustes without any pairs: match by geometry, rotate, match again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.matching import RowMatching, match_unpaired
from stripeless.attackers.inversion.procrustes import nearest_rotation
from stripeless.attackers.inversion.refinement import refine
from stripeless.embeddings.embeddings import check_vectors
from stripeless.embeddings.vectors import FloatArray, check_same_dimension
from stripeless.errors import InputError


@dataclass(frozen=True, eq=False)
class UnpairedMap(LinearMap):
    """A rotation found without pairs, and how far to trust it. Nothing in it knows the truth: a low cost is no proof.

    Attributes:
        matrix: the rotation, dimensions x dimensions.
        center: what is taken from each vector first; None for nothing.
        shift: what is added to each vector last; None for nothing.
        agreement: how much the runs agree on the matches, 0 to 1.
        refined: whether some pairing fits far better than random rotations can be made to.
        converged: whether exact assignment settled from there.
        cost: mean squared distance left between matched rows, in units of the vectors.
        notes: how the rotation was found, in sentences.
    """

    agreement: float = 0.0
    refined: bool = False
    converged: bool = False
    cost: float = float("nan")
    notes: tuple[str, ...] = ()


def fit_wasserstein_procrustes(
    anonymized: ArrayLike, original: ArrayLike, *, seed: int = 0, rounds: int = 1, match: RowMatching | None = None
) -> UnpairedMap:
    """The rotation of anonymized onto original for an attacker who knows no pairs.

    Rows are shuffled before anything else, so their order cannot help. No parameter needs to be set.

    Parameters:
        anonymized: vectors after anonymization, three rows or more.
        original: vectors before, of the same dimension; people should be the same, the number of rows may differ.
        seed: start of the random draws; the same seed gives the same result.
        rounds: how many times eight runs are made; more rounds cost time and steady the vote.
        match: a matching found before (in another space, say), to be used instead of looking for one.
    Returns:
        A `LinearMap` with `agreement` of the runs (0 to 1), `cost`, and `converged`: whether to trust it.

    >>> rng = np.random.default_rng(0)
    >>> original = rng.normal(size=(60, 4))
    >>> turned = original[::-1] @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    >>> found = fit_wasserstein_procrustes(turned, original)
    >>> bool(np.allclose(found.apply(turned)[::-1], original)), found.converged
    (True, True)
    """
    source = check_vectors(anonymized, "anonymized").astype(np.float64)
    target = check_vectors(original, "original").astype(np.float64)
    check_same_dimension(source, target, ("anonymized", "original"))
    for rows, name in ((source, "anonymized"), (target, "original")):
        if len(rows) < 3:
            raise InputError(f"{name}: {len(rows)} rows have no geometry to match; give at least three")
    match = match or match_unpaired(source, target, seed=seed, rounds=rounds)
    if match.votes.shape != (len(source), len(target)):
        raise InputError(f"match: is between {match.votes.shape} rows, not {(len(source), len(target))}")
    return _rotation_of(match, source, target)


def _rotation_of(match: RowMatching, source: FloatArray, target: FloatArray) -> UnpairedMap:
    rotation = nearest_rotation(source.T @ match.votes @ target)
    chosen = f"{match.runs} runs agree on {100 * match.agreement:.0f} % of the matches"
    if match.sure:
        refined = refine(source, target, rotation)
        ended = "settled" if refined.settled else "did not settle"
        note = f"{chosen}; pairs fit far better than chance, and exact assignment {ended} after {refined.steps} steps"
        return UnpairedMap(
            refined.rotation,
            agreement=match.agreement,
            refined=True,
            converged=refined.settled,
            cost=refined.cost,
            notes=(note,),
        )
    rows = match.rows
    left = source[rows] @ rotation - target[match.votes[rows].argmax(axis=1)]
    note = (
        f"{chosen}, and no pairing fits better than chance would: the rotation follows all votes; it did not converge"
    )
    return UnpairedMap(rotation, agreement=match.agreement, cost=float((left**2).sum(axis=1).mean()), notes=(note,))
