"""A comparison of many systems for people: ranking with groups, tables in the paper's layout, correlations, Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stripeless.measures.catalog import SIMILARITY_MEASURES
from stripeless.measures.shown import shown, shown_interval
from stripeless.plots.series import tidy
from stripeless.plots.systems import profile_name, systems_figures
from stripeless.report.cells import TableCell
from stripeless.report.figures import pictured
from stripeless.report.grids import Grid, as_csv, as_latex, as_markdown, cell_text, grids_of, label_of
from stripeless.report.simple import Sheet, TextTable, rows_csv, sheet_html, sheet_markdown
from stripeless.results.comparison import Stated
from stripeless.results.systems import Cell, Systems, SystemsRanking


def sheet(result: Systems) -> Sheet:
    """Lay out a comparison of systems."""
    sections: list[tuple[str, str, tuple[TextTable, ...]]] = []
    if result.verdicts:
        sections.append(("Verdicts", _VERDICTS, (_verdicts_table(result.verdicts),)))
    if result.rankings:
        sections.append(("Ranking", _RANKING, tuple(_ranking_table(r) for r in result.rankings)))
    grids = grids_of(result)
    if grids:
        note = "Data sets and sexes down, systems across; * marks the best value of a row, original speech aside."
        sections.append(("Tables", note, tuple(_grid_table(grid) for grid in grids)))
    if result.correlations:
        sections.append(("Do measures agree?", _CORRELATION, (_correlation_table(result),)))
    return Sheet(
        kicker="Comparison of systems",
        title=tidy(result.name, 120),
        headline=_headline(result),
        sentences=tuple(_sentences(result)),
        sections=tuple(sections),
        findings=result.warnings,
        method=(
            *((f"Ranking, {r.attacker or 'attacker not named'}", r.ranking.method) for r in result.rankings),
            *(("Published values", source) for source in result.sources),
        ),
    )


_RANKING = (
    "From the most to the least private. Systems that share a letter do not differ significantly (p < 0.05, corrected). Without "
    'letters the differences were not tested, because the systems share too little. A system with "No verdict" is not ranked.'
)
_VERDICTS = "What each result says by itself: the order of numbers below is no verdict."
_CORRELATION = (
    "Spearman's rank correlation over systems and conditions: 1 or -1 means that both measures order everything alike, 0 that "
    "they have nothing to do with each other."
)


def _headline(result: Systems) -> str:
    if not result.rankings:
        return f"{len({c.system for c in result.cells})} systems; no condition is shared by all of them, so none is ranked."
    last = result.rankings[-1]
    measure, first = last.ranking.measure, last.ranking.places[0]
    who = f"against the {last.attacker} attacker" if last.attacker else "against the attacker behind these scores"
    value = f"{label_of(measure)} {shown(measure, first.value)}"
    return f"{tidy(first.system)} gives away least {who} ({value}){_ahead(last)}."


def _ahead(one: SystemsRanking) -> str:
    """How sure it is that the first system is ahead of the others."""
    first, *rest = one.ranking.places
    if first.letters:
        same = [place.system for place in rest if set(place.letters) & set(first.letters)]
        return (
            f"; {', '.join(map(tidy, same))} cannot be told apart from it" if same else ", clearly ahead of the others"
        )
    mine, theirs = (first.low, first.high), [(place.low, place.high) for place in rest]
    known = None not in mine and all(None not in ends for ends in theirs)
    said = "; whether that is more than luck was not tested"
    if not known:
        return said
    apart = all(first.high < low or high < first.low for low, high in theirs)  # type: ignore[operator]
    return f"{said}, but its interval {'lies apart from all others' if apart else 'overlaps with others'}"


def _sentences(result: Systems) -> list[str]:
    said = []
    for one in result.rankings:
        places = one.ranking.places
        said.append(
            f"{one.attacker.capitalize() or 'This attacker'}: {len(places)} systems, "
            f"most given away by {tidy(places[-1].system)} ({shown(one.ranking.measure, places[-1].value)})."
        )
    if result.pareto:
        front = [tidy(p.system) for p in result.pareto.points if p.front]
        said.append(
            f"Nobody beats these in both {label_of(result.pareto.privacy).lower()} and "
            f"{label_of(result.pareto.utility).lower()}: {', '.join(front)}."
        )
    return said


def _verdicts_table(verdicts: Sequence[Stated]) -> TextTable:
    rows = []
    for one in verdicts:
        about = ", ".join(filter(None, (one.of, *one.attackers)))
        margin = "" if one.margin is None else f"EER {one.margin:g} %"
        rows.append((tidy(one.system), tidy(about), one.label, margin, str(one.people or "")))
    return TextTable("Verdict of each result", ("System", "Of", "Verdict", "Margin", "People"), tuple(rows))


def _ranking_table(one: SystemsRanking) -> TextTable:
    measure, rows = one.ranking.measure, []
    for k, place in enumerate(one.ranking.places, start=1):
        value = TableCell(shown(measure, place.value), shown_interval(measure, place)).text
        rows.append((f"{k}. {tidy(place.system)}", value, place.letters))
    who = one.attacker or "attacker not named"
    return TextTable(f"{label_of(measure)}, {who}", ("System", "Value", "Groups"), tuple(rows))


def _grid_table(grid: Grid) -> TextTable:
    rows = []
    for row, values, best in zip(grid.rows, grid.values, grid.best, strict=True):
        cells = [cell_text(grid.measure, v) + ("*" if k in best else "") for k, v in enumerate(values)]
        rows.append((f"{tidy(row[0])}, {tidy(row[1])}", *cells))
    return TextTable(grid.title, ("Data, sex", *map(tidy, grid.systems)), tuple(rows))


def _correlation_table(result: Systems) -> TextTable:
    rows = [
        (f"{label_of(c.first)} / {label_of(c.second)}", c.attacker, f"{c.rho:.3f}", str(c.points))
        for c in result.correlations
    ]
    return TextTable("Rank correlation of measures", ("Measures", "Attacker", "Correlation", "Points"), tuple(rows))


def figures(result: Systems) -> dict[str, Any]:
    ranked = list(dict.fromkeys(r.ranking.measure for r in result.rankings)) or ["d_ece"]
    return systems_figures(result, ranked)


def data(result: Systems, name: str) -> str:
    """The points of one figure as CSV."""
    if name == "pareto" and result.pareto:
        points = [(p.system, p.privacy, p.utility, p.front) for p in result.pareto.points]
        return rows_csv(("system", "privacy", "utility", "front"), points)
    if name.startswith("ece-") and result.profiles:
        profiles = result.profiles
        rows = [
            (c.system, *point)
            for c in profiles.curves
            if profile_name(c) == name
            for point in zip(profiles.log10_odds, profiles.zero_evidence, c.calibrated, strict=True)
        ]
        return rows_csv(("system", "log10_odds", "zero_evidence", "calibrated"), rows)
    parts = name.split("-")
    measures = {parts[1]} if parts[0] == "bars" else {parts[1], parts[2]}
    wanted = "-".join(parts[2:]) if parts[0] == "bars" else "-".join(parts[3:])
    return as_csv(c for c in result.cells if c.measure in measures and _shown_in(c, parts[0], wanted))


def _shown_in(cell: Cell, sort: str, wanted: str) -> bool:
    """Whether a cell belongs to a figure that is named after its attacker, data set and split."""
    if sort == "scatter":
        return cell.attacker in (wanted, "original") or cell.measure in SIMILARITY_MEASURES
    names = ["-".join(filter(None, (who, cell.dataset, cell.split))) for who in (cell.attacker, "")]
    return names[0] == wanted or (cell.attacker == "original" and wanted.endswith(names[1]))


CAPTIONS = {
    "bars": "Ordered by the value for men; women hatched.",
    "scatter": "Each point is one system on one data set. A cloud without slope means that the two measures disagree.",
    "ece": "The further a line lies below the black hill, which is seeing no evidence at all, the more is given away.",
    "pareto": "Round points are on the front: nobody else is at least as good in both and better in one.",
}


def _caption(name: str) -> tuple[str, str]:
    return name.replace("-", " ").replace("_", " ").capitalize(), CAPTIONS[name.partition("-")[0]]


def html(result: Systems) -> str:
    return sheet_html(sheet(result), pictured(figures, result, _caption, data))


def markdown(result: Systems) -> str:
    """Summary, ranking and correlations, then the tables with the best values in bold."""
    whole = sheet(result)
    short = Sheet(**{**vars(whole), "sections": tuple(s for s in whole.sections if s[0] != "Tables")})
    return sheet_markdown(short) + "\n" + as_markdown(grids_of(result))


def latex(result: Systems) -> str:
    return as_latex(grids_of(result))


def numbers(result: Systems) -> str:
    """Every cell as CSV."""
    return as_csv(result.cells)
