"""Two systems on the same trials: is one really better, or was it luck with these speakers?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.errors import InputError, TrialMismatch
from stripeless.measures.catalog import MEASURES, numbers_of_scores
from stripeless.measures.more_private import how_private
from stripeless.measures.one_pass import score_pass
from stripeless.measures.uncertainty.bootstrap import Resampler, Unit, people_in, shared_order
from stripeless.measures.uncertainty.interval import LEVEL, small_sample_factor
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Factor, TrialScores


@dataclass(frozen=True)
class Difference:
    """Two systems in one measure: `first` minus `second`, and whether that is more than luck with these speakers.

    Attributes:
        measure: name of the measure, as in the catalog.
        first, second: its value for each system.
        difference: the first value less the second, in the unit of the measure.
        low, high: ends of the 95 % interval of the difference.
        p_value: two-sided p-value for no difference.
        more_private: 1 or 2, the more private system, where the interval leaves 0 out; 0 where it does not.
        unit: what was drawn: "speakers", or "trials" where nobody is named.
        resamples: how often they were drawn.
    """

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    more_private: int
    unit: Unit
    resamples: int = 0

    def to_dict(self) -> dict[str, float | str | int]:
        """Plain JSON values by the names of the fields."""
        return dict(vars(self))


def compare_scores(
    first: TrialScores,
    second: TrialScores,
    *,
    measures: tuple[str, ...] = ("eer", "cllr_min", "d_ece", "linkability"),
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Difference]:
    """Paired bootstrap: the same people are drawn for both systems, so what both find hard cancels out.

    Both must have scored the same trials in the same order (read them with the same trial list).

    Parameters:
        first, second: scores of the two systems on the same trials in the same order.
        measures: names of the measures to compare, as in the catalog.
        resamples: how often people are drawn, 100 or more; p-values are no finer than 1 over this.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        For each measure a `Difference`: first minus second with its 95 % interval, p-value, and `more_private` (1, 2,
        or 0 for neither).
    """
    check_same_trials(first, second)
    unknown = [name for name in measures if name not in numbers_of_scores()]
    if unknown:
        raise InputError(f"measures: {unknown[0]!r} is not one of {', '.join(numbers_of_scores())}")
    if resamples < 100:
        raise InputError(f"resamples: expected at least 100, got {resamples}")
    people = people_in(first)
    units = min(first.target.size, first.nontarget.size) if people is None else people.count
    order = shared_order((first, second))
    pair = [Resampler(scores.target, scores.nontarget, people, order) for scores in (first, second)]
    values = [
        {name: MEASURES[name].of(score_pass(s.target, s.nontarget)) for name in measures} for s in (first, second)
    ]
    rng = np.random.default_rng(seed)
    draws = {name: np.empty(resamples) for name in measures}
    for k in range(resamples):
        draw = pair[0].draw(rng)
        passes = [resampler.resample(draw) for resampler in pair]
        for name in measures:
            draws[name][k] = MEASURES[name].of(passes[0]) - MEASURES[name].of(passes[1])
    return {
        name: _difference(name, values[0][name], values[1][name], draws[name], units, pair[0].unit) for name in measures
    }


def _difference(name: str, first: float, second: float, draws: FloatArray, units: int, unit: Unit) -> Difference:
    difference = first - second
    wider = small_sample_factor(units)
    tail = (1 - LEVEL) / 2
    below, above = (float(q) for q in np.quantile(draws, [tail, 1 - tail], method="nearest"))
    low, high = difference - wider * (above - difference), difference - wider * (below - difference)
    # The p-value that belongs to this interval: how far out the resampled deviations reach across the difference.
    deviation = wider * (draws - difference)
    beyond = min(np.mean(deviation >= difference), np.mean(deviation <= difference)) if difference else 1.0
    p = min(1.0, 2 * (float(beyond) * draws.size + 1) / (draws.size + 1))
    better = 0
    if low > 0 or high < 0:
        mine, theirs = how_private(name, first), how_private(name, second)
        if mine is not None and theirs is not None and mine != theirs:
            better = 1 if mine > theirs else 2
    ends = min(low, difference), max(high, difference)
    return Difference(name, first, second, difference, *ends, p, better, unit, draws.size)


def check_same_trials(first: TrialScores, second: TrialScores) -> None:
    """Refuse a comparison of different trials, or of trials whose speakers differ."""
    sizes = [(scores.target.size, scores.nontarget.size) for scores in (first, second)]
    if sizes[0] != sizes[1] or first.trial_digest != second.trial_digest:
        raise TrialMismatch(
            f"the two systems were not scored on the same trials in the same order ({sizes[0][0]} + {sizes[0][1]} against "
            f"{sizes[1][0]} + {sizes[1][1]} target + nontarget trials); read both with the same trial list"
        )
    for side in ("enrollment_speakers", "trial_speakers"):
        mine, theirs = getattr(first, side), getattr(second, side)
        if (mine is None) != (theirs is None) or (mine is not None and not _same_people(mine, theirs)):
            raise TrialMismatch(
                f"{side} of the two systems differ from row to row, so the rows are not the same trials in the same order; "
                "read both with the same trial list"
            )


def _same_people(mine: Factor, theirs: Factor) -> bool:
    return mine.names == theirs.names and all(
        np.array_equal(getattr(mine, side), getattr(theirs, side)) for side in ("target", "nontarget")
    )
