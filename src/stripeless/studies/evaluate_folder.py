"""`stripeless evaluate`: from recordings on disk, and an anonymizer by name or its output, to the whole evaluation.

Names, packages and lists are looked at before the first recording is: a mistake costs a second, not the hour before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

from stripeless._extras import need
from stripeless._files import folder_for
from stripeless._weights import trusting_weights
from stripeless.anonymizers.anonymizer import Anonymizer
from stripeless.anonymizers.catalog import attackers_copy, make_anonymizer
from stripeless.anonymizers.run import MANIFEST, anonymize_corpus, manifest_of
from stripeless.attackers.voices import score_files
from stripeless.audio.corpus import Corpus, with_trials
from stripeless.audio.corpus_files import read_copies, read_corpus
from stripeless.embeddings.encoders.catalog import installed_encoders, make_encoder
from stripeless.embeddings.encoders.xvector import usual_training
from stripeless.embeddings.extract import cache_folder
from stripeless.errors import FileError, InputError
from stripeless.parallel.items import OnError, Progress, nothing
from stripeless.parallel.workers import worker_count
from stripeless.recognizers.transcribe import need_recognizer
from stripeless.results.stored import write_result
from stripeless.results.voices import VoiceEvaluation
from stripeless.scores.files import write_scores
from stripeless.studies.evaluate import Options, evaluate_voices
from stripeless.studies.samples import before_and_after
from stripeless.studies.weights import recognizer_findings, recognizer_notes, weights_findings, weights_notes
from stripeless.tables.two_columns import read_two_columns
from stripeless.verdicts.margins import check_margin

Place: TypeAlias = str | PathLike[str]
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class Anonymizers:
    """One method in two hands: of who hides the voices, and of the attacker who knows all but the secret seed."""

    mine: Anonymizer
    attackers: Anonymizer


def evaluate_folder(
    original: Place,
    *,
    anonymizer: str = "",
    settings: Mapping[str, Any] | None = None,
    anonymized: Place | None = None,
    out: Place | None = None,
    state: Place | None = None,
    training: Place | None = None,
    retrain: Literal["backend", "network"] = "backend",
    epochs: int = 40,
    encoders: Sequence[str] = (),
    recognizer: str = "",
    transcripts: Mapping[str, Place] | None = None,
    speakers: int = 0,
    limit: int = 0,
    utility: bool = True,
    resamples: int = 200,
    cache: Place | None = None,
    workers: int | None = None,
    on_error: OnError = "stop",
    allow_missing: bool = False,
    allow_pipes: bool = False,
    samples: bool = False,
    store_samples: bool = False,
    trust_weights: bool = False,
    say: Say = lambda message: None,
    progress: Progress = nothing,
    seed: int = 0,
    margin: float | None = None,
) -> VoiceEvaluation:
    """Play every attacker against anonymized recordings on disk: all that `stripeless evaluate` does.

    Parameters:
        original: the recordings before: a Kaldi data directory, a CSV list or a folder with one folder per speaker.
        anonymizer: name of the method to anonymize them with, such as "mcadams"; or give `anonymized`.
        settings: settings of the method, such as {"alpha": 0.7}.
        anonymized: the same utterances as you have anonymized them, in any of the three forms.
        out: folder for the recordings made here, `scores/*.csv` and `result.json`; None keeps nothing.
        state: folder where it is noted which recordings are done, so that a stopped run goes on; never inside `out`. None takes
            this user's state folder.
        training: recordings of other people for the semi-informed attacker to learn from: original speech with
            `anonymizer`, anonymized otherwise. None teaches on parts of `original`.
        retrain: what that attacker relearns: "backend", the comparison, or "network", a whole encoder too (needs
            `training`).
        epochs: how often the network goes over the recordings.
        encoders: names or paths of the attackers' encoders; empty takes the installed ones.
        recognizer: "sphinx-digits", "sphinx", "whisper" or "whisper:PATH", for the word error rate; empty for none.
        transcripts: files of your recognizer's transcripts by condition, such as {"asr_eval": "hyp.txt"}.
        speakers: evaluate only so many speakers of each sex, the first ones; 0 for all.
        limit: transcribe at most so many utterances; 0 for all.
        utility: measure words, melody and quality too.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for none.
        cache: folder that keeps vectors and transcripts for the next run; None takes the user's cache folder.
        workers: recordings worked on at a time; None for one per core.
        on_error: "stop" at a recording that cannot be read, or "skip" it and say so.
        allow_missing: leave out utterances whose anonymized copy is missing, silent or cannot be read, count them and test
            whether chance explains which; otherwise they are an error.
        allow_pipes: run the commands in wav.scp; only for lists from people you trust.
        samples: put recordings of three speakers, before and after, into the result; who gets it can hear them.
        store_samples: keep them in `result.json` too.
        trust_weights: take weights of a known name that are not the ones on record, with a caution in the result.
        say: called with a sentence when a stage begins.
        progress: called with (done, total) while recordings are worked on.
        seed: start of the anonymizer's draws, a secret; without `anonymizer`, of the evaluation's.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with
            fewer than 20 people.
    Returns:
        A `VoiceEvaluation`.
    """
    if bool(anonymizer) == (anonymized is not None):
        raise InputError("anonymizer, anonymized: give one of them, the name of a method or what it made")
    if retrain == "network" and training is None:
        raise InputError(
            "retrain: a whole network needs `training`, recordings of other people than those of the trials"
        )
    check_margin(margin)
    processes = worker_count(workers)
    with trusting_weights(trust_weights):
        listening = [make_encoder(name) for name in encoders or installed_encoders()]
        doubts = weights_findings(listening, quality=utility)
    if recognizer:
        with trusting_weights(trust_weights):
            need_recognizer(recognizer)
    methods = anonymizers_of(anonymizer, settings, seed)
    network = network_training(epochs, seed) if retrain == "network" else None
    told = read_transcripts(transcripts or {})
    before = with_trials(few_speakers(read_corpus(original, allow_pipes=allow_pipes), speakers))
    made = made_by_an_anonymizer(original)
    for note in made:
        say(f"Warning: {note}")
    others = None if training is None else read_corpus(training, allow_pipes=allow_pipes)
    with folder_for(out) as folder, trusting_weights(trust_weights):
        source = None if methods is None else others
        after = None if anonymized is None else read_copies(anonymized, before, allow_pipes=allow_pipes)
        if methods is not None:
            kept = folder / "state" if out is None else state  # a folder that goes needs no journal that stays
            common = {"workers": processes, "on_error": on_error, "progress": progress, "state": kept}
            after, others = anonymize_both(before, others, methods, folder, say, **common)
        assert after is not None
        result = evaluate_voices(
            before,
            after,
            listening,
            Options(
                cache=cache or cache_folder(),
                workers=processes,
                on_error=on_error,
                allow_missing=allow_missing or (methods is not None and on_error == "skip"),  # what could not be made
                resamples=resamples,
                seed=0 if methods else seed,
                recognizer=recognizer,
                transcripts=told,
                utility=utility,
                limit=limit,
                network=network,
                margin=margin,
            ),
            training=others,
            training_source=source,
            name=f"{Path(original).name}, {anonymizer or Path(anonymized or '').name}",
            settings=manifest_of(methods.mine.settings()) if methods else {},  # a report tells no secrets
            say=say,
            progress=progress,
        )
        heard_by = recognizer_of(result)
        notes = (*made, *result.notes, *weights_notes(listening), *recognizer_notes(heard_by))
        result = replace(result, warnings=(*result.warnings, *doubts, *recognizer_findings(heard_by)), notes=notes)
        if samples or store_samples:
            result = replace(result, listen=before_and_after(before, after, result))
        if out is not None:
            keep(result if store_samples else replace(result, listen=()), folder)
    return result


def recognizer_of(result: VoiceEvaluation) -> str:
    """The recognizer whose words were counted, also where it was chosen by what the texts are; empty where none was."""
    voices = result.voices
    return "" if voices is None else str(voices.utility.get("words", {}).get("recognizer", ""))


def anonymizers_of(name: str, settings: Mapping[str, Any] | None, seed: int) -> Anonymizers | None:
    """The method asked for, made now so that a wrong name or setting shows now."""
    if not name:
        return None
    return Anonymizers(make_anonymizer(name, settings, seed=seed), attackers_copy(name, settings, seed=seed))


def network_training(epochs: int, seed: int) -> Any:
    """How a network is trained here; what it is stored with must be there too."""
    need("safetensors", "torch", "retraining a network")
    return usual_training(epochs=epochs, seed=seed)


def read_transcripts(files: Mapping[str, Place]) -> dict[str, dict[str, str]]:
    """The transcripts by condition and utterance."""
    for path in files.values():
        if not Path(path).is_file():
            raise FileError(path, "does not exist; expected one line per utterance: its name, then the words")
    return {condition: read_two_columns(path, may_be_empty=True) for condition, path in files.items()}


def made_by_an_anonymizer(original: Place) -> tuple[str, ...]:
    """A sentence where the originals lie beside what `stripeless anonymize` writes into its output; else nothing."""
    folder = Path(original) if Path(original).is_dir() else Path(original).parent
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return ()
    return (
        f"{manifest} says that what is called original here was made by an anonymizer. If original and anonymized recordings "
        "were exchanged in the call, exchange them again.",
    )


def few_speakers(corpus: Corpus, count: int) -> Corpus:
    """The first `count` speakers of each sex; 0 for all."""
    if not count:
        return corpus
    sexes = {utterance.speaker: utterance.sex for utterance in corpus.utterances}
    chosen = [s for sex in sorted(set(sexes.values())) for s in [k for k, v in sexes.items() if v == sex][:count]]
    return corpus.subset(chosen)


def anonymize_both(
    before: Corpus, others: Corpus | None, methods: Anonymizers, folder: Path, say: Say, **common: Any
) -> tuple[Corpus, Corpus | None]:
    """The recordings hidden, and the attacker's training recordings hidden as the attacker can."""
    say(f"{methods.mine.name}: anonymizing {len(before.utterances)} recordings")
    made = anonymize_corpus(before, folder / "anonymized", methods.mine, **common)
    after, left_out = made.corpus, made.skipped
    if others is not None:
        say(f"The semi-informed attacker anonymizes {len(others.utterances)} recordings of other people")
        made = anonymize_corpus(others, folder / "training", methods.attackers, **common)
        others, left_out = made.corpus, (*left_out, *made.skipped)
    for error in left_out:
        say(f"Left out: {error}")
    return after, others


def keep(result: VoiceEvaluation, folder: Path) -> None:
    """The scores of every attacker with every encoder, and the result."""
    (folder / "scores").mkdir(parents=True, exist_ok=True)
    for name, one in score_files(result.played).items():
        write_scores(folder / "scores" / f"{name}.csv", one.scores)
    write_result(folder / "result.json", result)
