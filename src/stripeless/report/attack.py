"""Reports of `stripeless attack` and `stripeless similarity`: words first, then tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stripeless.measures.shown import percent
from stripeless.report.cells import page_table
from stripeless.report.columns import aligned
from stripeless.report.figures import have_matplotlib, picture
from stripeless.report.page import Section, render_sections
from stripeless.results.codec import from_plain
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.sentences import shown_p

Result = Mapping[str, Any]

COLUMNS = ("attack", "knows", "EER", "95 %", "AUC (less luck)", "p", "Top-1 inv.>orig.", "Top-1 orig.>inv.", "chose")
OTHER = "other people"  # the protocol of results that hold tests


def attack_rows(result: Result) -> list[tuple[str, ...]]:
    """One row per attack on people it did not learn from, chance last."""
    rows = rows_of(result["attacks"])
    chance = result["chance"]
    spread = [
        f"{100 * chance[key]['mean']:.1f} ± {100 * chance[key]['deviation']:.1f} %"
        for key in ("eer", "top1_inverted_to_original", "top1_original_to_inverted")
    ]
    rows.append(("random rotations", "nothing (chance)", spread[0], "", "", "", spread[1], spread[2], ""))
    return rows


def rows_of(attacks: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """One row per attack: what it knows, what it reached, what it chose."""
    rows = []
    for one in attacks:
        measures = one["measures"]
        eer = measures["eer"]
        chosen = ", ".join(f"{key} {value:g}" for key, value in one["chosen"].items())
        tops = (measures.get(f"top1_{way}") for way in ("inverted_to_original", "original_to_inverted"))
        shares = ("-" if top is None else percent(top["value"]) for top in tops)
        tested = _area(one), "" if one.get("p") is None else shown_p(one["p"])
        rows.append((one["name"], one["knows"], _percent(eer), _ends(eer), *tested, *shares, chosen))
    return rows


def _percent(measure: Mapping[str, Any]) -> str:
    return "-" if measure["value"] is None else percent(measure["value"])


def _area(one: Mapping[str, Any]) -> str:
    """The AUC over people, and less what the best of so many attacks gains by luck."""
    if one.get("auc") is None:
        return ""
    less = one.get("corrected")
    return f"{one['auc']:.2f}" + ("" if less is None else f" ({max(0.5, less):.2f})")


def _ends(rate: Mapping[str, Any]) -> str:
    """The interval of a rate, in percent."""
    return "" if rate["low"] is None else f"{100 * rate['low']:.1f}-{100 * rate['high']:.1f}"


def _attack_words(result: Result) -> list[str]:
    said = [*_protocol(result), f"Unlinkability (ISO/IEC 24745): {result['conclusions']['unlinkability']}"]
    said.append(f"Non-invertibility (ISO/IEC 24745): {result['conclusions']['non_invertibility']}")
    if result["conclusions"].get("pseudonym_lookup"):
        said.append(f"Pseudonym lookup: {result['conclusions']['pseudonym_lookup']}")
    said += [finding["message"] for finding in result.get("warnings", ()) if finding["severity"] != "serious"]
    return [
        *said,
        "Attacks called unpaired never see a pair: rows are shuffled before they start.",
        *result.get("notes", ()),
    ]


def _protocol(result: Result) -> list[str]:
    """Who taught the attacker, and who was judged."""
    counts = result["counts"]
    if result.get("protocol") != OTHER:
        pca = result["pca_dimensions"]
        space = f"after PCA to {pca} dimensions" if pca else "without PCA"
        return [
            f"The attacker learned from {counts['training']} utterances of {counts['speakers']} speakers; {counts['judged']} "
            f"other utterances of the same speakers were judged. By trying on their own half they chose to work {space}.",
            "Whoever learns from the people judged knows their pseudonyms, so what is said here of non-invertibility may be a "
            "table of pseudonyms and no inversion. Compute it again: stripeless attack now learns from other people.",
        ]
    groups = counts["groups"]
    dealt = f", in {groups} groups by attackers who learned from the others" if groups > 1 else ""
    spaces = [f"PCA to {one} dimensions" if one else "no PCA" for one in result["pca_dimensions_by_group"]]
    said = [
        f"{counts['judged']} utterances of {counts['speakers']} people were judged{dealt}. Nobody was judged by an attacker who "
        f"learned from them; each attacker learned from {counts['training']} utterances or more, and chose on these: "
        f"{', '.join(dict.fromkeys(spaces))}."
    ]
    if counts["taught"]:
        said.append(
            f"In the protocol of Champion et al. 2021 (below) the attacker learned from the enrollment of {counts['taught']} of "
            "the people judged, so it does not tell an inversion from a table of pseudonyms."
        )
    return said


def _more_tables(result: Result) -> list[tuple[str, Sequence[str], list[tuple[str, ...]]]]:
    """The same attacks on people who taught them: title, columns, rows."""
    titles = (
        ("pseudonym_lookup", "Pseudonym lookup: learned from half of the utterances of the people judged"),
        ("champion_2021", "Protocol of Champion et al. 2021: learned from the pairs of enrollment"),
    )
    return [(title, COLUMNS, rows_of(result[key])) for key, title in titles if result.get(key)]


def _serious(result: Result) -> list[Finding]:
    return [from_plain(Finding, finding, "warnings") for finding in result.get("warnings", ())]


IDENTIFICATION = ("question", "people", "utterances averaged", "rate", "95 %", "chance", "p")
QUESTIONS = {"singling_out": "singling out exactly one", "one_to_n_linkability": "linking to the right one (1:N)"}


def identification_rows(result: Result) -> list[tuple[str, ...]]:
    """The WP29 questions, answered with the strongest attack."""
    return [
        (
            QUESTIONS[rate["name"]],
            str(rate["speakers"]),
            str(rate["utterances"]),
            percent(rate["rate"]),
            _ends(rate),
            percent(rate["chance"]),
            "" if rate.get("p") is None else shown_p(rate["p"]),
        )
        for rate in result["identification"]["rates"]
    ]


def _attack_notes(result: Result) -> list[str]:
    return [f"{one['name']}: {note}." for one in result["attacks"] for note in one["notes"]]


def _is_attack(result: Result) -> bool:
    return bool(result["kind"] == "attack")


def text(result: Result) -> str:
    """The result for a terminal."""
    columns, rows = grid(result)
    tables = ["\n".join(aligned(columns, rows, right=False))]
    if not _is_attack(result):
        return "\n\n".join([*tables, *similarity_words(result)])
    who = f"With {result['identification']['attack']}"
    more = [*_more_tables(result), (who, IDENTIFICATION, identification_rows(result))]
    tables += ["\n".join([f"{title}:", *aligned(head, cells, right=False)]) for title, head, cells in more]
    serious = [one.message for one in _serious(result) if one.severity == "serious"]
    return "\n\n".join([*tables, *serious, *_attack_words(result), *_attack_notes(result)])


def html(result: Result) -> str:
    """One page, offline."""
    columns, rows = grid(result)
    attack = _is_attack(result)
    title = "Attacks on embeddings" if attack else "Voice similarity"
    words = _attack_words(result) if attack else similarity_words(result)
    drawn = figures(result) if have_matplotlib() else {}
    pictures = tuple(picture(figure, name, *CAPTIONS[name], csv=data(result, name)) for name, figure in drawn.items())
    sections = [
        Section("What follows", tuple(words)),
        Section("", tables=(page_table(title, columns, rows),), pictures=pictures),
    ]
    if attack:
        sections += [Section("", tables=(page_table(*table),)) for table in _more_tables(result)]
        who = f"Singling out and linking with the attack {result['identification']['attack']}"
        table = page_table(
            "Against the number of people and of utterances averaged", IDENTIFICATION, identification_rows(result)
        )
        sections.append(Section(who, tables=(table,)))
    if attack and _attack_notes(result):
        sections.append(Section("How far the unpaired attacks got", tuple(_attack_notes(result))))
    findings = [one for one in _serious(result) if one.severity == "serious"] if attack else []
    return render_sections(result["name"] or title, sections, kicker=title, findings=findings)


CAPTIONS = {
    "pairs": ("Accuracy against pairs", "What a rotation learned from so many pairs reaches on those who are judged."),
    "similarity": (
        "Similarity matrix",
        "Originals first, then anonymized; a diagonal that stands out is a voice told apart.",
    ),
}


def grid(result: Result) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Columns and rows of the result's table."""
    if _is_attack(result):
        return COLUMNS, attack_rows(result)
    rows = []
    for group in result["groups"]:
        for name, measure in group["measures"].items():
            unit = "" if name == "de_identification" else measure["unit"]
            rows.append((group["name"], measure["label"], _similarity_value(measure), unit))
    return ("group", "measure", "value", "unit"), rows


def _similarity_value(measure: Mapping[str, Any]) -> str:
    if measure["value"] is None:
        return measure["reason"] or "-"
    return percent(measure["value"]) if measure["unit"] == "share" else f"{measure['value']:.2f}"


def similarity_words(result: Result) -> list[str]:
    """De-identification and distinctiveness for people who never heard of them."""
    said = []
    for group in result["groups"]:
        deid = group["measures"]["de_identification"]["value"]
        gain = group["measures"]["gain_of_voice_distinctiveness"]["value"]
        change = "lost" if (gain or 0) < 0 else "gained"
        lost = "are all alike" if gain is None else f"{change} {abs(gain):.1f} dB of distinctiveness"
        said.append(
            f"{group['name']}, {group['speakers']} speakers: an ignorant attacker, who compares anonymized with original "
            f"vectors as they stand, loses {percent(deid)} of what tied voices to speakers (de-identification); among "
            f"themselves the anonymized voices {lost}."
        )
    return [
        *said,
        "This is no proof of privacy: a mere rotation of the vectors reaches 100 % and is undone by `stripeless attack`.",
    ]


def figures(result: Result) -> dict[str, Any]:
    """Every figure by its name; needs matplotlib."""
    from stripeless.plots.attack import draw_attack, draw_similarity

    return dict(draw_attack(result)) if _is_attack(result) else dict(draw_similarity(result))


def data(result: Result, name: str) -> str:
    """The points of a figure as CSV."""
    from stripeless.report.simple import rows_csv

    if name == "pairs":
        points = result["pairs_curve"]
        return rows_csv(tuple(points[0]) if points else (), (tuple(point.values()) for point in points))
    who = result["speakers"]
    return rows_csv(
        ("matrix", "row", "column", "similarity"),
        (
            (key, who[i], who[j], f"{value:.6f}")
            for key, values in result["matrices"].items()
            for i, row in enumerate(values)
            for j, value in enumerate(row)
        ),
    )


def numbers(result: Result) -> str:
    """Every measure of every attack or group as CSV."""
    from stripeless.report.simple import measures_csv

    if not _is_attack(result):
        return measures_csv((part["name"], part["measures"]) for part in result["groups"])
    several = (("", "attacks"), ("pseudonym lookup: ", "pseudonym_lookup"), ("Champion et al. 2021: ", "champion_2021"))
    parts = [(label + part["name"], part["measures"]) for label, key in several for part in result.get(key, ())]
    return measures_csv(parts)


def markdown(result: Result) -> str:
    """Words and tables as Markdown."""
    from stripeless.report.simple import plain_tables, tables_markdown

    attack = _is_attack(result)
    title = "Attacks on embeddings" if attack else "Voice similarity"
    tables = [(title, *grid(result))]
    if attack:
        tables += _more_tables(result)
        tables.append((f"With {result['identification']['attack']}", IDENTIFICATION, identification_rows(result)))
    words = [one.message for one in _serious(result) if one.severity == "serious"] if attack else []
    words += _attack_words(result) if attack else similarity_words(result)
    return tables_markdown(result["name"] or title, words, plain_tables(tables))


def latex(result: Result) -> str:
    """The table as LaTeX."""
    from stripeless.report.latex import escape, tabular_of

    columns, rows = grid(result)
    head, *body = ([escape(cell) for cell in row] for row in (columns, *rows))
    return "\n".join(tabular_of("l" * len(columns), head, body)) + "\n"
