"""Limits of what an attacker reaches, over people: the AUC within groups with one-sided 95 % limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.verdicts.cells import Cells, FloatArray
from stripeless.verdicts.exchange import double_centered

LEVEL = 0.95


@dataclass(frozen=True)
class Bounds:
    """The AUC of one attacker.

    Attributes:
        auc: mean over people of the chance that their own score lies above a stranger's.
        low, high: 95 % limits, each one-sided; None where there are too few people.
        people: over how many.
    """

    auc: float
    low: float | None
    high: float | None
    people: int


def bounds_of(cells: Cells) -> Bounds | None:
    """From complete squares; None where nobody is compared with anybody."""
    from scipy.special import stdtrit

    own: list[FloatArray] = []
    exchange = 0.0
    for number in range(len(cells.labels)):
        members = np.flatnonzero(cells.group == number)
        n = members.size
        if n < 2:
            continue
        block = cells.block("rank", members)
        off = block[~np.eye(n, dtype=bool)].reshape(n, n - 1)
        rows = off.mean(axis=1)
        columns = (block.sum(axis=0) - np.diag(block)) / (n - 1)
        own.append(np.diag(block) - rows - columns + off.mean())
        exchange += (n / (n - 1)) ** 2 * float(np.square(double_centered(block)).sum()) / (n - 1)
    if not own:
        return None
    together = np.concatenate(own)
    people, groups = int(together.size), len(own)
    auc = 0.5 + float(together.mean())
    freedom = people - groups
    if freedom < 1:
        return Bounds(auc, None, None, people)
    within = sum(float(np.square(one - one.mean()).sum()) for one in own) / freedom
    error = max(np.sqrt(within / freedom), np.sqrt(exchange) / people)
    reach = float(stdtrit(freedom, LEVEL) * error)
    return Bounds(auc, max(0.0, auc - reach), min(1.0, auc + reach), people)
