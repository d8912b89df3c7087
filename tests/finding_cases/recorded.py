"""Findings about the content of recordings, and about vectors that are copies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from encoded_voices import ANONYMIZED, CORPUS, ORIGINAL
from encoded_voices import heard as encoded_voices
from recorded_voices import changed, heard, hidden, spoken

from finding_cases.case import case
from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.embedded_data import examine_embedded
from stripeless.attackers.voice_checks import training_doubts
from stripeless.attackers.voices import Encoded
from stripeless.studies.missing import SILENT, Lost, examine_lost
from stripeless.verdicts.finding import Finding
from stripeless.worlds.vectors import Taught, VectorWorld, simulate_vectors


def vectors(
    training: Taught = "sound", *, twice: int = 0, enrolled_twice: bool = False, original_known: bool = True
) -> Iterable[Finding]:
    """Forty people as vectors; `twice` gives so many a second name, for enrollment and trials."""
    drawn = simulate_vectors(VectorWorld(training=training))
    enrollment, trials = drawn.original.enrollment, drawn.original.trials
    if enrolled_twice:
        trials = replace(trials, vectors=np.concatenate([1.0000005 * enrollment.vectors[:2], trials.vectors[2:]]))
    copies = np.arange(twice)
    rows = trials.vectors.copy()
    rows[-1 - copies] = 1.0000005 * rows[copies]
    original = Embedded(enrollment, replace(trials, vectors=rows))
    taught = drawn.training if original_known else Training(None, drawn.training.anonymized)
    return examine_embedded(original, drawn.anonymized, taught)


def training_of(unprotected: bool) -> Iterable[Finding]:
    """Training vectors of other people as an encoder hears them, before or after anonymization."""
    others = encoded_voices(1 if unprotected else 2, shift=0.0 if unprotected else 30.0, prefix="other")
    shifted = replace(ANONYMIZED, vectors=ANONYMIZED.vectors + 27.0)
    return training_doubts(Encoded("x", ORIGINAL, shifted, others))


def lost(*names: str) -> Iterable[Finding]:
    return examine_lost(CORPUS, Lost(dict.fromkeys(names, SILENT)), CORPUS)


OTHERS = 20  # number of the first person who is not judged
RENAMED = {f"t{name[1:]}": sound for name, sound in list(spoken().items())[:8]}
EXCHANGED = {"s00-2": "s02-2", "s02-2": "s00-2", "s04-3": "s06-3", "s06-3": "s04-3"}
ALIKE = dict.fromkeys(spoken(), "s00-0")

CASES = {
    "copies": case(
        (lambda: heard(changed(spoken(), {"s03-2": "s03-0"})), lambda: vectors(enrolled_twice=True)), (heard, vectors)
    ),
    "shared_content": case(
        (
            lambda: heard(changed(spoken(), {f"s07-{k}": f"s05-{k}" for k in range(4)})),
            lambda: vectors(twice=1),
            lambda: vectors(twice=30),
        ),
        (heard, vectors),
    ),
    "training_copies": case(
        (lambda: heard(training={**spoken(OTHERS), **RENAMED}), lambda: vectors("judged")),
        (lambda: heard(training=spoken(OTHERS)), vectors, lambda: vectors("shuffled")),
    ),
    "training_unprotected": case(
        (
            lambda: vectors("unprotected"),
            lambda: vectors("unprotected", original_known=False),
            lambda: training_of(unprotected=True),
        ),
        (vectors, lambda: vectors(original_known=False), lambda: training_of(unprotected=False)),
    ),
    "same_output": case(
        (lambda: heard(anonymized=changed(hidden(), ALIKE)), lambda: heard(anonymized=changed(hidden(), {"s01-1": "s00-1"}))),
        (heard, lambda: heard(changed(spoken(), {"s01-1": "s00-1"}), changed(hidden(), {"s01-1": "s00-1"}))),
    ),
    "not-anonymized": case(lambda: heard(anonymized={**hidden(), "s02-1": 1.5 * spoken()["s02-1"]}), heard),
    "exchanged_recordings": case(
        lambda: heard(anonymized=changed(hidden(), EXCHANGED)),
        (heard, lambda: heard(anonymized=changed(hidden(), ALIKE)), lambda: heard(anonymized=spoken(OTHERS))),
    ),
    "missing": case(lambda: lost("s03-0", "s07-2"), lost),
    "missing_unbalanced": case(
        lambda: lost(*(u.name for u in CORPUS.utterances[:16])), lambda: lost(*(u.name for u in CORPUS.utterances[::5]))
    ),
}  # fmt: skip
