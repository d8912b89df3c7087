"""A listening test for people: what was heard, which differences are more than luck, whom to ask again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from stripeless.listening.verification import NAMES
from stripeless.measures.shown import NO_VALUE
from stripeless.plots.listening import listening_figures
from stripeless.plots.series import tidy
from stripeless.report.cells import cell_of
from stripeless.report.figures import pictured
from stripeless.report.simple import Sheet, TextTable, rows_csv, sheet_html
from stripeless.results.listening import ListenedVerification, ListeningStudy, ListeningView, Objective, PairTest

LEVEL = 0.01  # of Tables 16 and 17


def sheet(result: ListeningStudy) -> Sheet:
    """Lay out a listening study."""
    counts = result.counts
    sections: list[tuple[str, str, tuple[TextTable, ...]]] = [
        (view.label, _view_note(view), (_means_table(view), _tests_table(view))) for view in result.parts.values()
    ]
    if result.verification:
        sections.append(("Listeners as speaker verifiers", _VERIFIER, (_verification_table(result.verification),)))
    if result.objective:
        sections.append(
            ("What machines find against what people hear", _OBJECTIVE, (_objective_table(result.objective),))
        )
    return Sheet(
        kicker="Listening test",
        title=tidy(result.name or "Listening test", 120),
        headline=_headline(result),
        sentences=tuple(_sentences(result)),
        sections=tuple(sections),
        findings=result.warnings,
        method=(
            ("Listeners", f"{counts['listeners']:,}"),
            ("Stimuli", f"{counts['stimuli']:,}, {counts['answers']:,} answers"),
            ("Ratings", "as normalized ranks: among all ratings of the same listener, 0 lowest, near 1 highest"),
            ("Intervals", f"95 %, {result.resamples} resamples of listeners" if result.resamples else "none"),
            ("Tests", "two-sided Mann-Whitney, Holm-corrected over all pairs of a question; beside them Wilcoxon's signed "
                      "ranks over listeners, which does not take ratings of one listener for independent"),
            ("Seed", str(result.seed)),
        ),
    )  # fmt: skip


_VERIFIER = (
    "Similarity ratings of anonymized targets against anonymized nontargets. An EER of 50 % means that people cannot tell "
    "whether it is the speaker. Cllr reads ranks as log-likelihood ratios, for comparison with the literature only."
)
_OBJECTIVE = (
    "Rank correlation over systems and conditions. With original speech among them it says mostly that original and "
    "anonymized differ; without, whether people and machines agree on which anonymizer is better."
)


def _view_note(view: ListeningView) -> str:
    ends = "Higher is better." if view.good == "high" else "Lower hides the speaker better."
    return f"Mean normalized rank with its 95 % interval over listeners. {ends}"


def _headline(result: ListeningStudy) -> str:
    view = result.parts.get("similarity_target") or next(iter(result.parts.values()), None)
    systems = [] if view is None else [g for g in view.groups if not g.name.startswith("original ")]
    if view is None or not systems:
        return "No anonymized speech was rated."
    best = (min if view.good == "low" else max)(systems, key=lambda g: g.mean)
    what = "hides the speaker from listeners best" if view.good == "low" else f"sounds best ({view.label.lower()})"
    rivals = [t for t in view.tests if best.name in (t.first, t.second)
              and not {t.first, t.second} & {"original target", "original nontarget"}]  # fmt: skip
    tied = [({t.first, t.second} - {best.name}).pop() for t in rivals if not _differ(t)]
    also = f", not significantly different from {', '.join(map(tidy, tied))}" if tied else ""
    return f"{tidy(best.name)} {what}{also}."


def _sentences(result: ListeningStudy) -> list[str]:
    said = []
    for name, anchor, word in (("naturalness", "original target", "less natural than"),
                               ("intelligibility", "original target", "less intelligible than")):  # fmt: skip
        view = result.parts.get(name)
        tests = [t for t in view.tests if anchor in (t.first, t.second)
                 and "original nontarget" not in (t.first, t.second)] if view else []  # fmt: skip
        worse = [t for t in tests if _differ(t) and _anchor_wins(t, anchor)]
        if tests:
            said.append(
                f"{len(worse)} of {len(tests)} systems are rated {word} original speech (p < {LEVEL}, corrected)."
            )
    if result.odd:
        names = ", ".join(dict.fromkeys(tidy(one.listener) for one in result.odd))
        said.append(f"Listeners to look at before believing this: {names}.")
    return said


def _anchor_wins(test: PairTest, anchor: str) -> bool:
    return (test.superiority > 0.5) == (test.first == anchor)


def _differ(test: PairTest) -> bool:
    return test.p_holm is not None and test.p_holm < LEVEL


def _means_table(view: ListeningView) -> TextTable:
    rows = []
    for g in view.groups:
        between = NO_VALUE if g.low is None else f"{g.low:.3f} to {g.high:.3f}"
        rows.append((tidy(g.name), f"{g.mean:.3f}", between, f"{g.median:.3f}", f"{g.raw_mean:.2f}",
                     f"{g.ratings:,}", f"{g.listeners:,}"))  # fmt: skip
    head = ("Speech", "Mean rank", "95 % interval", "Median", "Mean score", "Ratings", "Listeners")
    return TextTable(f"{view.label}: means", head, tuple(rows))


def _tests_table(view: ListeningView) -> TextTable:
    rows = [
        (f"{tidy(t.first)} / {tidy(t.second)}", f"{100 * t.superiority:.0f} %", p_text(t.p), p_text(t.p_holm),
         p_text(t.p_listeners_holm), "yes" if _differ(t) else "no")
        for t in view.tests
    ]  # fmt: skip
    head = ("Pair", "First rated higher", "p", "p corrected", "p over listeners, corrected", f"Differ (p < {LEVEL})")
    return TextTable(f"{view.label}: all pairs", head, tuple(rows))


def p_text(p: float | None) -> str:
    """A p-value as people read it."""
    return NO_VALUE if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.3f}"


def _verification_table(rows: Sequence[ListenedVerification]) -> TextTable:
    body = []
    for row in rows:
        cells = [cell_of(name, row.measures[name]).text for name in NAMES]
        where = " ".join(filter(None, (row.dataset, row.sex))) or "all"
        body.append((tidy(row.system), where, *cells, f"{row.n_target:,} / {row.n_nontarget:,}"))
    head = ("Speech", "Where", "EER", "ROCCH-EER", "Cllr", "Cllr_min", "Target / nontarget ratings")
    return TextTable("Similarity ratings as scores", head, tuple(body))


def _objective_table(objective: Mapping[str, Objective]) -> TextTable:
    def rho(value: float | None) -> str:
        return NO_VALUE if value is None else f"{value:.2f}"

    rows = tuple((m, str(len(v.points)), rho(v.rho), rho(v.rho_anonymized)) for m, v in objective.items())
    return TextTable(
        "Rank correlation, objective against subjective", ("Measure", "Points", "All", "Anonymized only"), rows
    )


def figures(result: ListeningStudy) -> dict[str, Any]:
    return listening_figures(result)


def data(result: ListeningStudy, name: str) -> str:
    """The points of one figure as CSV."""
    sort, _, rest = name.partition("-")
    if sort == "objective":
        keys = ("system", "dataset", "sex", "objective", "subjective")
        points = result.objective[rest].points
        return rows_csv(keys, [(p.system, p.dataset or "", p.sex or "", p.objective, p.subjective) for p in points])
    view = result.parts[rest]
    if sort == "violin":
        head = ("name", "mean", "low", "high", "median", "ratings", "listeners")
        bins = len(view.groups[0].density)
        edges = [f"density_from_{k / bins:g}" for k in range(bins)]
        return rows_csv((*head, *edges), [[*(getattr(g, key) for key in head), *g.density] for g in view.groups])
    rows = [(n, *point) for n, c in view.det.items() for point in zip(c["false_alarm"], c["miss"], strict=True)]
    return rows_csv(("speech", "false_alarm", "miss"), rows)


CAPTIONS = {
    "violin": "The wider the shape, the more ratings lie there. The dot is the mean with its interval, the bar the middle half.",
    "det": "On the black line listeners hear no difference; the further toward the lower left, the more clearly they do.",
    "objective": "Each point is one system under one condition: the machine's figure across, the listeners' up.",
}


def _caption(result: ListeningStudy, name: str) -> tuple[str, str]:
    sort, _, rest = name.partition("-")
    label = result.parts[rest].label if rest in result.parts else rest
    what = {"violin": "Ratings", "det": "DET", "objective": "Objective against subjective"}[sort]
    return f"{what}: {label}", CAPTIONS[sort]


def html(result: ListeningStudy) -> str:
    return sheet_html(sheet(result), pictured(figures, result, partial(_caption, result), data))


def numbers(result: ListeningStudy) -> str:
    """Every mean with its interval as CSV."""
    head = ("mean", "low", "high", "median", "ratings", "listeners")
    rows = [(v, g.name, *(getattr(g, key) for key in head)) for v, view in result.parts.items() for g in view.groups]
    return rows_csv(("question", "group", *head), rows)
