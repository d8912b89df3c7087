"""What machines find against what people hear (Fig. 27 to 30): the same systems, the same conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from stripeless.listening.ratings import ORIGINAL
from stripeless.listening.verification import NAMES
from stripeless.measures.uncertainty.rank_tests import spearman
from stripeless.papers.published import select
from stripeless.results.listening import ListenedVerification, ListeningStudy, Objective, ObjectivePoint
from stripeless.results.systems import Cell

_SAME = {"Orig": ORIGINAL, "f": "female", "m": "male"}


def published_objective() -> list[Cell]:
    """The objective half of Table 18."""
    return [
        Cell(r.system, r.dataset, r.split, r.sex, r.attacker, r.measure, r.value, source="Table 18")
        for r in select(table="18", evaluation="objective")
    ]


def objective_against_subjective(study: ListeningStudy, objective: Iterable[Cell]) -> dict[str, Objective]:
    """For each measure the points that both sides have, and their rank correlation with and without original speech.

    Points match by system and, where the study knows them, data set and sex;
    where it does not, the mean over the objective conditions stands against the pooled ratings.
    """
    cells = list(objective)
    rows = study.verification
    labeled = [row for row in rows if row.dataset or row.sex] or rows
    result: dict[str, Objective] = {}
    for measure in NAMES:
        points = []
        for row in labeled:
            values = [c.value for c in cells if c.measure == measure and _matches(c, row)]
            heard = row.measures[measure].value
            if values and isinstance(heard, float) and isfinite(heard):
                points.append(ObjectivePoint(row.system, sum(values) / len(values), heard, row.dataset, row.sex))
        hidden = [point for point in points if point.system != ORIGINAL]
        result[measure] = Objective(tuple(points), _rho(points), _rho(hidden))
    return result


def _matches(cell: Cell, row: ListenedVerification) -> bool:
    if _SAME.get(cell.system, cell.system) != row.system:
        return False
    sex, dataset = row.sex, row.dataset
    return (not sex or _SAME.get(sex, sex) == cell.sex) and (not dataset or _plain(dataset) == _plain(cell.dataset))


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _rho(points: Sequence[ObjectivePoint]) -> float | None:
    if len(points) < 3:
        return None
    rho = spearman([p.objective for p in points], [p.subjective for p in points])[0]
    return rho if rho == rho else None
