"""Results for people: HTML, Markdown, LaTeX and plain text, all from the dict of a result (or a list of them).

Belongs here: words, tables and pages.
Not here: rules and judgments (`verdicts`), figures (`plots`). Nothing is computed here that a program would miss in the
JSON.
"""

from stripeless.report.html import render_html
from stripeless.report.latex import render_latex
from stripeless.report.markdown import render_markdown
from stripeless.report.page import Section, render_page, render_sections
from stripeless.report.text import render_text
from stripeless.results.judged import verdict

__all__ = [
    "Section",
    "render_html",
    "render_latex",
    "render_markdown",
    "render_page",
    "render_sections",
    "render_text",
    "verdict",
]
