"""The page of the end-to-end table: our figures, the published ones beside them, and the paper's findings one by one."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._files import write_whole
from stripeless.anonymizers.catalog import ANONYMIZERS

ATTACKERS = ("ignorant", "lazy-informed", "semi-informed")
SIGNAL = ("mcadams", "pole-radius", "formants")
REBUILT = ("a1", "a2", "b1", "k2", "m1", "m1c1", "o1", "o1c1", "s1", "s1c1", "s2", "s2c1")
OWN = ("crowd", "crowd-utterance", "crowd-tempo-kept", "crowd-pitch-moved", "crowd-pitch-kept", "crowd-bottleneck")
CORPORA = {"digits": "20 speakers of `digits`", "libri251": "42 speakers of `libri251`"}
Result = dict[str, Any]


def assessment(result: Result, corpus: str, attacker: str) -> Result | None:
    """The strongest encoder of one attacker."""
    found = result[corpus]
    if attacker == "original":
        return dict(found["original"]) if found["original"] else None
    return next((dict(one) for one in found["attackers"] if one["attacker"] == attacker), None)


def measure(result: Result, corpus: str, attacker: str, name: str) -> Any:
    one = assessment(result, corpus, attacker)
    return None if one is None else one["measures"][name]["value"]


def worst(result: Result, corpus: str, name: str = "eer") -> float:
    """The lowest EER, or the highest of another measure, over the attackers."""
    values = [measure(result, corpus, attacker, name) for attacker in ATTACKERS]
    known = [value for value in values if value is not None]
    return float(min(known) if name in ("eer", "cllr_min") else max(known))


def strongest(result: Result, corpus: str) -> str:
    """The attacker with the lowest EER."""
    return min(
        (a for a in ATTACKERS if measure(result, corpus, a, "eer") is not None),
        key=lambda a: measure(result, corpus, a, "eer"),
    )


def mean_similarity(result: Result, corpus: str, name: str) -> float:
    values = [v[name] for v in result[corpus]["voices"]["similarity"].values() if name in v]
    return float(np.mean(values)) if values else float("nan")


def words(result: Result, corpus: str, condition: str = "anonymized") -> float | None:
    found = result[corpus]["voices"]["utility"]["words"].get(condition)
    return None if found is None else float(found["wer"])


def quality(result: Result, corpus: str, condition: str = "anonymized") -> float | None:
    found = result[corpus]["voices"]["utility"]["dnsmos"].get(condition)
    return None if found is None else float(found["overall"])


def shown(values: Iterable[Any], form: str, times: float = 1.0) -> str:
    return " / ".join("-" if v is None else format(times * v, form) for v in values)


def row(label: str, result: Result, corpus: str) -> str:
    """One system."""
    of: Callable[[str], list[Any]] = lambda name: [measure(result, corpus, a, name) for a in ATTACKERS]  # noqa: E731
    one = assessment(result, corpus, strongest(result, corpus)) or {}
    interval = one["measures"]["eer"]
    category = [measure(result, corpus, a, "category") for a in ATTACKERS]
    spoken, rated = words(result, corpus), quality(result, corpus)
    melody = result[corpus]["voices"]["utility"]["pitch_correlation"].get("mean")
    system = ANONYMIZERS[label].system if label in ANONYMIZERS else ""
    cells = [
        f"`{label}`" + (f" {system}" if system else ""),
        shown(of("eer"), ".1f", 100),
        f"{100 * interval['low']:.1f} to {100 * interval['high']:.1f}" if interval["low"] is not None else "",
        shown(of("cllr_min"), ".2f"),
        shown(of("d_ece"), ".2f"),
        " / ".join(f"{v:.1f} {c}" for v, c in zip(of("log10_lr"), category, strict=True) if v is not None),
        shown(of("linkability"), ".2f"),
        f"{100 * mean_similarity(result, corpus, 'de_identification'):.0f}",
        f"{mean_similarity(result, corpus, 'gain_of_voice_distinctiveness'):.1f}",
        *([f"{100 * spoken:.1f}" if spoken is not None else ""] if corpus == "digits" else []),
        "" if melody is None else f"{melody:.2f}",
        "" if rated is None else f"{rated:.2f}",
        *([f"{result['speed']:.0f}" if result["speed"] else ""] if corpus == "digits" else []),
    ]
    return "| " + " | ".join(cells) + " |"


def table(results: dict[str, Result], corpus: str) -> str:
    """All systems on one corpus."""
    any_one = next(iter(results.values()))
    eer = 100 * measure(any_one, corpus, "original", "eer")
    before = [f"EER {eer:.1f} %, D_ECE {measure(any_one, corpus, 'original', 'd_ece'):.2f}"]
    if words(any_one, corpus, "original") is not None:
        before.append(f"WER {100 * (words(any_one, corpus, 'original') or 0):.1f} %")
    before.append(f"DNSMOS {quality(any_one, corpus, 'original') or float('nan'):.2f}")
    extra = (" WER |", " speed |") if corpus == "digits" else ("", "")
    head = (
        "| | EER % | strongest, 95 % | Cllr_min | D_ECE | worst case | linkability | DeID | G_VD |"
        f"{extra[0]} pitch | DNSMOS |{extra[1]}"
    )
    lines = [row(label, result, corpus) for label, result in results.items()]
    rule = "|" + "---|" * (head.count("|") - 1)
    return f"**{CORPORA[corpus]}**; original speech: {', '.join(before)}.\n\n" + "\n".join([head, rule, *lines])


def published(measured: str, attacker: str, system: str) -> float | None:
    """Mean over sexes of the VoicePrivacy 2020 tables, LibriSpeech test."""
    path = files("stripeless").joinpath("data/voiceprivacy2020.csv")
    with path.open(encoding="utf-8") as file:
        values = [
            float(line["value"])
            for line in csv.DictReader(file)
            if line["measure"] == measured
            and line["system"] == system
            and line["split"] == "test"
            and line["dataset"] == "librispeech"
            and (line["attacker"] == attacker or measured.startswith(("de_id", "gain")))
            and line["evaluation"] == "objective"
        ]
    return float(np.mean(values)) if values else None


def beside(results: dict[str, Result]) -> str:
    """Published and ours, system by system."""
    lines = [
        "| | EER ignorant: published, ours | lazy-informed | semi-informed | DeID | G_VD |",
        "|---|---|---|---|---|---|",
    ]
    for label, result in results.items():
        system = ANONYMIZERS[label].system if label in ANONYMIZERS else ""
        if not system:
            continue
        cells = [f"{system} `{label}`"]
        for attacker in ATTACKERS:
            theirs = published("eer_kaldi", attacker, system)
            ours = measure(result, "libri251", attacker, "eer")
            cells.append(f"{'-' if theirs is None else f'{theirs:.1f}'}, {100 * ours:.1f}" if ours is not None else "")
        for name, times in (("de_identification", 100), ("gain_of_voice_distinctiveness", 1)):
            theirs = published(name, "ignorant", system)
            cells.append(
                f"{'-' if theirs is None else f'{theirs:.1f}'}, {times * mean_similarity(result, 'libri251', name):.1f}"
            )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def mean_of(results: dict[str, Result], labels: Iterable[str], value: Callable[[Result], float]) -> float:
    return float(np.mean([value(results[label]) for label in labels if label in results]))


def findings(results: dict[str, Result]) -> str:
    """What the paper found, with our numbers, and whether they agree."""
    lines = []
    rebuilt = [label for label in REBUILT if label in results]
    for corpus in CORPORA:
        parts = []
        for attacker in ATTACKERS:
            signal = mean_of(results, SIGNAL, lambda r, a=attacker, c=corpus: 100 * measure(r, c, a, "eer"))  # type: ignore[misc]
            network = mean_of(results, rebuilt, lambda r, a=attacker, c=corpus: 100 * measure(r, c, a, "eer"))  # type: ignore[misc]
            parts.append(f"{attacker} {network:.1f} against {signal:.1f} ({'yes' if network > signal else 'no'})")
        lines.append(
            f"- *X-vector methods protect better than signal processing*, mean EER, {corpus}: {'; '.join(parts)}."
        )
        gains = [
            mean_of(results, group, lambda r, c=corpus: mean_similarity(r, c, "gain_of_voice_distinctiveness"))  # type: ignore[misc]
            for group in (rebuilt, SIGNAL)
        ]
        lines.append(
            f"- *... and lose distinctiveness*, mean G_VD, {corpus}: {gains[0]:.1f} dB against {gains[1]:.1f} dB "
            f"({'yes' if gains[0] < gains[1] else 'no'})."
        )
        order = sorted(rebuilt, key=lambda n: -mean_similarity(results[n], corpus, "gain_of_voice_distinctiveness"))
        place = order.index("k2") + 1 if "k2" in order else 0
        lines.append(
            f"- *K2 keeps distinctiveness*, {corpus}: G_VD "
            f"{mean_similarity(results['k2'], corpus, 'gain_of_voice_distinctiveness'):.1f} dB, place {place} of {len(order)} "
            "x-vector systems."
        )
        wins = [label for label in [*SIGNAL, *rebuilt] if strongest(results[label], corpus) == "semi-informed"]
        lines.append(
            f"- *The semi-informed attacker is the strongest*, {corpus}: for {len(wins)} of {len([*SIGNAL, *rebuilt])} systems."
        )
        copy = 100 * worst(results["m1c2"], corpus)
        others = mean_of(results, rebuilt, lambda r, c=corpus: 100 * worst(r, c))  # type: ignore[misc]
        lines.append(
            f"- *Copy synthesis (M1c2) protects little*, strongest attacker's EER, {corpus}: {copy:.1f} against "
            f"{others:.1f} on average ({'yes' if copy < others else 'no'})."
        )
    return "\n".join(lines)


def plane(results: dict[str, Result]) -> str:
    """Privacy against the strongest attacker and words lost: who is beaten by nobody."""
    points = {label: (100 * worst(r, "digits"), 100 * (words(r, "digits") or 0.0)) for label, r in results.items()}
    front = [
        label
        for label, (privacy, loss) in points.items()
        if not any(p >= privacy and w <= loss and (p, w) != (privacy, loss) for p, w in points.values())
    ]
    listed = ", ".join(
        f"`{n}` ({points[n][0]:.1f} %, WER {points[n][1]:.1f} %)" for n in sorted(front, key=lambda n: -points[n][0])
    )
    return f"Systems that no other beats in both the strongest attacker's EER and WER on `digits`: {listed}."


def changes() -> str:
    """What every anonymizer changes, and after whom."""
    lines = ["| `--method` | system | changes | after |", "|---|---|---|---|"]
    lines += [f"| `{one.name}` | {one.system} | {one.changes} | {one.source} |" for one in ANONYMIZERS.values()]
    return "\n".join(lines)


def sentences_table(found: dict[str, Result]) -> str:
    """Words heard otherwise, by system."""
    lines = ["| | words heard otherwise, % |", "|---|---|"]
    lines += [
        f"| `{label}` | {100 * one['rate']:.0f} |" for label, one in sorted(found.items(), key=lambda x: x[1]["rate"])
    ]
    counts = next(iter(found.values()))
    return f"{counts['recordings']} recordings, {counts['words']} words:\n\n" + "\n".join(lines)


def content_table(told: dict[str, Result]) -> str:
    """The attacker who listens to phones."""
    lines = ["| | `digits`: one trial, all trials, right | `libri251`: one trial, all trials, right |", "|---|---|---|"]
    for label, found in told.items():
        cells = [f"{v['single']:.1f}, {v['pooled']:.1f}, {v['top-1']:.0f} %" for v in (found[c] for c in CORPORA)]
        lines.append(f"| `{label}` | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def write_page(work: Path, page: Path, intro: str) -> None:
    """The page from all results in the folder."""
    known = {path.stem: json.loads(path.read_text()) for path in sorted((work / "results").glob("*.json"))}
    order = [*SIGNAL, "world", *REBUILT, "m1c2", "m1c3", "m1c4", *OWN]
    results = {label: known[label] for label in [*order, *sorted(set(known) - set(order))] if label in known}
    heard = json.loads((work / "sentences.json").read_text())
    text = intro.format(
        sentences=sentences_table(heard),
        content=content_table(json.loads((work / "content.json").read_text())),
        changes=changes(),
        digits=table(results, "digits"),
        libri=table(results, "libri251"),
        beside=beside(results),
        findings=findings(results),
        plane=plane(results),
    )
    write_whole(page, text)
