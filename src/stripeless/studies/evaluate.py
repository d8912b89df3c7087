"""The whole evaluation of anonymized voices: attackers, ranks, similarity, words, melody, quality, and what to beware of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from stripeless._files import private_folder
from stripeless.attackers.battery import CONDITIONS, on_scale_of
from stripeless.attackers.voice_checks import (
    ceiling_doubts,
    deaf_encoders,
    examine_voices,
    only_weak,
    semi_missing,
    training_doubts,
)
from stripeless.attackers.voices import (
    Encoded,
    Played,
    judged_together,
    play_encoder,
    strongest_encoder,
    with_groups,
)
from stripeless.audio.cached import content_key
from stripeless.audio.corpus import Corpus, with_trials
from stripeless.audio.recordings import RATE
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.embeddings.encoders.noise_floor import NoiseFloorEncoder
from stripeless.embeddings.extract import extract_embeddings
from stripeless.embeddings.vectors import speaker_means, take
from stripeless.errors import InputError
from stripeless.measures.utility.voices import distinctiveness, melody, quality, words
from stripeless.parallel.items import OnError, Progress, nothing
from stripeless.ranks.counts import count_ranks
from stripeless.ranks.disclosure import rank_disclosure
from stripeless.results.codec import from_plain
from stripeless.results.voices import VoiceEvaluation, Voices
from stripeless.studies.judged_data import Reading, judged_data
from stripeless.verdicts.codes import serious_first

TABLE = ("eer", "cllr_min", "d_ece", "log10_lr", "category", "linkability")


@dataclass(frozen=True)
class VoiceOptions:
    """How thorough `evaluate_voices` is.

    Attributes:
        cache: folder that keeps vectors and transcripts for the next run; None keeps nothing.
        workers: recordings worked on at a time; 0 for one per core.
        on_error: "stop" at a recording that cannot be read, or "skip" it and say so.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for none.
        seed: start of the random draws; the same seed gives the same result.
        recognizer: "sphinx-digits", "sphinx", "whisper" or "whisper:PATH", for the word error rate; empty takes
            "sphinx-digits" where the texts are digits, and none otherwise.
        transcripts: what your recognizer understood: by condition, such as "asr_eval", the words of each utterance.
        utility: measure words, melody and quality too.
        quality: rate the quality (DNSMOS) among them.
        limit: transcribe at most so many trial utterances; 0 for all.
        network: training settings of a whole encoder (`embeddings.encoders.xvector.NetworkTraining`), to be retrained on
            `training`; None retrains the comparison only.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with
            fewer than 20 people.
        allow_missing: leave out utterances whose anonymized copy is missing, silent or cannot be read, count them and test
            whether chance explains which; otherwise they are an error.
    """

    cache: str | PathLike[str] | None = None
    workers: int = 1
    on_error: OnError = "stop"
    resamples: int = 0
    seed: int = 0
    recognizer: str = ""
    transcripts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    utility: bool = True
    quality: bool = True
    limit: int = 0
    network: Any = None
    margin: float | None = None
    allow_missing: bool = False


Options = VoiceOptions  # the older name, kept


def evaluate_voices(
    original: Corpus,
    anonymized: Corpus,
    encoders: Sequence[Encoder],
    options: VoiceOptions | None = None,
    *,
    training: Corpus | None = None,
    training_source: Corpus | None = None,
    name: str = "",
    settings: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = lambda message: None,
    progress: Progress = nothing,
) -> VoiceEvaluation:
    """Play every attacker against anonymized recordings, and say what is left of words, melody and quality.

    Utterances are paired by name. One without an anonymized copy, or with a silent one, is an error unless
    `options.allow_missing` leaves it out and counts it.

    Parameters:
        original: the recordings before anonymization, with speakers.
        anonymized: the same utterances after it.
        encoders: speaker encoders to attack with; the strongest attacker counts.
        options: how thorough: workers, cache, resamples, seed, recognizer; None takes the defaults.
        training: anonymized speech of other people, on which the semi-informed attacker retrains; None lets that attacker learn
            from the judged people alone, fold by fold.
        training_source: the same recordings before they were anonymized, where they are known: looked through for people who
            are judged under another name.
        name: what the system is called in reports; empty takes the name of the folder.
        settings: what is known of the anonymizer, kept in the result.
        say: called with a sentence before each step that takes long.
        progress: called with (recordings done, recordings in all) of a step.
    Returns:
        A `VoiceEvaluation`: the evaluation with every attacker, and under `voices` what only recordings can tell.
    """
    options = options or Options()
    reading = Reading(
        None if options.cache is None else Path(options.cache),
        options.workers,
        options.on_error,
        options.allow_missing,
        say,
        progress,
    )
    data = judged_data(with_trials(original), anonymized, training, training_source, reading)
    original, anonymized, training, notes = data.original, data.anonymized, data.training, data.notes
    encoded = [encode(encoder, original, anonymized, training, options, say, progress) for encoder in encoders]
    if options.network is not None:
        encoded.append(encode_retrained(original, anonymized, training, options, say, progress))
    played = [one for vectors in encoded for one in play(vectors, original, options)]
    played, evidence = judged_together(played, margin=options.margin, seed=options.seed, say=say)
    room = encode(NoiseFloorEncoder(), original, anonymized, None, options, say, progress)
    rooms = play(room, original, options)
    chosen = [one for one in (strongest_encoder(played, c) for c in CONDITIONS) if one is not None]
    results = {one.attacker: with_groups(one, resamples=options.resamples, seed=options.seed) for one in chosen}
    ceiling = results.pop("original", None)
    voices: dict[str, Any] = {
        "anonymizer": dict(settings or {}),
        "corpus": counts_of(original),
        "listeners": [row for one in (*played, *rooms) for row in rows_of_played(one)],
        "best": {one.attacker: {"encoder": one.encoder, "backend": one.backend} for one in chosen},
        "ranks": ranks_of(encoded[0], original),
        "similarity": distinctiveness(*(trial_part(e, original) for e in (encoded[0].original, encoded[0].anonymized))),
        "encoder": encoded[0].encoder,
    }
    if options.utility:
        voices["utility"] = utility_of(original, anonymized, options, say, progress)
    doubts = examine_voices(encoded[0], rooms, results)
    known = {finding.code for finding in data.findings}
    doubts = [finding for finding in doubts if finding.code not in known]  # said of the sound already
    found = (*data.findings, *training_doubts(encoded[0]), *ceiling_doubts(ceiling, results))
    deaf = deaf_encoders([(one.encoder, one.scores) for one in played if one.attacker == "original"])
    findings = serious_first((*found, *doubts, *semi_missing(results), *only_weak(encoders), *deaf))
    return VoiceEvaluation(
        name=name or f"{original.folder.name}, anonymized",
        attackers=tuple(results.values()),
        original=ceiling,
        description=f"{len(original.speakers)} speakers, {len(original.trials)} trials, recordings before and after",
        warnings=findings,
        notes=notes,
        evidence=evidence,
        seed=options.seed,
        voices=from_plain(Voices, voices, "voices"),
        played=tuple(played),
    )


def encode(
    encoder: Encoder,
    original: Corpus,
    anonymized: Corpus,
    training: Corpus | None,
    options: Options,
    say: Callable[[str], None],
    progress: Progress,
) -> Encoded:
    """All embeddings of one encoder."""

    def vectors_of(corpus: Corpus) -> Embeddings:
        say(f"{encoder.name}: encoding {len(corpus.utterances)} recordings of {corpus.folder.name}")
        return extract_embeddings(
            corpus, encoder, cache=options.cache, workers=options.workers, progress=progress
        ).embeddings

    taught = None if training is None else vectors_of(training)
    standardize = encoder.name in ("statistics", "noise-floor")
    return Encoded(encoder.name, vectors_of(original), vectors_of(anonymized), taught, standardize)


def encode_retrained(
    original: Corpus,
    anonymized: Corpus,
    training: Corpus | None,
    options: Options,
    say: Callable[[str], None],
    progress: Progress,
) -> Encoded:
    """The encoder network trained from nothing on anonymized speech of other people."""
    if training is None:
        raise InputError(
            "retraining a whole network needs --training, a corpus of other people than those of the trials"
        )
    encoder = trained_network(training, options, say, progress)
    return replace(encode(encoder, original, anonymized, None, options, say, progress), retrained=True)


def trained_network(training: Corpus, options: Options, say: Callable[[str], None], progress: Progress) -> Encoder:
    """The network, from the cache where the same one was trained before: keyed by what it learned from and how."""
    from stripeless.embeddings.encoders.xvector import fit_xvector, read_xvector, write_xvector

    speakers = [u.speaker for u in training.utterances]
    place = None
    if options.cache is not None:
        taught = [[content_key(u), u.speaker] for u in training.utterances]
        key = hashlib.sha256(json.dumps([asdict(options.network), taught]).encode()).hexdigest()
        place = Path(options.cache) / "networks" / f"{key}.safetensors"
        if place.is_file():
            return read_xvector(place, "xvector")
    say(f"Training a network on {len(training.utterances)} anonymized recordings of {len(training.speakers)} people")
    encoder, run = fit_xvector(
        [u.read(RATE).samples for u in training.utterances], speakers, options.network, progress=progress
    )
    say(f"{100 * run.accuracy[-1]:.0f} % of the last pieces were given to the right one of its people, on {run.device}")
    if place is None:
        return encoder
    private_folder(place.parent)  # a network knows the voices that it was trained on
    write_xvector(place, encoder)
    return read_xvector(place, "xvector")


def play(encoded: Encoded, original: Corpus, options: Options) -> list[Played]:
    """Attackers of one encoder."""
    return play_encoder(encoded, original, resamples=options.resamples, seed=options.seed)


def rows_of_played(one: Played) -> list[dict[str, Any]]:
    """Rows of the table: everybody, then each sex."""
    from stripeless.assessment.groups import assess_groups

    label = {"encoder": one.encoder, "attacker": one.attacker, "backend": one.backend}
    everybody = {name: one.assessment.measures[name].to_dict()["value"] for name in TABLE}
    rows = [{**label, "sex": "all", **everybody}]
    if "sex" in one.scores.columns:
        for sex, group in assess_groups(one.scores, "sex").items():
            values = {name: group["measures"].get(name, {}).get("value") for name in TABLE}
            rows.append({**label, "sex": sex, **values})
    return rows


def counts_of(corpus: Corpus) -> dict[str, Any]:
    """Sizes, for the page."""
    sexes = {u.speaker: u.sex for u in corpus.utterances}
    return {
        "speakers": len(corpus.speakers),
        "women": sum(sex == "f" for sex in sexes.values()),
        "men": sum(sex == "m" for sex in sexes.values()),
        "utterances": len(corpus.utterances),
        "enrollment": len(corpus.enrollment),
        "trials": len(corpus.trials),
    }


def trial_part(embeddings: Embeddings, corpus: Corpus) -> Embeddings:
    """Vectors of the trial utterances."""
    wanted = {trial.utterance for trial in corpus.trials}
    return take(embeddings, [k for k, name in enumerate(embeddings.utterances) if name in wanted])


def ranks_of(encoded: Encoded, corpus: Corpus) -> dict[str, Any]:
    """Rank disclosure of trial utterances among the enrolled speakers, before and after (Baeckstroem et al.)."""
    enrolls = set(corpus.enrollment)
    result: dict[str, Any] = {}
    for condition, side, other in (
        ("original", encoded.original, encoded.original),
        ("ignorant", encoded.original, encoded.anonymized),
        ("lazy-informed", encoded.anonymized, encoded.anonymized),
    ):
        models = speaker_means(take(side, [k for k, name in enumerate(side.utterances) if name in enrolls]))
        probes = trial_part(other, corpus)
        known = set(models.utterances)
        probes = take(probes, [k for k, speaker in enumerate(probes.speakers or ()) if speaker in known])
        if encoded.standardize:
            scale = take(side, [k for k, name in enumerate(side.utterances) if name in enrolls])
            models, probes = on_scale_of(models, scale), on_scale_of(probes, scale)
        counts = count_ranks(
            probes.vectors, models.vectors, probe_speakers=probes.speakers, template_speakers=models.utterances
        )
        found = rank_disclosure(counts, speakers=probes.speakers)
        result[condition] = {
            "mean_disclosure": found.mean_disclosure,
            "id_rate": found.id_rate,
            "max_disclosure": found.max_disclosure,
            "chance_mean_disclosure": found.chance_mean_disclosure,
            "templates": len(models),
        }
    return result


def utility_of(
    original: Corpus, anonymized: Corpus, options: Options, say: Callable[[str], None], progress: Progress
) -> dict[str, Any]:
    """Words, melody and quality."""
    cache = None if options.cache is None else Path(options.cache)
    say("Transcribing, following the melody, rating the quality")
    spoken = words(
        original,
        anonymized,
        recognizer=options.recognizer,
        transcripts=options.transcripts,
        limit=options.limit,
        workers=options.workers,
        cache=cache,
        progress=progress,
    )
    result = {"words": spoken, "pitch_correlation": melody(original, anonymized)}
    return (
        {**result, "dnsmos": quality(original, anonymized, workers=options.workers, cache=cache)}
        if options.quality
        else result
    )
