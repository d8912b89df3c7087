"""Figures of many systems, after the VoicePrivacy 2020 supplement: bars (Fig. 1-2, 13-16), scatter (17-23), Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless.errors import InputError
from stripeless.measures.catalog import SIMILARITY_MEASURES, info_of
from stripeless.measures.shown import is_rate
from stripeless.measures.uncertainty.rank_tests import spearman
from stripeless.plots.series import shown_as
from stripeless.plots.style import COLORS, DASHES, INK, MARKERS, MUTED, SMALL, axes_or_new, drawn, finish
from stripeless.results.systems import ORIGINAL, Cell, Profile, Systems

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _systems(result: Any) -> Systems:
    return shown_as(Systems, result, "a comparison of systems (kind 'systems')")


def _scale(measure: str) -> int:
    return 100 if is_rate(measure) else 1


def _axis(measure: str) -> str:
    info = info_of(measure)
    label = info.label if info else measure.replace("_", " ").capitalize()
    unit = "%" if is_rate(measure) else info.unit if info else ""
    return label + (f" ({unit})" if unit else "")


def plot_bars(result: Any, measure: str, attacker: str, dataset: str, split: str = "", ax: Axes | None = None) -> Axes:
    """One bar per system and sex on one data set, ordered by the value for men, original speech included.

    Bars of the sexes differ in hatching as well as in color.
    """
    cells = [
        c for c in _systems(result).cells
        if c.measure == measure and c.dataset == dataset and c.split == split and c.attacker in (attacker, "original")
    ]  # fmt: skip
    if not cells:
        raise InputError(f"no {measure} of attacker {attacker!r} on {dataset!r} {split!r} in this comparison")
    sexes = [sex for sex in ("male", "female", "all") if any(c.sex == sex for c in cells)]
    values = {sex: {c.system: c.value for c in cells if c.sex == sex} for sex in sexes}
    systems = list(dict.fromkeys(c.system for c in cells))
    order = sorted(systems, key=lambda name: (values[sexes[0]].get(name, float("inf")), name))
    ax = axes_or_new(ax)
    height = 0.8 / len(sexes)
    scale = _scale(measure)
    for k, sex in enumerate(sexes):
        places = [i + (k - (len(sexes) - 1) / 2) * height for i in range(len(order))]
        widths = [scale * values[sex].get(name, 0.0) for name in order]
        ax.barh(
            places, widths, height=height, color=COLORS[k], hatch=("", "////", "....")[k], edgecolor="white", label=sex
        )
    ax.set_yticks(range(len(order)), labels=order)
    finish(ax, _axis(measure), "")
    ax.grid(False, axis="y")
    ax.legend(fontsize=SMALL, frameon=False, labelcolor=INK)
    return ax


def plot_scatter(result: Any, x: str, y: str, attacker: str, ax: Axes | None = None) -> Axes:
    """Two measures of the same systems under the same conditions, with Spearman's rank correlation in the title."""
    cells = _systems(result).cells
    table = {
        name: {(c.system, *c.condition): c.value for c in cells
               if c.measure == name and (c.attacker in (attacker, "original") or name in SIMILARITY_MEASURES)}
        for name in (x, y)
    }  # fmt: skip
    keys = [key for key in table[x] if key in table[y]]
    if len(keys) < 3:
        raise InputError(f"{x} and {y}: fewer than three conditions have both against attacker {attacker!r}")
    ax = axes_or_new(ax)
    systems = list(dict.fromkeys(key[0] for key in keys))
    for k, name in enumerate([s for s in systems if s != ORIGINAL] + [s for s in systems if s == ORIGINAL]):
        own = [key for key in keys if key[0] == name]
        color, marker = (INK, "*") if name == ORIGINAL else (COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)])
        ax.plot([_scale(x) * table[x][key] for key in own], [_scale(y) * table[y][key] for key in own], marker, color=color,
                markersize=5, alpha=0.85, label=name)  # fmt: skip
    rho = spearman([table[x][key] for key in keys], [table[y][key] for key in keys])[0]
    ax.set_title(f"{attacker}: rank correlation {rho:.2f} over {len(keys)} points", fontsize=SMALL, color=INK)
    finish(ax, _axis(x), _axis(y))
    _wide_legend(ax)
    return ax


def plot_pareto(result: Any, ax: Axes | None = None) -> Axes:
    """Privacy against utility; systems on the front, which nobody beats in both, are joined and named in ink."""
    pareto = _systems(result).pareto
    if not pareto:
        raise InputError("this comparison holds no systems with both a privacy and a utility measure")
    ax = axes_or_new(ax)
    scale = _scale(pareto.privacy), _scale(pareto.utility)
    points = [(scale[0] * p.privacy, scale[1] * p.utility, p.system, p.front) for p in pareto.points]
    front = sorted(p for p in points if p[3])
    ax.plot([p[0] for p in front], [p[1] for p in front], color=COLORS[0], linewidth=1.2, linestyle=(0, (5, 2)))
    for a, b, name, on in points:
        ax.plot([a], [b], "o" if on else "s", color=COLORS[0] if on else MUTED, markersize=6 if on else 4)
        ax.annotate(name, (a, b), xytext=(4, 4), textcoords="offset points", fontsize=SMALL - 1, color=INK if on else MUTED,
                    parse_math=False)  # fmt: skip
    who = ", ".join(pareto.attackers) or "the attackers all have faced"
    ax.set_title(f"strongest of: {who}", fontsize=SMALL, color=INK)
    return finish(ax, _axis(pareto.privacy), _axis(pareto.utility))


def profile_name(curve: Profile) -> str:
    """The name of the figure that a profile belongs to: its attacker and condition."""
    return "-".join(filter(None, ("ece", curve.attacker, curve.dataset, curve.split, curve.sex)))


def plot_profiles(result: Any, name: str, ax: Axes | None = None) -> Axes:
    """ECE profiles of all systems under one condition (Fig. 3-6); `name` is one of those of `profile_name`."""
    profiles = _systems(result).profiles
    curves = [] if profiles is None else [c for c in profiles.curves if profile_name(c) == name]
    if profiles is None or not curves:
        raise InputError(f"no ECE profile {name!r} in this comparison")
    ax = axes_or_new(ax)
    ax.plot(profiles.log10_odds, profiles.zero_evidence, color=INK, linewidth=1.6, label="no evidence")
    for k, curve in enumerate(curves):
        style = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k % len(DASHES)]}
        ax.plot(
            profiles.log10_odds,
            np.array(curve.calibrated, dtype=np.float64),
            linewidth=1.4,
            label=curve.system,
            **style,
        )
    finish(ax, "prior log-odds of a match (base 10)", "bits still needed")
    _wide_legend(ax)
    return ax


def _wide_legend(ax: Axes) -> None:
    legend = ax.legend(loc="upper left", bbox_to_anchor=(-0.02, -0.19), ncols=6, fontsize=SMALL - 1, frameon=False,
                       labelcolor=INK, handletextpad=0.1, columnspacing=0.8, borderaxespad=0.0)  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _widest(measure: str, cells: Sequence[Cell]) -> str:
    """The variant of a measure that most systems have: published tables print Kaldi's EER and the binned linkability."""
    variants = (measure, f"{measure}_kaldi", f"{measure}_binned")
    return max(variants, key=lambda name: len({c.system for c in cells if c.measure == name}))


PAIRS = (("eer", "cllr_min"), ("linkability", "cllr_min"), ("eer", "linkability"), ("d_ece", "cllr_min"),
         ("log10_lr", "cllr_min"), ("de_identification", "gain_of_voice_distinctiveness"))  # fmt: skip


def systems_figures(result: Any, measures: Sequence[str] = ("d_ece",)) -> dict[str, Figure]:
    """The figures of a comparison of systems, by name: bars per data set, scatter per attacker, the Pareto front."""
    result = _systems(result)
    cells = result.cells
    figures: dict[str, Figure] = {}
    known = {c.measure for c in cells}
    for measure in [m for m in measures if m in known]:
        places = dict.fromkeys(
            (c.attacker, c.dataset, c.split) for c in cells if c.measure == measure and c.attacker != "original"
        )
        for attacker, dataset, split in places:
            here = [c for c in cells if (c.measure, c.dataset, c.split) == (measure, dataset, split)]
            if len({c.system for c in here if c.attacker == attacker}) < 2:
                continue
            count = len({c.system for c in here if c.attacker in (attacker, "original")})
            figure = drawn(plot_bars, result, measure, attacker, dataset, split, size=(4.8, 1.2 + 0.26 * count))
            figure.axes[0].set_title(f"{dataset} {split}, {attacker}", fontsize=SMALL, color=INK)
            figures["-".join(filter(None, ("bars", measure, attacker, dataset, split)))] = figure
    for first, second in PAIRS:
        x, y = (_widest(name, cells) for name in (first, second))
        for attacker in dict.fromkeys(c.attacker for c in cells if c.measure in (x, y) and c.attacker != "original"):
            if {x, y} <= set(SIMILARITY_MEASURES) and attacker != "ignorant":
                continue
            with suppress(InputError):
                figures["-".join(("scatter", x, y, attacker))] = drawn(
                    plot_scatter, result, x, y, attacker, size=(4.8, 4.6)
                )
    for name in dict.fromkeys(map(profile_name, result.profiles.curves if result.profiles else ())):
        figures[name] = drawn(plot_profiles, result, name, size=(4.8, 4.2))
    if result.pareto:
        figures["pareto"] = drawn(plot_pareto, result, size=(4.8, 3.9))
    return figures
