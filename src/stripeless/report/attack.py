"""Reports of `stripeless attack`: words first, then tables and figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stripeless.measures.measure import Measure
from stripeless.measures.shown import percent
from stripeless.plots.attack import plot_pairs_curve
from stripeless.plots.style import drawn
from stripeless.report.cells import page_table
from stripeless.report.figures import check_figure, pictured
from stripeless.report.page import Section, render_sections
from stripeless.report.simple import Sheet, Table, bare_latex, measures_csv, plain_sheet, rows_csv
from stripeless.report.text import aligned
from stripeless.results.attack import OTHER_PEOPLE, AttackRow, AttackStudy
from stripeless.verdicts.sentences import shown_p

TITLE = "Attacks on embeddings"
COLUMNS = ("attack", "knows", "EER", "95 %", "AUC (less luck)", "p", "Top-1 inv.>orig.", "Top-1 orig.>inv.", "chose")
IDENTIFICATION = ("question", "people", "utterances averaged", "rate", "95 %", "chance", "p")
QUESTIONS = {"singling_out": "singling out exactly one", "one_to_n_linkability": "linking to the right one (1:N)"}
PAIRS = ("Accuracy against pairs", "What a rotation learned from so many pairs reaches on those who are judged.")


def attack_rows(result: AttackStudy) -> list[tuple[str, ...]]:
    """One row per attack on people it did not learn from, chance last."""
    eer, inverted, originals = (
        f"{100 * result.chance[key].mean:.1f} ± {100 * result.chance[key].deviation:.1f} %"
        for key in ("eer", "top1_inverted_to_original", "top1_original_to_inverted")
    )
    chance = ("random rotations", "nothing (chance)", eer, "", "", "", inverted, originals, "")
    return [*rows_of(result.rows), chance]


def rows_of(attacks: Iterable[AttackRow]) -> list[tuple[str, ...]]:
    """One row per attack: what it knows, what it reached, what it chose."""
    rows = []
    for one in attacks:
        eer = one.measures["eer"]
        chosen = ", ".join(f"{key} {value:g}" for key, value in one.chosen.items())
        tops = (one.measures.get(f"top1_{way}") for way in ("inverted_to_original", "original_to_inverted"))
        tested = _area(one), "" if one.p is None else shown_p(one.p)
        rows.append((one.name, one.knows, _share(eer), _ends(eer.low, eer.high), *tested, *map(_share, tops), chosen))
    return rows


def _share(measure: Measure | None) -> str:
    return "-" if measure is None or measure.value is None else percent(measure.number)


def _area(one: AttackRow) -> str:
    """The AUC over people, and less what the best of so many attacks gains by luck."""
    if one.auc is None:
        return ""
    return f"{one.auc:.2f}" + ("" if one.corrected is None else f" ({max(0.5, one.corrected):.2f})")


def _ends(low: Any, high: Any) -> str:
    """The interval of a rate, in percent."""
    return "" if low is None else f"{100 * low:.1f}-{100 * high:.1f}"


def _words(result: AttackStudy) -> list[str]:
    concluded = result.concluded
    lookup = f"Pseudonym lookup: {concluded.pseudonym_lookup}"
    return [
        *_protocol(result),
        f"Unlinkability (ISO/IEC 24745): {concluded.unlinkability}",
        f"Non-invertibility (ISO/IEC 24745): {concluded.non_invertibility}",
        *([lookup] if concluded.pseudonym_lookup else []),
        *(finding.message for finding in result.warnings if finding.severity != "serious"),
        "Attacks called unpaired never see a pair: rows are shuffled before they start.",
        *result.notes,
    ]


def _protocol(result: AttackStudy) -> list[str]:
    """Who taught the attacker, and who was judged."""
    if result.protocol != OTHER_PEOPLE:
        space = f"after PCA to {result.dimensions} dimensions" if result.dimensions else "without PCA"
        return [
            f"The attacker learned from {result.training} utterances of {result.speakers} speakers; {result.judged} "
            f"other utterances of the same speakers were judged. By trying on their own half they chose to work {space}.",
            "Whoever learns from the people judged knows their pseudonyms, so what is said here of non-invertibility may be a "
            "table of pseudonyms and no inversion. Compute it again: stripeless attack now learns from other people.",
        ]
    dealt = f", in {result.groups} groups by attackers who learned from the others" if result.groups > 1 else ""
    spaces = [f"PCA to {one} dimensions" if one else "no PCA" for one in result.dimensions_by_group]
    said = [
        f"{result.judged} utterances of {result.speakers} people were judged{dealt}. Nobody was judged by an attacker who "
        f"learned from them; each attacker learned from {result.training} utterances or more, and chose on these: "
        f"{', '.join(dict.fromkeys(spaces))}."
    ]
    if result.taught:
        said.append(
            f"In the protocol of Champion et al. 2021 (below) the attacker learned from the enrollment of {result.taught} of "
            "the people judged, so it does not tell an inversion from a table of pseudonyms."
        )
    return said


def _same_people(result: AttackStudy) -> list[Table]:
    """The same attacks on people who taught them."""
    tables = (
        ("Pseudonym lookup: learned from half of the utterances of the people judged", result.lookup),
        ("Protocol of Champion et al. 2021: learned from the pairs of enrollment", result.paper),
    )
    return [(title, COLUMNS, rows_of(rows)) for title, rows in tables if rows]


def _identification(result: AttackStudy, title: str) -> Table:
    """The WP29 questions, answered with the strongest attack."""
    rows = [
        (
            QUESTIONS[rate.name],
            str(rate.speakers),
            str(rate.utterances),
            percent(rate.rate),
            _ends(rate.low, rate.high),
            percent(rate.chance),
            "" if rate.p is None else shown_p(rate.p),
        )
        for rate in result.identification.rates
    ]
    return title, IDENTIFICATION, rows


def _with(result: AttackStudy) -> Table:
    return _identification(result, f"With {result.identification.attack}")


def _serious(result: AttackStudy) -> list[str]:
    return [finding.message for finding in result.warnings if finding.severity == "serious"]


def _how_it_went(result: AttackStudy) -> tuple[str, ...]:
    return tuple(f"{one.name}: {note}." for one in result.rows for note in one.notes)


def text(result: AttackStudy) -> str:
    """The result for a terminal."""
    tables = ["\n".join(aligned(COLUMNS, attack_rows(result), right=False))]
    for title, head, rows in (*_same_people(result), _with(result)):
        tables.append("\n".join([f"{title}:", *aligned(head, rows, right=False)]))
    return "\n\n".join([*tables, *_serious(result), *_words(result), *_how_it_went(result)])


def html(result: AttackStudy) -> str:
    """One page, offline."""
    pictures = pictured(figures, result, lambda name: PAIRS, data)
    who = f"Singling out and linking with the attack {result.identification.attack}"
    people = page_table(*_identification(result, "Against the number of people and of utterances averaged"))
    sections = [
        Section("What follows", tuple(_words(result))),
        Section("", tables=(page_table(TITLE, COLUMNS, attack_rows(result)),), pictures=tuple(pictures)),
        *(Section("", tables=(page_table(*table),)) for table in _same_people(result)),
        Section(who, tables=(people,)),
    ]
    if notes := _how_it_went(result):
        sections.append(Section("How far the unpaired attacks got", notes))
    serious = [finding for finding in result.warnings if finding.severity == "serious"]
    return render_sections(result.name or TITLE, sections, kicker=TITLE, findings=serious)


def figures(result: AttackStudy) -> dict[str, Any]:
    """Every figure that this result holds points for, by its name; needs matplotlib."""
    return {"pairs": drawn(plot_pairs_curve, result, size=(4.8, 4.2))} if result.curve else {}


def data(result: AttackStudy, name: str) -> str:
    """The points of the figure as CSV."""
    check_figure(name, ("pairs",))
    return rows_csv(tuple(result.curve[0]) if result.curve else (), (tuple(point.values()) for point in result.curve))


def numbers(result: AttackStudy) -> str:
    """Every measure of every attack as CSV."""
    several = (("", result.rows), ("pseudonym lookup: ", result.lookup), ("Champion et al. 2021: ", result.paper))
    return measures_csv((label + one.name, one.measures) for label, rows in several for one in rows)


def sheet(result: AttackStudy) -> Sheet:
    """Words and tables as they stand in Markdown."""
    tables = [(TITLE, COLUMNS, attack_rows(result)), *_same_people(result), _with(result)]
    return plain_sheet(result.name or TITLE, [*_serious(result), *_words(result)], tables)


def latex(result: AttackStudy) -> str:
    """The table as LaTeX."""
    return bare_latex(COLUMNS, attack_rows(result))
