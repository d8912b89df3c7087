"""The part of a report that only voices have: every listener, ranks, what is left to use, and recordings to hear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stripeless.measures.shown import NO_VALUE
from stripeless.report.cells import Cell, Table

SEXES = {"f": "women", "m": "men", "all": "all"}
BACKGROUND = "noise-floor"


def voices_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Tables and recordings for the template; every text in it is escaped there."""
    voices = result["voices"]
    return {
        "listeners": listener_table(voices),
        "ranks": rank_table(voices),
        "utility": utility_table(voices),
        "reasons": reasons_of(voices),
        "listen": [one for one in result.get("listen", []) if is_sound(one)],
    }


def is_sound(one: Mapping[str, str]) -> bool:
    """Only WAV data links are put into the page, whatever the result says."""
    return all(one[side].startswith("data:audio/wav;base64,") for side in ("before", "after"))


def number(value: Any, digits: int = 3, factor: float = 1.0, unit: str = "") -> str:
    """A number as text, or a dash."""
    return f"{factor * value:.{digits}f}{unit}" if isinstance(value, (int, float)) else NO_VALUE


def listener_table(voices: Mapping[str, Any]) -> Table:
    """Encoder by attacker by sex."""
    head = ("Listener", "Speakers", "EER (%)", "Cllr_min", "D_ECE (bit)", "Worst case", "Category", "Linkability")
    rows = []
    for row in voices["listeners"]:
        note = f"{row['encoder']}, {row['backend']}" + (", room only" if row["encoder"] == BACKGROUND else "")
        values = (
            SEXES.get(row["sex"], row["sex"]),
            number(row["eer"], 2, 100),
            number(row["cllr_min"]),
            number(row["d_ece"]),
            number(row["log10_lr"], 2),
            row["category"] or NO_VALUE,
            number(row["linkability"]),
        )
        rows.append((Cell(row["attacker"], note=note), *(Cell(value) for value in values)))
    return Table("Every attacker with every encoder", head, tuple(rows))


def rank_table(voices: Mapping[str, Any]) -> Table:
    """Rank disclosure before and after."""
    head = (
        "Attacker",
        "Identified at once",
        "Mean disclosure (bit)",
        "By chance (bit)",
        "Largest (bit)",
        "Speakers to choose from",
    )
    rows = tuple(
        (
            Cell(attacker),
            Cell(number(found["id_rate"], 1, 100, " %")),
            Cell(number(found["mean_disclosure"], 2)),
            Cell(number(found["chance_mean_disclosure"], 2)),
            Cell(number(found["max_disclosure"], 2)),
            Cell(str(found["templates"])),
        )
        for attacker, found in voices["ranks"].items()
    )
    return Table(f"How far up the list the right speaker comes ({voices['encoder']})", head, rows)


def utility_table(voices: Mapping[str, Any]) -> Table:
    """What is left to use, before and after."""
    rows: list[tuple[Cell, ...]] = []
    utility = voices.get("utility", {})
    words = utility.get("words", {})
    if "original" in words and "anonymized" in words:
        name = Cell("Word error rate, ASR_eval", note=f"recognizer: {words['recognizer']}")
        rows.append((name, *(Cell(number(words[side]["wer"], 1, 100, " %")) for side in ("original", "anonymized"))))
    for condition, found in words.items():
        if isinstance(found, Mapping) and condition not in ("original", "anonymized"):
            rows.append(
                (Cell(f"Word error rate, {condition}"), Cell(NO_VALUE), Cell(number(found["wer"], 1, 100, " %")))
            )
    melody = utility.get("pitch_correlation", {})
    if "mean" in melody:
        rows.append(
            (Cell("Pitch correlation", note="1 is an unchanged melody"), Cell("1"), Cell(number(melody["mean"], 2)))
        )
    rated = utility.get("dnsmos", {})
    if "anonymized" in rated:
        name = Cell("Quality, DNSMOS overall", note="1 bad to 5 excellent")
        rows.append((name, *(Cell(number(rated[side]["overall"], 2)) for side in ("original", "anonymized"))))
    for sex, found in voices["similarity"].items():
        if "reason" in found:
            continue
        who = SEXES.get(sex, sex)
        gain = number(found["gain_of_voice_distinctiveness"], 2, 1, " dB")
        rows.append(
            (Cell(f"Gain of voice distinctiveness, {who}", note="0 dB: told apart as well"), Cell("0 dB"), Cell(gain))
        )
        hidden = number(found["de_identification"], 1, 100, " %")
        rows.append((Cell(f"De-identification, {who}", note="100 %: unlike the original"), Cell("0 %"), Cell(hidden)))
    return Table("What is left to use, and what is hidden", ("", "Original", "Anonymized"), tuple(rows))


def reasons_of(voices: Mapping[str, Any]) -> list[str]:
    """Why something was not measured."""
    parts = [*voices.get("utility", {}).values(), *voices["similarity"].values()]
    return [part["reason"] for part in parts if isinstance(part, Mapping) and "reason" in part]
