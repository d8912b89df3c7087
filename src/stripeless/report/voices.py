"""The part of a report that only voices have: every encoder that attacked, ranks, what is left to use, sound to listen to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from stripeless.measures.shown import NO_VALUE
from stripeless.report.cells import PageTable, TableCell, texts
from stripeless.results.voices import PlayedRow, Sample, VoiceEvaluation, Voices

SEXES = {"f": "women", "m": "men", "all": "all"}
BACKGROUND = "noise-floor"
LOWEST_EER = (
    "Of those who learned fold by fold (cross-fitted), the comparison with the lowest EER stands here; the verdict and the "
    "table of attackers take the one that surely learns most, so the two may differ."
)
FOLD_BY_FOLD = ", cross-fitted"  # ends the name of a back-end that learned from the other people judged


def voices_of(result: object) -> dict[str, Any] | None:
    """Tables and recordings for the template, if these are voices; every text in it is escaped there."""
    if not isinstance(result, VoiceEvaluation) or result.voices is None:
        return None
    voices = result.voices
    return {
        "encoders": encoder_table(voices),
        "ranks": rank_table(voices),
        "utility": utility_table(voices),
        "reasons": reasons_of(voices),
        "listen": [one for one in result.listen if is_sound(one)],
    }


def is_sound(one: Sample) -> bool:
    """Only WAV data links are put into the page, whatever the result says."""
    return all(side.startswith("data:audio/wav;base64,") for side in (one.before, one.after))


def number_text(value: Any, digits: int = 3, factor: float = 1.0, unit: str = "") -> str:
    """A number as text, or a dash."""
    return f"{factor * value:.{digits}f}{unit}" if isinstance(value, (int, float)) else NO_VALUE


def encoder_table(voices: Voices) -> PageTable:
    """Encoder by attacker by sex."""
    head = ("Attacker", "Speakers", "EER (%)", "Cllr_min", "D_ECE (bit)", "Worst case", "Category", "Linkability")
    rows = []
    for row in strongest_rows(voices.listeners):
        note = f"{row.encoder}, {row.backend}" + (", room only" if row.encoder == BACKGROUND else "")
        values = (
            SEXES.get(row.sex, row.sex),
            number_text(row.eer, 2, 100),
            number_text(row.cllr_min),
            number_text(row.d_ece),
            number_text(row.log10_lr, 2),
            row.category or NO_VALUE,
            number_text(row.linkability),
        )
        rows.append((TableCell(row.attacker, note=note), *texts(*values)))
    return PageTable("Every attacker with every encoder", head, tuple(rows), LOWEST_EER)


def strongest_rows(rows: Sequence[PlayedRow]) -> list[PlayedRow]:
    """The rows, of attackers who learned fold by fold only the back-end that errs least; the result holds all of them."""
    least: dict[tuple[str, str], PlayedRow] = {}
    for row in rows:
        if row.sex == "all" and row.backend.endswith(FOLD_BY_FOLD):
            best = least.setdefault((row.encoder, row.attacker), row)
            if row.eer is not None and (best.eer is None or row.eer < best.eer):
                least[row.encoder, row.attacker] = row
    kept = {(row.encoder, row.attacker, row.backend) for row in least.values()}
    return [
        row
        for row in rows
        if not row.backend.endswith(FOLD_BY_FOLD) or (row.encoder, row.attacker, row.backend) in kept
    ]


def rank_table(voices: Voices) -> PageTable:
    """Rank disclosure before and after."""
    bits = ("Mean disclosure (bit)", "By chance (bit)", "Largest (bit)")
    head = ("Attacker", "Identified at once", *bits, "Speakers to choose from")
    rows = tuple(
        texts(
            attacker,
            number_text(found.id_rate, 1, 100, " %"),
            *(
                number_text(bits, 2)
                for bits in (found.mean_disclosure, found.chance_mean_disclosure, found.max_disclosure)
            ),
            str(found.templates),
        )
        for attacker, found in voices.ranks.items()
    )
    return PageTable(f"How far up the list the right speaker comes ({voices.encoder})", head, rows)


def utility_table(voices: Voices) -> PageTable:
    """What is left to use, before and after."""
    rows: list[tuple[TableCell, ...]] = []

    def add(what: str, before: str, after: str, note: str = "") -> None:
        rows.append((TableCell(what, note=note), *texts(before, after)))

    utility, sides = voices.utility, ("original", "anonymized")
    words = utility.get("words", {})
    if "original" in words and "anonymized" in words:
        before, after = (number_text(words[side]["wer"], 1, 100, " %") for side in sides)
        add("Word error rate, ASR_eval", before, after, f"recognizer: {words['recognizer']}")
    for condition, found in words.items():
        if isinstance(found, Mapping) and condition not in sides:
            add(f"Word error rate, {condition}", NO_VALUE, number_text(found["wer"], 1, 100, " %"))
    melody = utility.get("pitch_correlation", {})
    if "mean" in melody:
        add("Pitch correlation", "1", number_text(melody["mean"], 2), "1 is an unchanged melody")
    rated = utility.get("dnsmos", {})
    if "anonymized" in rated:
        before, after = (number_text(rated[side]["overall"], 2) for side in sides)
        add("Quality, DNSMOS overall", before, after, "1 bad to 5 excellent")
    for sex, found in voices.similarity.items():
        if "reason" in found:
            continue
        who = SEXES.get(sex, sex)
        gain = number_text(found["gain_of_voice_distinctiveness"], 2, 1, " dB")
        add(f"Gain of voice distinctiveness, {who}", "0 dB", gain, "0 dB: told apart as well")
        hidden = number_text(found["de_identification"], 1, 100, " %")
        add(f"De-identification, {who}", "0 %", hidden, "100 %: unlike the original")
    return PageTable("What is left to use, and what is hidden", ("", "Original", "Anonymized"), tuple(rows))


def reasons_of(voices: Voices) -> list[str]:
    """Why something was not measured."""
    parts = [*voices.utility.values(), *voices.similarity.values()]
    return [part["reason"] for part in parts if isinstance(part, Mapping) and "reason" in part]


def voices_text(voices: Voices) -> str:
    """Every encoder in the hands of every attacker, and what is left to use, as text."""
    rows = strongest_rows(voices.listeners)
    wide = max((len(row.backend) for row in rows), default=0)
    lines = [
        "",
        *wrap(f"Every attacker with every encoder. {LOWEST_EER}", 80),
        "",
        f"encoder       attacker        {'comparison':<{wide}}  sex   EER %  Cllr_min  D_ECE  worst case  linkability",
    ]
    for row in rows:
        numbers = [row.eer, row.cllr_min, row.d_ece, row.log10_lr, row.linkability]
        shown = ["-" if value is None else f"{value:.3f}" for value in numbers]
        eer = "-" if numbers[0] is None else f"{100 * numbers[0]:.2f}"
        worst = f"{shown[3]} {row.category or ''}"
        lines.append(
            f"{row.encoder:<13} {row.attacker:<15} {row.backend:<{wide}}  {row.sex:<4} {eer:>6}  {shown[1]:>8}  "
            f"{shown[2]:>5}  {worst:>10}  {shown[4]:>11}"
        )
    return "\n".join([*lines, *utility_lines(voices)])


def utility_lines(voices: Voices) -> list[str]:
    """Words, melody, quality and similarity in one line each."""
    lines = []
    for sex, values in voices.similarity.items():
        if "reason" not in values:
            gain, hidden = values["gain_of_voice_distinctiveness"], values["de_identification"]
            told = values.get("why_none", "no value") if gain is None else f"{gain:.2f} dB"
            share = "no value" if hidden is None else f"{100 * hidden:.1f} %"
            lines.append(f"{sex}: de-identification {share}, gain of voice distinctiveness {told}")
    utility = voices.utility
    words = {k: v for k, v in utility.get("words", {}).items() if isinstance(v, dict)}
    if words:
        lines.append("WER: " + ", ".join(f"{name} {100 * value['wer']:.1f} %" for name, value in words.items()))
    if "mean" in utility.get("pitch_correlation", {}):
        melody = utility["pitch_correlation"]
        lost = f" ({melody['without_voice']} recordings have no melody left)" if "without_voice" in melody else ""
        lines.append(f"Pitch correlation: {melody['mean']:.2f}{lost}")
    if "anonymized" in utility.get("dnsmos", {}):
        rated = utility["dnsmos"]
        lines.append(f"DNSMOS overall: {rated['original']['overall']:.2f} -> {rated['anonymized']['overall']:.2f}")
    reasons = [part["reason"] for part in utility.values() if isinstance(part, dict) and "reason" in part]
    return ["", *lines, *(f"Not measured: {reason}" for reason in reasons)]
