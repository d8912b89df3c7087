"""Writes docs/reference/anonymizers.md: every anonymizer on the same corpus, against every attacker with every encoder.

    python docs/anonymizers.py CORPUS [--training CORPUS] [--only NAME ...] [--speakers N] [--words N] [--work DIR] [--jobs N]

One row takes minutes. Each is kept in WORK/rows as soon as it is done and computed anew only when corpus, encoders or the
anonymizer's settings have changed, so rows can be made one by one and a run that was stopped goes on. What all rows share (what
encoders, recognizer and raters make of the original recordings) lies in WORK/cache. The page holds the rows that are finished.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from textwrap import fill
from typing import Any

import click
import numpy as np

from stripeless._files import write_whole
from stripeless.anonymizers.anonymizer import Source
from stripeless.anonymizers.catalog import ANONYMIZERS, attackers_copy, make_anonymizer
from stripeless.anonymizers.run import anonymize_corpus, fitted
from stripeless.audio.corpus import Corpus
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import RATE
from stripeless.cli.evaluate import few_speakers
from stripeless.embeddings.encoders.catalog import installed_encoders, make_encoder
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.protocols.voice_evaluation import Options, evaluate_voices

PAGE = Path(__file__).parent / "reference" / "anonymizers.md"
NAMES = {"campplus": "CAM++", "ge2e": "GE2E"}
ATTACKERS = ("ignorant", "lazy-informed", "semi-informed")
CLOSING = """
An anonymizer is one file in `src/stripeless/anonymizers`; the idea stands on top of it. Where
enrollment data and trials get draws of their own (`formants`, `world`), the lazy-informed attacker compares two different
pseudo-voices and can do worse than the ignorant one: read the strongest attacker. A dozen speakers show an order, not a decimal.
"""


def speed(name: str, corpus: Corpus) -> float:
    """Seconds of sound per CPU second of one core, listening to the speaker not counted."""
    part = corpus.subset(corpus.speakers[:1])
    anonymizer = make_anonymizer(name)
    anonymizer = fitted(anonymizer, part, RATE, "stop") if anonymizer.listens else anonymizer
    recordings = [utterance.read(RATE) for utterance in part.utterances[:4]]
    source = Source(part.speakers[0], "u", part.utterances[0].sex)
    anonymizer.apply(recordings[0].samples, RATE, source)  # what is imported or loaded once
    start = time.process_time()
    for recording in recordings:
        anonymizer.apply(recording.samples, RATE, source)
    return sum(recording.seconds for recording in recordings) / (time.process_time() - start)


def measured(result: dict[str, Any], encoders: list[Encoder], times: float) -> dict[str, Any]:
    """What a row shows, as plain numbers; None where something could not be measured."""
    voices, utility = result["voices"], result["voices"]["utility"]
    eer: dict[str, dict[str, float | None]] = {}
    for attacker in ("original", *ATTACKERS):
        for encoder in encoders:
            found = [
                row["eer"]
                for row in voices["listeners"]
                if (row["encoder"], row["attacker"], row["sex"]) == (encoder.name, attacker, "all")
            ]
            eer.setdefault(attacker, {})[encoder.name] = min((v for v in found if v is not None), default=None)
    similar = [s for s in voices["similarity"].values() if "de_identification" in s]
    sides = ("original", "anonymized")
    return {
        "eer": eer,
        "deid": float(np.mean([s["de_identification"] for s in similar])),
        "gvd": float(np.mean([s["gain_of_voice_distinctiveness"] for s in similar])),
        "wer": {side: utility["words"].get(side, {}).get("wer") for side in sides},
        "dnsmos": {side: utility["dnsmos"].get(side, {}).get("overall") for side in sides},
        "pitch": utility["pitch_correlation"].get("mean"),
        "speed": times,
        "counts": voices["corpus"],
    }


def shown(value: float | None, factor: float = 1.0, digits: int = 1) -> str:
    """A number of the table."""
    return "" if value is None else f"{factor * value:.{digits}f}"


def line(name: str, row: dict[str, Any], encoders: list[str]) -> str:
    """A line of the table."""
    info = ANONYMIZERS[name]
    cells = [
        f"`{name}`",
        info.system,
        info.changes,
        *(" / ".join(shown(row["eer"][a][e], 100) or "-" for e in encoders) for a in ATTACKERS),
        shown(row["deid"], 100, 0),
        shown(row["gvd"], 1, 2),
        shown(row["wer"]["anonymized"], 100),
        shown(row["pitch"], 1, 2),
        shown(row["dnsmos"]["anonymized"], 1, 2),
        shown(row["speed"], 1, 0 if row["speed"] >= 10 else 1),
        info.source,
    ]
    return "| " + " | ".join(cells) + " |"


def finished(path: Path, asked: dict[str, Any]) -> dict[str, Any] | None:
    """The row of an earlier run that was asked the same."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept["row"] if kept["asked"] == json.loads(json.dumps(asked)) else None


@click.command()
@click.argument("corpus", type=click.Path(exists=True))
@click.option(
    "--training", type=click.Path(exists=True), help="Other people, on whom the semi-informed attacker retrains."
)
@click.option("--training-speakers", default=0, help="Only the first N speakers of each sex of those.")
@click.option("--only", multiple=True, type=click.Choice(list(ANONYMIZERS)), help="Make this row; may be repeated.")
@click.option("--speakers", default=0, help="Only the first N speakers of each sex.")
@click.option("--encoder", "names", multiple=True, help="Default: all that are installed.")
@click.option("--words", default=0, help="Transcribe at most N recordings.")
@click.option("--work", default="anonymizers-work", help="Folder for recordings, rows and cache.")
@click.option("--jobs", default=1)
def main(
    corpus: str,
    training: str | None,
    training_speakers: int,
    only: tuple[str, ...],
    speakers: int,
    names: tuple[str, ...],
    words: int,
    work: str,
    jobs: int,
) -> None:
    """Evaluate anonymizers and write the page from all rows that are there."""
    original = few_speakers(read_corpus(corpus), speakers)
    others = few_speakers(read_corpus(training), training_speakers) if training else None
    encoders = [make_encoder(name) for name in names or installed_encoders()]
    folder, rows = Path(work), {}
    (folder / "rows").mkdir(parents=True, exist_ok=True)
    for name in ANONYMIZERS:
        wanted, place = not only or name in only, folder / "rows" / f"{name}.json"
        if not wanted and not place.is_file():
            continue
        anonymizer = make_anonymizer(name)
        asked = {
            "utterances": [u.name for u in original.utterances],
            "training": [u.name for u in others.utterances] if others else [],
            "encoders": [encoder.identity for encoder in encoders],
            "words": words,
            "anonymizer": anonymizer.settings(),
        }
        row = finished(place, asked)
        if row is None and wanted:
            after = anonymize_corpus(original, folder / name, anonymizer, workers=jobs).corpus
            taught = None
            if others is not None:
                taught = anonymize_corpus(
                    others, folder / f"{name}-training", attackers_copy(name), workers=jobs, on_error="skip"
                ).corpus
            options = Options(cache=folder / "cache", workers=jobs, limit=words)
            result = evaluate_voices(original, after, encoders, options, training=taught).to_dict()
            row = measured(result, encoders, speed(name, original))
            write_whole(place, json.dumps({"asked": asked, "row": row}, indent=2))
        if row is not None:
            rows[name] = row
            click.echo(line(name, row, [encoder.name for encoder in encoders]))
    if not rows:
        raise click.UsageError("no row is finished; leave --only out, or name an anonymizer")
    asked_for = "".join(
        f" {option} {value}"
        for option, value in (
            ("--training", Path(training).name if training else ""),
            ("--training-speakers", training_speakers),
            ("--speakers", speakers),
            ("--words", words),
            *(("--encoder", name) for name in names),
        )
        if value
    )
    write_whole(PAGE, page(Path(corpus).name, asked_for, rows, [encoder.name for encoder in encoders], others))


def page(corpus: str, asked: str, rows: dict[str, dict[str, Any]], encoders: list[str], others: Corpus | None) -> str:
    """The whole page."""
    first = next(iter(rows.values()))
    counts, both = first["counts"], " / ".join(NAMES.get(name, name) for name in encoders)
    original = " / ".join(shown(first["eer"]["original"][name], 100) for name in encoders)
    words, rated = shown(first["wer"]["original"], 100), shown(first["dnsmos"]["original"], 1, 2)
    strongest = NAMES.get(encoders[0], encoders[0])
    semi = (
        f"relearns its comparison on {len(others.utterances)} anonymized recordings of {len(others.speakers)} other people"
        if others
        else "relearns its comparison on the other speakers of the test (cross-fitting)"
    )
    lines = [line(name, row, encoders) for name, row in rows.items()]
    about = (
        f"Every anonymizer with its default settings on `{corpus}` ({counts['women']} women, {counts['men']} men, "
        f"{counts['utterances']} recordings). EER in percent of attackers with {both}: 50 hides everything, 0 nothing. The "
        f"semi-informed attacker {semi}. DeID in percent (100 hides), G_VD in dB (0 keeps voices distinct), means of both "
        f"sexes, with {strongest}. WER in percent, pitch correlation, DNSMOS overall (1 to 5): what is left to use. Speed in "
        f"times real time per core, CPU time. Original speech: EER {original}"
        + (f", WER {words}" if words else "")
        + (f", DNSMOS {rated}." if rated else ".")
    )
    return f"""<!-- Generated by docs/anonymizers.py; do not edit. -->
# Anonymizers

{fill(about, 120)}

    python docs/anonymizers.py {corpus}{asked}

| name | system | changes | ignorant | lazy-informed | semi-informed | DeID | G_VD | WER | pitch | DNSMOS | speed | after |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(lines)}
{CLOSING}"""


if __name__ == "__main__":
    main()
