"""Many systems on the same trials: who is more private, and who cannot be told apart.

Every pair is compared with the same drawn speakers, so that what all systems find hard cancels out; p-values are corrected
for the number of pairs (Holm). Systems that share a letter do not differ significantly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from stripeless.errors import InputError, TrialMismatch
from stripeless.measures.catalog import MEASURES, info_of, numbers_of_scores
from stripeless.measures.more_private import NO_PRIVACY, how_private
from stripeless.measures.one_pass import score_pass
from stripeless.measures.uncertainty.bootstrap import Resampler, people_in, shared_order
from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.interval import interval, small_sample_factor
from stripeless.measures.uncertainty.paired import check_same_trials
from stripeless.measures.uncertainty.rank_tests import signed_rank
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import TrialScores

LEVEL = 0.05
LEAST_CONDITIONS = 6  # shared by all systems, below which a t-test over them says nothing
LEAST_PEOPLE = 6  # below which signed ranks cannot show anything at 5 %
NO_TEST = "no test"  # of the differences: there are no letters


@dataclass(frozen=True)
class Place:
    """One system in a ranking.

    Attributes:
        system: the name of the system.
        value: its value of the measure.
        low, high: ends of its 95 % interval; None where there is none.
        letters: groups that it belongs to; systems that share a letter do not differ significantly. Empty where
            differences were not tested.
    """

    system: str
    value: float
    low: float | None
    high: float | None
    letters: str


@dataclass(frozen=True)
class Ranking:
    """Systems from the most to the least private, and which of them differ.

    Attributes:
        measure: name of the measure that ranks, as in the catalog.
        unit: unit of the values; empty for shares.
        places: one `Place` per system, the most private first: `system`, `value`, `low`, `high`, `letters`. Systems that
            share a letter do not differ significantly.
        p: p-value of every pair by both names, corrected for the number of pairs (Holm); empty where none was tested.
        method: how pairs were compared, in words.
    """

    measure: str
    unit: str
    places: tuple[Place, ...]
    p: Mapping[tuple[str, str], float]
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; the pairs as a list."""
        return {
            "measure": self.measure,
            "unit": self.unit,
            "places": [dict(vars(place)) for place in self.places],
            "pairs": [{"first": a, "second": b, "p_holm": p} for (a, b), p in self.p.items()],
            "method": self.method,
            "level": LEVEL,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Ranking:
        """The ranking that `data`, plain values, stands for."""
        try:
            places = tuple(Place(**place) for place in data["places"])
            p = {(str(pair["first"]), str(pair["second"])): float(pair["p_holm"]) for pair in data["pairs"]}
            return cls(str(data["measure"]), str(data["unit"]), places, p, str(data["method"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"rankings: expected measure, unit, places, pairs and method; got no {error}") from error


def rank_systems(
    systems: Mapping[str, TrialScores], *, measure: str = "d_ece", resamples: int = 1000, seed: int = 0
) -> Ranking:
    """Rank systems that were scored on the same trials, by a paired bootstrap over speakers.

    Raises TrialMismatch where the trials differ: then only `rank_over_conditions` can compare them.

    Parameters:
        systems: scores by the name of the system, two or more, all on the same trials.
        measure: name of the measure to rank by, as in the catalog.
        resamples: how often people are drawn, 100 or more.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A `Ranking`: places from the most to the least private, systems that cannot be told apart sharing one, and `p`
        for every pair, Holm-corrected.
    """
    _check_measure(measure)
    if len(systems) < 2:
        raise InputError(f"systems: a ranking needs at least two, got {len(systems)}")
    if measure not in numbers_of_scores():
        raise InputError(f"measure: {measure!r} is not one of {', '.join(numbers_of_scores())}")
    if resamples < 100:
        raise InputError(f"resamples: expected at least 100, got {resamples}")
    names = list(systems)
    for name in names[1:]:
        try:
            check_same_trials(systems[names[0]], systems[name])
        except TrialMismatch as error:
            raise TrialMismatch(f"{names[0]} and {name}: {error}") from error
    people = people_in(systems[names[0]])
    order = shared_order(list(systems.values()))
    resamplers = [Resampler(s.target, s.nontarget, people, order) for s in systems.values()]
    lead = resamplers[0]
    units = min(lead.target.size, lead.nontarget.size) if people is None else people.count
    number = MEASURES[measure].of
    values = {name: number(score_pass(s.target, s.nontarget)) for name, s in systems.items()}
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, len(names)))
    for k in range(resamples):
        draw = lead.draw(rng)
        drawn[k] = [number(resampler.resample(draw)) for resampler in resamplers]
    pairs = list(combinations(range(len(names)), 2))
    raw = [_paired_p(values[names[i]] - values[names[j]], drawn[:, i] - drawn[:, j], units) for i, j in pairs]
    p = {(names[i], names[j]): float(q) for (i, j), q in zip(pairs, holm(raw), strict=True)}
    ends = {name: interval(measure, values[name], drawn[:, k], units) for k, name in enumerate(names)}
    method = f"paired bootstrap over {lead.unit}, {resamples} resamples, Holm"
    return _ranking(measure, values, ends, p, method)


def rank_over_conditions(values: Mapping[str, Mapping[Any, float]], measure: str) -> Ranking:
    """Rank systems by their mean over conditions (data sets, sexes) that all of them share, as printed tables allow.

    From six shared conditions on, pairs by a paired t-test over them, Holm-corrected. Conditions share speakers (VCTK common and
    different, for one), so these p-values are a guide; with the scores at hand, `rank_systems` tests over speakers. Fewer
    conditions give an order without letters: nothing says which differences are more than luck.
    """
    _check_measure(measure)
    if len(values) < 2:
        raise InputError(f"systems: a ranking needs at least two, got {len(values)}")
    shared = set.intersection(*(set(cells) for cells in values.values()))
    if not shared:
        raise InputError("systems: no condition (data set, sex, attacker) is shared by all of them")
    keys = sorted(shared, key=str)
    arrays = {name: np.array([cells[key] for key in keys]) for name, cells in values.items()}
    means = {name: float(array.mean()) for name, array in arrays.items()}
    ends = dict.fromkeys(means)
    if len(keys) < LEAST_CONDITIONS:
        conditions = "1 shared condition" if len(keys) == 1 else f"mean over {len(keys)} shared conditions"
        return _ranking(measure, means, ends, {}, f"{conditions}; {NO_TEST}: it takes {LEAST_CONDITIONS}", tested=False)
    pairs = list(combinations(arrays, 2))
    raw = [_t_test(arrays[a] - arrays[b]) for a, b in pairs]
    p = {pair: float(q) for pair, q in zip(pairs, holm(raw), strict=True)}
    method = f"mean over {len(keys)} shared conditions; paired t-tests over them, Holm"
    return _ranking(measure, means, ends, p, method)


def rank_over_people(
    people: Mapping[str, Mapping[str, float]],
    measure: str,
    values: Mapping[str, float],
    ends: Mapping[str, tuple[float, float] | None] | None = None,
) -> Ranking:
    """Rank systems that judged the same people by values of their own, and test each pair over these people.

    Pairs by Wilcoxon's signed ranks over the people whom all systems share, Holm-corrected.

    Parameters:
        people: for each system the value of the measure for each person.
        measure: name of the measure to rank by, as in the catalog.
        values: for each system the value that orders it: over all people, as its own report gives it.
        ends: its 95 % interval, where there is one.
    """
    _check_measure(measure)
    shared = sorted(set.intersection(*(set(one) for one in people.values())))
    if len(people) < 2 or len(shared) < LEAST_PEOPLE:
        raise InputError(f"people: two systems must share {LEAST_PEOPLE} of them, got {len(people)} and {len(shared)}")
    arrays = {name: np.array([one[person] for person in shared]) for name, one in people.items()}
    pairs = list(combinations(arrays, 2))
    raw = [signed_rank(arrays[a] - arrays[b]) for a, b in pairs]
    p = {pair: float(q) for pair, q in zip(pairs, holm(raw), strict=True)}
    method = f"values of {len(shared)} speakers in all systems; signed ranks over them, Holm"
    return _ranking(measure, values, ends or dict.fromkeys(values), p, method)


def _check_measure(measure: str) -> None:
    if measure in NO_PRIVACY:
        raise InputError(f"measure: {measure} says nothing about who is more private; rank by d_ece, cllr_min or eer")


def _t_test(differences: FloatArray) -> float:
    """Two-sided p-value of paired differences having mean 0; 1 where there are too few to say."""
    from scipy.special import stdtr

    n = differences.size
    if n < 2 or not differences.any():
        return 1.0
    spread = float(differences.std(ddof=1))
    if spread == 0:
        return 0.0
    return float(2 * stdtr(n - 1, -abs(float(differences.mean())) / spread * np.sqrt(n)))


def _paired_p(difference: float, drawn: FloatArray, units: int) -> float:
    """Two-sided p-value of a difference from its resampled values, as in `compare_scores`.

    Where no resample reaches across, counting can only say p < 2/(resamples + 1), which no correction for many pairs
    survives; then Student's t with the bootstrap's standard error says how far away zero lies.
    """
    from scipy.special import stdtr

    if not difference:
        return 1.0
    deviation = small_sample_factor(units) * (drawn - difference)
    beyond = min(float(np.mean(deviation >= difference)), float(np.mean(deviation <= difference)))
    counted = min(1.0, 2 * (beyond * drawn.size + 1) / (drawn.size + 1))
    spread = float(drawn.std(ddof=1))
    if beyond > 0 or units < 2:
        return counted
    return min(counted, float(2 * stdtr(units - 1, -abs(difference) / spread))) if spread > 0 else counted


def _ranking(
    measure: str,
    values: Mapping[str, float],
    ends: Mapping[str, tuple[float, float] | None],
    p: Mapping[tuple[str, str], float],
    method: str,
    tested: bool = True,
) -> Ranking:
    info = info_of(measure)
    order = sorted(values, key=lambda name: (-(how_private(measure, values[name]) or 0.0), name))
    different = {frozenset(pair) for pair, q in p.items() if q < LEVEL}
    letters = group_letters(order, different) if tested else dict.fromkeys(order, "")
    places = []
    for name in order:
        low, top = ends[name] or (None, None)
        places.append(Place(name, values[name], low, top, letters[name]))
    return Ranking(measure, info.unit if info else "", tuple(places), p, method)


def group_letters(order: Sequence[str], different: set[frozenset[str]]) -> dict[str, str]:
    """Letters such that two systems share one exactly if they do not differ significantly (insert and absorb).

    >>> group_letters(["a", "b", "c"], {frozenset({"a", "c"})})
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    columns: list[set[str]] = [set(order)]
    for pair in sorted(different, key=lambda pair: sorted(order.index(name) for name in pair)):
        one, two = sorted(pair, key=order.index)
        split: list[set[str]] = []
        for column in columns:
            split += [column - {one}, column - {two}] if pair <= column else [column]
        columns = [c for k, c in enumerate(split) if not any(c < d or (c == d and k > j) for j, d in enumerate(split))]
    columns.sort(key=lambda column: sorted(order.index(name) for name in column))
    return {name: "".join(_letter(k) for k, column in enumerate(columns) if name in column) for name in order}


def _letter(k: int) -> str:
    """a to z, then a2, b2 ..."""
    return chr(ord("a") + k % 26) + (str(k // 26 + 1) if k >= 26 else "")
