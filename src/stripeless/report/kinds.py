"""Every kind of result, rendered: one door for command line and web page, whatever the result is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

# Kinds with pages of their own: a module with html(result), text(result) and figures(result).
MODULES = {
    "listening": "stripeless.report.listening",
    "systems": "stripeless.report.systems",
    "attack": "stripeless.report.attack",
    "similarity": "stripeless.report.attack",
}


def _own(result: Any, what: str) -> Callable[[Any], Any] | None:
    kind = result.get("kind") if isinstance(result, Mapping) else None
    return getattr(import_module(MODULES[kind]), what) if kind in MODULES else None


def html_of(result: Any) -> str:
    """The report of a result as one HTML file."""
    from stripeless.report.html import render_html

    return str((_own(result, "html") or render_html)(result))


def text_of(result: Any) -> str:
    """The result for a terminal."""
    from stripeless.report.text import render_text

    return str((_own(result, "text") or render_text)(result))


def figures_of(result: Any) -> dict[str, Any]:
    """Every figure of a result by its name; needs matplotlib."""
    from stripeless.plots.draw import draw_all

    return dict((_own(result, "figures") or draw_all)(result))


def latex_of(result: Any) -> str:
    """The tables of a result as LaTeX."""
    from stripeless.report.latex import render_latex

    return str((_own(result, "latex") or render_latex)(result))


def markdown_of(result: Any) -> str:
    """The tables of a result as Markdown."""
    from stripeless.report.markdown import render_markdown

    return str((_own(result, "markdown") or render_markdown)(result))


def figure_data_of(result: Any, name: str) -> str:
    """The points of one figure as CSV."""
    from stripeless.plots.data import figure_csv

    kind = result.get("kind") if isinstance(result, Mapping) else None
    if kind in MODULES:
        return str(import_module(MODULES[kind]).data(result, name))
    return figure_csv(name, result)
