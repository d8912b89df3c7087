"""Figures of results: `plot_x(result, ax=None) -> ax`. Each takes the dict of a result (or the result), never scores.

Belongs here: drawing, and the numbers of a figure as CSV.
Not here: computing what is drawn.
"""

from stripeless.plots.calibration import plot_calibration
from stripeless.plots.data import figure_csv
from stripeless.plots.det import plot_det
from stripeless.plots.draw import draw, draw_all, figure_names
from stripeless.plots.ece import plot_ece
from stripeless.plots.measures import plot_measures
from stripeless.plots.save import figure_bytes, save_figure
from stripeless.plots.scores import plot_scores

__all__ = [
    "draw",
    "draw_all",
    "figure_bytes",
    "figure_csv",
    "figure_names",
    "plot_calibration",
    "plot_det",
    "plot_ece",
    "plot_measures",
    "plot_scores",
    "save_figure",
]
