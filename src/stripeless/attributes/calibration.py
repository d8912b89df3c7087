"""Are the log-likelihood ratios that a protection reads off vectors what they claim to be?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from stripeless.errors import InputError
from stripeless.measures.cllr import cllr, cllr_min
from stripeless.protections.labels import label_names
from stripeless.scores.check import FloatArray


class GivesEvidence(Protocol):
    """A protection that knows its evidence: `FlowProtection`, `LdaProtection`, or any object with these two."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes that were fitted."""

    def evidence(self, vectors: ArrayLike) -> FloatArray:
        """For `vectors`, rows x dimensions: K - 1 numbers a row; with two classes the LLR (nats) for `classes[0]`."""


@dataclass(frozen=True)
class LlrCalibration:
    """Whether LLRs are what they claim to be.

    A calibrated Gaussian LLR with mean m for one class has mean -m for the other and variance 2 m for both (Eq. 2 and 3).

    Attributes:
        cllr: cost of believing the LLRs, in bits.
        cllr_min: what the best recalibration leaves of it, in bits.
        means: mean LLR of the rows of each class, in nats.
        variances: variance of the LLR in each class.
    """

    cllr: float
    cllr_min: float
    means: tuple[float, float]
    variances: tuple[float, float]

    @property
    def loss(self) -> float:
        """Bits lost because the LLRs are too bold, too shy, or have their zero in the wrong place. 0 is calibrated."""
        return self.cllr - self.cllr_min

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, `loss` among them."""
        return {
            "cllr": self.cllr,
            "cllr_min": self.cllr_min,
            "loss": self.loss,
            "means": list(self.means),
            "variances": list(self.variances),
        }


def llr_calibration(protection: GivesEvidence, vectors: ArrayLike, labels: Sequence[object]) -> LlrCalibration:
    """Check the LLRs of a two-class protection on vectors that it was not fitted on.

    Parameters:
        protection: a fitted protection of two classes with `evidence`.
        vectors: vectors of people on whom it was not fitted, rows x dimensions.
        labels: the class of each row, one of those that were fitted.
    Returns:
        An `LlrCalibration`: `cllr`, `cllr_min` and their difference `loss` in bits, means and variances of the ratios
        of either class.
    """
    if len(protection.classes) != 2:
        raise InputError(f"protection: calibration is checked for two classes, this one has {len(protection.classes)}")
    llr = protection.evidence(vectors)[:, 0]
    names = label_names(labels, len(llr), "labels")
    unknown = sorted(set(names.tolist()) - set(protection.classes))
    if unknown:
        raise InputError(f"labels: {unknown[0]!r} is not among {', '.join(protection.classes)}, which were fitted")
    first, second = (llr[names == name] for name in protection.classes)
    return LlrCalibration(
        cllr=cllr(first, second),
        cllr_min=cllr_min(first, second),
        means=(float(np.mean(first)), float(np.mean(second))),
        variances=(float(np.var(first)), float(np.var(second))),
    )
