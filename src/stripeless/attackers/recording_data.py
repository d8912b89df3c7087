"""Faults of the data that recordings show: what is compared is the sound, not the names.

The same content under two names, in enrollment and trials, in training; outputs that are one sound or belong to somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stripeless.attackers.data_findings import (
    copied_into_trials,
    exchanged_outputs,
    one_person_two_names,
    one_sound,
    still_the_original,
    taught_the_judged,
)
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.fingerprints import copies_among
from stripeless.audio.near_copies import Fingerprint, is_copy, likeness
from stripeless.audio.timing import exchanged
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.finding import Finding

SAME = 0.97  # correlation with the original; McAdams' method, which keeps most of all methods here, stays below 0.75


@dataclass(frozen=True, eq=False)
class Printed:
    """A corpus and the fingerprint of each of its utterances, in their order."""

    corpus: Corpus
    prints: tuple[Fingerprint, ...]


@dataclass(frozen=True, eq=False)
class Side:
    """Some recordings among those that are compared: what they are for, and where they begin in the list."""

    name: str
    utterances: tuple[Utterance, ...]
    start: int

    def holds(self, place: int) -> bool:
        return self.start <= place < self.start + len(self.utterances)

    def at(self, place: int) -> Utterance:
        return self.utterances[place - self.start]


def examine_recordings(
    original: Printed,
    anonymized: Printed,
    training: Printed | None = None,
    source: Printed | None = None,
    *,
    cache: Path | None = None,
) -> list[Finding]:
    """What is wrong with the recordings, the serious findings first.

    Parameters:
        original: recordings before anonymization, with roles.
        anonymized: the same utterances after it, in the same order.
        training: what the semi-informed attacker learns from; None for nothing.
        source: the training recordings before they were anonymized; None where nobody has them.
        cache: folder that remembers which recordings were alike; None remembers nothing.
    """
    lessons = [("training", one) for one in (training, source) if one is not None]
    before = pairs_of([("judged", original), *lessons], cache)
    after = pairs_of([("judged", anonymized), *lessons[: 0 if training is None else 1]], cache)
    enrolls = set(original.corpus.enrollment)
    people = len(original.corpus.speakers)
    own = [(one, other) for (side, one), (other_side, other) in before if side == other_side == "judged"]
    taught = [
        (one.speaker, other.speaker)
        for (side, one), (other_side, other) in (*before, *after)
        if (side, other_side) == ("judged", "training")
    ]
    shared = [(one.speaker, other.speaker) for one, other in own if one.speaker != other.speaker]
    copied = [
        min((one.name, other.name), key=lambda name: name not in enrolls)
        for one, other in own
        if one.speaker == other.speaker and (one.name in enrolls) != (other.name in enrolls)
    ]
    outputs = {one.name for (side, u), (other_side, v) in after if side == other_side == "judged" for one in (u, v)}
    same_before = {one.name for pair in own for one in pair}
    return list(
        serious_first(
            [
                *one_person_two_names(shared, people, "recordings"),
                *copied_into_trials(copied, len(enrolls), "recordings"),
                *taught_the_judged(taught, people, "recordings"),
                *unchanged(original, anonymized),
                *one_sound(sorted(outputs - same_before), len(anonymized.corpus.utterances)),
                *moved_outputs(original, anonymized),
            ]
        )
    )


def pairs_of(
    sides: Sequence[tuple[str, Printed]], cache: Path | None
) -> list[tuple[tuple[str, Utterance], tuple[str, Utterance]]]:
    """Every two recordings that hold the same sound, each with what it is for."""
    placed: list[Side] = []
    prints: list[Fingerprint] = []
    for name, side in sides:
        placed.append(Side(name, side.corpus.utterances, len(prints)))
        prints += side.prints

    def whose(place: int) -> tuple[str, Utterance]:
        side = next(one for one in placed if one.holds(place))
        return side.name, side.at(place)

    return [(whose(i), whose(j)) for i, j in copies_among(prints, cache)]


def unchanged(original: Printed, anonymized: Printed) -> Iterator[Finding]:
    """Outputs that are still the sound of their original, maybe louder, later or coarser."""
    same = [
        utterance.name
        for utterance, before, after in zip(original.corpus.utterances, original.prints, anonymized.prints, strict=True)
        if likeness(before, after)[0] >= SAME and is_copy(before, after)
    ]
    yield from still_the_original(same, len(original.prints))


def moved_outputs(original: Printed, anonymized: Printed) -> Iterator[Finding]:
    """Outputs that belong to the recording of somebody else."""
    utterances = original.corpus.utterances
    moved = exchanged(original.prints, anonymized.prints, [one.speaker for one in utterances])
    pairs = [(utterances[i], utterances[j]) for i, j in moved]
    yield from exchanged_outputs([(one.name, other.name) for one, other in pairs], len(utterances))
