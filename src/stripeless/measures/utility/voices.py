"""What is left to use after anonymization: words, melody, quality, distinctiveness."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from stripeless.audio.cached import Cached
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.pitch import pitch_track
from stripeless.audio.quality import Quality, quality_weights
from stripeless.audio.recordings import RATE
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import of_sex
from stripeless.errors import FileError, MissingExtra, StripelessError
from stripeless.measures.catalog import SIMILARITY_MEASURES
from stripeless.measures.similarity import similarity_matrices
from stripeless.measures.utility.pitch_correlation import pitch_correlation
from stripeless.measures.utility.word_errors import word_errors
from stripeless.parallel.executors import Who
from stripeless.parallel.items import Progress, each, nothing
from stripeless.recognizers.transcribe import Transcriber, is_digits

QUALITY_SAMPLE = 24  # recordings rated, spread over the corpus: DNSMOS takes half a second each


def spread(utterances: tuple[Utterance, ...], count: int) -> list[Utterance]:
    """At most `count` utterances, evenly over the list."""
    places = np.unique(np.linspace(0, len(utterances) - 1, min(count, len(utterances))).astype(int))
    return [utterances[place] for place in places]


def trial_utterances(corpus: Corpus) -> tuple[Utterance, ...]:
    """Utterances of the trials, in list order."""
    wanted = {trial.utterance for trial in corpus.trials}
    return tuple(utterance for utterance in corpus.utterances if utterance.name in wanted)


def words(
    original: Corpus,
    anonymized: Corpus,
    *,
    recognizer: str = "",
    transcripts: Mapping[str, Mapping[str, str]] | None = None,
    limit: int = 0,
    workers: Who = 1,
    cache: Path | None = None,
    progress: Progress = nothing,
) -> dict[str, Any]:
    """Word error rates by condition: `original` and `anonymized` are ASR_eval on either speech; others are the user's.

    A recognizer trained on original speech is ASR_eval, one trained on anonymized speech ASR_eval^anon; the latter
    comes as transcripts. `limit` transcribes that many trial utterances only.
    """
    result: dict[str, Any] = {}
    spoken = {u.name: u.text for u in trial_utterances(original) if u.text}
    if not spoken:
        return {"reason": "the corpus has no text, so nobody knows what was said"}
    for condition, heard in (transcripts or {}).items():
        result[condition] = rate_of({name: text for name, text in spoken.items() if name in heard}, heard)
    recognizer = recognizer or ("sphinx-digits" if is_digits(list(spoken.values())) else "")
    if not recognizer:
        reason = "no recognizer was chosen: pocketsphinx is too weak for sentences; give --asr whisper or --transcripts"
        return result or {"reason": reason}
    result["recognizer"] = recognizer
    try:
        transcriber = Transcriber(recognizer).with_weights()
    except (MissingExtra, FileError) as error:
        return {"reason": str(error)}
    transcribe = Cached(transcriber, None if cache is None else cache / "transcripts" / transcriber.identity)
    for condition, corpus in (("original", original), ("anonymized", anonymized)):
        chosen = [u for u in trial_utterances(corpus) if u.name in spoken]
        chosen = spread(tuple(chosen), limit) if limit else chosen
        try:
            outcomes = each(transcribe, chosen, workers=workers, progress=progress)
            heard = {outcome.item.name: outcome.result or "" for outcome in outcomes}
            result[condition] = rate_of({name: spoken[name] for name in heard}, heard)
        except MissingExtra as error:
            return {"reason": str(error)}
    return result


def rate_of(spoken: Mapping[str, str], heard: Mapping[str, str]) -> dict[str, Any]:
    """Plain values of a word error rate."""
    errors = word_errors(spoken, heard)
    return {"wer": errors.rate, "words": errors.words, "utterances": errors.utterances}


def melody(original: Corpus, anonymized: Corpus, limit: int = 60) -> dict[str, Any]:
    """Mean and spread of pitch correlation over utterances."""
    after = anonymized.by_name()
    values, chosen = [], spread(tuple(u for u in trial_utterances(original) if u.name in after), limit)
    for utterance in chosen:
        sounds = (u.read(RATE).samples for u in (utterance, after[utterance.name]))
        contours = [pitch_track(samples, RATE, step=0.005) for samples in sounds]
        try:
            values.append(pitch_correlation(*contours))
        except StripelessError:
            continue  # too little voiced speech in this one
    if not values:
        return {"reason": "no utterance has enough voiced speech before and after"}
    found = {"mean": float(np.mean(values)), "low": float(np.min(values)), "utterances": len(values)}
    lost = len(chosen) - len(values)  # a whisper has no melody to compare; the rest must not pass for the whole
    return {**found, "without_voice": lost} if lost else found


def quality(
    original: Corpus,
    anonymized: Corpus,
    *,
    workers: Who = 1,
    cache: Path | None = None,
) -> dict[str, Any]:
    """DNSMOS before and after, on a sample of trial utterances; a reason where it cannot be computed."""
    result: dict[str, Any] = {}
    try:
        judge = Quality(quality_weights())
    except MissingExtra as error:
        return {"reason": str(error)}
    rate = Cached(judge, None if cache is None else cache / judge.identity)
    for condition, corpus in (("original", original), ("anonymized", anonymized)):
        try:
            rated = spread(trial_utterances(corpus), QUALITY_SAMPLE)
            outcomes = each(rate, rated, workers=workers, on_error="skip")
        except MissingExtra as error:
            return {"reason": str(error)}
        ratings = [outcome.result for outcome in outcomes if outcome.result is not None]
        if not ratings:
            return {"reason": "no recording could be rated"}
        means = {
            part: float(np.mean([rating[part] for rating in ratings])) for part in ("signal", "background", "overall")
        }
        result[condition] = {**means, "utterances": len(ratings)}
    return result


def distinctiveness(original: Embeddings, anonymized: Embeddings) -> dict[str, Any]:
    """De-identification (0..1, high is private) and gain of voice distinctiveness (dB, 0 is preserved), by sex."""
    result: dict[str, Any] = {}
    for sex in sorted(set(original.sex)) if original.sex else ["all"]:
        before, after = ((e if sex == "all" else of_sex(e, sex)) for e in (original, anonymized))
        try:
            matrices = similarity_matrices(before, after)
            values = {name: info.of(matrices) for name, info in SIMILARITY_MEASURES.items()}
            result[sex or "unknown"] = {name: value if isfinite(value) else None for name, value in values.items()}
            if not all(map(isfinite, values.values())):
                result[sex or "unknown"]["why_none"] = "minus infinity: all anonymized voices are alike"
        except StripelessError as error:
            result[sex or "unknown"] = {"reason": str(error)}
    return result
