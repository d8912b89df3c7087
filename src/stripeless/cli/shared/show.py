"""How a command hands over its result: table or JSON on standard output, report and figures in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stripeless.cli.common import echo_json, write_whole
from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.messages import put, say

if TYPE_CHECKING:
    from stripeless.results.codec import Result


@dataclass(frozen=True)
class Output:
    """Where a result goes: what --json, --html, --figures and --figure-format said."""

    as_json: bool
    html: str | None
    figures: str | None = None
    figure_format: str = "png"

    def check(self, *files: str | None, folders: tuple[str | None, ...] = ()) -> None:
        """Refuse before work starts what cannot be written, these `files` and `folders` included."""
        check_outputs(self.html, *files, folders=folders, figures=self.figures)

    def show(self, result: Result, page: Result | None = None) -> None:
        """Hand a result over. `page` is what report and figures show where that is more than the result itself."""
        from stripeless.report.kinds import figure_data_of, figures_of, html_of, text_of

        plain = result.to_dict()
        shown = plain if page is None else page.to_dict()
        content = html_of(shown) if self.html else ""  # everything is made before anything is written
        drawn = figures_of(shown) if self.figures else {}
        points = {name: figure_data_of(shown, name) for name in drawn}
        if self.html:
            write_whole(self.html, content)
        if self.figures:
            write_figures(drawn, points, Path(self.figures), self.figure_format)
        if self.as_json:
            echo_json(plain)
        else:
            put(text_of(shown))
        if self.html:
            say(f"Report: {self.html}")  # last, where who reads the table looks next
        if self.figures:
            say(told(list(drawn), self.figures, self.figure_format))


def write_figures(figures: Mapping[str, Any], data: Mapping[str, str], folder: Path, figure_format: str) -> None:
    """Every figure as a file of its own, under its name, with its data beside it."""
    from stripeless.plots.save import save_figure

    make_folder(folder)
    for name, figure in figures.items():
        save_figure(figure, folder / f"{name}.{figure_format}")
        write_whole(folder / f"{name}.csv", data[name])


def told(names: list[str], folder: str, figure_format: str) -> str:
    """Which figures were written, and where."""
    if not names:
        return "Figures: this result has none."
    return f"Figures: {', '.join(f'{name}.{figure_format}' for name in names)} in {folder}, each with its data (CSV)"


def make_folder(folder: Path) -> None:
    """A folder to write to, made where it is not there."""
    from stripeless.errors import FileError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made ({error.strerror}); choose another folder") from error
