"""Every kind of result, rendered: one door for command line and web page, whatever the result is.

A stored result whose types are right may still hold numbers that do not fit together: a matrix of other sizes than its speakers,
a curve with more ranks than values. Whatever falls over that ends here, in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

from stripeless.errors import InputError, StripelessError, shown
from stripeless.plots.series import Shown, shown_results
from stripeless.report.figures import check_figure
from stripeless.report.simple import Sheet, sheet_latex, sheet_markdown, sheet_text
from stripeless.results.voices import VoiceEvaluation

_Made = TypeVar("_Made")
_UNFIT = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError, MemoryError)

# Kinds with reports of their own: a module with html, numbers, `sheet`, and text, latex or markdown where these say more than
# the sheet; figures and data where it has figures.
MODULES = {
    "listening": "stripeless.report.listening",
    "systems": "stripeless.report.systems",
    "attack": "stripeless.report.attack",
    "similarity": "stripeless.report.similarity",
    "rank": "stripeless.report.rank",
    "attribute": "stripeless.report.attribute",
    "reproduction": "stripeless.report.reproduction",
    "summary": "stripeless.report.summary",
}


def _own(result: Shown, what: str) -> Callable[..., Any] | None:
    if isinstance(result, list) or result.KIND not in MODULES:
        return None
    module = import_module(MODULES[result.KIND])
    own: Callable[..., Any] | None = getattr(module, what, _NONE.get(what))
    if own is None and what in SHEETS:
        return lambda shown: SHEETS[what](module.sheet(shown))
    return own


def _no_figures(result: Shown) -> dict[str, Any]:
    return {}


def _no_such_figure(result: Shown, name: str) -> str:
    check_figure(name)
    return ""


SHEETS: dict[str, Callable[[Sheet], str]] = {"text": sheet_text, "latex": sheet_latex, "markdown": sheet_markdown}
_NONE: dict[str, Callable[..., Any]] = {"figures": _no_figures, "data": _no_such_figure}


def _of_parts_that_fit(make: Callable[..., _Made]) -> Callable[..., _Made]:
    @wraps(make)
    def made(result: Any, *more: Any) -> _Made:
        try:
            return make(shown_results(result), *more)
        except StripelessError:
            raise
        except _UNFIT as error:
            reason = shown(f"{type(error).__name__}: {error}")
            raise InputError(
                f"the result cannot be shown, its parts do not fit together ({reason}); compute it again"
            ) from error

    return made


@_of_parts_that_fit
def html_of(result: Shown) -> str:
    """The report of a result as one HTML file."""
    from stripeless.report.html import render_html

    return str((_own(result, "html") or render_html)(result))


@_of_parts_that_fit
def text_of(result: Shown) -> str:
    """The result for a terminal."""
    from stripeless.report.text import render_text
    from stripeless.report.voices import voices_text

    text = str((_own(result, "text") or render_text)(result))
    voices = result.voices if isinstance(result, VoiceEvaluation) else None
    return f"{text}\n{voices_text(voices)}" if voices else text


@_of_parts_that_fit
def figures_of(result: Shown) -> dict[str, Any]:
    """Every figure of a result by its name; needs matplotlib."""
    from stripeless.plots.draw import draw_all

    return dict((_own(result, "figures") or draw_all)(result))


@_of_parts_that_fit
def latex_of(result: Shown) -> str:
    """The tables of a result as LaTeX."""
    from stripeless.report.latex import render_latex

    return str((_own(result, "latex") or render_latex)(result))


@_of_parts_that_fit
def markdown_of(result: Shown) -> str:
    """The tables of a result as Markdown."""
    from stripeless.report.markdown import render_markdown

    return str((_own(result, "markdown") or render_markdown)(result))


@_of_parts_that_fit
def numbers_of(result: Shown) -> str:
    """The numbers of a result as CSV, one row each."""
    own = _own(result, "numbers")
    return str(own(result)) if own else figure_data_of(result, "measures")


@_of_parts_that_fit
def figure_data_of(result: Shown, name: str) -> str:
    """The points of one figure as CSV."""
    from stripeless.plots.data import figure_csv

    own = _own(result, "data")
    return str(own(result, name)) if own else figure_csv(name, result)
