"""Anonymizing a whole corpus: in parallel, going on where an interrupted run stopped, never leaving half a file.

The output is a Kaldi data directory, made to be handed over: nothing in it but the recordings themselves is computed from the
originals. Lists hold names, sexes and words as the input gave them, in the order of names; `anonymizer.json` holds the settings
without secrets; all files have one time. What a second run needs to redo only what is missing or has changed is the journal,
and lies elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from stripeless._files import read_whole, write_whole
from stripeless._log import clock
from stripeless.anonymizers.anonymizer import Anonymizer, Part, SourceVoice
from stripeless.anonymizers.journal import OLD, Entry, Journal, read_journal, read_old
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.corpus_files import write_kaldi_corpus
from stripeless.audio.recordings import RATE, Recording, encode
from stripeless.errors import FileError, InputError, shown
from stripeless.parallel.executors import Who, checked_workers
from stripeless.parallel.items import OnError, Outcome, Progress, each, nothing

LOG = logging.getLogger(__name__)

_CANNOT = re.compile(r'[/\\<>:"|?*\x00-\x1f]')
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
MANIFEST = "anonymizer.json"  # beside the recordings: what they were made by
FORMAT = 2  # raised when the same settings give other samples


@dataclass(frozen=True)
class AnonymizedCorpus:
    """The new corpus, how many recordings were made now, how many were there, and what had to be left out.

    `strays` are files among the recordings that are on no list: of people who were in an earlier run, or of somebody else.
    """

    corpus: Corpus
    made: int
    kept: int
    skipped: tuple[str, ...]
    seconds: float
    strays: tuple[str, ...] = ()


def anonymize_corpus(
    corpus: Corpus,
    out: str | PathLike[str],
    anonymizer: Anonymizer,
    *,
    rate: int = RATE,
    suffix: str = ".wav",
    workers: Who = 1,
    on_error: OnError = "stop",
    progress: Progress = nothing,
    state: str | PathLike[str] | None = None,
) -> AnonymizedCorpus:
    """Every recording of `corpus` through `anonymizer` into the folder `out`, a Kaldi data directory.

    What is done is remembered in the folder `state`, or where this user's programs keep such things.
    """
    workers, out, seconds = checked_workers(workers), Path(out), clock()
    if out.resolve() == corpus.folder.resolve():
        raise FileError(out, "is where the originals lie; choose another folder for the anonymized recordings")
    spaced = next((n for u in corpus.utterances for n in (u.name, u.speaker) if len(n.split()) != 1), None)
    if spaced is not None:
        raise FileError(corpus.folder, f"has a name with a space, {spaced!r}, which Kaldi lists cannot hold; rename it")
    if anonymizer.listens:
        anonymizer = fitted(anonymizer, corpus, rate, on_error)
    journal = resume(out, {**anonymizer.settings(), "rate": rate, "suffix": suffix, "format": FORMAT}, state)
    enrolls, unknown, files = set(corpus.enrollment), Entry("", ""), file_names(u.name for u in corpus.utterances)
    jobs = [
        Anonymization(
            u,
            out / "wav" / f"{files[u.name]}{suffix}",
            "enrollment" if u.name in enrolls else "trial",
            journal.entries.get(u.name, unknown),
        )
        for u in corpus.utterances
    ]
    with journal:

        def finish(outcome: Outcome[Anonymization, Done]) -> None:
            if outcome.result is not None and outcome.result.made:
                journal.add(outcome.item.utterance.name, outcome.result.entry)

        work = partial(anonymize_one, anonymizer=anonymizer, rate=rate)
        outcomes = each(work, jobs, workers=workers, on_error=on_error, progress=progress, finish=finish)
    results = {o.item.utterance.name: o.result for o in outcomes if o.result is not None}
    new = kept_corpus(corpus, out, {o.item.utterance.name: o.item.path for o in outcomes if o.result is not None})
    write_kaldi_corpus(out, in_order_of_names(new))
    level_times(out)
    made = [result for result in results.values() if result.made]
    LOG.info("%s made %d recordings in %s in %.1f s, %d were there", anonymizer.name, len(made), out, seconds(),
             len(results) - len(made))  # fmt: skip
    errors = tuple(outcome.error for outcome in outcomes if outcome.error)
    strays = strays_in(out / "wav", new)
    return AnonymizedCorpus(new, len(made), len(results) - len(made), errors, sum(r.seconds for r in made), strays)


@dataclass(frozen=True)
class Anonymization:
    """One recording to anonymize; `done` is what the journal says of the file at `path`."""

    utterance: Utterance
    path: Path
    role: str
    done: Entry

    @property
    def name(self) -> str:
        """The utterance's, for people."""
        return self.utterance.name


@dataclass(frozen=True)
class Done:
    """What became of it: what the journal takes down, how long it is, and whether it was made now."""

    entry: Entry
    seconds: float
    made: bool


def anonymize_one(job: Anonymization, anonymizer: Anonymizer, rate: int) -> Done:
    """One recording, unless it is there already, made from the same source and not changed since."""
    recording = job.utterance.read(rate)
    source = hashlib.sha256(recording.samples.tobytes()).hexdigest()
    if source == job.done.source and is_whole(job.path, job.done.made):
        return Done(job.done, recording.seconds, False)
    utterance = job.utterance
    voice = SourceVoice(utterance.speaker, utterance.name, utterance.sex, job.role)
    try:
        samples = anonymizer.apply(recording.samples, rate, voice)
    except InputError as error:
        raise FileError(utterance.path, f"cannot be anonymized: {error}") from error
    content = encode(Recording(samples, rate), job.path.suffix)
    write_whole(job.path, content)
    return Done(Entry(source, hashlib.sha256(content).hexdigest()), recording.seconds, True)


def is_whole(path: Path, digest: str) -> bool:
    """Is the file there, as it was made? Where nobody wrote down what was made, being there is enough."""
    if not path.is_file():
        return False
    return not digest or hashlib.sha256(path.read_bytes()).hexdigest() == digest


def resume(out: Path, settings: dict[str, Any], state: str | PathLike[str] | None = None) -> Journal:
    """The journal of the output folder, as far as an earlier run with the same settings came."""
    about, mark = manifest_of(settings), mark_of(settings)
    manifest, wav = out / MANIFEST, out / "wav"
    found = read_manifest(manifest)
    if found is None and wav.is_dir() and any(wav.iterdir()):
        raise FileError(
            out, "holds recordings but no anonymizer.json; choose a new folder so that nothing is overwritten"
        )
    journal = read_journal(out, state)
    if found is None:
        journal.entries = {}  # of a folder that was removed
    else:
        known = found.pop("fingerprint", "") or journal.mark or mark  # 0.1 wrote it here
        if manifest_of(found) != json.loads(json.dumps(about)) or known != mark:
            raise FileError(manifest, "is of recordings anonymized with other settings; choose another folder")
        journal.entries = {**read_old(out), **journal.entries}
    journal.mark = mark
    try:
        wav.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(out, f"cannot be made ({error.strerror or error}); choose another folder") from error
    journal.write()
    write_whole(manifest, json.dumps(about, indent=2, sort_keys=True) + "\n")
    (out / OLD).unlink(missing_ok=True)  # it tells who is in the data
    return journal


def read_manifest(path: Path) -> dict[str, Any] | None:
    """What `anonymizer.json` says; None where there is none."""
    try:
        found = json.loads(read_whole(path).decode())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(path, f"cannot be read ({shown(error)}); choose another folder") from error
    if not isinstance(found, dict):
        raise FileError(path, "is no description of anonymized recordings; choose another folder")
    return found


# the key of the draws, what was measured of whom, and by what a pool of other people's voices is known
SECRET = ("seed", "profiles", "heard", "common", "roster", "pool")


def manifest_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What may lie beside published recordings: settings without secrets, and without anything computed from a recording."""
    return {k: manifest_of(v) if isinstance(v, Mapping) else v for k, v in settings.items() if k not in SECRET}


def mark_of(settings: Mapping[str, Any]) -> str:
    """By what a later run knows the same settings, secrets included. For the journal alone: short seeds can be guessed by it,
    and what was measured of the speakers confirmed, though each guess takes time (scrypt).
    """
    whole = json.dumps(settings, sort_keys=True).encode()
    return hashlib.scrypt(whole, salt=b"stripeless manifest", n=2**14, r=8, p=1, dklen=16).hex()


def strays_in(folder: Path, corpus: Corpus) -> tuple[str, ...]:
    """What lies among the recordings and is none of this corpus."""
    known = {utterance.path.name for utterance in corpus.utterances}
    return tuple(sorted(path.name for path in folder.iterdir() if path.name not in known))


def in_order_of_names(corpus: Corpus) -> Corpus:
    """The lists in an order that says nothing of the one in which the originals came."""
    trials = sorted(corpus.trials, key=lambda t: (t.enrolled, t.utterance, not t.target))
    utterances = sorted(corpus.utterances, key=lambda u: u.name)
    return replace(
        corpus, utterances=tuple(utterances), enrollment=tuple(sorted(corpus.enrollment)), trials=tuple(trials)
    )


def level_times(out: Path) -> None:
    """One time for every file: which came first, and how long each took, would tell of the originals."""
    files = [path for place in (out / "wav", out) for path in place.iterdir() if path.is_file()]
    if len({path.stat().st_mtime_ns for path in files}) > 1:
        now = int(time.time())
        for path in (*files, out / "wav", out):
            os.utime(path, (now, now))


def fitted(anonymizer: Anonymizer, corpus: Corpus, rate: int, on_error: OnError) -> Anonymizer:
    """The anonymizer after it has heard every speaker, enrollment data and trials each by themselves."""
    voices: dict[Part, list[Recording]] = {}
    enrolls = set(corpus.enrollment)
    for utterance in sorted(corpus.utterances, key=lambda u: u.name):  # sums do not depend on the list's order
        role = "enrollment" if utterance.name in enrolls else "trial"
        try:
            voices.setdefault((utterance.speaker, role), []).append(utterance.read(rate))
        except InputError:
            if on_error == "stop":
                raise
    return anonymizer.fitted(voices, {u.speaker: u.sex for u in corpus.utterances})


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each utterance, no two of them one file on any disk.

    No separators, no hidden files, nothing that Windows keeps for itself. Some disks do not tell capital letters from small
    ones, or two ways to write one sign. A name that had to change, or that another could be taken for, ends in a digest of it.
    """
    plain = {name: _CANNOT.sub("_", name).lstrip(".").rstrip(". ") for name in names}
    alike = Counter(_folded(file) for file in plain.values())
    found = {
        name: file
        if file == name and alike[_folded(file)] == 1 and not _DEVICE.fullmatch(file)
        else _with_digest(file, name)
        for name, file in plain.items()
    }
    last: dict[str, str] = {}
    for name, file in found.items():
        if (other := last.setdefault(_folded(file), name)) != name:  # one name was made to look like the other's file
            raise InputError(f"the utterances {other!r} and {name!r} would be written to one file; rename one")
    return found


def _with_digest(file: str, name: str) -> str:
    start = f"_{file}" if not file or _DEVICE.fullmatch(file) else file
    return f"{start}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _folded(file: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


def kept_corpus(corpus: Corpus, out: Path, paths: Mapping[str, Path]) -> Corpus:
    """The corpus after anonymization: recordings at their new place, those that failed left out of every list."""
    kept = tuple(
        replace(u, path=paths[u.name], command="", start=0.0, end=None) for u in corpus.utterances if u.name in paths
    )
    speakers = {utterance.speaker for utterance in kept}
    trials = tuple(t for t in corpus.trials if t.utterance in paths and t.enrolled in speakers)
    return Corpus(out, kept, tuple(name for name in corpus.enrollment if name in paths), trials, corpus.notes)
