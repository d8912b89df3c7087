"""Figures 1 and 2 of Noe et al. 2022: the latent space of a flow, and maps of vectors before and after protection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_attribute_map(points: ArrayLike, labels: Sequence[object], ax: Axes | None = None, title: str = "") -> Axes:
    """Two coordinates per vector, one color and marker per class. Classes that mix are hidden from the eye at least."""
    drawn = _axes(ax)
    _scatter(drawn, np.asarray(points, dtype=np.float64), labels)
    drawn.set_xticks([])
    drawn.set_yticks([])
    drawn.set_title(title or "Neighbors in two dimensions")
    return drawn


def plot_latent(latent: ArrayLike, labels: Sequence[object], ax: Axes | None = None, title: str = "") -> Axes:
    """First residual coordinate against the evidence: the classes should part along the evidence and nowhere else."""
    drawn = _axes(ax)
    _scatter(drawn, np.asarray(latent, dtype=np.float64)[:, :2], labels)
    drawn.axvline(0.0, color=style.MUTED, linewidth=0.8)
    drawn.set_xlabel("Evidence: log-likelihood ratio")
    drawn.set_ylabel("Residual, first coordinate")
    drawn.set_title(title or "Latent space of the flow")
    return drawn


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from stripeless._extras import need

    figure: Any = need("matplotlib.figure", "plots", "drawing a figure").Figure(
        figsize=style.SIZE, layout="constrained"
    )
    axes: Axes = figure.add_subplot()
    return axes


def _scatter(ax: Axes, points: Any, labels: Sequence[object]) -> None:
    names = np.asarray([str(label) for label in labels])
    for place, name in enumerate(np.unique(names)):
        chosen = names == name
        color, marker = style.COLORS[place % len(style.COLORS)], style.MARKERS[place % len(style.MARKERS)]
        ax.plot(*points[chosen].T, marker, color=color, markersize=2.5, alpha=0.6, label=str(name))
    ax.legend(loc="best", fontsize=style.SMALL, markerscale=2)
