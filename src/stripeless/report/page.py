"""The common page: any result lays its words, numbers, tables and figures out in the one look of all reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from stripeless.report.cells import PageTable
from stripeless.report.figures import Picture
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True)
class Section:
    """One part of a page, in this order: words, tables, figures."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[PageTable, ...] = ()
    pictures: tuple[Picture, ...] = ()


def render_sections(
    title: str,
    sections: Sequence[Section],
    *,
    kicker: str = "",
    findings: Sequence[Finding] = (),
) -> str:
    """A page of sections; serious findings stand first, the others last.

    >>> page = render_sections("Ranks", [Section("Evidence", ("Nobody was found.",))])
    >>> "<h1>Ranks</h1>" in page, "Nobody was found." in page
    (True, True)
    """
    return render_page(
        "sections.html.j2",
        title=title,
        sections=sections,
        kicker=kicker,
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
