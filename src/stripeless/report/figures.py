"""Figures inside a page: SVG with text as text, colors that follow the page, and words for those who cannot see them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from stripeless.plots import style
from stripeless.report.words import FIGURES

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
    if not have_matplotlib():
        return []
    from stripeless.plots import draw_all, figure_bytes, figure_csv

    drawn = []
    for name, figure in draw_all(results).items():
        title, caption = FIGURES[name]
        svg = figure_bytes(figure, "svg").decode()
        inline = inline_svg(svg, name, title, f"{caption} {summary}".strip())
        drawn.append(Picture(name, title, caption, inline, figure_csv(name, results)))
    return drawn


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
    rest = re.sub(r"<metadata>.*?</metadata>", "", rest, flags=re.DOTALL)
    rest = re.sub(r'\bid="', f'id="{prefix}-', rest)
    rest = re.sub(r'((?:xlink:)?href)="#', rf'\1="#{prefix}-', rest)
    rest = rest.replace("url(#", f"url(#{prefix}-").replace("xlink:href", "href")
    rest = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", rest)
    for color, variable in COLOR_VARIABLES.items():
        rest = rest.replace(color, f"var({variable}, {color})")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {view_box.group() if view_box else ""} role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">\n'
        f'<title id="{prefix}-title">{escape(title)}</title>\n<desc id="{prefix}-desc">{escape(description)}</desc>'
    )
    return head + rest


COLOR_VARIABLES = {
    style.INK: "--ink",
    style.MUTED: "--muted",
    style.GRID: "--grid",
    style.PAPER: "--card",
    **{color: f"--series-{k}" for k, color in enumerate(style.COLORS, start=1)},
}
