"""One page for a privacy officer: verdict, the three criteria of the data-protection authorities, ZEBRA category, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stripeless.errors import InputError
from stripeless.report.page import render_page
from stripeless.report.simple import Sheet, Table, plain_sheet, rows_csv
from stripeless.report.tables import review_questions
from stripeless.report.view import ReportView, view_of
from stripeless.report.words import LIMITS
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import ResultLike, as_stored
from stripeless.results.summary import Summary
from stripeless.studies.summary import LEAKS, summarize_results
from stripeless.verdicts.codes import CODES
from stripeless.verdicts.conditions import AGAINST
from stripeless.verdicts.words import CATEGORIES

MOST_GROUNDS = 3  # of one criterion, so that it stays one sheet
METHOD = ("Intervals", "Seed", "Versions")  # and the trials of the attacker that the verdict is about
COMMANDS = {"attack": "stripeless attack", "rank": "stripeless rank", "attribute": "stripeless protect"}


def render_summary(result: ResultLike, others: Sequence[ResultLike] = ()) -> str:
    """A summary that prints on one sheet of paper. Same results, same bytes.

    `result` is an assessment or evaluation; `others` are results of attack, rank and protect on the same system.

    >>> from stripeless.assessment.assess import assess
    >>> page = render_summary(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5], name="X").to_dict())
    >>> "Singling out" in page, "ZEBRA category" in page
    (True, True)
    """
    main, *rest = map(as_stored, (result, *others))
    if not isinstance(main, (Assessment, Evaluation)):
        raise InputError("a summary is made of an assessment or an evaluation; this result is neither")
    return html(summarize_results([main, *rest]))


def worst_first(summary: Summary) -> ReportView:
    """The result as it is shown, under the worst answer: one result that finds a leak outweighs any number without."""
    view = view_of(summary.result)
    found = list(dict.fromkeys(one.criterion for one in summary.criteria if one.answer == "possible"))
    if view.verdict.label in LEAKS or not found:
        return view
    said = f"The scores by themselves: {view.verdict.label}. {view.verdict.headline}"
    headline = f"Other results of this system find one: {', '.join(found)}."
    worse = replace(view.verdict, level="leaking", headline=headline, sentences=(said, *view.verdict.sentences))
    return replace(view, verdict=worse)


def html(summary: Summary) -> str:
    """The sheet of a result of kind "summary"."""
    view = worst_first(summary)
    joined = [(COMMANDS[one.kind], one.name or "without a name") for one in summary.joined]
    return render_page(
        "summary.html.j2",
        title=view.title,
        view=view,
        category=view.category,
        evidence=CATEGORIES.get(view.category, "not known"),
        cautions=_cautions(summary),
        questions=review_questions(view.verdict, view.category, summary.criteria, most=MOST_GROUNDS),
        limits=LIMITS,
        joined=joined,
        method=[(what, how) for what, how in view.method if what in (f"Trials, {view.subject}", *METHOD)],
    )


def _view_and_table(summary: Summary) -> tuple[ReportView, Table]:
    view = worst_first(summary)
    table = review_questions(view.verdict, view.category, summary.criteria)
    rows = [[cell.value for cell in row] for row in table.rows]
    return view, (table.caption, table.head, rows)


def text(summary: Summary) -> str:
    """The criteria for a terminal."""
    from textwrap import fill

    view, (_, _, rows) = _view_and_table(summary)
    lines = [view.title, *(fill(one, 100, break_on_hyphens=False) for one in (*_said(view), *_cautions(summary)))]
    for question, answer, ground in rows:
        lines.append(fill(f"{question} {answer.capitalize()}. {ground}", 100, subsequent_indent="  "))
    lines.append(f"ZEBRA category {view.category or 'not known'}: {CATEGORIES.get(view.category, 'not known')}.")
    return "\n\n".join(lines)


def sheet(summary: Summary) -> Sheet:
    """Verdict and criteria as they stand in Markdown and LaTeX."""
    view, table = _view_and_table(summary)
    return plain_sheet(view.title, [*_said(view), *_cautions(summary)], [table])


def _said(view: ReportView) -> list[str]:
    """The verdict word for word as in the report of that result: what was found, and who, how many people, how near."""
    return [f"{view.verdict.label}. {view.verdict.headline}", " ".join((*view.verdict.sentences, view.verdict.basis))]


def _cautions(summary: Summary) -> list[str]:
    """What to know before believing it, by the titles of the findings; the report of the result holds their sentences.

    Findings are of the result and of the attacker who leads; of the others only what speaks against "No leak seen".
    """
    result = summary.result
    several = isinstance(result, Evaluation)
    lead = result.strongest() if several else result
    others = [f for one in result.attackers for f in one.warnings if f.code in AGAINST] if several else []
    found = [*(result.warnings if several else ()), *lead.warnings, *others]
    titles = [CODES[one.code].title if one.code in CODES else one.code for one in found if one.severity != "remark"]
    listed = "; ".join(dict.fromkeys(f"{title[0].lower()}{title[1:]}" for title in titles))
    said = [f"Findings to know of: {listed}. The report of this result says more."] if listed else []
    return [*summary.notes, *said]


def numbers(summary: Summary) -> str:
    """The answers as CSV."""
    head = ("criterion", "answer", "ground", "source")
    return rows_csv(head, ([getattr(one, key) for key in head] for one in summary.criteria))
