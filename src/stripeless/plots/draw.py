"""Every figure that a result can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stripeless.measures.catalog import MEASURES, headlines_on_a_scale
from stripeless.measures.shown import is_rate
from stripeless.plots.calibration import plot_calibration
from stripeless.plots.det import plot_det
from stripeless.plots.ece import plot_ece
from stripeless.plots.measures import plot_measures
from stripeless.plots.scores import one_assessment, plot_scores
from stripeless.plots.series import series_of, shown_results
from stripeless.plots.style import drawn, new_figure
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_names(results: Any) -> tuple[str, ...]:
    """Which figures a result can show; `draw_all` has them under these names.

    >>> from stripeless.assessment.assess import assess
    >>> figure_names(assess([1.0, 2.0], [0.0, 1.5]))
    ('ece', 'det', 'scores', 'calibration')
    """
    results = shown_results(results)
    series = series_of(results)
    names = ["measures"] if len(series) > 1 else []
    if all({"ece", "roc"} <= set(one.assessment.curves) for one in series):
        names += ["ece", "det"]
    one_system = isinstance(results, (Assessment, Evaluation))
    if one_system and {"histogram", "segments"} <= set(one_assessment(results).curves):
        names += ["scores", "calibration"]
    return tuple(names)


def draw_all(results: Any) -> dict[str, Figure]:
    """All of them. An evaluation shows scores and calibration of its strongest attacker."""
    results = shown_results(results)
    return {name: draw(name, results) for name in figure_names(results)}


def draw(name: str, results: Any) -> Figure:
    """One figure by its name."""
    results = shown_results(results)
    series = series_of(results)
    if name == "measures":
        return _draw_measures(results, len(series))
    plot = {"ece": plot_ece, "det": plot_det, "scores": plot_scores, "calibration": plot_calibration}[name]
    lines = 2 + len(series) if name in ("ece", "det") else 3
    return drawn(plot, results, size=(4.8, 3.1 + 0.19 * lines))


def _draw_measures(results: Any, lines: int) -> Figure:
    names = [name for name in headlines_on_a_scale() if _has_value(results, name)]
    figure, axes = new_figure(len(names), size=(4.8, len(names) * (0.62 + 0.27 * lines)))
    for ax, name in zip(axes, names, strict=True):
        plot_measures(results, name, ax)
        ax.set_xlim(*_span(name))
    return figure


def _span(name: str) -> tuple[float, float]:
    """From the private to the exposed end, with room for a dot on either."""
    info = MEASURES[name]
    most = (100 if is_rate(name) else 1) * max(info.chance or 0.0, info.exposed or 0.0)
    return -0.04 * most, 1.04 * most


def _has_value(results: Any, name: str) -> bool:
    return any(one.assessment.value_of(name) is not None for one in series_of(results))
