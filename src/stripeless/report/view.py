"""From the dict of a result to what a page shows: rows, cards, tables. Every format renders these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stripeless.metrics.catalog import MEASURES
from stripeless.metrics.other_tools import TOOLS
from stripeless.metrics.shown import NO_VALUE, shown, shown_interval
from stripeless.plots.series import Result, Series, as_dict, series_of, strongest, tidy
from stripeless.protocols.evaluation import ATTACKERS
from stripeless.report.verdict import Verdict, broken, compare_verdict, verdict
from stripeless.report.words import CATEGORIES, TOOL_NAMES

KEY_MEASURES = ("eer", "hit_rate_1pct", "d_ece", "linkability", "log10_lr", "category")
SHORT = {"hit_rate_1pct": "Hits at 1 % false alarms", "log10_lr": "Worst case, log10 LR", "d_ece": "D_ECE (bit)"}
MOST_GROUPS = 60  # rows of a group table; the worst protected come first


@dataclass(frozen=True)
class Cell:
    """One value as text, its interval, and a note such as why it is missing."""

    value: str
    interval: str = ""
    note: str = ""
    best: bool = False

    @property
    def text(self) -> str:
        """Value and interval on one line."""
        return f"{self.value} ({self.interval})" if self.interval else self.value


@dataclass(frozen=True)
class Row:
    """One measure: what it is, its ends, and a cell per series."""

    name: str
    label: str
    unit: str
    meaning: str
    chance: str
    exposed: str
    cells: tuple[Cell, ...]

    @property
    def shared_reason(self) -> str:
        """The one reason why no series has a value, or an empty text."""
        notes = {cell.note for cell in self.cells}
        missing = all(cell.value == NO_VALUE for cell in self.cells)
        return notes.pop() if missing and len(notes) == 1 else ""


@dataclass(frozen=True)
class Card:
    """One key number with its company. `gauge` holds places from private (0) to exposed (1): value, interval, ceiling."""

    label: str
    value: str
    unit: str
    interval: str
    chance: str
    ceiling: str
    meaning: str
    gauge: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Any further table: caption, head, rows of cells; the first cell of a row names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class View:
    """A whole report, ready to be laid out."""

    kind: str
    title: str
    description: str
    verdict: Verdict
    subject: str
    series: tuple[Series, ...]
    cards: tuple[Card, ...]
    rows: tuple[Row, ...]
    attackers: Table | None
    findings: tuple[Mapping[str, str], ...]
    tables: Mapping[str, Table]
    groups: tuple[Table, ...]
    method: tuple[tuple[str, str], ...]
    inputs: Table | None
    notes: tuple[str, ...]

    @property
    def serious(self) -> tuple[Mapping[str, str], ...]:
        return tuple(finding for finding in self.findings if finding["severity"] == "serious")

    @property
    def ceiling(self) -> str:
        """The name under which unprotected speech appears, if it does."""
        return next((one.label for one in self.series if one.ceiling), "")


def view_of(results: Any) -> View:
    """Lay out a result, a comparison or a list of results. A list of one is that one."""
    if not hasattr(results, "to_dict") and not isinstance(results, Mapping) and len(results) == 1:
        results = results[0]
    together = isinstance(results, Sequence) or as_dict(results)["kind"] == "comparison"
    top: Result = (
        {"kind": "comparison", "results": list(results)} if isinstance(results, Sequence) else as_dict(results)
    )
    series = tuple(series_of(results))
    main = _main_series(top, series)
    ceiling = next((one.result for one in series if one.ceiling), None)
    names = _measure_names(series)
    judged = compare_verdict(results) if together else verdict(top)
    return View(
        kind=top["kind"],
        title=_title(top, series),
        description=tidy(top.get("description") or "", 600),
        verdict=judged,
        subject=main.label,
        series=series,
        cards=() if together else tuple(_cards(main.result, ceiling, pictured=judged.level != "invalid")),
        rows=tuple(_row(name, series, mark=together) for name in names),
        attackers=_attackers(top, series),
        findings=tuple(_findings(top, series)),
        tables=_tables(top, series),
        groups=tuple(_groups(main.result)),
        method=tuple(_method(top, series)),
        inputs=_inputs(series),
        notes=tuple(
            dict.fromkeys(note for part in (top, *(s.result for s in series)) for note in part.get("notes", ()))
        ),
    )


def _main_series(top: Result, series: Sequence[Series]) -> Series:
    """The one whose numbers lead: the strongest attacker of an evaluation, else the first."""
    if top["kind"] != "evaluation":
        return series[0]
    chosen = strongest(top)
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


def _row(name: str, series: Sequence[Series], mark: bool = False) -> Row:
    measures = [one.result["measures"].get(name) or {} for one in series]
    first = next((measure for measure in measures if measure), {})
    info = MEASURES.get(name)
    # Cllr above 1 is missing calibration, and broken or unprotected results are out of the running.
    running = [
        mark and name != "cllr" and not one.ceiling and not broken(one.result.get("warnings", ())) for one in series
    ]
    best = _most_private([measure if run else {} for measure, run in zip(measures, running, strict=True)])
    cells = tuple(_cell(name, measure, best=k in best) for k, measure in enumerate(measures))
    return Row(
        name=name,
        label=str(first.get("label") or name),
        unit=str(first.get("unit") or ""),
        meaning=info.meaning if info else "",
        chance=shown(name, first.get("chance")),
        exposed=shown(name, first.get("exposed")),
        cells=cells,
    )


def _most_private(measures: Sequence[Mapping[str, Any]]) -> set[int]:
    """Places of the most private value, where values differ."""
    values = [measure.get("value") for measure in measures]
    numbers = [value for value in values if isinstance(value, (int, float))]
    if len(set(numbers)) < 2:
        return set()
    high = any(measure.get("private_end") == "high" for measure in measures)
    wanted = max(numbers) if high else min(numbers)
    return {k for k, value in enumerate(values) if value == wanted}


def _cell(name: str, measure: Mapping[str, Any], best: bool = False) -> Cell:
    note = _reason(str(measure.get("reason") or ""))
    if not note and measure.get("reach") is not None:
        note = f"reach {shown(name, measure['reach'])}"
    return Cell(shown(name, measure.get("value")), shown_interval(name, measure), note, best)


def _reason(reason: str) -> str:
    """A reason beside its measure need not name the measure again."""
    name, colon, why = reason.partition(": ")
    return why if colon and (name in MEASURES or name.startswith("hit rate at")) else reason


def _cards(result: Result, ceiling: Result | None, pictured: bool) -> list[Card]:
    """Key numbers. Where they must not be read as privacy, no picture places them between private and exposed."""
    cards = []
    for name in KEY_MEASURES:
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
                chance="0" if name == "category" else shown(name, info.chance),
                ceiling="" if above.get("value") is None else shown(name, above["value"]),
                meaning=CATEGORIES.get(value, "") if name == "category" else info.meaning,
                gauge=_gauge(measure, above.get("value")) if pictured else {},
            )
        )
    return cards


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


def _attackers(top: Result, series: Sequence[Series]) -> Table | None:
    """The table that an evaluation or a comparison opens with."""
    if len(series) < 2 and top["kind"] != "evaluation":
        return None
    names = [name for name in KEY_MEASURES if any(name in one.result["measures"] for one in series)]
    rows = tuple(
        (
            Cell(one.label, note=ATTACKERS.get(one.result.get("attacker", ""), "no protection" if one.ceiling else "")),
            *(replace(_cell(name, one.result["measures"].get(name) or {}), note="") for name in names),
        )
        for one in series
    )
    what = "Attacker" if top["kind"] == "evaluation" else "System"
    heads = tuple(SHORT.get(name, MEASURES[name].label) for name in names)
    return Table(f"{what}s with 95 % intervals", (what, *heads), rows)


def _findings(top: Result, series: Sequence[Series]) -> list[dict[str, str]]:
    """Everything the doctor said, the serious first. What several share is said once, in the words of the first."""
    said: dict[tuple[str, str], dict[str, str]] = {}
    others: dict[tuple[str, str], list[str]] = {}
    whole = [("", finding) for finding in top.get("warnings", ())] if top["kind"] != "assessment" else []
    for who, finding in whole + [(one.label, f) for one in series for f in one.result.get("warnings", ())]:
        key = (finding["severity"], finding["code"])
        if key in said and who:
            others[key].append(who)
            continue
        said[key] = {
            **{k: str(finding[k]) for k in ("severity", "code", "message")},
            "who": who if len(series) > 1 else "",
        }
        others[key] = []
    for key, more in others.items():
        if more:
            said[key]["message"] += f" The same holds, with other numbers, for {', '.join(more)}."
    order = {"serious": 0, "caution": 1, "remark": 2}
    return sorted(said.values(), key=lambda finding: order.get(finding["severity"], 3))


def _tables(top: Result, series: Sequence[Series]) -> dict[str, Table]:
    labels = tuple(one.label for one in series)
    tables = {}
    if any(one.result.get("category_counts") for one in series):
        rows = tuple(
            _texts(tag, words, *(_count(one.result.get("category_counts", {}).get(tag)) for one in series))
            for tag, words in CATEGORIES.items()
        )
        tables["categories"] = Table(
            "Trials by strength of evidence", ("Category", "Evidence", *_or_trials(labels)), rows
        )
    if any(one.result.get("eer_by_tool") for one in series):
        rows = tuple(
            _texts(TOOL_NAMES.get(tool, tool), *(_tool_eer(one, tool) for one in series), how)
            for tool, how in TOOLS.items()
        )
        head = ("Tool", *(labels if len(labels) > 1 else ("EER",)), "How it is defined")
        tables["tools"] = Table("The EER that other tools would print", head, rows)
    if top.get("differences"):
        tables["differences"] = _differences(top["differences"])
    return tables


def _texts(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell(text) for text in texts)


def _tool_eer(one: Series, tool: str) -> str:
    return shown("eer", one.result.get("eer_by_tool", {}).get(tool))


def _or_trials(labels: tuple[str, ...]) -> tuple[str, ...]:
    return labels if len(labels) > 1 else ("Trials",)


def _count(number: int | None) -> str:
    return NO_VALUE if number is None else f"{number:,}"


def _differences(differences: Sequence[Mapping[str, Any]]) -> Table:
    """Paired comparisons: `first_name`, `second_name`, and the fields of a `Difference`."""
    rows = []
    for d in differences:
        name = d["measure"]
        better = (NO_VALUE, d.get("first_name", "first"), d.get("second_name", "second"))[d["more_private"]]
        label = MEASURES[name].label if name in MEASURES else name
        pair = f"{tidy(d.get('first_name', 'first'))} minus {tidy(d.get('second_name', 'second'))}"
        p = f"{d['p_value']:.2g}"
        rows.append(_texts(pair, label, shown(name, d["difference"]), shown_interval(name, d), p, tidy(better)))
    head = ("Pair", "Measure", "Difference", "95 % interval", "p", "More private")
    return Table("Paired comparison on the same trials", head, tuple(rows))


def _groups(result: Result) -> list[Table]:
    """One table per label of the trials, worst protected first."""
    tables = []
    for column, groups in result.get("groups", {}).items():
        names = [
            n
            for n in ("eer", "d_ece", "linkability", "category")
            if any(n in g.get("measures", {}) for g in groups.values())
        ]
        order = sorted(groups.items(), key=lambda item: (-_group_d_ece(item[1]), item[0]))
        rows = []
        for label, group in order[:MOST_GROUPS]:
            cells = [_cell(name, group.get("measures", {}).get(name) or {}) for name in names]
            counts = group.get("counts", {})
            trials = f"{counts.get('target', 0):,} / {counts.get('nontarget', 0):,}"
            rows.append((Cell(tidy(label)), *cells, Cell(trials), Cell(str(group.get("reason") or ""))))
        left = len(order) - len(rows)
        head = (tidy(column), *(MEASURES[name].label for name in names), "Target / nontarget trials", "Remark")
        note = f"{left} better protected ones are left out here; the JSON holds them all." if left > 0 else ""
        tables.append(Table(f"By {tidy(column)}, the worst protected first", head, tuple(rows), note))
    return tables


def _group_d_ece(group: Mapping[str, Any]) -> float:
    value = (group.get("measures", {}).get("d_ece") or {}).get("value")
    return -1.0 if value is None else float(value)


def _method(top: Result, series: Sequence[Series]) -> list[tuple[str, str]]:
    """How the numbers came about, as pairs of a question and its answer."""
    lines = []
    for one in series:
        counts = one.result["counts"]
        people = f"{counts['speakers']:,} speakers" if counts.get("speakers") else "speakers not named"
        lines.append(
            (f"Trials, {one.label}", f"{counts['target']:,} target, {counts['nontarget']:,} nontarget; {people}")
        )
    methods = dict.fromkeys(_interval_words(one.result.get("intervals")) for one in series)
    lines += [("Intervals", words) for words in methods]
    first = series[0].result
    lines.append(("Seed", str(top.get("seed", first.get("seed", 0)))))
    versions = top.get("versions") or first.get("versions") or {}
    lines.append(("Versions", ", ".join(f"{name} {number}" for name, number in versions.items())))
    return lines


def _interval_words(method: Mapping[str, Any] | None) -> str:
    if not method:
        return "none were computed; ask for resamples to get them"
    drawn = f"{method['units']:,} {method['unit']}"
    return f"{100 * method['level']:.0f} %, by bootstrap: {method['resamples']:,} resamples of {drawn}, widened for few of them"


def _inputs(series: Sequence[Series]) -> Table | None:
    files = dict.fromkeys((file["path"], file["sha256"]) for one in series for file in one.result.get("inputs", ()))
    if not files:
        return None
    return Table(
        "Files that were read", ("File", "SHA-256"), tuple(_texts(tidy(path, 200), digest) for path, digest in files)
    )


def review_questions(view: View) -> Table:
    """The three criteria of the data-protection authorities, and what this result says to each."""
    category = next((row.cells for row in view.rows if row.name == "category"), ())
    place = [one.label for one in view.series].index(view.subject)
    tag = category[place].value if category else NO_VALUE
    strength = f" ZEBRA category {tag}: {CATEGORIES[tag]}." if tag in CATEGORIES else ""
    head = ("Question", "Answer here", "On what ground")
    untested = "not tested"
    rows = (
        _texts(
            "Singling out: can one person be picked out of all?",
            untested,
            "needs a search among many people (stripeless rank)",
        ),
        _texts(
            "Linkability: can two recordings of one person be linked?",
            view.verdict.label.lower(),
            view.verdict.headline + strength,
        ),
        _texts(
            "Inference: can something about the person be deduced?",
            untested,
            "needs an attack on attributes such as sex or accent",
        ),
    )
    return Table("Singling out, linkability, inference", head, rows)
