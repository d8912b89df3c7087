"""The common page: any result lays its words, numbers, tables and figures out in the one look of all reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from stripeless.report.cells import Card, PageTable
from stripeless.report.figures import Picture
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.verdict import Verdict


@dataclass(frozen=True)
class Section:
    """One part of a page, in this order: words, key numbers, tables, figures."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    tables: tuple[PageTable, ...] = ()
    pictures: tuple[Picture, ...] = ()


def render_sections(
    title: str,
    sections: Sequence[Section],
    *,
    kicker: str = "",
    description: str = "",
    verdict: Verdict | None = None,
    findings: Sequence[Finding] = (),
) -> str:
    """A page of sections; serious findings stand before the verdict.

    >>> page = render_sections("Ranks", [Section("Evidence", ("Nobody was found.",))])
    >>> "<h1>Ranks</h1>" in page, "Nobody was found." in page
    (True, True)
    """
    return render_page(
        "sections.html.j2",
        title=title,
        sections=sections,
        kicker=kicker,
        description=description,
        verdict=verdict,
        serious=[finding for finding in findings if finding.severity == "serious"],
        others=[finding for finding in findings if finding.severity != "serious"],
    )


def render_page(template: str, **context: Any) -> str:
    """A page in the common look: `template` extends page.html.j2. Everything in `context` is escaped."""
    return str(_environment().get_template(template).render(**context))


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("stripeless.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
