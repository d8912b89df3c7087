"""The further tables of a report: evidence by category, other tools, paired differences, groups, method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from stripeless.measures.catalog import MEASURES, headlines
from stripeless.measures.measure import Measure
from stripeless.measures.more_private import how_private
from stripeless.measures.other_tools import TOOLS
from stripeless.measures.shown import NO_VALUE, is_rate, shown, shown_interval
from stripeless.measures.uncertainty.paired import Difference
from stripeless.plots.series import Series, shared_folder, tidy
from stripeless.report.cells import PageTable, TableCell, cell_of, texts
from stripeless.report.words import TOOL_NAMES
from stripeless.results.assessment import Assessment, Group, IntervalMethod
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.results.summary import Criterion
from stripeless.verdicts.evidence import Evidence, Reached
from stripeless.verdicts.sentences import shown_p
from stripeless.verdicts.verdict import Verdict, evidence_behind
from stripeless.verdicts.words import CATEGORIES

CONTROL = "original (control)"
MOST_GROUPS = 60  # rows of a group table; the worst protected come first


Top = Assessment | Evaluation | Comparison


def tables_of(top: Top | None, series: Sequence[Series], attackers: bool = False) -> dict[str, PageTable]:
    """The tables by name; `attackers` where these are compared, and not systems."""
    labels = tuple(one.label for one in series)
    tables = {}
    if any(one.assessment.category_counts for one in series):
        rows = tuple(
            texts(tag, words, *(_count(one.assessment.category_counts.get(tag)) for one in series))
            for tag, words in CATEGORIES.items()
        )
        tables["categories"] = PageTable(
            "Trials by strength of evidence", ("Category", "Evidence", *_or_trials(labels)), rows
        )
    if any(one.assessment.eer_by_tool for one in series):
        rows = tuple(
            texts(TOOL_NAMES.get(tool, tool), *(_tool_eer(one, tool) for one in series), how)
            for tool, how in TOOLS.items()
        )
        head = ("Tool", *(labels if len(labels) > 1 else ("EER",)), "How it is defined")
        tables["tools"] = PageTable("The EER that other tools would print", head, rows)
    if isinstance(top, Comparison) and top.differences:
        tables["differences"] = _differences_table(top.differences, attackers)
    evidence = evidence_behind(top) if isinstance(top, (Assessment, Evaluation)) else None
    if evidence is not None and evidence.p is not None:
        tables["tested"] = _tested_table(evidence)
    return tables


def _tested_table(evidence: Evidence) -> PageTable:
    """What each attacker reaches in the test behind the verdict, and the control on original data."""
    head = ("Attacker", "Right choices of 100", "Luck of the best taken off", "p, all attackers counted in")
    several = len(evidence.attackers) > 1
    rows = [_tested_row(one, several) for one in evidence.attackers]
    if evidence.original is not None:
        rows.append(_tested_row(evidence.original, False))
    note = (
        "Asked which of two recordings is the person's and which a stranger's of the same group; 50 is guessing. Limits are "
        "one-sided, 95 % each, over people. The best of several attackers was in part lucky: one column takes that off. p is the "
        "probability that so clear a sign comes up by luck, without a leak; it counts in how many attackers were tried."
    )
    return PageTable("The test behind the verdict", head, tuple(rows), note)


def _tested_row(one: Reached, several: bool) -> tuple[TableCell, ...]:
    between = "" if one.low is None or one.high is None else f"{100 * one.low:.0f} to {100 * one.high:.0f}"
    reached = NO_VALUE if one.auc is None else f"{100 * one.auc:.1f}"
    corrected = NO_VALUE if one.corrected is None or not several else f"{100 * one.corrected:.1f}"
    chance = NO_VALUE if one.p is None or one.attacker == "original" else shown_p(one.p)
    attacker = CONTROL if one.attacker == "original" else one.attacker
    who = tidy(", ".join(filter(None, (attacker, one.name))), 120) or "these scores"
    return (TableCell(who), TableCell(reached, between), *texts(corrected, chance))


def _tool_eer(one: Series, tool: str) -> str:
    return shown("eer", one.assessment.eer_by_tool.get(tool))


def _or_trials(labels: tuple[str, ...]) -> tuple[str, ...]:
    return labels if len(labels) > 1 else ("Trials",)


def _count(number: int | None) -> str:
    return NO_VALUE if number is None else f"{number:,}"


def _differences_table(differences: Mapping[str, Mapping[str, Difference]], attackers: bool) -> PageTable:
    """Paired comparisons: "first - second" -> measure -> difference."""
    pairs = {pair: tuple(pair.split(" - ", 1)) for pair in differences}
    folder = shared_folder([name for pair in pairs.values() for name in pair])
    rows = []
    for pair, measures in differences.items():
        first, second = (tidy(name[len(folder) :], 80) for name in (*pairs[pair], "second")[:2])
        for name, d in measures.items():
            label = MEASURES[name].label if name in MEASURES else name
            change = TableCell(_points(name, shown(name, d.difference)), _points(name, shown_interval(name, d)))
            better = TableCell((NO_VALUE, *((second, first) if attackers else (first, second)))[d.more_private])
            rows.append(
                (
                    TableCell(f"{first} minus {second}"),
                    TableCell(label),
                    change,
                    TableCell(f"{d.p_value:.2g}"),
                    better,
                )
            )
    head = ("Pair", "Measure", "Difference", "p", "Finds more" if attackers else "More private")
    return PageTable("Paired comparison on the same trials", head, tuple(rows))


def _points(name: str, text: str) -> str:
    """A difference of two rates is in percentage points."""
    return text.replace(" %", " points") if is_rate(name) else text


def groups_of(result: Assessment) -> list[PageTable]:
    """One table per label of the trials, worst protected first by the first measure shown."""
    tables = []
    in_words = {info.reads for info in MEASURES.values()}  # what another column says in words
    for column, groups in result.groups.items():
        names = [n for n in headlines() if n not in in_words and any(n in g.measures for g in groups.values())]
        first = names[0] if names else ""
        order = sorted(groups.items(), key=lambda item: (_group_privacy(item[1], first), item[0]))
        rows = []
        for label, group in order[:MOST_GROUPS]:
            cells = [cell_of(name, group.measures.get(name)) for name in names]
            trials = f"{group.n_target:,} / {group.n_nontarget:,}"
            rows.append((TableCell(tidy(label)), *cells, TableCell(trials, note=tidy(group.reason, 500))))
        left = len(order) - len(rows)
        head = (tidy(column), *(MEASURES[name].label for name in names), "Target / nontarget trials")
        caption = f"By {tidy(column)}, the worst protected first"
        note = (
            f"The order is by {MEASURES[first].label}. Small groups vary by chance, so part of it is luck."
            if first
            else ""
        )
        if first == "eer" and any(_value(group, first) > 0.5 for _, group in order):
            note += " An EER beyond 50 % counts as one so far below: the attacker need only turn the scores round."
        if not first:
            caption = f"By {tidy(column)}, without an order"
            reasons = dict.fromkeys(tidy(group.reason, 500) for _, group in order if group.reason)
            note = f"No measure can be shown: {'; '.join(reasons) or 'none was computed'}."
        note += f" {left} better protected ones are left out here; the JSON holds them all." if left > 0 else ""
        tables.append(PageTable(caption, head, tuple(rows), note))
    return tables


def _group_privacy(group: Group, measure: str) -> float:
    """How private a group is by this measure; who has no value comes last."""
    private = how_private(measure, _value(group, measure))
    return float("inf") if private is None or isnan(private) else private


def _value(group: Group, measure: str) -> float:
    found: Measure | None = group.measures.get(measure)
    return float("nan") if found is None or found.value is None else found.number


def method_of(top: Top | None, series: Sequence[Series]) -> list[tuple[str, str]]:
    """How the numbers came about, as pairs of a question and its answer."""
    lines = []
    for one in series:
        of = one.assessment
        people = f"{of.n_speakers:,} speakers" if of.n_speakers else "speakers not named"
        lines.append((f"Trials, {one.label}", f"{of.n_target:,} target, {of.n_nontarget:,} nontarget; {people}"))
    methods = dict.fromkeys(_interval_words(one.assessment.intervals) for one in series)
    lines += [("Intervals", words) for words in methods]
    first = series[0].assessment
    lines.append(("Seed", str(first.seed if isinstance(top, Comparison) or top is None else top.seed)))
    versions = (top.versions if top else None) or first.versions
    lines.append(("Versions", ", ".join(f"{name} {number}" for name, number in versions.items())))
    return lines


def _interval_words(method: IntervalMethod | None) -> str:
    if method is None:
        return "none were computed; ask for resamples to get them"
    drawn = f"{method.units:,} {method.unit}"
    return (
        f"{100 * method.level:.0f} %, by bootstrap: {method.resamples:,} resamples of {drawn}, widened for few of them"
    )


def inputs_of(series: Sequence[Series]) -> PageTable | None:
    files = dict.fromkeys((file.path, file.sha256) for one in series for file in one.assessment.inputs)
    if not files:
        return None
    return PageTable(
        "Files that were read", ("File", "SHA-256"), tuple(texts(tidy(path, 200), digest) for path, digest in files)
    )


WORST = ("possible", "unclear", "not shown")
QUESTIONS = {
    "singling out": ("Singling out: can one person be picked out of all?", "stripeless attack or stripeless rank"),
    "linkability": ("Linkability: can two recordings of one person be linked?", ""),
    "inference": ("Inference: can something about the person be deduced?", "stripeless protect"),
}


def review_questions(
    verdict: Verdict, tag: str, criteria: Sequence[Criterion] = (), most: int | None = None
) -> PageTable:
    """The three criteria of the data-protection authorities, and what the results say to each.

    `criteria` are the answers of other results (`studies.summary.criteria_of`); what nothing answers is "not tested".
    Of each criterion `most` grounds are given, the worst first; all of them unless told.
    """
    strength = f" ZEBRA category {tag}: {CATEGORIES[tag]}." if tag in CATEGORIES else ""
    rows = []
    for criterion, (question, command) in QUESTIONS.items():
        said = sorted((one for one in criteria if one.criterion == criterion), key=lambda one: WORST.index(one.answer))
        left = 0 if most is None else max(0, len(said) - most)
        shown_grounds = [one.ground for one in said[: len(said) - left]]
        shown_grounds += [f"{left} more in the reports of the results that were joined."] if left else []
        if criterion == "linkability":
            told = [one for one in said if one.answer == "possible"]
            answer = verdict.label.lower()
            if told and verdict.level not in ("leaking", "exposed"):
                answer = f"possible; from the scores alone: {answer}"
            grounds = [verdict.headline + strength, *shown_grounds]
        else:
            answers = {one.answer for one in said}
            answer = next((a for a in WORST if a in answers), "not tested")
            grounds = shown_grounds or [f"needs {command}"]
        rows.append(texts(question, answer, tidy(" ".join(grounds), 2000)))
    return PageTable("Singling out, linkability, inference", ("Question", "Answer here", "On what ground"), tuple(rows))
