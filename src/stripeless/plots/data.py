"""The data behind each figure as CSV, one row per point, so that anyone can draw it again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from stripeless.errors import check_choice
from stripeless.plots.ece import curve
from stripeless.plots.scores import one_assessment
from stripeless.plots.series import series_of

HEADS: dict[str, tuple[str, ...]] = {
    "measures": ("system", "measure", "value", "low", "high", "chance", "unit"),
    "ece": ("system", "log10_odds", "zero_evidence", "calibrated"),
    "det": ("system", "false_alarm", "miss"),
    "scores": ("from", "to", "target_density", "nontarget_density"),
    "calibration": ("from", "to", "log10_lr", "local_linkability"),
}


def figure_csv(name: str, results: Any) -> str:
    """The points of one figure; `HEADS` says the columns. An empty cell is a value that has no bound or no number.

    >>> from stripeless.assessment.assess import assess
    >>> figure_csv("calibration", assess([2.0], [1.0])).splitlines()
    ['from,to,log10_lr,local_linkability', '1.0,1.0,,0.0', '2.0,2.0,,1.0']
    """
    check_choice("figure", name, HEADS)
    return rows_csv(HEADS[name], _rows(name, results))


def rows_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV; text that a spreadsheet would run as a formula becomes plain text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([f"'{c}" if isinstance(c, str) and c[:1] in ("=", "+", "-", "@", "\t") else c for c in row])
    return out.getvalue()


def _rows(name: str, results: Any) -> Iterator[Sequence[Any]]:
    if name in ("scores", "calibration"):
        yield from _one(name, results)
        return
    for one in series_of(results):
        if name == "measures":
            for key, m in one.assessment.measures.items():
                yield one.label, key, m.value, m.low, m.high, m.info.chance, m.unit
            continue
        points = curve(one.assessment, "ece" if name == "ece" else "roc")
        for values in zip(*(points[column] for column in HEADS[name][1:]), strict=True):
            yield (one.label, *values)


def _one(name: str, results: Any) -> Iterator[Sequence[Any]]:
    one = one_assessment(results)
    if name == "scores":
        bars = curve(one, "histogram")
        for (low, high), x, y in zip(pairwise(bars["edges"]), bars["target"], bars["nontarget"], strict=True):
            yield low, high, x, y
        return
    parts = curve(one, "segments")
    yield from zip(*(parts[column] for column in ("low", "high", "log10_lr", "local_linkability")), strict=True)
