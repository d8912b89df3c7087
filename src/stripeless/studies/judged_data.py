"""What of two corpora can be judged: utterances with a usable copy, and what is wrong with the recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stripeless.attackers.recording_data import Printed, examine_recordings
from stripeless.audio.corpus import Corpus
from stripeless.audio.fingerprints import fingerprints
from stripeless.audio.near_copies import Fingerprint
from stripeless.errors import InputError
from stripeless.parallel.items import OnError, Progress
from stripeless.studies.missing import NO_COPY, SILENT, UNREADABLE, Lost, check_nothing_lost, examine_lost
from stripeless.verdicts.finding import Finding


@dataclass(frozen=True, eq=False)
class JudgedData:
    """What is left to judge.

    Attributes:
        original, anonymized: the same utterances before and after.
        training: what the semi-informed attacker learns from; None for nothing.
        notes: sentences on the reading.
        findings: what is missing, copied, exchanged or taught.
    """

    original: Corpus
    anonymized: Corpus
    training: Corpus | None
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Reading:
    """How recordings are looked at: cache, workers, what is allowed to be missing."""

    cache: Path | None
    workers: int
    on_error: OnError
    allow_missing: bool
    say: Callable[[str], None]
    progress: Progress

    @property
    def allowed(self) -> tuple[str, ...]:
        """The reasons for which an utterance may be left out."""
        if self.allow_missing:
            return NO_COPY, SILENT, UNREADABLE
        return (SILENT, UNREADABLE) if self.on_error == "skip" else ()

    def printed(self, corpus: Corpus) -> tuple[dict[str, Fingerprint], dict[str, str]]:
        """The fingerprints by name, and a sentence for each recording that cannot be read."""
        self.say(f"Listening for silence and copies in {len(corpus.utterances)} recordings of {corpus.folder.name}")
        found = fingerprints(
            corpus.utterances,
            cache=self.cache,
            workers=self.workers,
            on_error="skip" if self.allowed else "stop",
            progress=self.progress,
        )
        prints = {one.item.name: one.result for one in found if one.result is not None}
        return prints, {one.item.name: one.error for one in found if one.error}


def judged_data(
    original: Corpus, anonymized: Corpus, training: Corpus | None, source: Corpus | None, reading: Reading
) -> JudgedData:
    """The utterances that can be judged, after refusing what nobody allowed to be missing; and what the doctor found.

    Parameters:
        original: the recordings before, with trials.
        anonymized: the same after, by name.
        training: what the semi-informed attacker learns from.
        source: the training recordings before they were anonymized, where they are known.
        reading: how recordings are looked at.
    """
    check_training(original, training)
    before, after, notes = matched(original, anonymized)
    there = {one.name for one in before.utterances}
    why = {one.name: NO_COPY for one in original.utterances if one.name not in there}
    check_nothing_lost(original, Lost(why), reading.allowed)  # before every recording is read
    (prints, said), (prints_after, said_after) = reading.printed(before), reading.printed(after)
    for found, errors in ((prints, said), (prints_after, said_after)):
        why |= dict.fromkeys(errors, UNREADABLE) | {name: SILENT for name, one in found.items() if one.voiceless}
    lost = Lost(why, tuple(f"left out: {error}" for error in (*said_after.values(), *said.values())))
    check_nothing_lost(original, lost, reading.allowed)
    if why:
        before, after, notes = matched(original, without(anonymized, set(why)))
    sides = Printed(before, in_order(before, prints)), Printed(after, in_order(after, prints_after))
    training, taught, more = readable(training, reading)
    source, unprotected, _ = readable(source, reading)
    findings = (
        *examine_lost(original, lost, before),
        *examine_recordings(*sides, taught, unprotected, cache=reading.cache),
    )
    told = (f"left out: {lost.told()}",) if why else ()
    return JudgedData(before, after, training, (*notes, *told, *lost.said, *more), findings)


def readable(corpus: Corpus | None, reading: Reading) -> tuple[Corpus | None, Printed | None, tuple[str, ...]]:
    """Training recordings with a voice in them, their fingerprints, and sentences on the others."""
    if corpus is None:
        return None, None, ()
    prints, said = reading.printed(corpus)
    silent = [name for name, one in prints.items() if one.voiceless]
    if silent and SILENT not in reading.allowed:
        raise InputError(
            f"{corpus.folder}: {len(silent)} training recordings are {SILENT}, such as {silent[0]!r}; leave them out of the "
            "corpus, or go on without them with --allow-missing (allow_missing=True)"
        )
    notes = (*(f"left out: {error}" for error in said.values()), *(f"left out: {name} is {SILENT}" for name in silent))
    kept = without(corpus, {*said, *silent})
    return kept, Printed(kept, in_order(kept, prints)), notes


def in_order(corpus: Corpus, prints: Mapping[str, Fingerprint]) -> tuple[Fingerprint, ...]:
    """The fingerprints of a corpus' utterances."""
    return tuple(prints[one.name] for one in corpus.utterances)


def without(corpus: Corpus, names: set[str]) -> Corpus:
    """A corpus without these utterances; roles are not kept, because names of them may be gone."""
    utterances = tuple(one for one in corpus.utterances if one.name not in names)
    return corpus if not names else replace(corpus, utterances=utterances, enrollment=(), trials=())


def matched(original: Corpus, anonymized: Corpus) -> tuple[Corpus, Corpus, tuple[str, ...]]:
    """Both corpora with the utterances they share, speakers and trials taken from the original."""
    after = anonymized.by_name()
    shared = [u for u in original.utterances if u.name in after]
    if not shared:
        example = original.utterances[0].name
        raise InputError(
            f"{anonymized.folder}: holds no utterance of {original.folder}, such as {example!r}; names must agree"
        )
    names = {u.name for u in shared}
    speakers = {u.speaker for u in shared if u.name in set(original.enrollment)}
    kept = replace(
        original,
        utterances=tuple(shared),
        enrollment=tuple(n for n in original.enrollment if n in names),
        trials=tuple(t for t in original.trials if t.utterance in names and t.enrolled in speakers),
    )
    copies = tuple(replace(after[u.name], speaker=u.speaker, sex=u.sex, text=u.text) for u in shared)
    return kept, replace(kept, folder=anonymized.folder, utterances=copies), original.notes


def check_training(original: Corpus, training: Corpus | None) -> None:
    """Speakers of the trials must not be among those the attacker retrains on."""
    overlap = sorted(set(original.speakers) & set(training.speakers)) if training is not None else []
    if overlap:
        raise InputError(
            f"{training.folder if training else ''}: {len(overlap)} training speakers also speak in the trials, such as "
            f"{overlap[0]!r}; an attacker who was trained on them says nothing about others"
        )
