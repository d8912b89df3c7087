"""Every kind of result, rendered: one door for command line and web page, whatever the result is.

A stored result whose types are right may still hold numbers that do not fit together: a matrix of other sizes than its speakers,
a curve with more ranks than values. Whatever falls over that ends here, in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

from stripeless.errors import InputError, StripelessError, shown

_Made = TypeVar("_Made")
_UNFIT = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError, MemoryError)

# Kinds with pages of their own: a module with html, text, latex, markdown and numbers, and figures and data where it has figures.
MODULES = {
    "listening": "stripeless.report.listening",
    "systems": "stripeless.report.systems",
    "attack": "stripeless.report.attack",
    "similarity": "stripeless.report.attack",
    "rank": "stripeless.report.rank",
    "attribute": "stripeless.report.attribute",
    "reproduction": "stripeless.report.reproduction",
    "summary": "stripeless.report.summary",
}


def _own(result: Any, what: str) -> Callable[..., Any] | None:
    kind = result.get("kind") if isinstance(result, Mapping) else None
    return getattr(import_module(MODULES[kind]), what, _NONE.get(what)) if kind in MODULES else None


def _no_figures(result: Any) -> dict[str, Any]:
    return {}


def _no_such_figure(result: Any, name: str) -> str:
    raise InputError(f"This result has no figure {name!r}.")


_NONE: dict[str, Callable[..., Any]] = {"figures": _no_figures, "data": _no_such_figure}


def _of_parts_that_fit(make: Callable[..., _Made]) -> Callable[..., _Made]:
    @wraps(make)
    def made(*given: Any) -> _Made:
        try:
            return make(*given)
        except StripelessError:
            raise
        except _UNFIT as error:
            reason = shown(f"{type(error).__name__}: {error}")
            raise InputError(
                f"the result cannot be shown, its parts do not fit together ({reason}); compute it again"
            ) from error

    return made


@_of_parts_that_fit
def html_of(result: Any) -> str:
    """The report of a result as one HTML file."""
    from stripeless.report.html import render_html

    return str((_own(result, "html") or render_html)(result))


@_of_parts_that_fit
def text_of(result: Any) -> str:
    """The result for a terminal."""
    from stripeless.report.text import render_text
    from stripeless.report.voices import voices_text

    text = str((_own(result, "text") or render_text)(result))
    voices = result.get("voices") if isinstance(result, Mapping) else None
    return f"{text}\n{voices_text(voices)}" if voices else text


@_of_parts_that_fit
def figures_of(result: Any) -> dict[str, Any]:
    """Every figure of a result by its name; needs matplotlib."""
    from stripeless.plots.draw import draw_all

    return dict((_own(result, "figures") or draw_all)(result))


@_of_parts_that_fit
def latex_of(result: Any) -> str:
    """The tables of a result as LaTeX."""
    from stripeless.report.latex import render_latex

    return str((_own(result, "latex") or render_latex)(result))


@_of_parts_that_fit
def markdown_of(result: Any) -> str:
    """The tables of a result as Markdown."""
    from stripeless.report.markdown import render_markdown

    return str((_own(result, "markdown") or render_markdown)(result))


@_of_parts_that_fit
def numbers_of(result: Any) -> str:
    """The numbers of a result as CSV, one row each."""
    own = _own(result, "numbers")
    return str(own(result)) if own else figure_data_of(result, "measures")


@_of_parts_that_fit
def figure_data_of(result: Any, name: str) -> str:
    """The points of one figure as CSV."""
    from stripeless.plots.data import figure_csv

    own = _own(result, "data")
    return str(own(result, name)) if own else figure_csv(name, result)
