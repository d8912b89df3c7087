"""How much may remain for "No leak seen": margins as EER, and as the AUC by which they are judged.

The EER of a margin is that of two normal distributions of equal spread, for which AUC = Phi(sqrt(2) Phi^-1(1 - EER)).
"""

from __future__ import annotations

from math import sqrt

from stripeless.errors import InputError

USUAL, FEW_PEOPLE = 40.0, 35.0  # EER in percent: the default, and that for 12 to 19 people
FINEST, LOOSEST = 45.0, 30.0  # EER in percent that may be asked for
LEAST_PEOPLE, ENOUGH_PEOPLE = 12, 20
STRONG = 0.707  # AUC at EER 35 %: what original speech must reach, and beyond which a leak is strong


def margin_auc(percent: float) -> float:
    """The AUC at this EER.

    >>> [round(margin_auc(percent), 3) for percent in (45, 42.5, 40, 35, 30)]
    [0.571, 0.605, 0.64, 0.707, 0.771]
    """
    from scipy.special import ndtr, ndtri

    return float(ndtr(-sqrt(2) * ndtri(percent / 100)))


def margin_eer(auc: float) -> float:
    """The EER in percent at this AUC: the other way round."""
    from scipy.special import ndtr, ndtri

    return float(100 * ndtr(-ndtri(min(max(auc, 1e-9), 1 - 1e-9)) / sqrt(2)))


def check_margin(percent: float | None) -> None:
    """A margin is an EER from 30 to 45 %."""
    if percent is not None and not LOOSEST <= percent <= FINEST:
        raise InputError(
            f"margin: expected an EER from 30 to 45, in percent, got {percent:g}; 40 is usual, and 45 needs about 100 people"
        )


def margin_for(people: int, asked: float | None) -> float:
    """The margin that was asked for, or the usual one for so many people."""
    if asked is not None:
        return asked
    return USUAL if people >= ENOUGH_PEOPLE else FEW_PEOPLE
