"""The linear map a flow starts from: exact if the classes are Gaussian, so that the couplings learn only what is
not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stripeless.embeddings.vectors import FloatArray
from stripeless.protections.evidence import EvidenceBase, check_covariance
from stripeless.protections.gaussian import class_gaussians
from stripeless.protections.labels import LabeledVectors
from stripeless.protections.settings import FlowSettings

LEAST_SPREAD = 1.0  # of an evidence coordinate: where the means coincide, leave the couplings something to bend
RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class Start:
    """`(x - shift) @ into` are the coordinates the couplings see, `back` undoes `into`, `base` is where evidence
    starts.

    All coordinates have a variance of about 1 within the classes, the evidence too: `base` says by what to scale it.
    """

    shift: FloatArray
    into: FloatArray
    back: FloatArray
    base: EvidenceBase


def fit_start(data: LabeledVectors, settings: FlowSettings) -> Start:
    """The map that the settings ask for; constant dimensions are scaled by one and pass unchanged.

    After PCA the coordinates are fewer than the dimensions, and `back` leads into the span of the components only.
    """
    if settings.pca is not None and settings.pca < data.vectors.shape[1]:
        return _after_pca(data, settings)
    vectors = data.vectors.astype(np.float64)
    center, scale = vectors.mean(axis=0), vectors.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = LabeledVectors((vectors - center) / scale, data.classes, data.codes, data.speakers)
    if settings.start == "standardize":
        mu = settings.mu_start if settings.mu_start is not None else 10.0
        base = EvidenceBase(2.0 * mu * np.eye(len(data.classes) - 1))
        return Start(center, np.diag(1.0 / scale), np.diag(scale), base)
    shift, into, back, base = gaussian_coordinates(scaled, settings)
    return Start(center + shift * scale, into / scale[:, None], back * scale, base)


def _after_pca(data: LabeledVectors, settings: FlowSettings) -> Start:
    center = data.vectors.mean(axis=0, dtype=np.float64)
    axes = np.linalg.svd(data.vectors - center, full_matrices=False)[2][: settings.pca].T
    inner = fit_start(replace(data, vectors=(data.vectors - center) @ axes), replace(settings, pca=None))
    return Start(center + axes @ inner.shift, axes @ inner.into, inner.back @ axes.T, inner.base)


def gaussian_coordinates(
    data: LabeledVectors, settings: FlowSettings
) -> tuple[FloatArray, FloatArray, FloatArray, EvidenceBase]:
    """Evidence first, then a residual that is white within the classes, the directions of largest variance leading.

    Whitened, the evidence of Gaussian classes is `u @ a`; an orthonormal basis of all that is orthogonal to a completes
    it.
    """
    gaussians = class_gaussians(data, settings.shrinkage)  # type: ignore[arg-type]
    values, axes = np.linalg.eigh(gaussians.covariance)
    spread = np.sqrt(np.maximum(values, RIDGE * values[-1]))
    whiten, color = axes / spread, (axes * spread).T
    weights, offset = gaussians.evidence_map()
    left, sizes, right = np.linalg.svd(color @ weights, full_matrices=False)
    inside = left * np.maximum(sizes, LEAST_SPREAD) @ right
    base = EvidenceBase(check_covariance(inside.T @ inside))
    unit = np.linalg.solve(base.factor, inside.T).T
    turn = np.concatenate([unit, residual_basis(left, color)], axis=1)  # orthonormal
    # the point without evidence: moved from the center along the evidence directions alone
    shift = offset @ np.linalg.pinv(color @ weights, rcond=1e-6) @ color
    return shift, whiten @ turn, turn.T @ color, base


def residual_basis(evidence: FloatArray, color: FloatArray) -> FloatArray:
    """Orthonormal columns orthogonal to `evidence`, sorted by the variance they stand for in the vectors."""
    orthogonal = np.linalg.svd(evidence, full_matrices=True)[0][:, evidence.shape[1] :]
    order = np.linalg.svd(orthogonal.T @ color, full_matrices=False)[0]
    basis: FloatArray = orthogonal @ order
    return basis
