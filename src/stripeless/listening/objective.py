"""What machines find against what people hear (Fig. 27 to 30): the same systems, the same conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stripeless.listening.ratings import ORIGINAL
from stripeless.listening.verification import NAMES
from stripeless.measures.uncertainty.rank_tests import spearman
from stripeless.papers.published import select
from stripeless.results.systems import Cell

_SAME = {"Orig": ORIGINAL, "f": "female", "m": "male"}


def published_objective() -> list[Cell]:
    """The objective half of Table 18."""
    return [
        Cell(r.system, r.dataset, r.split, r.sex, r.attacker, r.measure, r.value, source="Table 18")
        for r in select(table="18", evaluation="objective")
    ]


def objective_against_subjective(study: Mapping[str, Any], objective: Iterable[Cell]) -> dict[str, Any]:
    """For each measure the points that both sides have, and their rank correlation with and without original speech.

    `study` is the dict of a listening study. Points match by system and, where the study knows them, data set and sex;
    where it does not, the mean over the objective conditions stands against the pooled ratings.
    """
    cells = list(objective)
    rows = list(study["verification"])
    labeled = [row for row in rows if "dataset" in row or "sex" in row] or rows
    result: dict[str, Any] = {}
    for measure in NAMES:
        points = []
        for row in labeled:
            values = [c.value for c in cells if c.measure == measure and _matches(c, row)]
            subjective = row["measures"][measure]["value"]
            if values and subjective is not None:
                where = {key: row[key] for key in ("dataset", "sex") if key in row}
                points.append(
                    {"system": row["system"], **where, "objective": sum(values) / len(values), "subjective": subjective}
                )
        result[measure] = {
            "points": points,
            "rho": _rho(points),
            "rho_anonymized": _rho([p for p in points if p["system"] != ORIGINAL]),
        }
    return result


def _matches(cell: Cell, row: Mapping[str, Any]) -> bool:
    if _SAME.get(cell.system, cell.system) != row["system"]:
        return False
    sex, dataset = row.get("sex"), row.get("dataset")
    return (sex is None or _SAME.get(sex, sex) == cell.sex) and (
        dataset is None or _plain(dataset) == _plain(cell.dataset)
    )


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _rho(points: list[dict[str, Any]]) -> float | None:
    if len(points) < 3:
        return None
    rho = spearman([p["objective"] for p in points], [p["subjective"] for p in points])[0]
    return rho if rho == rho else None
