"""One page for a privacy officer: verdict, the three criteria of the data-protection authorities, ZEBRA category, limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stripeless.errors import InputError
from stripeless.report.html import render_page
from stripeless.report.tables import review_questions
from stripeless.report.view import view_of
from stripeless.report.words import CATEGORIES, LIMITS


def render_summary(result: Mapping[str, Any]) -> str:
    """A summary that prints on one sheet of paper, from the dict of an assessment or evaluation. Same dict, same bytes.

    >>> from stripeless.metrics.assessment import assess
    >>> page = render_summary(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5], name="X").to_dict())
    >>> "Singling out" in page, "ZEBRA category" in page
    (True, True)
    """
    if result.get("kind") not in ("assessment", "evaluation"):
        raise InputError("a summary is made of an assessment or an evaluation; this result is neither")
    view = view_of(result)
    return render_page(
        "summary.html.j2",
        title=view.title,
        view=view,
        category=view.category,
        evidence=CATEGORIES.get(view.category, "not known"),
        questions=review_questions(view.verdict, view.category),
        limits=LIMITS,
    )
