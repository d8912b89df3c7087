"""The demo with sound: synthetic voices, the McAdams anonymizer, attackers who need no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stripeless.cli.common import say, write_whole
from stripeless.cli.voice_options import cores, progress_line

SPEAKERS, UTTERANCES = 24, 8


def demo_voices(folder: Path, seed: int, html: str | None) -> tuple[dict[str, Any], Path]:
    """Make the voices, hide them, play the attackers; the result and the place of the report."""
    import json

    from stripeless.anonymizers.mcadams import McAdams
    from stripeless.anonymizers.run import anonymize_corpus
    from stripeless.audio.synthetic_voice import synthetic_corpus
    from stripeless.embeddings.encoders.statistics import StatisticsEncoder
    from stripeless.report import render_html
    from stripeless.scores.files import write_scores
    from stripeless.studies.evaluate import Options, evaluate_voices
    from stripeless.studies.samples import before_and_after

    say(f"Synthesizing {SPEAKERS} voices ...")
    original = synthetic_corpus(folder / "voices", speakers=SPEAKERS, utterances=UTTERANCES, seed=seed)
    say("Anonymizing them with McAdams and playing the attackers ...")
    anonymizer = McAdams(seed=seed)
    workers = cores(0)
    hidden = anonymize_corpus(original, folder / "anonymized", anonymizer, workers=workers, progress=progress_line)
    evaluation = evaluate_voices(
        original,
        hidden.corpus,
        [StatisticsEncoder()],
        Options(cache=None, workers=workers, seed=seed, resamples=200, limit=24, quality=False),
        name="Synthetic voices, McAdams",
        settings=anonymizer.settings(),
        progress=progress_line,
    )
    result = evaluation.to_dict()
    for one in evaluation.listeners:
        write_scores(folder / f"{one.attacker}.csv", one.scores)
    write_whole(folder / "result.json", json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    report = Path(html) if html else folder / "report.html"
    write_whole(report, render_html({**result, "listen": before_and_after(original, hidden.corpus, result)}))
    return result, report
