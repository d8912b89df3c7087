"""How a command hands over its result: table or JSON on standard output, report and figures in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from stripeless.cli.common import F, echo_json, say, write_whole


def figure_options(function: F) -> F:
    """--figures DIR and --figure-format, for commands whose results can be drawn."""
    for option in (
        click.option(
            "--figure-format",
            type=click.Choice(["png", "svg", "pdf"]),
            default="png",
            show_default=True,
            help="Format of the figures.",
        ),
        click.option(
            "--figures",
            type=click.Path(file_okay=False),
            help="Write every figure into this folder, and its data (CSV).",
        ),
    ):
        function = option(function)
    return function


def show(
    result: Mapping[str, Any],
    *,
    as_json: bool,
    html: str | None,
    figures: str | None = None,
    figure_format: str = "png",
    page: Mapping[str, Any] | None = None,
) -> None:
    """Hand a result over. `page` is what report and figures show where that is more than the result itself."""
    from stripeless.report.kinds import figure_data_of, figures_of, html_of, text_of

    shown = dict(page or result)
    content = html_of(shown) if html else ""  # everything is made before anything is written
    drawn = figures_of(shown) if figures else {}
    points = {name: figure_data_of(shown, name) for name in drawn}
    if html:
        write_whole(html, content)
        say(f"Report: {html}")
    if figures:
        write_figures(drawn, points, Path(figures), figure_format)
    if as_json:
        echo_json(dict(result))
    else:
        click.echo(text_of(shown))


def write_figures(figures: Mapping[str, Any], data: Mapping[str, str], folder: Path, figure_format: str) -> None:
    """Every figure as a file of its own, under its name, with its data beside it."""
    from stripeless.errors import FileError
    from stripeless.plots.save import save_figure

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made ({error.strerror}); choose another folder") from error
    for name, figure in figures.items():
        save_figure(figure, folder / f"{name}.{figure_format}")
        write_whole(folder / f"{name}.csv", data[name])
    if not figures:
        say("Figures: this result has none.")
        return
    say(f"Figures: {', '.join(f'{name}.{figure_format}' for name in figures)} in {folder}, each with its data (CSV)")
