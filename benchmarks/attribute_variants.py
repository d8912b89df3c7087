"""The ways of protecting that `attribute_tables.py` compares: what might help when speakers are few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.moments import fit_moment_protection
from stripeless.protections.settings import AdversarialSettings, FlowSettings
from stripeless.protections.train_adversarial import fit_adversarial_protection
from stripeless.protections.train_flow import fit_flow_protection

Fit = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Applied:
    """A protection given by what it does to vectors."""

    apply: Callable[[Any], Any]


def oblique(x: Any, y: Any, s: Any) -> Any:
    return fit_lda_protection(x, y, shrinkage="auto", projection="oblique")


def flow(seed: int, **settings: Any) -> Fit:
    chosen = FlowSettings(**{"batch": 64, "epochs": 60, **settings})
    return lambda x, y, s: fit_flow_protection(x, y, speakers=s, settings=chosen, seed=seed)


def leading(count: int, inner: Fit) -> Fit:
    """Protect the leading principal components and leave out the rest."""

    def fit(x: Any, y: Any, s: Any) -> Applied:
        center = x.mean(axis=0)
        axes = np.linalg.svd(x - center, full_matrices=False)[2][:count].T
        protection = inner((x - center) @ axes, y, s)

        def apply(v: Any) -> Any:
            return center + protection.apply((v - center) @ axes) @ axes.T

        return Applied(apply)

    return fit


def unrectified(inner: Fit) -> Fit:
    """For vectors that end in a rectifier: draw what its zeros hid (a normal below zero), protect, rectify again."""

    def fit(x: Any, y: Any, s: Any) -> Applied:
        zero = np.clip((x <= 0).mean(axis=0), 0.01, 0.99)
        step = -norm.ppf(zero)  # mean in standard deviations, from the share below zero
        spread = (x.mean(axis=0) + 1e-4) / (step * norm.cdf(step) + norm.pdf(step))

        def fill(v: Any, seed: int) -> Any:
            drawn = np.random.default_rng(seed).uniform(1e-6, 1.0, size=v.shape) * zero
            return np.where(v > 0, v, spread * (step + norm.ppf(drawn)))

        protection = inner(fill(x, 0), y, s)

        def apply(v: Any) -> Any:
            shown = np.maximum(protection.apply(fill(v, 1)), 0.0)
            return shown / np.linalg.norm(shown, axis=1, keepdims=True)

        return Applied(apply)

    return fit


def adversarial(seed: int) -> Fit:
    return lambda x, y, s: fit_adversarial_protection(x, y, settings=AdversarialSettings(code=64, epochs=20), seed=seed)


def moments(pca: int, directions: int) -> Fit:
    return lambda x, y, s: fit_moment_protection(x, y, pca=pca, directions=directions)


def variants(seed: int, rectified: bool) -> dict[str, Fit | None]:
    """All rows of the table; `rectified` vectors get theirs with the zeros filled."""
    rows: dict[str, Fit | None] = {
        "original": None,
        "LDA (Eq. 8)": lambda x, y, s: fit_lda_protection(x, y, shrinkage="auto"),
        "adversarial": adversarial(seed),
        "LDA, oblique": oblique,
        "flow": flow(seed),
        "flow after PCA 32": flow(seed, pca=32),
        "flow after PCA 16": flow(seed, pca=16),
        "oblique after PCA 32": leading(32, oblique),
        "moments 32, 8": moments(32, 8),
        "moments 28, 10": moments(28, 10),
    }
    if rectified:
        rows["zeros filled, moments 32, 8"] = unrectified(moments(32, 8))
    return rows
