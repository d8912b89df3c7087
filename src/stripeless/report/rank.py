"""The report of a ranking: plain words first, then Tables II and III, figures and limits."""

from __future__ import annotations

from math import log2
from typing import Any

from stripeless.measures.catalog import RANK_MEASURES
from stripeless.plots.rank import FIGURES, draw_rank
from stripeless.plots.rank_data import rank_points
from stripeless.report.cells import Said, number_with_interval
from stripeless.report.figures import HOW_TO_GET, pictured
from stripeless.report.page import render_page
from stripeless.report.simple import Sheet, Table, measures_csv, plain_sheet, rows_csv
from stripeless.report.text import aligned
from stripeless.results.ranks import FeatureSum, RankFeature, RankReport

TITLE = "Similarity rank disclosure"
SAME_BITS = 0.05  # deviation over people, in bits, that would be shown as 0.0
LOSSES = ("ll", "ms", "wms", "rwms", "cll")


def table_ii(result: RankReport) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of Table II for these features: histogram with intervals, model by CLL, EER."""
    features = result.features
    rows = [["Histogram", *("" for _ in features)]]
    for name, info in RANK_MEASURES.items():
        factor = 100 if info.rate else 1
        cells = (number_with_interval(f.measures[name], info.digits, factor, "[{}, {}]") for f in features)
        rows.append([info.short, *cells])
    rows.append(["MeanD by chance alone (bit)", *(f"{f.chance['mean_disclosure']:.2f}" for f in features)])
    rows.append(["Model (CLL)", *("" for _ in features)])
    for name, info in RANK_MEASURES.items():
        values = ((100 if info.rate else 1) * getattr(f.model, name) for f in features)
        rows.append([info.short, *(f"{value:.{info.digits}f}" for value in values)])
    rows.append(["EER (%)", *("-" if f.eer is None else f"{100 * f.eer:.2f}" for f in features)])
    rows.append(["Templates", *(f"{f.n:,}" for f in features)])
    rows.append(["Probes", *(f"{f.probes:,} of {f.speakers:,} speakers" for f in features)])
    return ["", *(f.name or "ranks" for f in features)], rows


def table_iii(result: RankReport) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of Table III: goodness of fit of each loss; smaller is better."""
    features = result.features
    rows = []
    for key, label in (("kl_divergence", "KL divergence (bit)"), ("rank_1_match", "Rank-1 match (bit)")):
        for loss in LOSSES:
            cells = [getattr(f.fits.get(loss), key, None) for f in features]
            rows.append([f"{label}, {loss.upper()}", *("-" if c is None else f"{c:.3g}" for c in cells)])
    return ["", *(f.name or "ranks" for f in features)], rows


def _two_digits(share: float) -> str:
    """A share in percent with two digits that say something."""
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def in_words(feature: RankFeature) -> list[str]:
    """The result in sentences for people who do not know bits."""
    n, mean, rate = feature.n, feature.model.mean_disclosure, feature.measures["id_rate"].number
    by = f" by {feature.name}" if feature.name else ""
    crowd, within = n / 2.0**mean, feature.anonymity.within["0.5"]
    said = [
        f"Ranked{by}, the most similar of {n:,} people is the right one in {100 * rate:.1f} % of the observations; "
        f"guessing would be right in {_two_digits(1 / n)}."
        if rate
        else f"Ranked{by}, the most similar of {n:,} people was never the right one.",
        f"On average an observation discloses {mean:.1f} of the {log2(n):.1f} bits that would single a person out: a crowd of "
        f"{n:,} shrinks as if to {max(1.0, crowd):,.0f}.",
        "In half of the observations or more the right person is the most similar one."
        if within == 1
        else f"In half of the observations the right person is among the {within:,} most similar.",
    ]
    if feature.per_speaker is not None:
        worst, each = feature.per_speaker.max, feature.probes / feature.speakers
        differ = feature.per_speaker.std is None or feature.per_speaker.std >= SAME_BITS
        said.append(
            f"People differ: the most exposed speaker gives away {worst:.1f} bits on average "
            f"(a model of {each:.0f} observations; with few of them the extremes are exaggerated)."
            if differ
            else f"Every speaker gives away about as much: {worst:.1f} bits on average."
        )
    return said


def text(result: RankReport) -> str:
    """The result for a terminal."""
    parts = [" ".join(in_words(feature)) for feature in result.features]
    parts += [*("\n".join(aligned(*table, right=False)) for table in (table_ii(result), table_iii(result)))]
    if result.total is not None:
        parts.append(sum_in_words(result.total))
    said = [f"{w.severity.capitalize()}: {w.message}" for f in result.features for w in f.warnings]
    return "\n\n".join([*parts, *dict.fromkeys(said), *result.notes])


def sum_in_words(total: FeatureSum) -> str:
    """What the features disclose together."""
    if total.allowed:
        enough = None not in (total.total, total.limited) and total.total > total.limited  # type: ignore[operator]
        cut = f", cut to the {total.limited:.2f} that single one person out here" if enough else ""
        return f"Together: {total.total:.2f} bit{cut}. No pair of features was found to depend on each other."
    pairs = ", ".join(
        f"{' and '.join(pair.features)} ({pair.shared_bits:.2f} bit shared)"
        for pair in total.pairs
        if not pair.independent
    )
    return (
        f"Together: between {total.at_least:.2f} and {total.total:.2f} bit. The sum is not allowed, because these "
        f"depend on each other: {pairs}."
    )


def html(result: RankReport) -> str:
    """One page, offline, from a ranking."""
    return render_page(
        "rank.html.j2",
        title=result.name or TITLE,
        words=[sentence for feature in result.features for sentence in in_words(feature)],
        findings=[Said(w.code, w.severity, w.message, f.name) for f in result.features for w in f.warnings],
        tables=[
            ("Disclosure statistics (Table II), 95 % intervals over speakers", *table_ii(result)),
            (
                "Goodness of fit of the beta-binomial model by each loss (Table III); smaller is better",
                *table_iii(result),
            ),
        ],
        together=None if result.total is None else sum_in_words(result.total),
        figures=pictured(figures, result, _caption, data),
        how_to_get_figures=HOW_TO_GET,
        exposed=[(f.name, f.per_speaker.most_exposed) for f in result.features if f.per_speaker],
        result=result,
    )


def _caption(name: str) -> tuple[str, str]:
    reading = ("How to read rank histograms", "Six kinds of rank distribution; dashed is chance (Figure 1).", "")
    title, caption, _ = FIGURES.get(name, reading)
    return title, caption


def figures(result: RankReport) -> dict[str, Any]:
    """Every figure by its name; needs matplotlib."""
    return draw_rank(result)


def data(result: RankReport, name: str) -> str:
    """The points of one figure as CSV."""
    return rows_csv(*rank_points(result, name))


def sheet(result: RankReport) -> Sheet:
    """Words and tables as they stand in Markdown and LaTeX."""
    words = [sentence for feature in result.features for sentence in in_words(feature)]
    tables: list[Table] = [
        ("Disclosure statistics, 95 % intervals over speakers", *table_ii(result)),
        ("Goodness of fit of the model by each loss", *table_iii(result)),
    ]
    return plain_sheet(result.name or TITLE, words, tables)


def numbers(result: RankReport) -> str:
    """Every measure of every feature as CSV."""
    return measures_csv((feature.name or "ranks", feature.measures) for feature in result.features)
