"""Reports of `stripeless similarity`: how alike voices are, before and after anonymization."""

from __future__ import annotations

from typing import Any

from stripeless.measures.measure import Measure
from stripeless.measures.shown import percent
from stripeless.plots.attack import plot_similarity
from stripeless.plots.style import drawn
from stripeless.report.cells import page_table
from stripeless.report.figures import check_figure, pictured
from stripeless.report.page import Section, render_sections
from stripeless.report.simple import Sheet, bare_latex, measures_csv, plain_sheet, rows_csv
from stripeless.report.text import aligned
from stripeless.results.similarity import SimilarityStudy

TITLE = "Voice similarity"
COLUMNS = ("group", "measure", "value", "unit")
MATRIX = ("Similarity matrix", "Originals first, then anonymized; a diagonal that stands out is a voice told apart.")


def similarity_rows(result: SimilarityStudy) -> list[tuple[str, ...]]:
    """One row per group and measure."""
    return [
        (group.name, one.info.label, _value(one), "" if name == "de_identification" else one.unit)
        for group in result.groups
        for name, one in group.measures.items()
    ]


def _value(measure: Measure) -> str:
    if measure.value is None:
        return measure.reason or "-"
    return percent(measure.number) if measure.unit == "share" else f"{measure.number:.2f}"


def similarity_words(result: SimilarityStudy) -> list[str]:
    """De-identification and distinctiveness for people who never heard of them."""
    said = []
    for group in result.groups:
        hidden, gain = (group.measures[name] for name in ("de_identification", "gain_of_voice_distinctiveness"))
        lost = "an unknown share" if hidden.value is None else percent(hidden.number)
        change = "lost" if gain.number < 0 else "gained"
        left = "are all alike" if gain.value is None else f"{change} {abs(gain.number):.1f} dB of distinctiveness"
        said.append(
            f"{group.name}, {group.speakers} speakers: an ignorant attacker, who compares anonymized with original "
            f"vectors as they stand, loses {lost} of what tied voices to speakers (de-identification); among "
            f"themselves the anonymized voices {left}."
        )
    return [
        *said,
        "This is no proof of privacy: a mere rotation of the vectors reaches 100 % and is undone by `stripeless attack`.",
        *result.notes,
    ]


def text(result: SimilarityStudy) -> str:
    """The result for a terminal."""
    table = "\n".join(aligned(COLUMNS, similarity_rows(result), right=False))
    return "\n\n".join([table, *similarity_words(result)])


def html(result: SimilarityStudy) -> str:
    """One page, offline."""
    pictures = pictured(figures, result, lambda name: MATRIX, data)
    sections = [
        Section("What follows", tuple(similarity_words(result))),
        Section("", tables=(page_table(TITLE, COLUMNS, similarity_rows(result)),), pictures=tuple(pictures)),
    ]
    return render_sections(result.name or TITLE, sections, kicker=TITLE)


def figures(result: SimilarityStudy) -> dict[str, Any]:
    """Every figure by its name; needs matplotlib."""
    return {"similarity": drawn(plot_similarity, result, size=(4.8, 4.2))}


def data(result: SimilarityStudy, name: str) -> str:
    """The points of the figure as CSV."""
    check_figure(name, ("similarity",))
    who = result.speakers
    return rows_csv(
        ("matrix", "row", "column", "similarity"),
        (
            (key, who[i], who[j], f"{value:.6f}")
            for key, values in result.matrices.items()
            for i, row in enumerate(values)
            for j, value in enumerate(row)
        ),
    )


def numbers(result: SimilarityStudy) -> str:
    """Every measure of every group as CSV."""
    return measures_csv((group.name, group.measures) for group in result.groups)


def sheet(result: SimilarityStudy) -> Sheet:
    """Words and table as they stand in Markdown."""
    return plain_sheet(result.name or TITLE, similarity_words(result), [(TITLE, COLUMNS, similarity_rows(result))])


def latex(result: SimilarityStudy) -> str:
    """The table as LaTeX."""
    return bare_latex(COLUMNS, similarity_rows(result))
