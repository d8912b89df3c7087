"""Figures of attacks on embeddings: accuracy against pairs, and similarity matrices (paper 2, Figures 8-12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless.plots.series import shown_as
from stripeless.plots.style import COLORS, DASHES, INK, MARKERS, SMALL, axes_or_new, finish, legend_below
from stripeless.results.attack import AttackStudy
from stripeless.results.similarity import SimilarityStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CURVES = (
    ("eer", "EER after inversion"),
    ("top1_inverted_to_original", "Top-1, nearest original of each inverted"),
    ("top1_original_to_inverted", "Top-1, nearest inverted of each original"),
)


def plot_pairs_curve(result: Any, ax: Axes | None = None) -> Axes:
    """EER and Top-1 of Procrustes against the number of pairs it learned from; chance as thin lines."""
    found = shown_as(AttackStudy, result, "the result of `stripeless attack --json`")
    points, ax = found.curve, axes_or_new(ax)
    handles = []
    for k, (key, _) in enumerate(CURVES):
        x, y = [p["pairs"] for p in points], [100 * p[key] for p in points]
        handles += ax.plot(x, y, color=COLORS[k], linestyle=DASHES[k], marker=MARKERS[k], markersize=4, linewidth=1.4)
        ax.axhline(100 * found.chance[key].mean, color=COLORS[k], linestyle=(0, (1, 2)), linewidth=0.9)
    ax.set_xscale("log")
    ax.set_ylim(0, 100)
    finish(ax, "pairs the attacker learned from", "percent")
    legend_below(ax, handles, [label for _, label in CURVES], title="thin dots: random rotations")
    return ax


def plot_similarity(result: Any, ax: Axes | None = None) -> Axes:
    """The global similarity matrix as a heat map: originals first, then anonymized; a dark diagonal is a voice."""
    found = shown_as(SimilarityStudy, result, "the result of `stripeless similarity --json`")
    matrices, ax = {key: np.array(values) for key, values in found.matrices.items()}, axes_or_new(ax)
    whole = np.block([[matrices["oo"], matrices["oa"]], [matrices["oa"], matrices["aa"]]])
    n = len(matrices["oo"])
    image = ax.imshow(whole.clip(0, 1), vmin=0, vmax=1, cmap="cividis_r", interpolation="nearest")
    finish(ax, "speakers", "speakers")
    ax.grid(False)
    for place in (n - 0.5,):
        ax.axhline(place, color=INK, linewidth=1)
        ax.axvline(place, color=INK, linewidth=1)
    ax.set_xticks([n / 2 - 0.5, 1.5 * n - 0.5], ["original", "anonymized"])
    ax.set_yticks([n / 2 - 0.5, 1.5 * n - 0.5], ["original", "anonymized"], rotation=90, va="center")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("similarity", fontsize=SMALL, color=INK)
    return ax
