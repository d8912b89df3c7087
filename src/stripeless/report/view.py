"""From the dict of a result to what a page shows: rows, cards, tables. Every format renders these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stripeless.measures.catalog import MEASURES, headlines
from stripeless.measures.measure import MeasureInfo
from stripeless.measures.more_private import best_places
from stripeless.measures.shown import NO_VALUE, shown, shown_interval
from stripeless.plots.series import Result, Series, as_dict, series_of, tidy
from stripeless.report.cells import Card, PageTable, TableCell, TableRow, cell_of
from stripeless.report.compared import compare_verdict
from stripeless.report.tables import groups_of, inputs_of, method_of, tables_of
from stripeless.results.evaluation import ATTACKERS
from stripeless.results.judged import strongest_place, verdict
from stripeless.verdicts.judged import number
from stripeless.verdicts.leak import broken
from stripeless.verdicts.verdict import Verdict
from stripeless.verdicts.words import CATEGORIES


@dataclass(frozen=True)
class ReportView:
    """A whole report, ready to be laid out."""

    kind: str
    title: str
    description: str
    verdict: Verdict
    subject: str
    series: tuple[Series, ...]
    cards: tuple[Card, ...]
    rows: tuple[TableRow, ...]
    attackers: PageTable | None
    findings: tuple[Mapping[str, str], ...]
    tables: Mapping[str, PageTable]
    groups: tuple[PageTable, ...]
    method: tuple[tuple[str, str], ...]
    inputs: PageTable | None
    notes: tuple[str, ...]

    @property
    def serious(self) -> tuple[Mapping[str, str], ...]:
        return tuple(finding for finding in self.findings if finding["severity"] == "serious")

    @property
    def category(self) -> str:
        """ZEBRA's category of the leading result."""
        place = [one.label for one in self.series].index(self.subject)
        return next((row.cells[place].value for row in self.rows if row.name == "category"), NO_VALUE)

    @property
    def ceiling(self) -> str:
        """The name under which unprotected speech appears, if it does."""
        return next((one.label for one in self.series if one.ceiling), "")


def plain_results(results: Any) -> Any:
    """The dict of a result, or a list of them, made once. A list of one is that one."""
    if isinstance(results, Sequence) and len(results) == 1:
        results = results[0]
    return [as_dict(one) for one in results] if isinstance(results, Sequence) else as_dict(results)


def view_of(results: Any) -> ReportView:
    """Lay out a result, a comparison or a list of results. A list of one is that one."""
    results = plain_results(results)
    series = tuple(series_of(results))
    top: Result = {"kind": "comparison", "results": results} if isinstance(results, Sequence) else as_dict(results)
    together = top["kind"] == "comparison"
    main = _main_series(top, series)
    ceiling = next((one.result for one in series if one.ceiling), None)
    names = _measure_names(series)
    parts = (top, *(one.result for one in series))
    judged = compare_verdict(results) if together else verdict(top)
    return ReportView(
        kind=top["kind"],
        title=_title(top, series),
        description=tidy(top.get("description") or "", 600),
        verdict=judged,
        subject=main.label,
        series=series,
        cards=() if together else tuple(_cards(main.result, ceiling, pictured=judged.level != "invalid")),
        rows=tuple(_measure_row(name, series, mark=together) for name in names),
        attackers=_attackers_table(top, series),
        findings=tuple(_findings_of_all(top, series)),
        tables=tables_of(top, series),
        groups=tuple(groups_of(main.result)),
        method=tuple(method_of(top, series)),
        inputs=inputs_of(series),
        notes=tuple(dict.fromkeys(tidy(note, 2000) for part in parts for note in part.get("notes", ()))),
    )


def _main_series(top: Result, series: Sequence[Series]) -> Series:
    """The one whose numbers lead: the strongest attacker of an evaluation, else the first."""
    if top["kind"] != "evaluation":
        return series[0]
    chosen = top["attackers"][strongest_place(top)]
    return next(one for one in series if one.result is chosen)


def _title(top: Result, series: Sequence[Series]) -> str:
    if top.get("name"):
        return tidy(top["name"], 120)
    if top["kind"] == "comparison":
        return f"{len(series)} results side by side"
    return "Privacy assessment"


def _measure_names(series: Sequence[Series]) -> list[str]:
    """Measures in the catalog's order, then those it does not know."""
    present = dict.fromkeys(name for one in series for name in one.result["measures"])
    return [name for name in MEASURES if name in present] + [name for name in present if name not in MEASURES]


def _measure_row(name: str, series: Sequence[Series], mark: bool = False) -> TableRow:
    measures = [one.result["measures"].get(name) or {} for one in series]
    first = next((measure for measure in measures if measure), {})
    info = MEASURES.get(name)
    # Broken and unprotected results are out of the running.
    running = [mark and not one.ceiling and not broken(one.assessment.warnings) for one in series]
    numbers = [number(one.assessment, name) if run else None for one, run in zip(series, running, strict=True)]
    best = best_places(name, numbers)
    cells = tuple(cell_of(name, measure, best=k in best) for k, measure in enumerate(measures))
    return TableRow(
        name=name,
        label=str(first.get("label") or name),
        unit=str(first.get("unit") or ""),
        meaning=info.meaning if info else "",
        chance=shown(name, first.get("chance")),
        exposed=shown(name, first.get("exposed")),
        cells=cells,
    )


def _cards(result: Result, ceiling: Result | None, pictured: bool) -> list[Card]:
    """Key numbers. Where they must not be read as privacy, no picture places them between private and exposed."""
    cards = []
    for name in headlines():
        measure = result["measures"].get(name)
        if not measure or measure.get("value") is None:
            continue
        above = (ceiling or {}).get("measures", {}).get(name) or {}
        info = MEASURES[name]
        value = shown(name, measure["value"])
        cards.append(
            Card(
                label=info.label,
                value=value,
                unit=info.unit,
                interval=shown_interval(name, measure),
                chance=_value_by_chance(info),
                ceiling="" if above.get("value") is None else shown(name, above["value"]),
                meaning=CATEGORIES.get(value, "") if info.in_words else info.meaning,
                gauge=_gauge(measure, above.get("value")) if pictured else {},
            )
        )
    return cards


def _value_by_chance(info: MeasureInfo) -> str:
    """What an attacker who learns nothing would show."""
    if info.in_words is None:
        return shown(info.name, info.chance)
    return info.in_words(MEASURES[info.reads].chance or 0.0)


def _gauge(measure: Mapping[str, Any], ceiling: Any) -> dict[str, float]:
    """Places between chance (0) and exposed (1) for a small picture."""

    def place(value: Any) -> float | None:
        if isinstance(value, str):
            return list(CATEGORIES).index(value) / (len(CATEGORIES) - 1) if value in CATEGORIES else None
        chance, exposed = measure.get("chance"), measure.get("exposed")
        end = measure.get("reach") if exposed is None else exposed
        if value is None or chance is None or end is None or end == chance:
            return None
        return round(min(1.0, max(0.0, float(value - chance) / float(end - chance))), 4)

    places = {"value": place(measure["value"]), "ceiling": place(ceiling)}
    ends = [place(measure.get("low")), place(measure.get("high"))]
    if None not in ends:
        places["low"], places["high"] = sorted(end for end in ends if end is not None)
    return {key: where for key, where in places.items() if where is not None}


def _attackers_table(top: Result, series: Sequence[Series]) -> PageTable | None:
    """The table that an evaluation or a comparison opens with."""
    if len(series) < 2 and top["kind"] != "evaluation":
        return None
    names = [name for name in headlines() if any(name in one.result["measures"] for one in series)]
    rows = tuple(
        (
            TableCell(one.label, note=_who(one)),
            *(replace(cell_of(name, one.result["measures"].get(name) or {}), note="") for name in names),
        )
        for one in series
    )
    what = "Attacker" if top["kind"] == "evaluation" else "System"
    heads = tuple(MEASURES[name].short or MEASURES[name].label for name in names)
    return PageTable(f"{what}s with 95 % intervals", (what, *heads), rows)


def _who(one: Series) -> str:
    """What an attacker does, and how the recordings were compared where that is known."""
    what = ATTACKERS.get(one.result.get("attacker", ""), "no protection" if one.ceiling else "")
    how = one.result.get("backend") or ""
    return f"{what}; compared by {how}" if what and how else what or how


def _findings_of_all(top: Result, series: Sequence[Series]) -> list[dict[str, str]]:
    """Everything the doctor said, the serious first. What several share is said once, in the words of the first."""
    said: dict[tuple[str, str, str], dict[str, str]] = {}
    others: dict[tuple[str, str, str], list[str]] = {}
    whole = [("", finding) for finding in top.get("warnings", ())] if top["kind"] != "assessment" else []
    for who, finding in whole + [(one.label, f) for one in series for f in one.result.get("warnings", ())]:
        key = (finding["severity"], finding["code"], "" if who else finding["message"])
        if key in said:
            others[key] += [who] if who else []
            continue
        said[key] = {
            **{k: tidy(finding[k], 2000) for k in ("severity", "code", "message")},
            "who": who if len(series) > 1 else "",
        }
        others[key] = []
    for key, more in others.items():
        if more:
            said[key]["message"] += f" The same holds, with other numbers, for {', '.join(more)}."
    order = {"serious": 0, "caution": 1, "remark": 2}
    return sorted(said.values(), key=lambda finding: order.get(finding["severity"], 3))
