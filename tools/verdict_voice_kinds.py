"""Recordings through `evaluate_voices`: sound ones, and ones that are missing, silent, copied, renamed, exchanged or alike.

The recordings are short noises that an encoder knows the vectors of (`worlds/voices.py`), so a draw costs seconds. Outputs that
are exchanged need speech: those are synthetic voices, made once.
"""

from __future__ import annotations

from atexit import register
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np
from verdict_doors import label_of, refusal
from verdict_kinds import FALSE_ALARM, NO_VERDICT, NOT_STOPPED, Kind, found

from stripeless.anonymizers.mcadams import McAdams
from stripeless.anonymizers.run import anonymize_corpus
from stripeless.audio.corpus import Corpus, with_trials
from stripeless.audio.recordings import RATE, Recording, write_recording
from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.embeddings.encoders.statistics import StatisticsEncoder
from stripeless.results.voices import VoiceEvaluation
from stripeless.studies.evaluate import VoiceOptions, evaluate_voices
from stripeless.worlds.vectors import VectorWorld, simulate_vectors
from stripeless.worlds.voices import SimulatedVoices, simulate_voices

Fault = Callable[[SimulatedVoices, np.random.Generator], SimulatedVoices]
FEW: dict[str, Any] = {"people": 20, "recordings": 4, "enrollment": 3, "training_people": 40, "dimension": 32}
LOST = 6  # people of 20 whose outputs are gone


@cache
def folder() -> Path:
    """Where the recordings of this run lie, until it ends."""
    place = Path(mkdtemp(prefix="verdict-voices-"))
    register(rmtree, place, ignore_errors=True)
    return place


def evaluated(voices: SimulatedVoices, seed: int, allow_missing: bool = False) -> VoiceEvaluation:
    """One evaluation of recordings."""
    options = VoiceOptions(
        utility=False, seed=seed % 2**31, allow_missing=allow_missing, cache=folder() / "cache" / voices.encoder.name
    )
    return evaluate_voices(voices.original, voices.anonymized, [voices.encoder], options, training=voices.training)


def drawn(world: VectorWorld, fault: Fault, seed: int) -> SimulatedVoices:
    """Recordings of one draw, with a fault; the encoder's name is new, because its vectors are."""
    made = simulate_voices(simulate_vectors(world, seed=seed), folder() / "noises")
    name = f"look-up-{sha256(f'{world} {seed}'.encode()).hexdigest()[:16]}"
    encoder = replace(made.encoder, name=name, identity=name)
    return fault(replace(made, encoder=encoder), np.random.default_rng([23, seed]))


def play(world: VectorWorld, fault: Fault, seed: int, *, allow_missing: bool = False, code: str = "") -> str:
    """The label of one draw; where a finding is wanted, "Error" if it does not come."""

    def told() -> str:
        result = evaluated(drawn(world, fault, seed), seed, allow_missing)
        missed = code and code not in {finding.code for finding in result.warnings}
        return "Error" if missed else label_of(result)

    return refusal(told)


def sound(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """Nothing is wrong."""
    return voices


def people_of(voices: SimulatedVoices, rng: np.random.Generator, count: int = LOST) -> list[str]:
    """Some of the people, drawn."""
    return sorted(rng.choice(voices.original.speakers, count, replace=False).tolist())


def gone(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """The outputs of six people are missing."""
    lost = set(people_of(voices, rng))
    kept = tuple(one for one in voices.anonymized.utterances if one.speaker not in lost)
    return replace(voices, anonymized=replace(voices.anonymized, utterances=kept))


def silent(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """The outputs of six people are silent."""
    lost, place = set(people_of(voices, rng)), folder() / "silence.wav"
    write_recording(place, Recording(np.zeros(RATE), RATE))
    return replace(voices, anonymized=moved(voices.anonymized, dict.fromkeys(named(voices.anonymized, lost), place)))


def alike(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """All outputs are one file."""
    first = voices.anonymized.utterances[0].path
    return replace(voices, anonymized=moved(voices.anonymized, {u.name: first for u in voices.anonymized.utterances}))


def enrolled_twice(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """A third of the trials is a recording that enrolls."""
    enrolls = {u.speaker: u for u in voices.original.utterances if u.name in voices.original.enrollment}
    tried = [u for u in voices.original.utterances if u.name not in voices.original.enrollment]
    paths = {u.name: enrolls[u.speaker].path for u in tried[::3]}
    return replace(voices, original=moved(voices.original, paths))


def two_names(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """Three people are three others once more, before and after."""
    original, other = people_of(voices, rng, 6), {}
    by_name = {side: getattr(voices, side).by_name() for side in ("original", "anonymized")}
    for one, twin in zip(original[:3], original[3:], strict=True):
        for role in (True, False):
            names = [
                [u.name for u in voices.original.of_speaker(who) if (u.name in voices.original.enrollment) is role]
                for who in (one, twin)
            ]
            other |= dict(zip(names[0], names[1], strict=True))
    sides = {
        side: moved(getattr(voices, side), {name: known[twin].path for name, twin in other.items()})
        for side, known in by_name.items()
    }
    return replace(voices, **sides)


def renamed(voices: SimulatedVoices, rng: np.random.Generator) -> SimulatedVoices:
    """The outputs of the judged people are among the training recordings under other names."""
    assert voices.training is not None
    lessons = tuple(
        replace(u, name=f"again-{u.name}", speaker=f"again-{u.speaker}") for u in voices.anonymized.utterances
    )
    return replace(voices, training=replace(voices.training, utterances=(*voices.training.utterances, *lessons)))


def named(corpus: Corpus, people: set[str]) -> list[str]:
    """Names of the utterances of these people."""
    return [one.name for one in corpus.utterances if one.speaker in people]


def moved(corpus: Corpus, paths: dict[str, Path]) -> Corpus:
    """The same corpus with copies of other files under these names."""
    place = Path(mkdtemp(dir=folder()))
    utterances = []
    for one in corpus.utterances:
        if one.name in paths:
            copyfile(paths[one.name], place / f"{one.name}.wav")
        utterances.append(replace(one, path=place / f"{one.name}.wav" if one.name in paths else one.path))
    return replace(corpus, utterances=tuple(utterances))


@cache
def speech() -> tuple[Corpus, Corpus]:
    """Synthetic voices before and after McAdams' method."""
    original = synthetic_corpus(folder() / "voices", speakers=12, utterances=4, digits=4)
    hidden = folder() / "hidden"
    return with_trials(original), anonymize_corpus(original, hidden, McAdams(), state=folder() / "state").corpus


def exchanged(seed: int, share: float) -> str:
    """This share of the outputs changed owners."""
    original, hidden = speech()
    rng = np.random.default_rng([24, seed])
    who = rng.permutation(len(hidden.utterances))[: round(share * len(hidden.utterances))]
    paths = {hidden.utterances[i].name: hidden.utterances[j].path for i, j in zip(who, np.roll(who, 1), strict=True)}
    options = VoiceOptions(utility=False, seed=seed % 2**31, cache=folder() / "cache")
    return refusal(lambda: label_of(evaluate_voices(original, moved(hidden, paths), [StatisticsEncoder()], options)))


def voice_kinds() -> Iterator[Kind]:
    """Chapter e, and what is wrong with recordings of chapter f."""
    perfect, keeping = VectorWorld(**FEW), VectorWorld(**FEW, kept=0.5)
    yield Kind("e-perfect", "e", "20 x 4 recordings, perfect by noise, trained on 40 others", "no leak",
               partial(play, perfect, sound), (FALSE_ALARM, NOT_STOPPED), draws=40)  # fmt: skip
    yield Kind("e-kept", "e", "20 x 4 recordings, .5 of the voice kept in noise", "leak", partial(play, keeping, sound),
               (found(0.95), NOT_STOPPED), draws=40)  # fmt: skip
    for name, what, world, fault, more in (
        ("missing-refused", "outputs of 6 people of 20 are missing", perfect, gone, {}),
        ("silent-refused", "outputs of 6 people of 20 are silent", perfect, silent, {}),
        ("missing", "outputs of 6 people of 20 are missing, which is allowed", perfect, gone,
         {"allow_missing": True, "code": "missing_unbalanced"}),
        ("silent", "outputs of 6 people of 20 are silent, which is allowed", perfect, silent,
         {"allow_missing": True, "code": "missing_unbalanced"}),
        ("alike", "all outputs are one file", perfect, alike, {"code": "same_output"}),
        ("enrolled-twice", "a third of the trials is a recording that enrolls", perfect, enrolled_twice, {"code": "copies"}),
        ("two-names", "3 people of 20 are 3 others once more", perfect, two_names, {"code": "shared_content"}),
        ("renamed", "the judged outputs are training recordings under other names", perfect, renamed,
         {"code": "training_copies"}),
    ):  # fmt: skip
        yield Kind(f"f-recordings-{name}", "f", f"recordings, perfect: {what}", "wrong data",
                   partial(play, world, fault, **more), (NO_VERDICT,), draws=40)  # fmt: skip
    unprotected = VectorWorld(people=40, hides="utterance", training="unprotected", recordings=4, training_people=40)
    yield Kind("f-recordings-unprotected", "f", "recordings, perfect: trained on unprotected speech of others", "wrong data",
               partial(play, unprotected, sound, code="training_unprotected"), (NO_VERDICT,), draws=20)  # fmt: skip
    for share in (0.1, 0.3, 1.0):
        yield Kind(f"f-recordings-exchanged-{share:g}", "f", f"{100 * share:g} % of the outputs of made voices changed owners",
                   "wrong data", partial(exchanged, share=share), (NO_VERDICT,), draws=20)  # fmt: skip
