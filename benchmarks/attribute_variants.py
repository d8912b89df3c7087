"""The ways of protecting that `attribute_tables.py helps` compares: what might help when speakers are few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from stripeless.protections.lda import fit_lda_protection
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
    chosen = FlowSettings(**{"batch": 256, "epochs": 20, **settings})
    return lambda x, y, s: fit_flow_protection(x, y, speakers=s, settings=chosen, seed=seed)


def leading(count: int, inner: Fit, *, keep_rest: bool) -> Fit:
    """Protect the leading principal components only; the rest passes, or is left out."""

    def fit(x: Any, y: Any, s: Any) -> Applied:
        center = x.mean(axis=0)
        axes = np.linalg.svd(x - center, full_matrices=False)[2][:count].T
        protection = inner((x - center) @ axes, y, s)

        def apply(v: Any) -> Any:
            seen = (v - center) @ axes
            rest = v - center - seen @ axes.T if keep_rest else 0.0
            return center + protection.apply(seen) @ axes.T + rest

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


def variants(seed: int, rectified: bool) -> dict[str, Fit | None]:
    """All rows of the table; `rectified` vectors get theirs with the zeros filled."""
    rows: dict[str, Fit | None] = {
        "original": None,
        "LDA (Eq. 8)": lambda x, y, s: fit_lda_protection(x, y, shrinkage="auto"),
        "adversarial": adversarial(seed),
        "LDA, oblique": oblique,
        "oblique in 16 components, rest passes": leading(16, oblique, keep_rest=True),
        "oblique after PCA 32": leading(32, oblique, keep_rest=False),
        "flow": flow(seed),
        "flow on 16 coordinates": flow(seed, components=16),
        "flow on 16, two couplings": flow(seed, components=16, couplings=2),
        "flow on 16, noise 0.6": flow(seed, components=16, noise=0.6),
        "flow on 16, 12 times the steps": flow(seed, components=16, epochs=60, batch=64),
        "flow on 16, early stop": flow(seed, components=16, patience=4),
        "flow in 16 components, rest passes": leading(
            16, flow(seed, components=None, epochs=60, batch=64), keep_rest=True
        ),
        "flow after PCA 16": flow(seed, pca=16),
        "flow after PCA 32": flow(seed, pca=32),
        "two flows on 16 in turn": in_turn(flow(seed, components=16), flow(seed, components=16)),
        "mean of 5 flows on 16, speakers redrawn": averaged(lambda draw: flow(draw, components=16), 5),
    }
    if rectified:
        rows |= {
            "zeros filled, oblique": unrectified(oblique),
            "zeros filled, oblique after PCA 32": unrectified(leading(32, oblique, keep_rest=False)),
            "zeros filled, flow on 16": unrectified(flow(seed, components=16)),
            "zeros filled, flow after PCA 32": unrectified(flow(seed, pca=32)),
            "zeros filled, flow after PCA 64": unrectified(flow(seed, pca=64)),
        }
    return rows
