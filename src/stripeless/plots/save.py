"""Figures as bytes: the same figure gives the same bytes, in a file that appears whole or not at all."""

from __future__ import annotations

import io
import threading
import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless._extras import need
from stripeless._files import write_whole
from stripeless.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What each format would otherwise stamp on a file: dates, and the version of the drawing library.
_NO_STAMP: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "stripeless", "pdf.fonttype": 42}
_LOCK = threading.Lock()  # matplotlib's settings belong to the whole process


def figure_bytes(figure: Figure, suffix: str) -> bytes:
    """The figure as PNG (200 dpi), SVG (text stays text) or PDF (fonts embedded)."""
    kind = suffix.lower().lstrip(".")
    if kind not in _NO_STAMP:
        raise InputError(f"figure format: expected png, svg or pdf, got {suffix!r}")
    matplotlib = need("matplotlib", "plots", "drawing a figure")
    buffer = io.BytesIO()
    with _LOCK, matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # A name in a script that the drawing font lacks is shown as boxes in PNG and PDF; the figure still stands.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # ticks of an axis that ends near the largest number there is
            figure.savefig(buffer, format=kind, dpi=200, metadata=_NO_STAMP[kind])
    return buffer.getvalue()


def save_figure(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure; the file appears whole or not at all.

    Parameters:
        figure: a matplotlib figure, such as `ax.figure`.
        path: where to; the ending .png, .svg or .pdf decides the format.
    """
    write_whole(path, figure_bytes(figure, Path(path).suffix))
