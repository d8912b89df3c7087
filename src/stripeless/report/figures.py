"""Figures inside a page: SVG with text as text, colors that follow the page, and words for those who cannot see them."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from stripeless.errors import InputError
from stripeless.plots import style
from stripeless.plots.save import figure_bytes
from stripeless.report.words import FIGURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOW_TO_GET = "Figures need matplotlib: pip install 'stripeless[plots]'"


@dataclass(frozen=True)
class Picture:
    """One figure of a page. `svg` is safe to insert as it is."""

    name: str
    title: str
    caption: str
    svg: str
    csv: str

    @property
    def csv_link(self) -> str:
        """The figure's data as an address that needs no network."""
        return "data:text/csv;charset=utf-8," + quote(self.csv, safe=",()")


def pictures(results: Any, summary: str = "") -> list[Picture]:
    """Every figure of a result; none where matplotlib is absent."""
    from stripeless.plots import draw_all, figure_csv

    return pictured(draw_all, results, FIGURES.__getitem__, lambda result, name: figure_csv(name, result), summary)


def pictured(
    draw: Callable[[Any], Mapping[str, Figure]],
    result: Any,
    caption: Callable[[str], tuple[str, str]],
    data: Callable[[Any, str], str],
    numbers: str = "",
) -> list[Picture]:
    """Every figure that `draw` makes of a result, with title, caption and points; none where matplotlib is absent."""
    if not have_matplotlib():
        return []
    return [
        picture(figure, name, *caption(name), numbers=numbers, csv=data(result, name))
        for name, figure in draw(result).items()
    ]


def check_figure(name: str, known: Container[str] = ()) -> None:
    """Refuse the name of a figure that a result does not have."""
    if name not in known:
        raise InputError(f"This result has no figure {name!r}.")


def picture(figure: Figure, name: str, title: str, caption: str, *, numbers: str = "", csv: str = "") -> Picture:
    """Any matplotlib figure as part of a page. `name` must be unique there; `numbers` is read to those who cannot see."""
    svg = figure_bytes(figure, "svg").decode()
    return Picture(name, title, caption, inline_svg(svg, name, title, f"{caption} {numbers}".strip()), csv)


def have_matplotlib() -> bool:
    """Whether figures can be drawn at all."""
    try:
        return find_spec("matplotlib") is not None
    except ValueError:  # what the import system says of a module that was taken away
        return False


def inline_svg(svg: str, prefix: str, title: str, description: str) -> str:
    """An SVG file as part of a page: own ids, the page's colors and font, title and description for screen readers."""
    body = svg[svg.index("<svg") :]
    opening, _, rest = body.partition(">")
    view_box = re.search(r'viewBox="[^"]*"', opening)
    rest = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", rest, flags=re.DOTALL)
    rest = re.sub(r"<[^>]+>", lambda tag: _adapt(tag.group(), prefix), rest)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {view_box.group() if view_box else ""} role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">\n'
        f'<title id="{prefix}-title">{escape(title)}</title>\n<desc id="{prefix}-desc">{escape(description)}</desc>'
    )
    return head + rest


def _adapt(tag: str, prefix: str) -> str:
    """One tag with the page's ids, font and colors; the text between tags is nobody's to change."""
    tag = re.sub(r'\bid="', f'id="{prefix}-', tag)
    tag = re.sub(r'(?:xlink:)?href="#', f'href="#{prefix}-', tag).replace("url(#", f"url(#{prefix}-")
    tag = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", tag)
    for color, variable in COLOR_VARIABLES.items():
        tag = tag.replace(color, f"var({variable}, {color})")
    return tag


COLOR_VARIABLES = {
    style.INK: "--ink",
    style.MUTED: "--muted",
    style.GRID: "--grid",
    style.PAPER: "--card",
    **{color: f"--series-{k}" for k, color in enumerate(style.COLORS, start=1)},
}
