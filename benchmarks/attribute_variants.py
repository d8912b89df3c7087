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


def in_turn(*fits: Fit) -> Fit:
    """One protection after the other, each fitted on what the ones before leave."""

    def fit(x: Any, y: Any, s: Any) -> Applied:
        chain = []
        for each in fits:
            chain.append(each(x, y, s))
            x = chain[-1].apply(x)

        def apply(v: Any) -> Any:
            for each in chain:
                v = each.apply(v)
            return v

        return Applied(apply)

    return fit


def averaged(inner: Callable[[int], Fit], times: int) -> Fit:
    """The mean of several protections, each fitted on speakers drawn anew with replacement."""

    def fit(x: Any, y: Any, s: Any) -> Applied:
        maps = []
        for draw in range(times):
            rng = np.random.default_rng(draw)
            people = [p for k in np.unique(y) for p in rng.choice(np.unique(s[y == k]), len(np.unique(s[y == k])))]
            rows = np.concatenate([np.flatnonzero(s == person) for person in people])
            maps.append(inner(draw)(x[rows], y[rows], s[rows]))
        return Applied(lambda v: np.mean([each.apply(v) for each in maps], axis=0))

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
        "moments 24, 8": moments(24, 8),
    }
    if rectified:
        return rows | {
            "zeros filled, oblique": unrectified(oblique),
            "zeros filled, oblique after PCA 32": unrectified(leading(32, oblique)),
            "zeros filled, moments 32, 8": unrectified(moments(32, 8)),
        }
    return rows | {
        "flow, two couplings": flow(seed, couplings=2),
        "flow, noise 0.6": flow(seed, noise=0.6),
        "flow, early stop": flow(seed, patience=4),
        "two flows in turn": in_turn(flow(seed), flow(seed)),
        "mean of 3 flows, speakers redrawn": averaged(flow, 3),
    }
