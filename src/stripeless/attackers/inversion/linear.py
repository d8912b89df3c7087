"""Attacks beyond rotations: affine, ridge regression and canonical correlations, each choosing its own strength.

All three know the pairs. What regularization is needed depends on how many pairs there are; it is found by leaving out
groups of rows in turn, whole speakers where they are known, and kept in `chosen`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.procrustes import check_pairs, nearest_rotation
from stripeless.embeddings.vectors import FloatArray, speaker_codes
from stripeless.errors import InputError

FOLDS = 5
STRENGTHS = 10.0 ** np.arange(-4.0, 3.0)  # of ridge, against the mean variance of the inputs
RANKS = (2, 5, 10, 20, 40, 80)


@dataclass(frozen=True, eq=False)
class TunedMap(LinearMap):
    """A linear map that says which regularization it chose: (vectors - center) @ matrix + shift.

    Attributes:
        matrix: dimensions in x dimensions out.
        center: what is taken from each vector first; None for nothing.
        shift: what is added to each vector last; None for nothing.
        chosen: what the fit chose for itself, by name, such as the strength `ridge`.
    """

    chosen: dict[str, float] = field(default_factory=dict)


def fit_affine(anonymized: ArrayLike, original: ArrayLike) -> TunedMap:
    """Whiten the anonymized vectors, rotate, give them the covariance of the originals.

    Both covariances are shrunk towards a multiple of the identity by the rule of Ledoit and Wolf (2004).

    Parameters:
        anonymized: vectors after anonymization, rows x dimensions.
        original: the vectors before, row i of the same utterance as row i of `anonymized`.
    Returns:
        A `LinearMap` whose `apply` undoes the anonymization as far as this map can, and whose `chosen` says what was
        found: both shrinkages, 0 to 1.

    >>> shifted = fit_affine([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]], [[1.0, 1], [2, 1], [1, 2], [2, 2]])
    >>> shifted.apply([[1.0, 2.0]]).round(6).tolist()
    [[1.5, 1.5]]
    """
    source, target = check_pairs(anonymized, original)
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    (whiten_a, _, share_a), (whiten_b, color_b, share_b) = _covariance_roots(a), _covariance_roots(b)
    rotation = nearest_rotation((a @ whiten_a).T @ (b @ whiten_b))
    chosen = {"shrinkage_anonymized": share_a, "shrinkage_original": share_b}
    return TunedMap(whiten_a @ rotation @ color_b, source.mean(axis=0), target.mean(axis=0), chosen)


def fit_ridge(anonymized: ArrayLike, original: ArrayLike, speakers: Sequence[str] | None = None) -> TunedMap:
    """The linear map with the least squared error on rows that were left out.

    Knows the pairs, and tries strengths of regularization in cross-validation.

    Parameters:
        anonymized: vectors after anonymization, rows x dimensions.
        original: the vectors before, row i of the same utterance as row i of `anonymized`.
        speakers: who speaks in each row, so that a speaker is left out whole; None leaves out single rows.
    Returns:
        A `LinearMap`, whose `chosen` says what was found: the strength `ridge`.
    """
    source, target = check_pairs(anonymized, original)
    groups = _groups(len(source), speakers)
    errors = np.zeros(len(STRENGTHS))
    for fold in range(int(groups.max()) + 1):
        inside = groups != fold
        maps = _ridge_maps(source[inside], target[inside])
        errors += [float(((one.apply(source[~inside]) - target[~inside]) ** 2).sum()) for one in maps]
    best = int(errors.argmin())
    found = _ridge_maps(source, target)[best]
    return TunedMap(found.matrix, found.center, found.shift, {"ridge": float(STRENGTHS[best])})


def fit_cca(anonymized: ArrayLike, original: ArrayLike, speakers: Sequence[str] | None = None) -> TunedMap:
    """Through the canonical directions, the pairs of directions that vary most alike on both sides.

    As many directions as predict left-out rows best; covariances are shrunk as in `fit_affine`.

    Parameters:
        anonymized: vectors after anonymization, rows x dimensions.
        original: the vectors before, row i of the same utterance as row i of `anonymized`.
        speakers: who speaks in each row, so that a speaker is left out whole; None leaves out single rows.
    Returns:
        A `LinearMap`, whose `chosen` says what was found: the number of `directions`.
    """
    source, target = check_pairs(anonymized, original)
    groups = _groups(len(source), speakers)
    ranks = [rank for rank in RANKS if rank <= source.shape[1]] or [source.shape[1]]
    errors = np.zeros(len(ranks))
    for fold in range(int(groups.max()) + 1):
        inside = groups != fold
        maps = _cca_maps(source[inside], target[inside], ranks)
        errors += [float(((one.apply(source[~inside]) - target[~inside]) ** 2).sum()) for one in maps]
    best = int(errors.argmin())
    found = _cca_maps(source, target, ranks)[best]
    return TunedMap(found.matrix, found.center, found.shift, {"directions": float(ranks[best])})


def _groups(rows: int, speakers: Sequence[str] | None) -> NDArray[np.int64]:
    """The fold of each row; a speaker's rows stay together."""
    if speakers is None:
        codes = np.arange(rows)
    elif len(speakers) != rows:
        raise InputError(f"speakers: {len(speakers)} labels for {rows} rows; there must be one per row")
    else:
        codes = speaker_codes(speakers)[1]
    folds = min(FOLDS, int(codes.max()) + 1)
    if folds < 2:
        raise InputError("too few pairs to choose a regularization by leaving some out: give several speakers or rows")
    return codes % folds


def _ridge_maps(source: FloatArray, target: FloatArray) -> list[LinearMap]:
    """One map per strength from a single decomposition."""
    center, shift = source.mean(axis=0), target.mean(axis=0)
    left, values, right = np.linalg.svd(source - center, full_matrices=False)
    projected = left.T @ (target - shift)
    scale = float((values**2).sum()) / source.shape[1]
    return [
        LinearMap(right.T @ ((values / (values**2 + strength * scale + 1e-300))[:, None] * projected), center, shift)
        for strength in STRENGTHS
    ]


def _cca_maps(source: FloatArray, target: FloatArray, ranks: Sequence[int]) -> list[LinearMap]:
    center, shift = source.mean(axis=0), target.mean(axis=0)
    a, b = source - center, target - shift
    (whiten_a, _, _), (whiten_b, color_b, _) = _covariance_roots(a), _covariance_roots(b)
    left, strength, right = np.linalg.svd((a @ whiten_a).T @ (b @ whiten_b) / len(a))
    return [
        LinearMap(
            whiten_a @ (left[:, :rank] * np.minimum(strength[:rank], 1.0)) @ right[:rank] @ color_b, center, shift
        )
        for rank in ranks
    ]


def _covariance_roots(centered: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Inverse square root and square root of the shrunken covariance, and the share of shrinkage."""
    n, d = centered.shape
    covariance = centered.T @ centered / n
    mean = float(np.trace(covariance)) / d
    spread = float(((covariance - mean * np.eye(d)) ** 2).sum())
    lengths = (centered**2).sum(axis=1)
    noise = (float((lengths**2).sum()) / n - float((covariance**2).sum())) / n
    share = min(max(noise, 0.0) / spread, 1.0) if spread > 0 else 1.0
    values, vectors = np.linalg.eigh((1 - share) * covariance + share * mean * np.eye(d))
    values = np.maximum(values, 1e-12 * max(float(values[-1]), 1e-300))
    return (vectors / np.sqrt(values)) @ vectors.T, (vectors * np.sqrt(values)) @ vectors.T, float(share)
