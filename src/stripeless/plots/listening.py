"""Figures of a listening test, after Fig. 24 to 30 of the VoicePrivacy 2020 supplement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless.errors import InputError
from stripeless.measures.shown import is_rate
from stripeless.plots.det import LEAST, normal_deviate
from stripeless.plots.series import shown_as
from stripeless.plots.style import COLORS, DASHES, INK, MUTED, PAPER, SMALL, axes_or_new, drawn, finish, legend_below
from stripeless.results.listening import ListeningStudy, ListeningView, ObjectivePoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _study(result: Any) -> ListeningStudy:
    return shown_as(ListeningStudy, result, "a listening test (kind 'listening')")


def _view(result: Any, view: str) -> ListeningView:
    views = _study(result).parts
    if view not in views:
        raise InputError(f"view: {view!r} is not one of {', '.join(views)}")
    return views[view]


def plot_violins(result: Any, view: str = "naturalness", ax: Axes | None = None) -> Axes:
    """How often each group got which normalized rank; dot: mean with interval over listeners, bar: quartiles."""
    chosen = _view(result, view)
    ax = axes_or_new(ax)
    groups = chosen.groups
    for place, group in enumerate(groups):
        density = np.array(group.density)
        centers = (np.arange(density.size) + 0.5) / density.size
        smooth = np.convolve(np.pad(density, 3, mode="edge"), np.array([1, 2, 3, 4, 3, 2, 1]) / 16, mode="valid")
        width = 0.42 * smooth / max(smooth.max(), 1e-9)
        original = group.name.startswith("original ")
        ax.fill_betweenx(
            centers, place - width, place + width, color=MUTED if original else COLORS[0], alpha=0.35, linewidth=0
        )
        ax.plot([place, place], group.quartiles, color=INK, linewidth=3, solid_capstyle="butt")
        if group.low is not None and group.high is not None:
            ax.plot([place, place], [group.low, group.high], color=PAPER, linewidth=1.2)
        ax.plot([place], [group.mean], "o", color=PAPER, markeredgecolor=INK, markersize=5)
        ax.annotate(f"{group.mean:.2f}", (place, 1.0), ha="center", va="bottom", fontsize=SMALL, color=INK)
    ax.set_xticks(range(len(groups)), labels=[group.name for group in groups], rotation=35, ha="right")
    ax.set_ylim(-0.02, 1.06)
    for text in ax.get_xticklabels():
        text.set_parse_math(False)
    finish(ax, "", "normalized rank")
    ax.set_title(chosen.label, fontsize=SMALL, color=INK)
    return ax


def plot_listening_det(result: Any, view: str = "similarity_target", ax: Axes | None = None) -> Axes:
    """DET curves of one view. Naturalness, intelligibility: near the falling line is as good as original speech.

    Similarity: near the falling line the speaker is hidden.
    """
    chosen = _view(result, view)
    ax = axes_or_new(ax)
    normal_deviate(ax)
    across = np.array([LEAST, 1 - LEAST])
    handles = [ax.plot(across, 1 - across, color=INK, linewidth=1.6)[0]]
    labels = ["no difference"]
    for k, (name, points) in enumerate(chosen.det.items()):
        color = MUTED if name.startswith("original ") else COLORS[k % len(COLORS)]
        handles += ax.plot(
            points["false_alarm"], points["miss"], color=color, linestyle=DASHES[k % len(DASHES)], linewidth=1.5
        )
        labels.append(name)
    finish(ax, "false alarms (%)", "misses (%)")
    legend_below(ax, handles, labels)
    ax.set_title(chosen.label, fontsize=SMALL, color=INK)
    return ax


def plot_objective_subjective(points: Sequence[ObjectivePoint], measure: str = "eer", ax: Axes | None = None) -> Axes:
    """What the machine finds against what people hear (Fig. 27-30): one point per system and condition."""
    from stripeless.measures.uncertainty.rank_tests import spearman

    if len(points) < 3:
        raise InputError(f"objective against subjective needs at least three points, got {len(points)}")
    ax = axes_or_new(ax)
    scale = 100 if is_rate(measure) else 1
    for k, name in enumerate(dict.fromkeys(p.system for p in points)):
        own = [p for p in points if p.system == name]
        x, y = [scale * p.objective for p in own], [scale * p.subjective for p in own]
        color = INK if name.lower() in ("original", "orig") else COLORS[k % len(COLORS)]
        ax.plot(x, y, ("o", "s", "^", "D", "v")[k % 5], color=color, markersize=5, label=name)
    rho = spearman([p.objective for p in points], [p.subjective for p in points])[0]
    ax.set_title(f"rank correlation {rho:.2f} over {len(points)} points", fontsize=SMALL, color=INK)
    ax.legend(fontsize=SMALL - 1, frameon=False, labelcolor=INK, ncols=3)
    unit = " (%)" if scale == 100 else ""
    return finish(ax, f"objective {measure}{unit}", f"subjective {measure}{unit}")


def listening_figures(result: Any) -> dict[str, Figure]:
    """Every figure of a listening test, by name."""
    study = _study(result)
    figures: dict[str, Figure] = {}
    for view, chosen in study.parts.items():
        width = max(4.8, 0.5 * len(chosen.groups) + 1)
        figures[f"violin-{view}"] = drawn(plot_violins, study, view, size=(width, 3.6))
        if chosen.det:
            size = (4.8, 3.3 + 0.19 * len(chosen.det))
            figures[f"det-{view}"] = drawn(plot_listening_det, study, view, size=size)
    for measure, rows in study.objective.items():
        if len(rows.points) >= 3:
            figures[f"objective-{measure}"] = drawn(plot_objective_subjective, rows.points, measure, size=(4.8, 3.9))
    return figures
