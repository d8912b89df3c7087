"""The functions that fit a protection, by the names that `stripeless protect --method` takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError
from stripeless.protections.lda import LdaProtection, fit_lda_protection
from stripeless.protections.load import Protection
from stripeless.protections.moments import fit_moment_protection
from stripeless.protections.settings import AdversarialSettings, FlowSettings, OnProgress
from stripeless.protections.train_adversarial import fit_adversarial_protection
from stripeless.protections.train_flow import fit_flow_protection

Fit: TypeAlias = Callable[..., Protection]  # of (vectors, labels, speakers=...)
METHODS = ("flow", "lda", "oblique", "moments", "adversarial")


def protection_fitter(
    method: str,
    *,
    pca: int | None = None,
    directions: int = 8,
    epochs: int | None = None,
    paper: bool = False,
    device: str = "cpu",
    progress: OnProgress | None = None,
    seed: int = 0,
) -> Fit:
    """The function that fits a protection of this name, its settings checked; what it has no use for is left aside.

    `pca` is of the flow and of moments, `directions` of moments, `paper` of the flow; `epochs`, `device`, `progress` and
    `seed` are of what is trained.

    >>> protection_fitter("moments", directions=2).keywords
    {'directions': 2}
    """
    longer: dict[str, Any] = {} if epochs is None else {"epochs": epochs}
    trained: dict[str, Any] = {"device": device, "progress": progress, "seed": seed}
    if method in ("lda", "oblique"):
        return partial(fit_linear, projection="orthogonal" if method == "lda" else "oblique")
    if method == "moments":
        few: dict[str, Any] = {} if pca is None else {"pca": pca}
        return partial(fit_moment_protection, directions=directions, **few)
    if method == "adversarial":
        return partial(fit_adversarial_protection, settings=AdversarialSettings(**longer), **trained)
    if method == "flow":
        settings = replace(FlowSettings.paper() if paper else FlowSettings(), pca=pca, **longer)
        return partial(fit_flow_protection, settings=settings, **trained)
    raise InputError(f"method: expected one of {', '.join(METHODS)}, or a function that fits, got {method!r}")


def fit_linear(vectors: ArrayLike, labels: Sequence[object], **options: Any) -> LdaProtection:
    """Linear discriminant analysis; its covariance is shrunk where there are few rows for so many dimensions."""
    rows, width = np.shape(vectors)
    return fit_lda_protection(vectors, labels, shrinkage=0.0 if rows > 2 * width else "auto", **options)
