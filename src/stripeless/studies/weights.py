"""What a result says of the networks behind it: which were not the ones on record, and which were somebody's own."""

from __future__ import annotations

from collections.abc import Sequence

from stripeless._weights import WeightsFile, records
from stripeless.audio.quality import quality_weights
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.errors import MissingExtra
from stripeless.recognizers.transcribe import Transcriber
from stripeless.verdicts.finding import Finding


def weights_findings(encoders: Sequence[Encoder], *, quality: bool = False) -> tuple[Finding, ...]:
    """A caution where weights of a known name were taken on trust; with `quality`, those of DNSMOS are looked at too."""
    used = [(one.name, file) for one in encoders if one.name in records() for file in files_of(one)]
    if quality:
        used += [("DNSMOS", file) for file in rating_weights()]
    doubtful = [f"{name} (SHA-256 {file.sha256})" for name, file in used if not file.on_record]
    if not doubtful:
        return ()
    return (_doubt(doubtful),)


def _doubt(doubtful: Sequence[str]) -> Finding:
    message = (
        f"The weights of {', '.join(doubtful)} are not the ones on record under that name and were taken because --trust-weights "
        "was given: what was heard may be something else than the name says."
    )
    return Finding("weights_not_on_record", "caution", message)


def weights_notes(encoders: Sequence[Encoder]) -> tuple[str, ...]:
    """A sentence for each encoder that was given as a file: by which bytes it can be known again."""
    return tuple(
        f"the encoder {one.name} is a model of your own: {file.path.name}, SHA-256 {file.sha256}"
        for one in encoders
        for file in files_of(one)
        if one.name not in records()
    )


def recognizer_findings(recognizer: str) -> tuple[Finding, ...]:
    """The same caution for the recognizer whose words were counted; empty where there was none."""
    transcriber = _transcriber(recognizer)
    if transcriber is None or transcriber.weights is None or transcriber.weights.on_record:
        return ()
    return (_doubt([f"{transcriber.name} (SHA-256 {transcriber.weights.sha256})"]),)


def recognizer_notes(recognizer: str) -> tuple[str, ...]:
    """By which bytes a recognizer can be known again that is not on record, or that they are not known."""
    transcriber = _transcriber(recognizer)
    if transcriber is None or transcriber.name != "whisper":
        return ()
    own = transcriber.weights
    if own is not None:
        return (f"the recognizer whisper heard with a model of your own: {own.path.name}, SHA-256 {own.sha256}",)
    return (
        f"the recognizer whisper brings its model {transcriber.model or 'base.en'} itself, which is not on record here: its "
        "SHA-256 is not stated",
    )


def _transcriber(recognizer: str) -> Transcriber | None:
    return Transcriber(recognizer).with_weights() if recognizer else None


def files_of(encoder: Encoder) -> tuple[WeightsFile, ...]:
    """The files behind an encoder; one that was made here, or by another program, has none."""
    file = getattr(encoder, "file", None)
    return (file,) if isinstance(file, WeightsFile) else tuple(getattr(encoder, "files", ()))


def rating_weights() -> tuple[WeightsFile, ...]:
    """Those of DNSMOS, where they are installed."""
    try:
        return (quality_weights(),)
    except MissingExtra:
        return ()
