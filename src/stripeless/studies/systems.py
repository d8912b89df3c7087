"""Many systems x data sets x attackers x sexes: one cell per number, found from what results say about themselves.

The system is a result's name, or its label `system`; the data set, split and sex come from its labels and from the groups
inside it; the attacker from the result. Names of files are never read for meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from stripeless.errors import InputError
from stripeless.measures.catalog import SIMILARITY_MEASURES, info_of
from stripeless.measures.measure import Measure
from stripeless.measures.more_private import UTILITY, how_private
from stripeless.measures.uncertainty.rank_tests import spearman
from stripeless.papers.published import SOURCE, read_published
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result
from stripeless.results.comparison import Comparison, Stated
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import ResultLike, as_results
from stripeless.results.systems import (
    ORIGINAL,
    Cell,
    Correlation,
    Pareto,
    ParetoPoint,
    Profile,
    Profiles,
    Systems,
    SystemsRanking,
)
from stripeless.studies.comparison import stated
from stripeless.studies.ranked import Ends, people_of, rank_stored
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.verdict import LABELS

ALL = "all"
_SEXES = {**dict.fromkeys(("f", "female", "w", "women"), "female"), **dict.fromkeys(("m", "male", "men"), "male")}


def collect_cells(results: Iterable[ResultLike]) -> list[Cell]:
    """Every number inside assessments, evaluations and comparisons, and the cells of earlier comparisons of systems."""
    every = as_results(results)
    cells = [cell for labels, part in _assessments(every) for cell in _assessment_cells(part, labels)]
    return cells + [cell for result in every if isinstance(result, Systems) for cell in result.cells]


def _assessment_cells(result: Assessment, labels: Mapping[str, str]) -> list[Cell]:
    base = {
        "system": _system(result, labels),
        "dataset": labels.get("dataset", ALL),
        "split": labels.get("split", ""),
        "attacker": result.attacker,
        "source": result.name,
        "sex": _sex(labels.get("sex", ALL)),
    }
    cells = _measure_cells(result.measures, base)
    for column, groups in result.groups.items():
        if column in ("sex", "dataset"):
            for value, group in groups.items():
                where = {"sex": _sex(value)} if column == "sex" else {"dataset": value}
                cells += _measure_cells(group.measures, {**base, **where})
    return cells


def _system(result: Assessment, labels: Mapping[str, str]) -> str:
    return ORIGINAL if result.attacker == "original" else labels.get("system") or result.name or "?"


def _measure_cells(measures: Mapping[str, Measure], where: Mapping[str, str]) -> list[Cell]:
    cells = []
    for name, measure in measures.items():
        if isinstance(measure.value, (int, float)) and isfinite(measure.value):
            low, high = (end if isinstance(end, (int, float)) else None for end in (measure.low, measure.high))
            cells.append(Cell(**where, measure=name, value=float(measure.value), low=low, high=high))
    return cells


def _sex(value: str) -> str:
    return _SEXES.get(value.lower(), value)


def published_cells(split: str | None = None) -> list[Cell]:
    """The systems of VoicePrivacy 2020 as printed in Tables 2 to 15; original speech once per attacker, as printed."""
    return [
        Cell(p.system, p.dataset, p.split, p.sex, p.attacker, p.measure, p.value, source=f"Table {p.table}")
        for p in read_published()
        if p.table != "18" and (split is None or p.split == split)
    ]


def compare_systems(
    results: Sequence[ResultLike],
    *,
    among: str | None = None,
    split: str | None = None,
    privacy: str = "d_ece",
    utility: str = "gain_of_voice_distinctiveness",
) -> Systems:
    """Cells of all results, among those of VoicePrivacy 2020 if asked; rankings, correlations and the Pareto front.

    Parameters:
        results: results of any number of systems, with labels that say which system, data set and sex each is of.
        among: "voiceprivacy2020" puts the printed tables of that challenge beside them; None compares only these.
        split: "dev" or "test", to take only that part of the printed tables.
        privacy: measure on the privacy axis of the Pareto front.
        utility: measure on its utility axis.
    Returns:
        `Systems`: a cell per number, rankings, correlations and the front.
    """
    every = as_results(results)
    own = collect_cells(every)
    if among not in (None, "voiceprivacy2020"):
        raise InputError(f"among: expected 'voiceprivacy2020', got {among!r}")
    others = published_cells(split) if among else []
    if not own and not others:
        raise InputError("results: no measures found in them")
    clash = {cell.system for cell in own} & {cell.system for cell in others} - {ORIGINAL}
    own = [_renamed(cell, clash) for cell in own]
    if among:  # the tables print Kaldi's EER and the binned linkability; ours go by those names beside them
        own = [cell for cell in own if cell.system != ORIGINAL or cell.condition not in {c.condition for c in others}]
    cells = unique(own + others)
    verdicts = tuple(replace(one, system=_called(one.system, clash)) for one in _stated(every))
    played = [(_called(_system(part, labels), clash), part) for labels, part in _assessments(every)]
    broken = {one.system for one in verdicts if one.label == LABELS["invalid"]}
    return Systems(
        tuple(cells),
        tuple(_rankings([cell for cell in cells if cell.system not in broken], privacy, people_of(played, privacy))),
        tuple(_correlations(cells)),
        pareto_front([cell for cell in cells if cell.system not in broken], privacy, utility),
        tuple(_findings(own, others)),
        (SOURCE,) if among else (),
        ece_profiles(every),
        verdicts,
    )


def _stated(results: Iterable[Result]) -> list[Stated]:
    """What every protected result says for itself."""
    found: list[Stated] = []
    for result in results:
        if isinstance(result, (Comparison, Systems)):
            found += [replace(one, places=()) for one in result.verdicts]
        elif isinstance(result, Evaluation) or (isinstance(result, Assessment) and result.attacker != "original"):
            found.append(stated(result))
    return found


def ece_profiles(results: Iterable[Result]) -> Profiles | None:
    """The ECE profiles inside results, by condition and attacker (Fig. 3 to 6); None where no result carries curves."""
    shared: Mapping[str, Any] | None = None
    curves = []
    for labels, part in _assessments(results):
        ece = part.curves.get("ece")
        if ece is None:
            continue
        shared = shared or ece
        if ece["log10_odds"] == shared["log10_odds"]:
            cell = _assessment_cells(part, labels)[0]
            where = {key: getattr(cell, key) for key in ("system", "dataset", "split", "sex", "attacker")}
            curves.append(Profile(**where, calibrated=tuple(ece["calibrated"])))
    if shared is None:
        return None
    return Profiles(tuple(shared["log10_odds"]), tuple(shared["zero_evidence"]), tuple(curves))


def _assessments(results: Iterable[Result]) -> Iterable[tuple[dict[str, str], Assessment]]:
    """Every assessment inside these results, with the labels that hold for it."""
    for result in results:
        if isinstance(result, Assessment):
            yield dict(result.labels), result
        elif isinstance(result, Evaluation):
            parts = list(result.attackers)
            parts += [] if result.original is None else [replace(result.original, attacker="original")]
            yield from (({"system": result.name or "?", **inner}, part) for inner, part in _assessments(parts))
        elif isinstance(result, Comparison):
            yield from _assessments(result.results)


def _renamed(cell: Cell, clash: set[str]) -> Cell:
    """A user's B1 beside the published B1 must not become one system."""
    return replace(cell, system=_called(cell.system, clash))


def _called(system: str, clash: set[str]) -> str:
    return f"{system} (yours)" if system in clash else system


def unique(cells: Iterable[Cell]) -> list[Cell]:
    """Cells without exact repetition; two different values for one place are an error."""
    seen: dict[tuple[str, ...], Cell] = {}
    for cell in cells:
        key = (cell.system, *cell.condition, cell.attacker, cell.measure)
        if key in seen and seen[key].value != cell.value:
            where = ", ".join(part for part in (*cell.condition, cell.attacker) if part and part != ALL)
            raise InputError(
                f"system {cell.system!r} has two values of {cell.measure}{f' ({where})' if where else ''}: "
                f"{seen[key].value:g} and {cell.value:g}; give the results different names or labels "
                "(assess --label dataset=..., --label system=...)"
            )
        seen.setdefault(key, cell)
    return list(seen.values())


def values_of(cells: Iterable[Cell], measure: str, attacker: str | None = None) -> dict[str, dict[Any, float]]:
    """value[system][condition] of one measure; without `attacker` the condition includes it."""
    table: dict[str, dict[Any, float]] = {}
    for cell in cells:
        if cell.measure == measure and (attacker is None or cell.attacker == attacker):
            key = cell.condition if attacker is not None else (*cell.condition, cell.attacker)
            table.setdefault(cell.system, {})[key] = cell.value
    return table


def attackers_of(cells: Iterable[Cell], measure: str) -> list[str]:
    return list(
        dict.fromkeys(cell.attacker for cell in cells if cell.measure == measure and cell.attacker != "original")
    )


def _rankings(
    cells: Sequence[Cell], measure: str, people: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> list[SystemsRanking]:
    """One ranking for each attacker against whom systems share anything."""
    rankings = []
    for attacker in attackers_of(cells, measure):
        values = {name: v for name, v in values_of(cells, measure, attacker).items() if name != ORIGINAL}
        ends: dict[str, dict[tuple[str, str, str], Ends]] = {name: {} for name in values}
        for cell in cells:
            if (cell.measure, cell.attacker) == (measure, attacker) and cell.system in ends:
                ends[cell.system][cell.condition] = (cell.low, cell.high)
        ranking = rank_stored(values, ends, people.get(attacker, {}), measure)
        if ranking is not None:
            rankings.append(SystemsRanking(attacker, ranking))
    return rankings


def _correlations(cells: Sequence[Cell]) -> list[Correlation]:
    """Every two measures, for each attacker, over all systems and conditions (Fig. 17 to 23)."""
    found = []
    measures = list(dict.fromkeys(cell.measure for cell in cells))
    free = [name for name in SIMILARITY_MEASURES if name in measures]
    for attacker in dict.fromkeys(cell.attacker for cell in cells):
        table = {
            name: {
                (c.system, *c.condition): c.value
                for c in cells
                if c.measure == name and (c.attacker == attacker or name in free)
            }
            for name in measures
        }
        for i, first in enumerate(measures):
            for second in measures[i + 1 :]:
                keys = [key for key in table[first] if key in table[second]]
                if len(keys) < 5 or (first in free and second in free and attacker != "ignorant"):
                    continue
                rho = spearman([table[first][k] for k in keys], [table[second][k] for k in keys])[0]
                if rho == rho:
                    found.append(Correlation(first, second, attacker, rho, len(keys)))
    return found


def pareto_front(cells: Sequence[Cell], privacy: str, utility: str) -> Pareto | None:
    """Mean privacy and mean utility per system; on the front nobody else is as good in both and better in one.

    Privacy is against the strongest attacker that every system with a utility has faced: a system must not look private
    because nobody tried harder. None where fewer than two systems have both.
    """
    useful = {name: _mean(values) for name, values in values_of(cells, utility).items() if name != ORIGINAL}
    met = {attacker: values_of(cells, privacy, attacker) for attacker in attackers_of(cells, privacy)}
    useful = {name: value for name, value in useful.items() if any(name in table for table in met.values())}
    common = {attacker: table for attacker, table in met.items() if set(useful) <= set(table)}
    if len(useful) < 2 or not common:
        return None
    means = {name: [_mean(table[name]) for table in common.values()] for name in useful}
    private = {
        name: min(values, key=lambda value: how_private(privacy, value) or 0.0) for name, values in means.items()
    }
    u_sign = 1 if UTILITY.get(utility, "high") == "high" else -1
    points = {name: (how_private(privacy, private[name]) or 0.0, u_sign * useful[name]) for name in useful}
    front = [x for x in points if not any(_beats(points[y], points[x]) for y in points)]
    placed = tuple(ParetoPoint(name, private[name], useful[name], name in front) for name in useful)
    return Pareto(privacy, utility, tuple(common), placed)


def _beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a[0] >= b[0] and a[1] >= b[1] and a != b


def _mean(values: Mapping[Any, float]) -> float:
    return sum(values.values()) / len(values)


def _findings(own: Sequence[Cell], others: Sequence[Cell]) -> list[Finding]:
    findings = []
    if others and own:
        if not {cell.condition for cell in own} & {cell.condition for cell in others}:
            findings.append(Finding("no-shared-condition", "serious", _UNSHARED))
        findings.append(Finding("printed-values", "remark", _PRINTED))
    unknown = sorted({cell.measure for cell in own if not info_of(cell.measure) and cell.measure not in UTILITY})
    if unknown:
        said = f"Measures not known here are shown as they are: {', '.join(unknown)}."
        findings.append(Finding("unknown-measures", "remark", said))
    return findings


_UNSHARED = (
    "Your results name no data set, split and sex that the published tables have, so they stand beside them "
    "but cannot be compared cell by cell: give assess --label dataset=librispeech --label split=test --by sex."
)
_PRINTED = (
    "Published values are as printed: rounded, without intervals, EER by Kaldi's rule and linkability by the binned "
    "estimator. Compare them with eer_kaldi and linkability_binned of your results."
)
