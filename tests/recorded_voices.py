"""Synthetic voices before and after McAdams' method, in memory, with faults to plant; and their fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from stripeless.anonymizers.anonymizer import SourceVoice
from stripeless.anonymizers.mcadams import McAdams
from stripeless.attackers.recording_data import Printed, examine_recordings
from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.near_copies import Fingerprint, fingerprint
from stripeless.audio.recordings import RATE, Samples
from stripeless.audio.synthetic_voice import DIGITS, speak, synthetic_speaker
from stripeless.verdicts.finding import Finding

PEOPLE, EACH, WORDS = 8, 4, 4


@cache
def spoken(first: int = 0) -> dict[str, Samples]:
    """Eight people who say four digits four times each, none of them twice alike."""
    rng = np.random.default_rng(first)
    said = {}
    for number in range(first, first + PEOPLE):
        for k in range(EACH):
            words = " ".join(rng.choice(list(DIGITS), WORDS))
            said[f"s{number:02d}-{k}"] = speak(synthetic_speaker(number), words, seed=100 * number + k).samples
    return said


@cache
def hidden(first: int = 0) -> dict[str, Samples]:
    """The same after anonymization."""
    method = McAdams()
    return {
        name: method.apply(sound, RATE, SourceVoice("s", name, "f", "trial")) for name, sound in spoken(first).items()
    }


@cache
def printed(sound: bytes) -> Fingerprint:
    return fingerprint(np.frombuffer(sound))


def side(sounds: Mapping[str, Samples]) -> Printed:
    """A corpus of these recordings: the first half of each person's enrolls."""
    utterances = tuple(Utterance(name, Path(name), name.split("-")[0], "fm"[int(name[2]) % 2]) for name in sounds)
    return Printed(with_trials(Corpus(Path("x"), utterances)), tuple(printed(one.tobytes()) for one in sounds.values()))


def changed(sounds: Mapping[str, Samples], change: Mapping[str, str | Callable[[], Samples]]) -> dict[str, Samples]:
    """The same recordings, some of them with the sound of another one."""
    return {name: sounds[change[name]] if name in change else one for name, one in sounds.items()}  # type: ignore[index]


def heard(
    original: Mapping[str, Samples] | None = None,
    anonymized: Mapping[str, Samples] | None = None,
    training: Mapping[str, Samples] | None = None,
) -> list[Finding]:
    """What is found in these recordings; in sound ones where nothing else is given."""
    taught = None if training is None else side(training)
    before = side(spoken() if original is None else original)
    after = side(hidden() if anonymized is None else anonymized)
    return examine_recordings(before, replace(after, corpus=replace(before.corpus, folder=Path("y"))), taught)
