"""Where not everybody is compared with everybody: own against others by least squares.

The mean rank of a cell is taken as what belongs to the enrolled person, plus what belongs to the person who speaks, plus
what is added where both are one. The last is tested with as many degrees of freedom as cells leave. So are the hits and the
spread, which a mean rank does not show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.verdicts.bounds import LEVEL, Bounds
from stripeless.verdicts.cells import Cells
from stripeless.verdicts.exchange import WEIGHTS

LEAST_OTHERS = 2  # nontarget cells for each person
DENSE = 400  # people up to whom the equations are solved at once


@dataclass(frozen=True)
class Regressed:
    """What is added to the mean rank where both people are one.

    Attributes:
        p: chance of so much or more without a leak.
        bounds: the AUC with limits.
        by: what shows it best, as in the exchange: "rank", "top" or "spread"; all three are paid for.
    """

    p: float
    bounds: Bounds
    by: str = "rank"


def regressed(cells: Cells) -> Regressed | str:
    """The test, or the reason why there is none."""
    from scipy.special import stdtr, stdtrit

    own = cells.enrolled == cells.judged
    people = len(cells.names)
    if people < 2 or not own.any():
        return "nobody is compared with others of the group"
    others = np.minimum(
        np.bincount(cells.enrolled[~own], minlength=people), np.bincount(cells.judged[~own], minlength=people)
    )
    if np.median(others) < LEAST_OTHERS:
        return "most people are compared with fewer than 2 others"
    if cells.count.max() < 2:
        return "each pair of people has one trial only"
    if _two_camps(cells, ~own):
        return (
            "every stranger is of the other of two camps of people, as women are to men, so what shows the person cannot be told "
            "from what shows the camp"
        )
    left = _residual(cells, own.astype(np.float64))
    size = float(left @ left)
    freedom = cells.rank.size - _unknowns(cells) - 1
    if freedom < 3 or size < 1e-9:
        return "too few pairs of people are compared"

    def told(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
        seen = _residual(cells, values)
        effect = float(left @ seen) / size
        return effect, float(np.sqrt(np.square(seen - effect * left).sum() / freedom / size))

    effect, error = told(cells.rank)
    if error == 0:
        return "all scores are alike"
    chances = {"rank": float(stdtr(freedom, -effect / error)) / WEIGHTS["rank"]}
    for name in ("top", "spread"):
        found, unsure = told(getattr(cells, name))
        if unsure > 0:
            z = abs(found / unsure) if name == "spread" else found / unsure
            sides = 2 if name == "spread" else 1
            chances[name] = sides * float(stdtr(freedom, -z)) / WEIGHTS[name]
    by = min(chances, key=lambda name: chances[name])
    reach = float(stdtrit(freedom, LEVEL)) * error
    auc = min(1.0, max(0.0, 0.5 + effect))
    bounds = Bounds(auc, max(0.0, auc - reach), min(1.0, auc + reach), people)
    return Regressed(min(1.0, chances[by]), bounds, by)


def _two_camps(cells: Cells, others: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    """Whether people fall into two camps, and strangers are always of both: then "the same person" is "the same camp"."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # every person stands there twice, once in each camp; a stranger joins one's first place to the other's second
    people = len(cells.names)
    first, second = cells.enrolled[others], cells.judged[others]
    ends = np.concatenate([first, first + people]), np.concatenate([second + people, second])
    links = coo_array((np.ones(ends[0].size), ends), shape=(2 * people, 2 * people))
    part = connected_components(links, directed=False)[1]
    return bool((part[:people] != part[people:]).all())


def _unknowns(cells: Cells) -> int:
    """How many rows and columns there are, less one for each part that hangs together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    people = len(cells.names)
    links = coo_array(
        (np.ones(cells.enrolled.size), (cells.enrolled, cells.judged + people)), shape=(2 * people, 2 * people)
    )
    parts = int(connected_components(links, directed=False, return_labels=False))
    return 2 * people - parts


def _residual(
    cells: Cells, values: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What rows and columns do not explain."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import lsqr

    people, rows = len(cells.names), np.arange(values.size)
    design = coo_array(
        (np.ones(2 * values.size), (np.tile(rows, 2), np.concatenate([cells.enrolled, cells.judged + people]))),
        shape=(values.size, 2 * people),
    ).tocsr()
    centered = values - values.mean()
    if people <= DENSE:
        solved = np.linalg.lstsq((design.T @ design).toarray(), design.T @ centered, rcond=None)[0]
    else:
        solved = lsqr(design, centered, atol=1e-12, btol=1e-12)[0]
    return np.asarray(centered - design @ solved)
