"""The demo with sound: synthetic voices, the McAdams anonymizer, attackers who need no network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stripeless.cli.shared.messages import progress_line, say

if TYPE_CHECKING:
    from stripeless.results.voices import VoiceEvaluation

SPEAKERS, UTTERANCES = 24, 8


def demo_voices(folder: Path, seed: int) -> VoiceEvaluation:
    """Make the voices, hide them, play the attackers; scores and result in the folder, a few recordings in the result."""
    from stripeless.anonymizers.mcadams import McAdams
    from stripeless.anonymizers.run import anonymize_corpus
    from stripeless.attackers.voices import score_files
    from stripeless.audio.synthetic_voice import synthetic_corpus
    from stripeless.embeddings.encoders.statistics import StatisticsEncoder
    from stripeless.parallel.workers import usable_cores
    from stripeless.results.stored import write_result
    from stripeless.scores.files import write_scores
    from stripeless.studies.evaluate import Options, evaluate_voices
    from stripeless.studies.samples import before_and_after

    say(f"Synthesizing {SPEAKERS} voices ...")
    original = synthetic_corpus(folder / "voices", speakers=SPEAKERS, utterances=UTTERANCES, seed=seed)
    say("Anonymizing them with McAdams and playing the attackers ...")
    anonymizer, workers = McAdams(seed=seed), usable_cores()
    hidden = anonymize_corpus(original, folder / "anonymized", anonymizer, workers=workers, progress=progress_line)
    result = evaluate_voices(
        original,
        hidden.corpus,
        [StatisticsEncoder()],
        Options(cache=None, workers=workers, seed=seed, resamples=200, limit=24, quality=False),
        name="Synthetic voices, McAdams",
        settings=anonymizer.settings(),
        progress=progress_line,
    )
    for name, one in score_files(result.played).items():
        write_scores(folder / f"{name.removeprefix('statistics-')}.csv", one.scores)
    write_result(folder / "result.json", result)
    return replace(result, listen=before_and_after(original, hidden.corpus, result))
