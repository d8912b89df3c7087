"""Figures of rank disclosure: shapes of rank distributions, histogram and models, speakers, streams.

Figures 1 and 5 to 8 of Baeckstroem et al. Each takes the dict of a rank result (`RankReport.to_dict()`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless.errors import InputError
from stripeless.plots.series import shown_as
from stripeless.plots.style import (
    COLORS,
    DASHES,
    INK,
    MARKERS,
    MUTED,
    axes_or_new,
    drawn,
    finish,
    legend_below,
    new_figure,
)
from stripeless.ranks.disclosure import statistics_of
from stripeless.results.ranks import RankGrowth, RankReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOSS_NAMES = {"ll": "LL", "ms": "MS", "wms": "WMS", "rwms": "RWMS", "cll": "CLL"}


def _report(result: Any) -> RankReport:
    return shown_as(RankReport, result, "the result of a ranking (`stripeless rank --json`)")


def plot_rank_histogram(result: Any, ax: Axes | None = None) -> Axes:
    """Figure 5: how likely each rank is, with the beta-binomial model (CLL) dashed and equal probability dotted."""
    found, ax = _report(result), axes_or_new(ax)
    handles, labels = [], []
    for k, feature in enumerate(found.features):
        curves, color = feature.curves, COLORS[k % len(COLORS)]
        rank, probability = np.array(curves["rank"]), np.array(curves["probability"])
        seen = probability > 0
        handles.append(
            ax.plot(
                rank[seen], probability[seen], color=color, marker=MARKERS[k % len(MARKERS)], markersize=3, linewidth=1
            )[0]
        )
        ax.plot(rank, curves["models"]["cll"], color=color, linestyle=(0, (4, 2)), linewidth=1.3)
        ax.axhline(1 / feature.n, color=INK, linestyle=(0, (1, 2)), linewidth=1)
        value = feature.measures["mean_disclosure"].number
        labels.append(f"{feature.name or 'ranks'} (MeanD {value:.2f} bit of {np.log2(feature.n):.1f})")
    ax.set_xscale("log")
    ax.set_yscale("log")
    least = min(1 / feature.n for feature in found.features)
    ax.set_ylim(bottom=least / 30)
    finish(ax, "rank of the true template", "probability")
    legend_below(ax, handles, labels, "dashed: beta-binomial model (CLL); dotted: chance")
    return ax


def plot_cumulative_match(result: Any, ax: Axes | None = None) -> Axes:
    """The CMC curve: how often the own template is among the k most similar; dotted is chance."""
    found, ax = _report(result), axes_or_new(ax)
    handles, labels = [], []
    for k, feature in enumerate(found.features):
        curves = feature.curves
        look = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k % len(DASHES)], "linewidth": 1.7}
        handles.append(ax.plot(curves["cmc_rank"], curves["cmc"], **look)[0])
        ax.plot(
            curves["cmc_rank"],
            np.array(curves["cmc_rank"]) / feature.n,
            color=INK,
            linestyle=(0, (1, 2)),
            linewidth=1,
        )
        labels.append(f"{feature.name or 'ranks'} (rank 1: {100 * feature.measures['id_rate'].number:.1f} %)")
    ax.set_xscale("log")
    ax.set_ylim(0, 1.03)
    finish(ax, "the k most similar templates", "share that holds the true one")
    legend_below(ax, handles, labels, "dotted: chance")
    return ax


def plot_speaker_disclosure(result: Any, ax: Axes | None = None) -> Axes:
    """Figure 6: how mean disclosure is spread over speakers, from one model per speaker (LL)."""
    found, ax = _report(result), axes_or_new(ax)
    handles, labels = [], []
    for k, feature in enumerate(found.features):
        if feature.per_speaker is None:
            continue
        bits, summary = feature.curves["speaker_bits"], feature.per_speaker
        look = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k % len(DASHES)], "linewidth": 1.6}
        handles.append(ax.stairs(bits["share"], bits["edges"], **look))
        labels.append(
            f"{feature.name or 'ranks'} (max {summary.max:.2f}, mean {summary.mean:.2f}, std {summary.std:.2f} bit)"
        )
    if not handles:
        raise InputError("result: no models per speaker; they need two or more probes of each speaker")
    finish(ax, "mean disclosure of a speaker (bit)", "share of speakers")
    legend_below(ax, handles, labels)
    return ax


def plot_example_speaker(result: Any, ax: Axes | None = None, feature: int = 0) -> Axes:
    """Figure 7: the ranks of one speaker (the median one) as a cumulative distribution, with both models."""
    found, ax = _report(result), axes_or_new(ax)
    example = found.features[feature].curves.get("example")
    if example is None:
        raise InputError("result: no example speaker; it needs two or more probes of each speaker")
    ranks = np.array(example["ranks"])
    share = np.arange(1, ranks.size + 1) / ranks.size
    last = example["rank"][-1]
    steps = ax.step(
        np.concatenate([[0], ranks, [last]]), np.concatenate([[0], share, [1]]), where="post", color=INK, linewidth=1.2
    )
    handles, labels = [steps[0]], [f"{ranks.size} probes of speaker {example['speaker']}"]
    for k, (loss, values) in enumerate(example["cumulative"].items()):
        handles.append(ax.plot(example["rank"], values, color=COLORS[k], linestyle=DASHES[k + 1], linewidth=1.6)[0])
        labels.append(f"model by {LOSS_NAMES[loss]}")
    ax.plot([0, last], [0, 1], color=MUTED, linestyle=(0, (1, 2)), linewidth=1)
    ax.set_ylim(0, 1.03)
    finish(ax, "rank of the true template", "cumulative share")
    legend_below(ax, handles, labels, "dotted: chance")
    return ax


def plot_stream(result: Any, ax: Axes | None = None) -> Axes:
    """Figure 8: mean disclosure over the length of the probe, a line per template length, with the T and sqrt(T) bounds."""
    found, ax = _report(result), axes_or_new(ax)
    stream = found.stream
    if stream is None:
        raise InputError("result: no lengths were compared; run with --lengths")
    handles, labels = [], []
    for k, (length, row) in enumerate(zip(stream.template_lengths, stream.mean_disclosure_model, strict=True)):
        points = [(t, v) for t, v in zip(stream.probe_lengths, row, strict=True) if v is not None]
        if points:
            x, y = zip(*points, strict=True)
            color, marker = COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)]
            handles.append(ax.plot(x, y, color=color, marker=marker, markersize=4, linewidth=1.5)[0])
            labels.append(f"template of {length}")
    bounds = ((stream.linear_bound, "T", (0, (6, 3))), (stream.square_root_bound, "sqrt(T)", (0, (4, 2, 1, 2))))
    for bound, word, dash in bounds:
        handles.append(ax.plot(stream.probe_lengths, bound, color=MUTED, linestyle=dash, linewidth=1.2)[0])
        labels.append(f"bound by composition, {word}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.minorticks_off()
    _plain_ticks(ax, stream)
    finish(ax, "length of the probe (observations)", "mean disclosure (bit)")
    legend_below(ax, handles, labels)
    return ax


def _plain_ticks(ax: Axes, stream: RankGrowth) -> None:
    """Numbers as people write them on the logarithmic axes of a stream."""
    ax.set_xticks(stream.probe_lengths, [str(length) for length in stream.probe_lengths])
    low, high = ax.get_ylim()
    ticks = [m * 10.0**e for e in range(-4, 4) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])


def shapes(n: int = 50) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """The six rank distributions of Figure 1, by what they mean."""
    from stripeless.ranks.beta_binomial import BetaBinomial

    same = np.full(n, 0.6 / (n - 1))
    same[0] = 0.4
    crowd = np.zeros(n)
    crowd[:10] = 0.1
    return {
        "typical": BetaBinomial(0.6, 3.0, n).probability,
        "noisy: wide": BetaBinomial(0.9, 1.4, n).probability,
        "accurate: narrow": BetaBinomial(0.2, 8.0, n).probability,
        "a miss says nothing": same,
        "10-anonymity": crowd,
        "reversed": BetaBinomial(1.6, 0.9, n).probability,
    }


def plot_rank_shapes() -> Figure:
    """Figure 1: what rank distributions look like, with MeanD, MaxD and Spread of each."""
    figure, _ = new_figure(size=(6.4, 5.2))
    figure.clear()
    axes = figure.subplots(3, 2, sharex=True)
    for k, (ax, (name, p)) in enumerate(zip(axes.flat, shapes().items(), strict=True)):
        s = statistics_of(p)
        ax.bar(np.arange(1, p.size + 1), p, width=0.9, color=COLORS[0])
        ax.axhline(1 / p.size, color=INK, linestyle=(0, (4, 2)), linewidth=1)
        finish(ax, "rank" if k > 3 else "", "probability" if k % 2 == 0 else "")
        numbers = (
            f"MeanD {s['mean_disclosure']:.2f}, MaxD {s['max_disclosure']:.2f} bit, spread {100 * s['spread']:.0f} %"
        )
        text = f"({'abcdef'[k]}) {name}\n{numbers}"
        ax.set_title(text, fontsize=8, color=INK, loc="left")
    return figure


FIGURES: dict[str, tuple[str, str, Any]] = {
    "rank_histogram": (
        "Ranks of the true template",
        "How often the true speaker is the most similar one, the second, and so on. Above the dotted line a rank is more "
        "likely than by chance; the higher the left end, the more is disclosed (Figure 5).",
        plot_rank_histogram,
    ),
    "cmc": (
        "Among the k most similar",
        "How many of the most similar people an attacker must look at to find the right one.",
        plot_cumulative_match,
    ),
    "speaker_disclosure": (
        "Not everybody is equally exposed",
        "Mean disclosure of each speaker: the right end of the curve holds those whom the average hides (Figure 6).",
        plot_speaker_disclosure,
    ),
    "example_speaker": (
        "One speaker",
        "The ranks of the speaker in the middle of the field, and the models fitted to them (Figure 7).",
        plot_example_speaker,
    ),
    "stream": (
        "More speech, more disclosure",
        "Mean disclosure against the length of what the attacker hears and has on file (Figure 8).",
        plot_stream,
    ),
}


def draw_rank(result: Any) -> dict[str, Figure]:
    """Every figure that this result can show, and Figure 1, which shows how to read them."""
    found = _report(result)
    figures = {}
    for name, (_, _, plot) in FIGURES.items():
        with suppress(InputError):
            figures[name] = drawn(plot, found, size=(4.8, 3.5 + 0.19 * (1 + len(found.features))))
    figures["rank_shapes"] = plot_rank_shapes()
    return figures
