"""The HTML report: one file, offline, without script, from a result and nothing else."""

from __future__ import annotations

from typing import Any

from stripeless.measures.catalog import headlines_on_a_scale
from stripeless.report.figures import HOW_TO_GET, pictures
from stripeless.report.page import render_page
from stripeless.report.tables import review_questions
from stripeless.report.view import ReportView, one_or_several, view_of
from stripeless.report.voices import voices_of
from stripeless.report.words import GLOSSARY, LIMITS
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation
from stripeless.studies.summary import criteria_of


def render_html(results: Any) -> str:
    """The report as one HTML page that needs nothing beside it. Same result, same bytes.

    Parameters:
        results: an assessment, an evaluation, a comparison, a list of results, or their dicts.
    Returns:
        The page as text.

    >>> from stripeless.assessment.assess import assess
    >>> page = render_html(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]).to_dict())
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)
    """
    results = one_or_several(results)
    view = view_of(results)
    voices = voices_of(results)
    criteria = criteria_of(results) if isinstance(results, (Assessment, Evaluation)) else []
    return render_page(
        "voices.html.j2" if voices else "result.html.j2",
        title=view.title,
        view=view,
        figures=pictures(results, _in_words(view)),
        how_to_get_figures=HOW_TO_GET,
        questions=None if view.kind == "comparison" else review_questions(view.verdict, view.category, criteria),
        limits=LIMITS,
        glossary=GLOSSARY,
        voices=voices,
    )


def _in_words(view: ReportView) -> str:
    """The numbers of the figures for a screen reader."""
    wanted = headlines_on_a_scale()
    facts = []
    for k, one in enumerate(view.series):
        numbers = [f"{row.label} {row.cells[k].value}" for row in view.rows if row.name in wanted]
        facts.append(f"{one.label}: {', '.join(numbers)}.")
    return " ".join(facts)
