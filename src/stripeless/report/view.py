"""From a result to what a page shows: rows, cards, tables. Every format renders these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stripeless.measures.catalog import MEASURES, headlines
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.measures.more_private import best_places
from stripeless.measures.shown import NO_VALUE, shown, shown_interval
from stripeless.plots.series import Series, Shown, series_of, shown_results, tidy
from stripeless.report.cells import Card, PageTable, Said, TableCell, TableRow, cell_of
from stripeless.report.compared import attackers_compared, compare_verdict, competitors
from stripeless.report.tables import Top, groups_of, inputs_of, method_of, tables_of
from stripeless.report.voices import FOLD_BY_FOLD
from stripeless.results.assessment import Assessment
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import ATTACKERS, Evaluation
from stripeless.results.judged import verdict
from stripeless.verdicts.finding import Finding
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
    findings: tuple[Said, ...]
    tables: Mapping[str, PageTable]
    groups: tuple[PageTable, ...]
    method: tuple[tuple[str, str], ...]
    inputs: PageTable | None
    notes: tuple[str, ...]

    @property
    def serious(self) -> tuple[Said, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "serious")

    @property
    def category(self) -> str:
        """ZEBRA's category of the leading result."""
        place = [one.label for one in self.series].index(self.subject)
        return next((row.cells[place].value for row in self.rows if row.name == "category"), NO_VALUE)

    @property
    def ceiling(self) -> str:
        """The name under which unprotected speech appears, if it does."""
        return next((one.label for one in self.series if one.ceiling), "")


def one_or_several(results: Any) -> Shown:
    """What is to be shown, as types, made once. A list of one is that one."""
    shown = shown_results(results)
    return shown[0] if isinstance(shown, list) and len(shown) == 1 else shown


def view_of(results: Any) -> ReportView:
    """Lay out a result, a comparison or a list of results. A list of one is that one."""
    results = one_or_several(results)
    series = tuple(series_of(results))
    top: Top | None = None if isinstance(results, list) else results  # several results have no name and no seed
    system = top if isinstance(top, (Assessment, Evaluation)) else None
    main = _main_series(top, series)
    ceiling = next((one.assessment for one in series if one.ceiling), None)
    names = _measure_names(series)
    attackers = system is None and attackers_compared(competitors(results))
    judged = compare_verdict(results) if system is None else verdict(system)
    notes = [*(system.notes if system else ()), *(note for one in series for note in one.assessment.notes)]
    return ReportView(
        kind=Comparison.KIND if top is None else top.KIND,
        title=_title(system, series),
        description=tidy(top.description, 600) if isinstance(top, Evaluation) else "",
        verdict=judged,
        subject=main.label,
        series=series,
        cards=tuple(_cards(main.assessment, ceiling, pictured=judged.level != "invalid")) if system else (),
        rows=tuple(_measure_row(name, series, mark=system is None and not attackers) for name in names),
        attackers=_attackers_table(top, series, attackers),
        findings=tuple(_findings_of_all(top, series)),
        tables=tables_of(top, series, attackers),
        groups=tuple(groups_of(main.assessment) if system else _groups_of_each(results)),
        method=tuple(method_of(top, series)),
        inputs=inputs_of(series),
        notes=tuple(dict.fromkeys(tidy(note, 2000) for note in notes)),
    )


def _main_series(top: Top | None, series: Sequence[Series]) -> Series:
    """The one whose numbers lead: the strongest attacker of an evaluation, else the first that is protected."""
    if not isinstance(top, Evaluation):
        return next((one for one in series if not one.ceiling), series[0])
    chosen = top.strongest()
    return next(one for one in series if one.assessment is chosen)


def _groups_of_each(results: Any) -> list[PageTable]:
    """The groups of every compared system, each by its strongest attacker; unprotected speech protects nobody."""
    return [
        replace(table, caption=f"{one.label}: {table.caption[0].lower()}{table.caption[1:]}")
        for one in competitors(results)
        for table in groups_of(one.assessment)
    ]


def _title(system: Assessment | Evaluation | None, series: Sequence[Series]) -> str:
    if system is None:
        return f"{len(series)} results side by side"
    return tidy(system.name, 120) if system.name else "Privacy assessment"


def _measure_names(series: Sequence[Series]) -> list[str]:
    """Measures in the catalog's order, then those it does not know."""
    present = dict.fromkeys(name for one in series for name in one.assessment.measures)
    return [name for name in MEASURES if name in present] + [name for name in present if name not in MEASURES]


def _measure_row(name: str, series: Sequence[Series], mark: bool = False) -> TableRow:
    measures = [one.assessment.measures.get(name) for one in series]
    first = next(measure.info for measure in measures if measure is not None)
    info = MEASURES.get(name)
    # Broken and unprotected results are out of the running.
    running = [mark and not one.ceiling and not broken(one.assessment.warnings) for one in series]
    numbers = [number(one.assessment, name) if run else None for one, run in zip(series, running, strict=True)]
    best = best_places(name, numbers)
    cells = tuple(cell_of(name, measure, best=k in best) for k, measure in enumerate(measures))
    return TableRow(
        name=name,
        label=first.label or name,
        unit=first.unit,
        meaning=info.meaning if info else "",
        chance=shown(name, first.chance),
        exposed=shown(name, first.exposed),
        cells=cells,
    )


def _cards(result: Assessment, ceiling: Assessment | None, pictured: bool) -> list[Card]:
    """Key numbers. Where they must not be read as privacy, no picture places them between private and exposed."""
    cards = []
    for name in headlines():
        measure = result.measures.get(name)
        if measure is None or measure.value is None:
            continue
        above = None if ceiling is None else ceiling.value_of(name)
        info = MEASURES[name]
        value = shown(name, measure.value)
        cards.append(
            Card(
                label=info.label,
                value=value,
                unit=info.unit,
                interval=shown_interval(name, measure),
                chance=_value_by_chance(info),
                ceiling="" if above is None else shown(name, above),
                meaning=CATEGORIES.get(value, "") if info.in_words else info.meaning,
                gauge=_gauge(measure, above) if pictured else {},
            )
        )
    return cards


def _value_by_chance(info: MeasureInfo) -> str:
    """What an attacker who learns nothing would show."""
    if info.in_words is None:
        return shown(info.name, info.chance)
    return info.in_words(MEASURES[info.reads].chance or 0.0)


def _gauge(measure: Measure, ceiling: float | str | None) -> dict[str, float]:
    """Places between chance (0) and exposed (1) for a small picture."""

    def place(value: Any) -> float | None:
        if isinstance(value, str):
            return list(CATEGORIES).index(value) / (len(CATEGORIES) - 1) if value in CATEGORIES else None
        chance, exposed = measure.info.chance, measure.info.exposed
        end = measure.reach if exposed is None else exposed
        if value is None or chance is None or end is None or end == chance:
            return None
        return round(min(1.0, max(0.0, float(value - chance) / float(end - chance))), 4)

    places = {"value": place(measure.value), "ceiling": place(ceiling)}
    ends = [place(measure.low), place(measure.high)]
    if None not in ends:
        places["low"], places["high"] = sorted(end for end in ends if end is not None)
    return {key: where for key, where in places.items() if where is not None}


def _attackers_table(top: Top | None, series: Sequence[Series], attackers: bool) -> PageTable | None:
    """The table that an evaluation or a comparison opens with."""
    played = isinstance(top, Evaluation)
    if len(series) < 2 and not played:
        return None
    names = [name for name in headlines() if any(name in one.assessment.measures for one in series)]
    rows = tuple(
        (
            TableCell(one.label, note=_who(one)),
            *(replace(cell_of(name, one.assessment.measures.get(name)), note="") for name in names),
        )
        for one in series
    )
    what = "Attacker" if played or attackers else "System"
    heads = tuple(MEASURES[name].short or MEASURES[name].label for name in names)
    return PageTable(f"{what}s with 95 % intervals", (what, *heads), rows, _fold_by_fold(series))


def _fold_by_fold(series: Sequence[Series]) -> str:
    """Why an attacker who learned from the people judged has fewer trials than the others; empty where none has."""
    folded = next((one.assessment for one in series if one.assessment.backend.endswith(FOLD_BY_FOLD)), None)
    most = max((one.assessment for one in series), key=lambda one: one.n_target + one.n_nontarget)
    if folded is None or folded.n_target + folded.n_nontarget == most.n_target + most.n_nontarget:
        return ""
    return (
        "Cross-fitted: this attacker learns from the other people judged, in folds, and compares only people of one fold. That "
        f"leaves {folded.n_target:,} target and {folded.n_nontarget:,} nontarget trials of {most.n_target:,} and "
        f"{most.n_nontarget:,}."
    )


def _who(one: Series) -> str:
    """What an attacker does, and how the recordings were compared where that is known."""
    what = ATTACKERS.get(one.assessment.attacker, "no protection" if one.ceiling else "")
    how = one.assessment.backend
    return f"{what}; compared by {how}" if what and how else what or how


def _findings_of_all(top: Top | None, series: Sequence[Series]) -> list[Said]:
    """Everything the doctor said, the serious first. What several share is said once, in the words of the first."""
    said: dict[tuple[str, ...], Said] = {}
    others: dict[tuple[str, ...], list[str]] = {}
    whole: list[tuple[str, Finding]] = []
    if isinstance(top, (Evaluation, Comparison)):
        whole = [("", finding) for finding in top.warnings]
    for who, finding in whole + [(one.label, f) for one in series for f in one.assessment.warnings]:
        key: tuple[str, ...] = (finding.severity, finding.code, "" if who else finding.message)
        if key in said:
            others[key] += [who] if who else []
            continue
        message = tidy(finding.message, 2000)
        said[key] = Said(tidy(finding.code, 2000), finding.severity, message, who if len(series) > 1 else "")
        others[key] = []
    for key, more in others.items():
        if more:
            also = f" The same holds, with other numbers, for {', '.join(more)}."
            said[key] = replace(said[key], message=said[key].message + also)
    order = {"serious": 0, "caution": 1, "remark": 2}
    return sorted(said.values(), key=lambda finding: order[finding.severity])
