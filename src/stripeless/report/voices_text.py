"""The part of a terminal's report that only voices have: every attacker with every encoder, and what is left to use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def voices_text(voices: Mapping[str, Any]) -> str:
    """Every encoder in the hands of every attacker, and what is left to use, as text."""
    lines = [
        "",
        "encoder       attacker        comparison            sex   EER %  Cllr_min  D_ECE  worst case  linkability",
    ]
    for row in voices["listeners"]:
        numbers = [row["eer"], row["cllr_min"], row["d_ece"], row["log10_lr"], row["linkability"]]
        shown = ["-" if value is None else f"{value:.3f}" for value in numbers]
        eer = "-" if numbers[0] is None else f"{100 * numbers[0]:.2f}"
        worst = f"{shown[3]} {row['category'] or ''}"
        lines.append(
            f"{row['encoder']:<13} {row['attacker']:<15} {row['backend']:<21} {row['sex']:<4} {eer:>6}  {shown[1]:>8}  "
            f"{shown[2]:>5}  {worst:>10}  {shown[4]:>11}"
        )
    return "\n".join([*lines, *utility_lines(voices)])


def utility_lines(voices: Mapping[str, Any]) -> list[str]:
    """Words, melody, quality and similarity in one line each."""
    lines = []
    for sex, values in voices["similarity"].items():
        if "reason" not in values:
            lines.append(
                f"{sex}: de-identification {100 * values['de_identification']:.1f} %, gain of voice distinctiveness "
                f"{values['gain_of_voice_distinctiveness']:.2f} dB"
            )
    utility = voices.get("utility", {})
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
